"""Two views of the same things: what they have in common, and what it is good for."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import chi2

from conftest import answer, open_page, points, settled


def opened(page, address):
    open_page(page, address, "#scene=two-views")
    settled(page)
    return np.array([point["c"] for point in points(page)]), np.array([point["k"] for point in points(page)])


def attribute(page, name):
    return np.array(next(one["value"] for one in answer(page)["attributes"] if one["name"] == name))


def constraint(page):
    return page.evaluate("Promise.all([import('/constraint.js'), import('/picture.js')]).then(([c, p]) => c.constraint(p.shown.answer))")


def correlations(first, second):
    """The cosines between the spaces that the centred columns of two views span."""
    bases = [np.linalg.qr(view - view.mean(axis=0))[0] for view in (first, second)]
    return np.linalg.svd(bases[0].T @ bases[1])[1]


def symmetric(entries):
    xx, xy, yy = entries
    return np.array([[xx, xy], [xy, yy]])


def cells(page):
    table = page.locator("#correlation-table tr").all()[1:]
    return [[cell.inner_text() for cell in row.locator("td").all()] for row in table]


def put(page, control, value):
    page.locator(control).fill(str(value))
    page.wait_for_timeout(60)


# 002a:CCA04 002a:FIG17 002a:S21
def test_the_weights_end_on_the_ellipse_and_their_length_changes_no_correlation(page, address):
    rows, _ = opened(page, address)
    found = constraint(page)
    covariance = np.cov(rows[:, :2].T, ddof=0)
    np.testing.assert_allclose(symmetric(found["covariance"]), covariance, rtol=1e-9)
    w = np.array(found["touching"])
    assert w @ covariance @ w == pytest.approx(1, rel=1e-12)
    np.testing.assert_allclose(w, attribute(page, "x_weights")[0], rtol=1e-9)
    # The ellipse that the model draws itself is the same, with half axes of one over the root.
    shape = next(one["shape"] for one in answer(page)["figures"] if one["name"] == "constraint")
    inverse = np.array(shape["covariances"][0]["data"]).reshape(2, 2)
    np.testing.assert_allclose(symmetric(found["inverse"]), inverse, rtol=1e-9)
    np.testing.assert_allclose(sorted(found["halfAxes"]), sorted(1 / np.sqrt(np.linalg.eigvalsh(covariance))), rtol=1e-9)
    rho = correlations(rows[:, :2], rows[:, 2:])[0]
    assert found["correlation"] == pytest.approx(rho, rel=1e-9)
    # Twice as long: four times the variance, the same direction and correlation.
    assert "variance 1 " in page.inner_text("#constraint-words")
    before = page.evaluate("document.getElementById('model').toDataURL()")
    put(page, "#weight-length", 2)
    words = page.inner_text("#constraint-words")
    assert "variance 4 " in words and f"correlation {rho:.3g}" in words
    assert page.evaluate("document.getElementById('model').toDataURL()") != before
    assert constraint(page)["touching"] == found["touching"]
    page.click("#touch")
    assert "w ends on the ellipse" in page.inner_text("#constraint-words")


# 002a:CCA04 002a:S21
def test_either_view_has_its_ellipse_and_a_mixed_pair_of_axes_none(page, address):
    rows, _ = opened(page, address)
    page.select_option("#axis-x", "2")
    page.select_option("#axis-y", "3")
    settled(page)
    found = constraint(page)
    v, covariance = np.array(found["touching"]), np.cov(rows[:, 2:].T, ddof=0)
    assert v @ covariance @ v == pytest.approx(1, rel=1e-12)
    np.testing.assert_allclose(v, attribute(page, "y_weights")[0], rtol=1e-9)
    page.select_option("#axis-x", "0")
    settled(page)
    assert constraint(page) is None
    assert not page.locator("#length-row").is_visible()


# 002a:S22
def test_correlations_are_listed_with_the_chance_that_they_are_none(page, address):
    rows, _ = opened(page, address)
    rho = correlations(rows[:, :2], rows[:, 2:])
    table = cells(page)
    assert [row[1] for row in table] == [f"{value:.4f}" for value in rho]
    n = len(rows)
    for k, line in enumerate(answer(page)["views"]):
        statistic = -(n - 1 - 5 / 2) * np.log(1 - rho[k:] ** 2).sum()
        assert line["wilks"] == pytest.approx(np.prod(1 - rho[k:] ** 2), rel=1e-9)
        assert line["freedom"] == (2 - k) ** 2
        assert line["p"] == pytest.approx(chi2.sf(statistic, (2 - k) ** 2), rel=1e-6)
    assert table[0][5] == "< 0.0001" and float(table[1][5]) > 0.05
    assert "One pair goes together" in page.inner_text("#facts")
    # One pair is asked for: it is tested beside the one that was left out.
    page.locator("[name=n_components-exact]").fill("1")
    page.locator("[name=n_components-exact]").press("Tab")
    settled(page)
    assert [row[:5] for row in cells(page)] == [row[:5] for row in table[:1]]


# 002a:S22
def test_the_columns_part_where_the_index_says(page, address):
    rows, _ = opened(page, address)
    assert "face 1, face 2 │ voice 1, voice 2" in page.inner_text("#views-value")
    for split in (1, 3):
        put(page, "#views-split", split)
        settled(page)
        assert attribute(page, "x_weights").shape[1] == split
        expected = correlations(rows[:, :split], rows[:, split:])
        np.testing.assert_allclose(attribute(page, "correlations"), expected, rtol=1e-9)
        assert len(cells(page)) == 1
    assert "face 1, face 2, voice 1 │ voice 2" in page.inner_text("#views-value")
    # A link keeps it.
    saved = page.evaluate("import('/state.js').then(m => m.session().split)")
    assert saved == 3


def accuracy(page):
    """Of a linear discriminant on the two shown columns."""
    page.evaluate("import('/state.js').then(({ state, changed }) => { state.visibleOnly = true; changed('method'); })")
    page.get_by_role("option", name="lda", exact=True).first.click()
    settled(page)
    return next(one["value"] for one in answer(page)["scores"]["train"]["figures"] if one["metric"] == "accuracy")


# 002a:CCA07
def test_variates_feed_a_classifier_that_the_columns_mislead(page, address):
    rows, _ = opened(page, address)
    page.select_option("#axis-y", "2")
    settled(page)
    raw = accuracy(page)
    rows, labels = opened(page, address)
    first, second = attribute(page, "x_weights"), attribute(page, "y_weights")
    page.click("#use-variates")
    settled(page)
    centred = rows - rows.mean(axis=0)
    used = np.array([point["c"] for point in points(page)])
    np.testing.assert_allclose(used, np.hstack([centred[:, :2] @ first.T, centred[:, 2:] @ second.T]), rtol=1e-9, atol=1e-9)
    assert [point["k"] for point in points(page)] == labels.tolist()
    assert page.evaluate("import('/state.js').then(m => m.state.axes.map(axis => m.state.drawing.names[axis]))") == ["u1", "v1"]
    assert accuracy(page) > 0.93 > raw + 0.1
    page.keyboard.press("Control+z")
    np.testing.assert_allclose([point["c"] for point in points(page)], rows)


def test_the_model_of_two_views_is_a_file_that_predicts_one_from_the_other(page, address, tmp_path):
    rows, _ = opened(page, address)
    page.click("#open-share")
    page.wait_for_selector("#sharing[open]")
    with page.expect_download() as model:
        page.click("#save-model")
    with page.expect_download() as table:
        page.click("#save-csv")
    command = [os.environ["DIDACT"], "predict", str(model.value.path()), "--data", "points.csv"]
    (tmp_path / "points.csv").write_bytes(Path(table.value.path()).read_bytes())
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    head, *lines = done.stdout.splitlines()
    said = np.array([[float(cell) for cell in line.split(",")] for line in lines])
    assert head == "x2,x3"
    # Prediction by least squares of the second view from the first, as both pairs are kept.
    first, second = rows[:, :2] - rows[:, :2].mean(axis=0), rows[:, 2:]
    expected = second.mean(axis=0) + first @ np.linalg.lstsq(first, second - second.mean(axis=0))[0]
    np.testing.assert_allclose(said, expected, rtol=1e-5, atol=1e-5)


# 002a:S22
def test_the_first_pair_of_variates_is_a_scatter_along_a_line(page, address):
    opened(page, address)
    pixels = "document.getElementById('variate-canvas').toDataURL()"
    first = page.evaluate(pixels)
    assert page.locator("#variate-canvas").is_visible()
    page.select_option("#variate-pair", index=1)
    assert page.evaluate(pixels) != first
    assert not page.locator("#projection").is_visible()
    # A ridge makes the numbers no correlations of the points: they are not tested.
    page.locator("[name=regularization-exact]").fill("0.5")
    page.locator("[name=regularization-exact]").press("Tab")
    settled(page)
    assert cells(page)[0][5] == "–" and "Not tested" in page.inner_text("#facts")
