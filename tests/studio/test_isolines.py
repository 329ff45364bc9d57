"""Lines of equal projection: what the components of a kernel say all over the plane."""

import struct

import numpy as np
import pytest

import didact
from conftest import open_page, points, settled, until

ANSWERED = "import('/isolines.js').then(m => !m.isolinesNow().busy && m.isolinesNow().answer !== null)"


def opened(page, address):
    open_page(page, address, "#scene=isolines")
    settled(page)
    page.click("#show-isolines")
    return shown(page)


def shown(page):
    until(page, ANSWERED)
    return page.evaluate("import('/isolines.js').then(m => m.isolinesNow())")


def widen(page, sigma):
    page.fill("#iso-sigma", str(sigma))
    page.locator("#iso-sigma").press("Tab")
    until(page, "sigma => import('/isolines.js').then(m => Math.abs(m.isolinesNow().sigma - sigma) < 1e-9)", sigma)
    return shown(page)


def heights(page):
    """The heights of every shown projection in the middles of the cells, row by row."""
    return np.array(
        page.evaluate(
            """Promise.all([import('/isolines.js'), import('/maps.js')]).then(([{ isolinesNow }, { cells }]) =>
                isolinesNow().answer.projections.map(({ heights }) => [...cells({ kind: 'values', bytes: heights })]))"""
        )
    )


def pieces(page, which, level):
    found = page.evaluate("([which, level]) => import('/isolines.js').then(m => m.isolinePieces(which, level))", [which, level])
    return np.array(found).reshape(-1, 2)


def places(seen):
    (left, right, bottom, top), answer = (seen["region"][name] for name in ("left", "right", "bottom", "top")), seen["answer"]
    x = left + (np.arange(answer["width"]) + 0.5) / answer["width"] * (right - left)
    y = top - (np.arange(answer["height"]) + 0.5) / answer["height"] * (top - bottom)
    return np.array([[across, up] for up in y for across in x])


def drawn(page):
    found = points(page)
    return np.array([point["c"] for point in found]), np.array([point["k"] for point in found])


def own(seen):
    """The projections of the points, a row each."""
    return np.array([projection["points"] for projection in seen["answer"]["projections"]]).T


# 002a:KP04 002a:S08
def test_heights_and_isolines_are_those_of_the_model(page, address):
    seen = opened(page, address)
    rows, _ = drawn(page)
    for sigma in (0.1, 0.04):
        seen = widen(page, sigma)
        gamma = 0.5 / sigma**2
        assert seen["answer"]["gamma"] == pytest.approx(gamma)
        model = didact.KernelPca(kernel="rbf", gamma=gamma, n_components=4).fit(rows)
        grid = places(seen)
        found = heights(page)
        np.testing.assert_allclose(found.T, model.transform(grid), rtol=1e-4, atol=2e-6)
        np.testing.assert_allclose(own(seen), model.transform(rows), rtol=1e-6, atol=1e-9)
        # Along a line the model projects everything to its level.
        for which in (0, 1):
            level = 0.4 * np.abs(found[which]).max()
            line = pieces(page, which, level)
            assert len(line) > 40
            assert np.abs(model.transform(line)[:, which] - level).max() < 0.02 * np.abs(found[which]).max()
    # The point farthest out is on the positive side, whatever the solver said.
    farthest = own(seen)[np.abs(own(seen)).argmax(axis=0), range(4)]
    assert (farthest > 0).all()


# 002a:KP04 002a:FIG67 002a:EX10
def test_isolines_group_the_blobs_and_a_smaller_width_parts_the_close_pair(page, address):
    opened(page, address)
    rows, groups = drawn(page)

    def gap(seen):
        means = [own(seen)[groups == group, :2].mean(axis=0) for group in (1, 2)]
        return np.linalg.norm(means[0] - means[1])

    wide = widen(page, 0.1)
    # The zero line of the first projection lies between left and right: all of a side has one sign.
    signs = np.sign(own(wide)[:, 0])
    assert len(set(signs[groups == 0])) == 1 and len(set(signs[groups != 0])) == 1 and signs[0] != signs[-1]
    line = pieces(page, 0, 0)
    assert (line[:, 0] > rows[groups == 0, 0].max()).all() and (line[:, 0] < rows[groups != 0, 0].min()).any()
    narrow = widen(page, 0.04)
    assert gap(narrow) > 1.5 * gap(wide)
    # At the narrow width a line of the second closes around one of the pair and holds none of the other two groups.
    second = own(narrow)[:, 1]
    upper = max((1, 2), key=lambda group: second[groups == group].mean())
    level = 0.4 * second[groups == upper].mean()
    assert (second[groups == upper] > level).mean() > 0.8 and (second[groups != upper] < level).all()


# 002a:KP04
def test_a_tiny_width_singles_out_a_point_or_a_few(page, address):
    opened(page, address)
    page.select_option("#iso-count", "6")
    rows, _ = drawn(page)

    def outstanding(seen):
        projections = np.abs(own(seen))
        return (projections > 0.5 * projections.max(axis=0)).sum(axis=0)

    assert outstanding(widen(page, 0.1))[0] >= 20
    tiny = widen(page, 0.002)
    assert (outstanding(tiny) <= 6).all() and len(outstanding(tiny)) == 6
    assert ", ".join(map(str, outstanding(tiny))) in page.inner_text("#iso-words")
    # Its lines run around single points: none is farther than a few widths from one.
    page.fill("#iso-cells", "300")
    page.locator("#iso-cells").press("Tab")
    tiny = shown(page)
    for which in range(6):
        line = pieces(page, which, 0.5 * np.abs(own(tiny)[:, which]).max())
        away = np.linalg.norm(line[:, None] - rows[None], axis=2).min(axis=1)
        assert (away < 3 * 0.002).all()


