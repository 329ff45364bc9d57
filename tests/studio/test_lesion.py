"""A network that loses its weights: its accuracy falls little by little."""

import base64

import numpy as np
import pytest

import didact
from conftest import open_page, points, settled, until

FOUND = "import('/lesion.js').then(m => !m.lesionNow().busy && m.lesionNow().answer !== null)"


def opened(page):
    page.click("#open-labs")
    page.click("#open-lesion")
    return found(page)


def found(page):
    until(page, FOUND)
    return page.evaluate("import('/lesion.js').then(m => m.lesionNow().answer)")


def subject(page):
    """Points, classes and the part of the plane of the damaged network."""
    dots, region = page.evaluate("import('/lesionsubject.js').then(m => [m.dots(), m.wholePlane()])")
    return np.array([dot["place"] for dot in dots]), np.array([dot["k"] for dot in dots]), region


def plane(answer, step):
    """How probable each class is in every cell, a byte each."""
    width, height = answer["cells"]
    return np.frombuffer(base64.b64decode(step["map"]), np.uint8).reshape(height, width, answer["count"])


def middles(answer, region):
    width, height = answer["cells"]
    x = region["left"] + (np.arange(width) + 0.5) / width * (region["right"] - region["left"])
    y = region["top"] - (np.arange(height) + 0.5) / height * (region["top"] - region["bottom"])
    return np.stack(np.meshgrid(x, y), axis=2).reshape(-1, 2)


# 002b:NN-03
def test_accuracy_falls_gradually_with_the_share_of_weights_that_are_lost(page):
    answer = opened(page)
    shares = [step["share"] for step in answer["steps"]]
    np.testing.assert_allclose(shares, np.linspace(0, 1, 21))
    # Forty hidden units of two inputs and one output have 120 weights.
    assert answer["weights"] == 120
    assert [step["removed"] for step in answer["steps"]] == [round(120 * share) for share in shares]
    assert all(len(step["scores"]) == 20 for step in answer["steps"])
    means = np.array([np.mean(step["scores"]) for step in answer["steps"]])
    assert means[0] > 0.98 and means[-1] == answer["chance"] == 0.5
    # A twentieth of the weights never costs more than a part of what is known; a fifth leaves most of it.
    assert np.diff(means).min() > -0.12 and np.diff(means).max() < 0.03
    assert means[4] > 0.85 and (np.diff(means[::5]) < 0).all()


# 002b:NN-03
def test_the_slider_damages_the_network_that_the_map_shows(page):
    answer = opened(page)
    rows, classes, region = subject(page)
    scaled = didact.StandardScaler().fit(rows)
    model = didact.MLPClassifier(hidden_layer_sizes=[40], solver="lbfgs", alpha=0.01).fit(scaled.transform(rows), classes)
    whole = plane(answer, answer["steps"][0])
    expected = model.predict_proba(scaled.transform(middles(answer, region))).reshape(whole.shape)
    np.testing.assert_allclose(whole / 255, expected, atol=0.01)
    # Without weights only the biases are left, which say the same everywhere.
    assert np.ptp(plane(answer, answer["steps"][-1]), axis=(0, 1)).max() == 0
    # In between, the map errs on as many points as the accuracy says.
    width, height = answer["cells"]
    column = ((rows[:, 0] - region["left"]) / (region["right"] - region["left"]) * width).astype(int)
    line = ((region["top"] - rows[:, 1]) / (region["top"] - region["bottom"]) * height).astype(int)
    for step in answer["steps"][:-1]:
        said = plane(answer, step)[line, column].argmax(axis=1)
        assert np.mean(said == classes) == pytest.approx(step["scores"][0], abs=0.05)
    picture = lambda: page.evaluate("['lesion-map', 'lesion-curve'].map(id => document.getElementById(id).toDataURL())")
    before = picture()
    page.locator("#lesion-share").fill("8")
    assert all(now != old for now, old in zip(picture(), before))
    assert page.inner_text("#lesion-value") == "40 %"
    assert page.inner_text("#lesion-words").startswith("48 of 120 weights are lost")
    # The keyboard moves the slider, and a drag over the curve as well.
    page.locator("#lesion-share").press("ArrowRight")
    assert page.inner_text("#lesion-value") == "45 %"
    box = page.locator("#lesion-curve").bounding_box()
    page.mouse.click(box["x"] + 46 + 0.75 * (box["width"] - 70), box["y"] + 100)
    assert page.inner_text("#lesion-value") == "75 %"
    first = answer["steps"][8]["scores"]
    page.click("#lesion-again")
    page.wait_for_timeout(50)
    other = found(page)
    assert other["steps"][8]["scores"] != first and other["steps"][0]["scores"] == answer["steps"][0]["scores"]


# 002b:NN-03
def test_the_network_of_the_page_is_damaged_and_judged_by_what_was_held_back(page, address):
    open_page(page, address, "#scene=over-fitting")
    settled(page)
    page.get_by_role("option", name="mlp", exact=True).first.click()
    page.locator("#share").fill("70")
    settled(page)
    held = page.evaluate("import('/state.js').then(m => m.trainingFlags().filter(flag => !flag).length)")
    assert held > 10
    score = page.evaluate("import('/picture.js').then(m => m.shown.answer.scores.test.figures[0].value)")
    answer = opened(page)
    assert "network of the page" in page.inner_text("#lesion-source") and not page.locator("#lesion-hidden-row").is_visible()
    assert answer["held"] and answer["judged"] == held
    assert answer["steps"][0]["scores"] == pytest.approx([score] * 20)
    assert f"{held} points that were held back" in page.inner_text("#lesion-words")
    assert len(points(page)) > held
