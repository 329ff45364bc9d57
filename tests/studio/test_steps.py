"""Watching a method learn, iteration by iteration."""

import re

import numpy as np
import pytest

from conftest import answer, open_page, parameters, points, settled
from test_gaussians import matrix
from test_views import opened


def steps(page):
    """The shown iteration and how many there are."""
    return [int(number) for number in re.findall(r"\d+", page.inner_text("#step-value"))]


def step_to(page, button, shown):
    page.click(button)
    page.wait_for_function("text => document.getElementById('step-value').textContent.startsWith(text)", arg=f"iteration {shown} of")
    settled(page)


def figure(page, shape):
    return next(one["shape"] for one in answer(page)["figures"] if one["shape"]["shape"] == shape)


def centres(page):
    return matrix(figure(page, "points")["points"])


def plane(page):
    shape = figure(page, "hyperplanes")
    return np.append(matrix(shape["normals"])[0], shape["offsets"][0])


def test_k_means_leaves_a_bad_start_in_two_iterations(page, address):
    """002a:FIG35: two centres in one cloud, after one iteration, converged after two."""
    opened(page, address, "k-means-run")
    drawn = points(page)
    rows, labels = np.array([point["c"] for point in drawn]), np.array([point["k"] for point in drawn])
    start = np.array(parameters(page)["init_centers"])
    cloud = rows[labels == 0].mean(axis=0)
    assert (np.linalg.norm(start - cloud, axis=1) < 1.2).sum() == 2
    end, total = centres(page), steps(page)[1]
    step_to(page, "#step-first", 1)
    first, found = centres(page), answer(page)["points"]["clusters"]
    # One step of Lloyd's by hand: the means of the points nearest to each centre of the start.
    nearest = ((rows[:, None] - start) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_allclose(first, [rows[nearest == one].mean(axis=0) for one in range(3)], rtol=1e-9)
    step_to(page, "#step-forward", 2)
    np.testing.assert_allclose(centres(page), end, rtol=1e-12)
    assert np.abs(first - end).max() > 0.5 and total == 3
    np.testing.assert_allclose(sorted(end.tolist()), sorted(rows[labels == one].mean(axis=0).tolist() for one in range(3)), rtol=1e-9)
    assert len(set(zip(answer(page)["points"]["clusters"], labels.tolist()))) == 3 and len(found) == len(labels)


def test_the_ways_of_the_centres_are_drawn_from_their_start(page, address):
    """002a:FIG35: rings where the centres began, dots after every step."""
    opened(page, address, "k-means-run")
    kept = "import('/trail.js').then(m => m.stepsBefore(Infinity))"
    assert page.evaluate(kept) == [0, 3]
    step_to(page, "#step-first", 1)
    step_to(page, "#step-forward", 2)
    assert page.evaluate(kept) == [0, 1, 2, 3]
    inked = page.evaluate(
        """() => import('/plane.js').then(({ toScreen }) => {
            const [x, y] = toScreen([-3.2, -1.6]);
            const { data } = document.getElementById('model').getContext('2d').getImageData(Math.round(x) - 8, Math.round(y) - 8, 16, 16);
            let count = 0; for (let i = 3; i < data.length; i += 4) if (data[i]) count++; return count;
        })"""
    )
    assert inked > 20
    # Another parameter is another way.
    page.locator("[name=n_clusters-exact]").fill("3")
    page.evaluate("import('/state.js').then(({ state, changed }) => { delete state.steps[0].parameters.init_centers; changed('method'); })")
    settled(page)
    assert page.evaluate(kept) == [steps(page)[1]]


def test_the_separating_line_moves_until_it_makes_no_mistake(page, address):
    """002b:F7-3: the line of the perceptron after each pass, with those of earlier passes behind it."""
    opened(page, address, "perceptron")
    drawn = points(page)
    rows, labels = np.array([point["c"] for point in drawn]), np.array([point["k"] for point in drawn])
    last, total = plane(page), steps(page)[1]
    assert total >= 2
    step_to(page, "#step-first", 1)
    seen = [plane(page)]
    while steps(page)[0] < total - 1:
        step_to(page, "#step-forward", steps(page)[0] + 1)
        seen.append(plane(page))
    page.click("#step-last")
    settled(page)
    np.testing.assert_allclose(plane(page), last)
    mistakes = [((rows @ line[:-1] + line[-1] > 0) != (labels == 1)).sum() for line in [*seen, last]]
    assert mistakes[-1] == 0
    assert any(not np.allclose(line / np.linalg.norm(line), last / np.linalg.norm(last)) for line in seen) or total == 2
    assert page.evaluate("import('/trail.js').then(m => m.stepsBefore(Infinity))") == list(range(1, total + 1))


def test_playing_moves_through_all_iterations(page, address):
    """002b:F7-3: play steps by itself and stops at the finished model."""
    opened(page, address, "perceptron")
    total = steps(page)[1]
    page.click("#step-play")
    page.wait_for_function("document.getElementById('step-play').textContent.includes('pause')")
    page.wait_for_function("document.getElementById('step-play').textContent.includes('play')", timeout=60_000)
    settled(page)
    assert steps(page) == [total, total]


def test_a_descent_falls_from_step_to_step_and_says_why_it_stopped(page, address):
    """001:REG-09: the trace falls to the closed form; too long a step does not end there."""
    opened(page, address, "descent")
    drawn = np.array([point["c"] for point in points(page)])
    trace = answer(page)["trace"]
    assert (np.diff(trace["values"]) < 0).all() and trace["stop"] == "converged"
    assert "(converged)" in page.inner_text("#facts")
    slope, offset = np.polyfit(drawn[:, 0], drawn[:, 1], 1)
    value = lambda name: np.ravel(next(one["value"] for one in answer(page)["attributes"] if one["name"] == name))[0]
    assert value("coef") == pytest.approx(slope, abs=0.03) and value("intercept") == pytest.approx(offset, abs=0.05)
    step_to(page, "#step-first", 1)
    early = abs(value("coef") - slope)
    assert early > abs(slope) / 10
    page.click("#step-last")
    settled(page)
    page.click("#form summary")
    page.locator("[name=max_iter-exact]").fill("40")
    page.locator("[name=max_iter-exact]").press("Tab")
    settled(page)
    assert "40 iterations" in page.inner_text("#facts") and "(converged)" not in page.inner_text("#facts")


def test_a_step_that_is_too_long_climbs(page, address):
    """001:REG-09: above 2/λ the error grows, and the page says that the numbers overflow or shows it."""
    open_page(page, address, "#scene=descent")
    settled(page)
    fallen = answer(page)["trace"]["values"][-1]
    page.evaluate("import('/state.js').then(({ state, changed }) => { state.steps[0].parameters.eta0 = 1; state.steps[0].parameters.max_iter = 6; changed('method'); })")
    page.wait_for_timeout(100)
    page.wait_for_function("!document.body.dataset.busy")
    status = page.inner_text("#status")
    if status:
        assert re.search("eta0|overflow|diverge|scale", status)
    else:
        assert answer(page)["trace"]["values"][-1] > 10 * fallen
