"""Ways to a minimum: a fixed step, a valley, losses of a margin, and bounds that touch."""

import re

import numpy as np
import pytest

from laboratories import answered, opened_lab, pixels, preset, put, words

ORANGE, GREEN, BLUE = [213, 94, 0], [0, 158, 115], [0, 114, 178]


# 002b:ES-03 002b:F7-5 002b:F9.4.3
def test_a_fixed_step_leads_to_four_thirds_and_from_below_zero_nowhere(page):
    opened_lab(page, "optimising", "curve")
    for name, steps in {"from 2": 43, "from 0.01": 60}.items():
        found = preset(page, "optimising", "curve", name)
        x, value, slope = np.array(found["path"]).T
        np.testing.assert_allclose(x[1:], x[:-1] - 0.1 * (3 * x[:-1] ** 2 - 4 * x[:-1]), atol=1e-12)
        np.testing.assert_allclose(value, x**3 - 2 * x**2 + 2, atol=1e-12)
        np.testing.assert_allclose(slope, 3 * x**2 - 4 * x, atol=1e-12)
        # So many steps until one is shorter than 1e-10.
        assert np.argmax(np.abs(np.diff(x)) < 1e-10) + 1 == steps and x[-1] == pytest.approx(4 / 3)
        assert value[-1] == pytest.approx(22 / 27)
    # A step of the way is shown with its slope, which is that of the tangent.
    put(page, "optimising", "curve", start=2, step=1)
    assert "Step 1 of 46: x = 1.600, f = 0.9760, f′ = 1.280" in words(page, "optimising")
    assert pixels(page, "optimising-canvas-0", ORANGE) > 50
    away = preset(page, "optimising", "curve", "from below zero")
    assert away["path"][-1][0] < -1000 and "run away" in words(page, "optimising")


# 002b:ES-04 002b:ES-05 002b:F9.4.4
def test_steepest_descent_zigzags_where_conjugate_directions_take_two_steps(page):
    opened_lab(page, "optimising", "valley")
    found = put(page, "optimising", "valley", ratio=25, degrees=25)
    a, b, c = found["matrix"]
    matrix = np.array([[a, b], [b, c]])
    assert np.linalg.eigvalsh(matrix) == pytest.approx([1, 25])
    zigzag, short = np.array(found["steepest"]), np.array(found["conjugate"])
    assert len(short) == 3 and np.abs(short[-1]).max() < 1e-9 and len(zigzag) > 15
    # Each step ends where the line is lowest, so that the next is at a right angle to it.
    moves = np.diff(zigzag[:8], axis=0)
    for one, two in zip(moves, moves[1:]):
        assert abs(one @ two) < 1e-6 * np.linalg.norm(one) * np.linalg.norm(two)
    # Both begin with the same step; the second one of the other way is conjugate to it.
    np.testing.assert_allclose(zigzag[1], short[1], atol=1e-9)
    first, second = np.diff(short, axis=0)
    assert abs(first @ matrix @ second) < 1e-6 * np.linalg.norm(first) * np.linalg.norm(second)
    assert pixels(page, "optimising-canvas-0", ORANGE) > 100 and pixels(page, "optimising-canvas-0", GREEN) > 100
    # In a round bowl one step is enough for both.
    round_bowl = put(page, "optimising", "valley", ratio=1)
    assert len(round_bowl["steepest"]) == 2 and len(round_bowl["conjugate"]) == 2


# 001:CLS-22
def test_three_losses_have_their_values_at_every_margin(page):
    opened_lab(page, "optimising", "losses")
    table = {-1: (1, 2, 1.313262), 0: (1, 1, 0.693147), 0.5: (0, 0.5, 0.474077), 1: (0, 0, 0.313262), 2: (0, 0, 0.126928)}
    for margin, values in table.items():
        put(page, "optimising", "losses", margin=margin)
        assert words(page, "optimising") == f"At z = {margin}: zero-one {values[0]:.6f}, hinge {values[1]:.6f}, logistic {values[2]:.6f}."
    assert all(pixels(page, "optimising-canvas-0", ink) > 100 for ink in (BLUE, [230, 159, 0], GREEN))


# 004:M34
def test_the_bound_touches_the_log_likelihood_and_its_top_is_the_next_place(page):
    found = opened_lab(page, "optimising", "bound")
    x = np.array(found["asked"]["observations"])

    def joint(theta):
        return 0.5 * np.exp(-0.5 * (x[:, None] - [theta, 0]) ** 2) / np.sqrt(2 * np.pi)

    before = None
    for _ in range(4):
        theta = found["theta"]
        q = joint(theta) / joint(theta).sum(axis=1, keepdims=True)
        at, likelihood, bound, gap = np.array(found["curves"]).T
        np.testing.assert_allclose(likelihood, [np.log(joint(one).sum(axis=1)).sum() for one in at], rtol=1e-9)
        np.testing.assert_allclose(bound, [(q * np.log(joint(one) / q)).sum() for one in at], rtol=1e-9)
        np.testing.assert_allclose(likelihood - bound, gap, atol=1e-8)
        assert (gap > -1e-9).all() and found["touching"] == pytest.approx(found["value"], abs=1e-9)
        assert found["next"] == pytest.approx((q[:, 0] * x).sum() / q[:, 0].sum()) and found["next_bound"] >= bound.max() - 1e-9
        assert found["next_value"] >= found["value"] and (before is None or found["value"] == pytest.approx(before))
        before, expected = found["next_value"], found["next"]
        page.click("#optimising-presets button:text-is('M-step')")
        found = answered(page, "optimising", "bound")
        assert found["theta"] == pytest.approx(expected)
    assert re.search(r"where the bound touches", words(page, "optimising"))
    assert pixels(page, "optimising-canvas-0", BLUE) > 200 and pixels(page, "optimising-canvas-0", ORANGE) > 100
