"""Units in motion: following an input, driving themselves, and two in a phase portrait."""

import re

import numpy as np
import pytest

from conftest import until


def opened(page, view):
    page.click("#open-labs")
    page.click("#open-motion")
    page.select_option("#motion-view", view)
    return answered(page, view)


def answered(page, view):
    until(page, "view => import('/dynamics.js').then(m => m.motionNow()?.wanted.view === view)", view)
    return page.evaluate("import('/dynamics.js').then(m => m.motionNow())")


def put(page, view, **numbers):
    for name, value in numbers.items():
        page.fill(f"[name=motion-{name}]", str(value))
    until(
        page,
        "([view, numbers]) => import('/dynamics.js').then(m => { const wanted = m.motionNow()?.wanted; return wanted && Object.entries(numbers).every(([name, value]) => (wanted.unit ?? wanted)[name] === value); })",
        [view, numbers],
    )
    return answered(page, view)


# 002b:HF-12 002b:F7-15 002b:F7-16
def test_a_leaky_unit_is_two_thirds_of_the_way_after_its_time_constant(page):
    found = opened(page, "response")
    at = lambda found, time: np.interp(time, found["times"], found["potentials"])
    # The input comes at time 1.
    assert at(found, 2) == pytest.approx(0.632, abs=2e-3) and at(found, 3) == pytest.approx(0.865, abs=2e-3)
    assert at(found, 0.5) == 0
    slow = put(page, "response", time_constant=2, start=-1)
    times = np.array(slow["times"])
    # Without input the start leaks away; with it the closed form holds; after it there is the leak again.
    before, there, after = times <= 1, (times >= 1) & (times <= 6), times >= 6
    m1 = -np.exp(-1 / 2)
    np.testing.assert_allclose(np.array(slow["potentials"])[before], -np.exp(-times[before] / 2), atol=1e-9)
    np.testing.assert_allclose(np.array(slow["potentials"])[there], (m1 - 1) * np.exp(-(times[there] - 1) / 2) + 1, atol=1e-9)
    m6 = at(slow, 6)
    np.testing.assert_allclose(np.array(slow["potentials"])[after], m6 * np.exp(-(times[after] - 6) / 2), atol=1e-9)


# 002b:HF-14 002b:HF-15 002b:F7-17 002b:F7-18
def test_a_unit_that_drives_itself_has_three_roots_only_where_the_slope_is_steep(page):
    found = opened(page, "flow")
    assert [stable for _, stable in found["roots"]] == [True, False, True]
    assert [m for m, _ in found["roots"]] == pytest.approx([-9.9991, 0, 9.9991], abs=1e-4)
    assert page.inner_text("#motion-words").startswith("m = -9.9991 stable, m = 0 unstable, m = 9.9991 stable")
    # As the figure prints it, with S = 30, there is one root at 50.
    assert [m for m, _ in put(page, "flow", input=30)["roots"]] == pytest.approx([50], abs=1e-6)
    single = put(page, "flow", self_weight=-20)
    assert [stable for _, stable in single["roots"]] == [True] and single["roots"][0][0] == pytest.approx(10.0009, abs=1e-4)
    # On the line S = −w₁₁/2 one root becomes three where w₁₁·D passes 4.
    assert len(put(page, "flow", self_weight=20, input=-10, slope=0.19)["roots"]) == 1
    assert len(put(page, "flow", slope=0.21)["roots"]) == 3
    assert page.locator("#motion-second").is_visible()


# 002b:HF-16 002b:F7-19
@pytest.mark.parametrize(
    "preset, kinds, places",
    [
        ("one focus", ["stable focus"], [(1.178, -0.351)]),
        ("limit cycle", ["unstable focus"], [(2.75, 1.75)]),
        ("two stable points", ["stable node", "saddle", "stable node"], [(0.569, 0.713), (3.25, 2), (5.931, 3.287)]),
        ("winner takes all", ["stable node", "saddle", "stable node"], [(-5.83, 1.83), (-2, -2), (1.83, -5.83)]),
    ],
)
def test_two_units_have_the_portraits_of_the_texts(page, preset, kinds, places):
    opened(page, "portrait")
    page.get_by_role("button", name=preset).click()
    until(page, "place => import('/dynamics.js').then(m => Math.abs(m.motionNow()?.equilibria[0].place[0] - place) < 0.01)", places[0][0])
    found = answered(page, "portrait")
    assert [one["kind"] for one in found["equilibria"]] == kinds
    np.testing.assert_allclose([one["place"] for one in found["equilibria"]], places, atol=6e-3)
    assert len(re.findall(r"\(", page.inner_text("#motion-words"))) == len(places)
    # Where both nullclines meet nothing moves.
    for unit, line in enumerate(found["nullclines"]):
        for place in places:
            assert np.min(np.linalg.norm(np.array(line) - place, axis=1)) < 0.1, unit
    # A click starts a way; it ends at a stable point, or goes round for ever.
    page.locator("#motion-canvas").click(position={"x": 250, "y": 120})
    until(page, "import('/dynamics.js').then(m => m.motionNow()?.ways.length === 1)")
    way = np.array(answered(page, "portrait")["ways"][0])
    stable = [one["place"] for one in found["equilibria"] if one["stable"]]
    if stable:
        assert np.min(np.linalg.norm(np.array(stable) - way[-1], axis=1)) < 1e-2
    else:
        rate = 1 / (1 + np.exp(-(way[-400:, 0] - 2.75)))
        assert (rate.min(), rate.max()) == pytest.approx((0.189, 0.811), abs=5e-3)
    page.get_by_role("button", name="start a way").click()
    until(page, "import('/dynamics.js').then(m => m.motionNow()?.ways.length === 2)")


# 002b:HF-16
def test_four_attractors_have_nine_points_of_rest(page):
    opened(page, "portrait")
    page.get_by_role("button", name="four attractors").click()
    until(page, "import('/dynamics.js').then(m => m.motionNow()?.equilibria.length === 9)")
    found = answered(page, "portrait")["equilibria"]
    assert sum(one["stable"] for one in found) == 4 and sum(one["kind"] == "saddle" for one in found) == 4