# 002a:S08
def test_one_projection_or_a_grid_with_zoom_and_resolution(page, address):
    first = opened(page, address)
    assert [one["index"] for one in first["answer"]["projections"]] == [0, 1, 2, 3]
    page.select_option("#iso-count", "1")
    page.fill("#iso-first", "3")
    page.locator("#iso-first").press("Tab")
    until(page, "import('/isolines.js').then(m => m.isolinesNow().answer?.projections[0].index === 2)")
    third = shown(page)
    np.testing.assert_allclose(own(third)[:, 0], own(first)[:, 2], rtol=1e-9)
    page.fill("#iso-cells", "40")
    page.locator("#iso-cells").press("Tab")
    until(page, "import('/isolines.js').then(m => Math.max(m.isolinesNow().answer?.width, m.isolinesNow().answer?.height) === 40)")
    before = shown(page)["region"]
    page.click("#iso-in")
    until(page, "before => import('/isolines.js').then(m => !m.isolinesNow().busy && m.isolinesNow().region.right < before)", before["right"] - 1e-6)
    after = shown(page)["region"]
    assert (after["right"] - after["left"]) / (before["right"] - before["left"]) == pytest.approx(0.8)
    # The keyboard moves and zooms as well.
    page.locator("#iso-canvas").focus()
    page.keyboard.press("ArrowRight")
    until(page, "before => import('/isolines.js').then(m => !m.isolinesNow().busy && m.isolinesNow().region.left > before)", after["left"] + 1e-6)
    picture = page.evaluate("document.getElementById('iso-canvas').toDataURL()")
    page.locator("#iso-width").press("ArrowRight")
    until(page, "old => import('/isolines.js').then(m => !m.isolinesNow().busy && m.isolinesNow().sigma > old)", third["sigma"])
    assert page.evaluate("document.getElementById('iso-canvas').toDataURL()") != picture
    rates = page.inner_text("#iso-rates")
    sigma = shown(page)["sigma"]
    assert f"γ = 1/2σ² = {float(f'{0.5 / sigma**2:.4g}'):g}" in rates and "w = 1/γ" in rates


# 002a:S08
def test_isolines_are_saved_shared_and_their_width_is_used(page, address):
    opened(page, address)
    widen(page, 0.05)
    with page.expect_download() as download:
        page.click("#iso-svg")
    text = open(download.value.path()).read()
    assert text.startswith("<svg") and text.count("<image") == 4 and "projection 4" in text
    with page.expect_download() as download:
        page.click("#iso-png")
    head = open(download.value.path(), "rb").read()[16:24]
    assert struct.unpack(">II", head)[0] == 2 * page.evaluate("document.getElementById('iso-canvas').clientWidth")
    page.click("#iso-link")
    page.wait_for_function("location.hash.includes('isolines=')")
    fragment = page.evaluate("location.hash")
    page.click("#iso-use")
    settled(page)
    parameters = page.evaluate("import('/state.js').then(m => m.state.steps.at(-1).parameters)")
    assert parameters["gamma"] == pytest.approx(200)
    open_page(page, address, fragment)
    again = shown(page)
    assert page.locator("#isolines").is_visible() and again["sigma"] == pytest.approx(0.05)


# 002a:S08
def test_without_points_three_groups_are_shown_and_errors_are_sentences(page):
    page.click("#open-labs")
    page.click("#open-isolines")
    assert len(own(shown(page))) == 60 and "three prepared groups" in page.inner_text("#iso-source")
    page.fill("#iso-first", "70")
    page.locator("#iso-first").press("Tab")
    page.wait_for_selector("#iso-words.bad")
    assert "n_components is" in page.inner_text("#iso-words")
    page.fill("#iso-first", "1")
    page.locator("#iso-first").press("Tab")
    assert len(shown(page)["answer"]["projections"]) == 4


# 002a:S08
def test_without_a_kernel_the_isolines_are_straight_and_fill_the_pictures_there_are(page, address):
    open_page(page, address, "#scene=pca-axes")
    settled(page)
    assert not page.locator("#show-isolines").is_visible()
    page.click("#open-labs")
    page.click("#open-isolines")
    seen = shown(page)
    # Two columns have two axes, though four pictures were asked for.
    assert len(seen["answer"]["projections"]) == 2 and page.locator("#iso-width").is_disabled()
    region, canvas = seen["region"], page.locator("#iso-canvas").bounding_box()
    across = (canvas["width"] - 10) / 2
    assert (region["right"] - region["left"]) / across == pytest.approx((region["top"] - region["bottom"]) / (canvas["height"] - 34), rel=0.02)
    for which in (0, 1):
        line = pieces(page, which, 1.0)
        centred = line - line.mean(axis=0)
        assert len(line) > 20 and np.linalg.svd(centred, compute_uv=False)[1] < 1e-3 * np.linalg.norm(centred)
