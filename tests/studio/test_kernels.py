"""Kernel machines and Gaussian processes on the page."""

import numpy as np
import pytest

import didact
from conftest import answer, points
from test_compare import compared
from test_views import opened


def drawn(page):
    return np.array([point["c"] for point in points(page)]), np.array([point["k"] for point in points(page)])


def score_map(page):
    """The heights of the score in the middle of each cell, and where the cells are."""
    return page.evaluate(
        """Promise.all([import('/maps.js'), import('/picture.js')]).then(([{ cells }, { shown }]) => {
            const map = shown.answer.maps.find(map => map.kind === 'scores');
            return { heights: [...cells(map)], width: map.width, height: map.height, region: shown.region };
        })"""
    )


def test_a_cubic_kernel_bends_the_street_and_its_ground_is_the_score(page, address):
    """002a:FIG74 000a:fx-T11: a curved border with margins and ringed support vectors; the ground is the score."""
    opened(page, address, "curved-street")
    x, labels = drawn(page)
    model = didact.SVC(kernel="poly", degree=3, coef0=1, C=1).fit(x, labels)
    # The score of every cell is that of the model.
    seen = score_map(page)
    region, (width, height) = seen["region"], (seen["width"], seen["height"])
    places = [
        [region["left"] + (column + 0.5) / width * (region["right"] - region["left"]), region["top"] + (row + 0.5) / height * (region["bottom"] - region["top"])]
        for row in range(height)
        for column in range(width)
    ]
    np.testing.assert_allclose(seen["heights"], model.decision_function(np.array(places)), rtol=1e-4, atol=1e-4)
    # Rings are around the support vectors, and around nothing else.
    held = page.evaluate("Promise.all([import('/margins.js'), import('/picture.js')]).then(([g, p]) => g.supports(p.shown.answer))")
    ringed = {one["index"] for one in held}
    assert set(model.support_) <= ringed and len(ringed) <= len(model.support_) + 3
    # The border is no line: a linear machine errs where this one does not.
    straight = didact.SVC(kernel="linear").fit(x, labels)
    assert model.score(x, labels) > 0.97 > straight.score(x, labels)
    # The ground is paler where the score is nearer to zero.
    alpha = page.evaluate(
        """([near, far]) => Promise.all([import('/plane.js')]).then(([{ toScreen }]) => {
            const context = document.getElementById('map').getContext('2d');
            return [near, far].map(place => { const [x, y] = toScreen(place); return [...context.getImageData(Math.round(x), Math.round(y), 1, 1).data]; });
        })""",
        [places[int(np.argmin(np.abs(np.abs(seen["heights"]) - 0.4)))], places[int(np.argmax(np.abs(seen["heights"])))]],
    )
    pale, strong = (max(pixel[:3]) - min(pixel[:3]) for pixel in alpha)
    assert pale < 0.8 * strong


def test_a_narrow_kernel_errs_never_on_its_points_and_spreads_on_others(page, address):
    """002a:FIG03 002a:EX07: ten random splits; the second machine learns by heart and its errors vary more."""
    opened(page, address, "by-heart")
    assert answer(page)["scores"]["train"]["figures"][0]["value"] == 1
    page.click("#enter")
    page.locator("[name=C-exact]").fill("1")
    page.locator("[name=C-exact]").press("Tab")
    page.evaluate("import('/state.js').then(({ state }) => { state.steps.at(-1).parameters.gamma = 0.1; })")
    page.click("#enter")
    page.select_option("#scheme", "splits")
    page.select_option("#folds", "10")
    page.fill("#split-share", "66")
    rows = compared(page)
    assert len(rows) == 2
    by_heart = next(row for name, row in rows.items() if "5000" in name)
    smooth = next(row for name, row in rows.items() if "5000" not in name)
    assert float(smooth["mean"]) > float(by_heart["mean"])
    assert float(by_heart["std"]) > float(smooth["std"])


def test_the_tube_around_a_wave_is_held_by_its_support_vectors(page, address):
    """002b:F5-11 002b:KM-10: inside the tube no multiplier, on its edge a free one, outside the largest."""
    opened(page, address, "curved-tube")
    rows, _ = drawn(page)
    model = didact.SVR(C=10, epsilon=0.5, gamma=0.5, tol=1e-6).fit(rows[:, :1], rows[:, 1])
    np.testing.assert_allclose(answer(page)["points"]["values"], model.predict(rows[:, :1]), atol=5e-3)
    held = page.evaluate("Promise.all([import('/curve.js'), import('/picture.js')]).then(([c, { shown }]) => c.tubeSupports(shown.answer))")
    outside = {one["index"] for one in held if one["slack"]}
    off = np.abs(rows[:, 1] - model.predict(rows[:, :1]))
    assert outside == set(np.flatnonzero(off > 0.5 * 1.02)) and outside
    # Besides the support vectors points are ringed that are as good as on the edge.
    ringed = {one["index"] for one in held}
    assert set(model.support_) <= ringed and len(ringed) <= len(model.support_) + 3 < len(rows)
    price = np.zeros(len(rows))
    price[model.support_] = np.abs(np.ravel(model.dual_coef_))
    assert all(price[index] == pytest.approx(10) for index in outside)
    assert (price[off < 0.49] == 0).all()


def test_the_band_of_a_process_closes_where_a_point_is_put(page, address):
    """002b:GP-10 002b:F5-18: the band is wide in the gap; a point there narrows it and widens it nowhere."""
    opened(page, address, "process")
    curve = lambda: page.evaluate("import('/picture.js').then(({ shown }) => { const { x, deviation } = shown.answer.maps.find(m => m.kind === 'curve'); return { x, deviation }; })")
    before = curve()
    x, deviation = np.array(before["x"]), np.array(before["deviation"])
    rows, _ = drawn(page)
    gap = np.argmin(np.abs(x - 0.5))
    near = [np.argmin(np.abs(x - place)) for place in rows[:, 0]]
    assert deviation[gap] > 2 * deviation[near].max()
    # With the numbers of the covariance held, no place gets less sure.
    held = dict(length_scale=1.5, noise=0.02, optimize=False)
    grid = x[:, None]
    spread = lambda data: didact.GaussianProcessRegressor(**held).fit(data[:, :1], data[:, 1]).predict(grid, return_std=True)[1]
    one_more = np.vstack([rows, [[0.5, 1.0]]])
    assert (spread(one_more) <= spread(rows) * (1 + 1e-9)).all()
    assert spread(one_more)[gap] < 0.5 * spread(rows)[gap]
