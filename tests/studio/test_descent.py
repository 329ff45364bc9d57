"""Going down the squared error of a line with every point in every step."""

import re

import numpy as np
import pytest

from conftest import open_page, points, settled, until


def opened(page, address):
    open_page(page, address, "#scene=batch-descent")
    settled(page)
    page.wait_for_function("document.getElementById('descent-words').textContent !== ''")
    return np.array([point["c"] for point in points(page)]).T


def way(page):
    return page.evaluate("import('/state.js').then(m => m.state.hand.way)")


def lengthen(page, step):
    """Steps of so many times 1/λ."""
    before = page.evaluate("document.getElementById('eta-value').textContent")
    page.locator("#eta").fill(str(step))
    page.wait_for_function("text => document.getElementById('eta-value').textContent !== text", arg=before)
    return way(page)


def error(x, y, line):
    return np.mean((line[0] * x + line[1] - y) ** 2) / 2


# 001:REG-09
def test_a_batch_descent_falls_from_step_to_step_to_the_closed_form(page, address):
    x, y = opened(page, address)
    closed = np.polyfit(x, y, 1)
    hessian = np.array([[np.mean(x * x), np.mean(x)], [np.mean(x), 1]])
    longest = 2 / np.linalg.eigvalsh(hessian)[-1]
    for step in (0.6, 1.9):
        found = lengthen(page, step)
        assert found["longest"] == pytest.approx(longest, rel=1e-9)
        assert found["eta"] == pytest.approx(step / 2 * longest, rel=1e-9)
        # Rounding may raise the last digits at the bottom.
        errors = np.array(found["errors"])
        assert (np.diff(errors) <= 1e-13 * errors[0]).all() and errors[-1] < errors[0] / 10
        np.testing.assert_allclose(errors, [error(x, y, line) for line in found["path"]], rtol=1e-9)
        # Every step goes against the gradient of all points.
        w, b = np.array(found["path"]).T
        residual = np.outer(w, x) + b[:, None] - y
        gradient = np.stack([(residual * x).mean(axis=1), residual.mean(axis=1)])
        np.testing.assert_allclose(np.diff([w, b]), -found["eta"] * gradient[:, :-1], rtol=1e-6, atol=1e-12)
        assert found["stop"] == "gradient" and np.abs(gradient[:, -1]).max() <= 1e-6
        np.testing.assert_allclose(found["path"][-1], closed, atol=1e-4)
        assert "the gradient is small enough" in page.inner_text("#descent-words")


# 001:REG-09
def test_a_batch_descent_with_steps_above_the_longest_runs_away(page, address):
    x, y = opened(page, address)
    found = lengthen(page, 2.1)
    assert found["eta"] > found["longest"] and found["stop"] == "diverged"
    assert (np.diff(found["errors"])[-10:] > 0).all()
    assert found["errors"][-1] > found["least"] * 10
    assert "too long and the error grows" in page.inner_text("#descent-words")


# 001:REG-09
def test_the_steps_of_a_batch_descent_are_walked_played_and_begun_elsewhere(page, address):
    opened(page, address)
    total = len(way(page)["path"]) - 1
    assert page.inner_text("#step-value") == f"step {total} of {total}"
    page.click("#step-first")
    assert page.inner_text("#step-value") == f"step 0 of {total}"
    first = page.evaluate("document.getElementById('model').toDataURL()")
    page.click("#step-forward")
    page.wait_for_timeout(60)
    assert page.inner_text("#step-value") == f"step 1 of {total}"
    assert page.evaluate("document.getElementById('model').toDataURL()") != first
    lengthen(page, 1)
    page.click("#step-first")
    page.click("#step-play")
    page.wait_for_function("document.getElementById('step-play').textContent.includes('play')", timeout=60_000)
    at, last = map(int, re.findall(r"\d+", page.inner_text("#step-value")))
    assert at == last == len(way(page)["path"]) - 1
    # Another start, by chance and by a click; the end is the same.
    before = way(page)
    page.click("#step-seed")
    until(page, "old => import('/state.js').then(m => m.state.hand.way.path[0][0] !== old)", before["path"][0][0])
    by_chance = way(page)
    page.locator("#bowl").click(position={"x": 60, "y": 40})
    until(page, "old => import('/state.js').then(m => m.state.hand.way.path[0][0] !== old)", by_chance["path"][0][0])
    clicked = way(page)
    assert clicked["path"][0][0] < clicked["bottom"][0] and clicked["path"][0][1] > clicked["bottom"][1]
    for other in (by_chance, clicked):
        np.testing.assert_allclose(other["path"][-1], before["path"][-1], atol=1e-4)


# 001:REG-09
def test_a_descent_is_only_shown_where_it_leads_to_the_line(page, address):
    opened(page, address)
    page.locator("[name=layer-descent]").uncheck()
    settled(page)
    assert not page.locator("#descent").is_visible() and not page.locator("#stepper").is_visible()
    page.locator("[name=layer-descent]").check()
    settled(page)
    page.wait_for_selector("#bowl")
    page.get_by_role("option", name="ridge", exact=True).first.click()
    settled(page)
    assert not page.locator("#descent").is_visible()
