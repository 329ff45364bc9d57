"""A line with a tube that is turned by hand."""

import re

import numpy as np
import pytest

from conftest import answer, open_page, points, settled


def opened(page, address):
    open_page(page, address, "#scene=flat-or-steep")
    settled(page)
    return np.array([point["c"] for point in points(page)]).T


def turned(page, slope):
    page.locator("#slope").fill(str(slope))
    page.wait_for_timeout(80)
    words = page.inner_text("#tilt-words")
    margin = re.search(r"= ([\d.]+);", words)
    return words, float(margin.group(1)) if margin else np.inf


def ink(page, place):
    """Whether the model layer is painted about a place of the data."""
    return page.evaluate(
        """place => import('/plane.js').then(({ toScreen }) => {
            const [x, y] = toScreen(place);
            const { data } = document.getElementById('model').getContext('2d').getImageData(Math.round(x) - 3, Math.round(y) - 3, 6, 6);
            let most = 0; for (let i = 3; i < data.length; i += 4) most = Math.max(most, data[i]); return most;
        })""",
        place,
    )


# 002b:F5-12
def test_the_flatter_the_line_the_wider_the_margin_of_its_tube(page, address):
    x, y = opened(page, address)
    tube = answer(page)["tube"]
    words, fitted = page.inner_text("#tilt-words"), answer(page)["attributes"]
    slope = np.ravel(next(one["value"] for one in fitted if one["name"] == "coef"))[0]
    assert "The fitted line" in words and float(re.search(r"= ([\d.]+);", words).group(1)) == pytest.approx(2 * tube / slope, rel=1e-3)
    margins = {}
    for by_hand in (0.2, 1.4):
        words, margins[by_hand] = turned(page, by_hand)
        shown = float(page.input_value("#slope"))
        assert margins[by_hand] == pytest.approx(2 * tube / shown, rel=1e-3)
        # What the tube leaves out, counted by hand: the line goes through the middle of the points.
        off = np.abs(y - y.mean() - shown * (x - x.mean())) - tube
        assert f"{(off > 0).sum()} points outside" in words
        assert float(re.search(r"slack ([\d.]+) in all", words).group(1)) == pytest.approx(off[off > 0].sum(), rel=1e-3)
        # Two places on the line that are the margin apart, where it differs by 2ε: both are marked.
        half = margins[by_hand] / 2
        for side in (-1, 1):
            assert ink(page, [x.mean() + side * half, y.mean() + side * half * shown]) == 255
    assert margins[0.2] > 6 * margins[1.4]
    assert "steeper" in words
    page.click("#slope-fitted")
    assert "The fitted line" in page.inner_text("#tilt-words")


# 002b:F5-12
def test_a_level_line_has_a_margin_without_end(page, address):
    opened(page, address)
    words, margin = turned(page, 0)
    assert "without end" in words and margin == np.inf


# 002b:F5-12
def test_curves_and_lines_without_a_tube_have_no_slope_to_turn(page, address):
    for scene in ("curved-tube", "outlier"):
        open_page(page, address, f"#scene={scene}")
        settled(page)
        assert not page.locator("#tilt").is_visible()
