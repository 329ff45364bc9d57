"""Beliefs: a linear classifier in two planes, a latent function squashed, and a process that classifies."""

import re

import numpy as np
import pytest

import didact
from conftest import until
from laboratories import answered, opened_lab, pixels, preset, put, switched, words

INK = [27, 31, 36]


def logistic(z):
    return 1 / (1 + np.exp(-z))


def square(reach, side):
    """The places of a grid about zero, row by row from the bottom."""
    along = np.linspace(-reach, reach, side)
    return np.array([[x, y] for y in along for x in along])


# 002b:GP-17 002b:F5-20
def test_averaged_over_all_weights_lines_of_equal_probability_fan_out(page):
    found = opened_lab(page, "beliefs", "weights")
    x, y = np.array(found["asked"]["points"]), np.array(found["asked"]["signs"])
    w = square(found["weights"]["reach"], found["weights"]["side"])
    prior = np.exp(-0.5 * (w**2).sum(axis=1) / 1.5**2)
    np.testing.assert_allclose(found["weights"]["prior"], prior / prior.sum(), atol=1e-9)
    posterior = prior * np.prod(logistic(y[:, None] * (x @ w.T)), axis=0)
    np.testing.assert_allclose(found["weights"]["posterior"], posterior / posterior.sum(), atol=1e-9)
    # The integral on a grid of its own, wider and finer.
    fine = square(9, 181)
    weight = np.exp(-0.5 * (fine**2).sum(axis=1) / 1.5**2) * np.prod(logistic(y[:, None] * (x @ fine.T)), axis=0)
    side = found["places"]["side"]
    places = square(5, side)
    exact = logistic(places[::97] @ fine.T) @ weight / weight.sum()
    np.testing.assert_allclose(np.array(found["places"]["predictive"])[::97], exact, atol=0.01)
    # The top of the posterior has no slope, and its lines of equal probability are parallel.
    best = np.array(found["best"])
    np.testing.assert_allclose(-best / 1.5**2 + (y * logistic(-y * (x @ best))) @ x, 0, atol=1e-8)
    along = np.array([-best[1], best[0]]) / np.linalg.norm(best)
    at = lambda key, spot: found["places"][key][int(np.argmin(np.linalg.norm(places - spot, axis=1)))]
    near = best / (best @ best)
    assert at("single", near) == pytest.approx(logistic(1), abs=0.06) and at("single", near + 3 * along) == pytest.approx(logistic(1), abs=0.06)
    # Averaged, the same line leads back towards one half on both sides.
    for way in (3, -3):
        assert at("predictive", near + way * along) < at("predictive", near) - 0.03


# 002b:F5-20
def test_a_point_that_is_clicked_moves_the_belief_and_what_it_predicts(page):
    opened_lab(page, "beliefs", "weights")
    page.click("#beliefs-presets button:text-is('no points')")
    empty = answered(page, "beliefs", "weights")
    assert empty["asked"]["points"] == [] and empty["best"] == [0, 0]
    np.testing.assert_allclose(empty["places"]["predictive"], 0.5, atol=1e-9)
    box = page.locator("#beliefs-canvas-1").bounding_box()
    page.mouse.click(box["x"] + 34 + 0.8 * (box["width"] - 44), box["y"] + box["height"] / 2 - 6)
    until(page, "() => import('/beliefs.js').then(m => m.beliefs.now()?.asked.points.length === 1)")
    one = answered(page, "beliefs", "weights")
    (x, y), best = one["asked"]["points"][0], np.array(one["best"])
    assert x == pytest.approx(3, abs=0.1) and abs(y) < 0.3
    # One point of class +1: the best weights point at it.
    assert best[0] > 0.3 and best @ [x, y] == pytest.approx(np.linalg.norm(best) * np.hypot(x, y), rel=1e-6)
    assert max(one["places"]["predictive"]) > 0.7
    # Another of the other class by numbers.
    put(page, "beliefs", "weights", side="minus", x1=-2, x2=4)
    page.click("#beliefs-presets button:text-is('add the new point')")
    two = answered(page, "beliefs", "weights")
    assert two["asked"]["points"][1] == [-2, 4] and two["asked"]["signs"] == [1, -1]


# 002b:F5-21
def test_squashing_puts_the_latent_function_between_zero_and_one(page):
    opened_lab(page, "beliefs", "latent")
    plain = [float(number) for number in re.findall(r"-?\d+\.\d+", words(page, "beliefs"))]
    assert plain == pytest.approx([-2.996, 3.997], abs=2e-3)
    put(page, "beliefs", "latent", squashed=True)
    squashed = [float(number) for number in re.findall(r"\d+\.\d+", words(page, "beliefs"))]
    assert squashed == pytest.approx(logistic(np.array(plain)), abs=2e-3)
    seen = page.evaluate("import('/beliefs.js').then(m => m.squash(m.latent({ first: 4, second: -3, width: 0.8 }, -1.5)))")
    assert seen == pytest.approx(logistic(4 - 3 * np.exp(-9 / 1.28)))


def chances(found):
    """The probability of the second class over the unit square, row by row from the bottom."""
    import base64

    told = next(one for one in found["maps"] if one["kind"] == "classes")
    return np.frombuffer(base64.b64decode(told["bytes"]), np.uint8).reshape(-1, told["count"])[:, 1] / 255


# 002b:F5-22
def test_a_short_length_makes_islands_and_the_extremes_are_read_off(page):
    opened_lab(page, "beliefs", "process")
    uneven = {}
    for length in (0.1, 0.2, 0.3):
        found = preset(page, "beliefs", "process", f"ℓ = {length}")
        seen = chances(found)
        model = didact.GaussianProcessClassifier(length_scale=length, amplitude=9).fit(found["asked"]["rows"], found["asked"]["labels"])
        along = np.linspace(0, 1, 61)
        places = np.array([[x, y] for y in along for x in along])
        np.testing.assert_allclose(seen, model.predict_proba(places)[:, 1], atol=0.003)
        low, high = [float(number) for number in re.findall(r"0\.\d\d(?!\d)", words(page, "beliefs"))]
        assert (low, high) == pytest.approx((seen.min(), seen.max()), abs=0.006)
        uneven[length] = seen[:61].std()
    # Along the lower edge, away from most points, a short length comes back to one half.
    assert uneven[0.1] < uneven[0.2] < uneven[0.3]
    # The line of one half is thick and dark.
    assert pixels(page, "beliefs-canvas-0", INK, near=30) > 800
