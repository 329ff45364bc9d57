"""Comparing methods: cuts of the points, stored sets, files."""

import csv
import io
import json

import numpy as np
import pytest

import didact
from conftest import points, settled
from test_views import choose, opened


def enter(page, *methods):
    for method in methods:
        choose(page, method)
        page.click("#enter")


def compared(page):
    """The numbers of each method, best first."""
    page.click("#compare")
    page.wait_for_selector("#results svg, #results table")
    page.wait_for_function("document.getElementById('status').textContent === ''")
    with page.expect_download() as download:
        page.click("#save-results")
    return {row["method"]: row for row in csv.DictReader(io.StringIO(open(download.value.path()).read()))}


def data(drawn):
    return np.array([point["c"] for point in drawn]), np.array([point["k"] for point in drawn])


def test_methods_learn_from_set_a_and_are_judged_on_set_b(page, address):
    """002a:S13: stored set A and set B, train A–test B."""
    opened(page, address, "straight-line")
    first = points(page)
    page.click("#stored summary")
    page.get_by_role("button", name="Store as set A").click()
    opened_again = page.evaluate("import('/scenes.js').then(m => m.SCENES.find(s => s.id === 'outcomes').points())")
    page.click("#open-scenes")
    page.locator("#scenes button", has_text="Found, missed").click()
    settled(page)
    second = points(page)
    assert len(second) == len(opened_again)
    page.get_by_role("button", name="Store as set B").click()
    assert "Set A: 120 points" in page.inner_text("#sets") and "Set B: 140 points" in page.inner_text("#sets")
    enter(page, "gaussian-nb", "logistic-regression")
    page.select_option("#scheme", "sets")
    found = compared(page)
    (x, y), (x_judged, y_judged) = data(first), data(second)
    for name, method in [("gaussian-nb", didact.GaussianNB()), ("logistic-regression", didact.LogisticRegression())]:
        assert float(found[name]["mean"]) == pytest.approx(method.fit(x, y).score(x_judged, y_judged))
    assert "learned from A, judged on B" in page.inner_text("#results")
    page.get_by_role("button", name="Show set A").click()
    assert len(points(page)) == 120


def test_sets_that_do_not_fit_together_are_told_apart_in_a_sentence(page, address):
    opened(page, address, "straight-line")
    page.click("#enter")
    page.select_option("#scheme", "sets")
    page.click("#compare")
    assert "set A is empty" in page.inner_text("#status")
    page.click("#stored summary")
    page.get_by_role("button", name="Store as set A").click()
    page.click("#add-dimension")
    page.get_by_role("button", name="Store as set B").click()
    page.click("#compare")
    assert "set A has 2 columns and set B 3" in page.inner_text("#status")


def test_random_splits_learn_from_the_share_that_is_asked_for(page, address):
    """002a:S13: folds and ratio; the numbers have mean, deviation and quartiles."""
    opened(page, address, "straight-line")
    enter(page, "gaussian-nb")
    page.select_option("#scheme", "splits")
    page.select_option("#folds", "10")
    page.fill("#split-share", "50")
    row = compared(page)["gaussian-nb"]
    values = np.array([float(value) for name, value in row.items() if name.startswith("sorted")])
    assert len(values) == 10 and (np.diff(values) >= 0).all()
    # Sixty points are judged each time, so every accuracy is a multiple of one sixtieth.
    np.testing.assert_allclose(values * 60, np.round(values * 60), atol=1e-9)
    assert float(row["std"]) == pytest.approx(values.std(ddof=1))
    np.testing.assert_allclose([float(row[name]) for name in ["q1", "median", "q3"]], np.quantile(values, [0.25, 0.5, 0.75]))
    page.select_option("#result-view", "numbers")
    heads = page.locator("#results th").all_inner_texts()
    assert heads[:8] == ["method", "mean", "std", "min", "q1", "median", "q3", "max"] and len(heads) == 18


def test_a_comparison_is_saved_and_opened_again(page, address, tmp_path):
    opened(page, address, "straight-line")
    page.click("#stored summary")
    page.get_by_role("button", name="Store as set A").click()
    enter(page, "gaussian-nb", "lda")
    before = compared(page)
    with page.expect_download() as download:
        page.click("#save-contest")
    download.value.save_as(tmp_path / "comparison.json")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    page.set_input_files("#open-contest", tmp_path / "comparison.json")
    page.wait_for_selector("#results svg")
    assert page.locator("#contest .entry").count() == 2 and "120 points" in page.locator("#sets").text_content()
    with page.expect_download() as again:
        page.click("#save-results")
    assert {row["method"]: row for row in csv.DictReader(io.StringIO(open(again.value.path()).read()))} == before
    (tmp_path / "other.json").write_text(json.dumps({"a": 1}))
    page.set_input_files("#open-contest", tmp_path / "other.json")
    page.wait_for_function("document.getElementById('status').textContent.includes('no comparison')")
