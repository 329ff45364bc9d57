"""Plasticity: weights that grow with activity, memories of patterns, and a map that organises itself."""

import numpy as np
import pytest

from conftest import until
from laboratories import answered, opened_lab, pixels, preset, put, words

GREEN, ORANGE, BLUE = [0, 158, 115], [213, 94, 0], [0, 114, 178]


def hebb(found, change, bound=lambda w: w):
    """The weights by hand, input by input."""
    w, path = np.array(found["asked"]["start"]), [found["asked"]["start"]]
    for x in np.array(found["asked"]["inputs"]):
        w = bound(w + found["asked"]["rate"] * change(w, x, found["asked"].get("output", w @ x)))
        path.append(w)
    return np.array(path)


# 002b:F7-9
def test_clipped_weights_grow_until_the_bound_and_stay_there(page):
    opened_lab(page, "plasticity", "hebb")
    found = preset(page, "plasticity", "hebb", "clipped growth")
    path = np.array(found["path"])
    np.testing.assert_allclose(path, hebb(found, lambda w, x, y: y * x, lambda w: np.clip(w, -2, 2)), atol=1e-12)
    # The larger input is at the bound first, and nothing ever falls.
    assert (np.diff(path, axis=0) >= 0).all() and path[-1].tolist() == [2, 2]
    assert np.argmax(path[:, 0] == 2) < np.argmax(path[:, 1] == 2)
    lower = put(page, "plasticity", "hebb", largest=1.2)
    assert lower["path"][-1] == [1.2, 1.2]


# 002b:F7-10 002b:F7-11
def test_weights_of_length_one_turn_to_the_first_axis_and_instar_weights_to_the_input(page):
    opened_lab(page, "plasticity", "hebb")
    found = preset(page, "plasticity", "hebb", "length one")
    path = np.array(found["path"])
    np.testing.assert_allclose(path, hebb(found, lambda w, x, y: y * x, lambda w: w / np.linalg.norm(w)), atol=1e-10)
    np.testing.assert_allclose(np.linalg.norm(path[1:], axis=1), 1, atol=1e-12)
    instar = preset(page, "plasticity", "hebb", "to the input (instar)")
    path = np.array(instar["path"])
    # With y = 1 the distance to the input shrinks by 1 − α at every step.
    away = np.linalg.norm(path - [0.9, 0.6], axis=1)
    np.testing.assert_allclose(away, away[0] * 0.98 ** np.arange(401), rtol=1e-9)
    assert words(page, "plasticity").startswith("After 400 inputs w = (0.899, 0.600)")
    # The trace and the vector are seen, and follow the slider.
    put(page, "plasticity", "hebb", step=0)
    assert words(page, "plasticity").startswith("After 0 inputs w = (-1.000, 1.000)")
    assert pixels(page, "plasticity-canvas-0", BLUE) > 200 and pixels(page, "plasticity-canvas-1", ORANGE) > 30


# 002b:F7.6.3
def test_the_weights_of_oja_come_to_the_first_eigenvector_of_the_cloud(page):
    opened_lab(page, "plasticity", "hebb")
    found = preset(page, "plasticity", "hebb", "first axis (Oja)")
    np.testing.assert_allclose(found["path"], hebb(found, lambda w, x, y: y * (x - y * w)), atol=1e-10)
    x = np.array(found["asked"]["inputs"])
    values, vectors = np.linalg.eigh(x.T @ x / len(x))
    np.testing.assert_allclose(found["moments"], values[::-1], rtol=1e-9)
    for drawn, axis in zip(found["axes"], vectors.T[::-1]):
        assert abs(np.dot(drawn, axis)) == pytest.approx(1, abs=1e-9)
    w = np.array(found["path"][-1])
    assert np.linalg.norm(w) == pytest.approx(1, abs=0.1) and abs(w @ found["axes"][0]) > 0.98
    # Another direction of the cloud turns it; without a bound it runs away.
    turned = put(page, "plasticity", "hebb", degrees=-60)
    assert abs(np.dot(turned["path"][-1], [np.cos(np.pi / 3), -np.sin(np.pi / 3)])) > 0.9
    away = preset(page, "plasticity", "hebb", "run away")
    assert away["away"] and np.linalg.norm(away["path"][-1]) > 1000
    assert "run away" in words(page, "plasticity")


def crossbar(found):
    """The weights by hand: set where an input and an output of some pair are both active."""
    weights = np.zeros((found["asked"]["n_outputs"], found["asked"]["n_inputs"]), bool)
    for inputs, outputs in found["asked"]["pairs"]:
        weights[np.ix_(outputs, inputs)] = True
    return weights


# 002b:NN-19 002b:F7-8
def test_the_crossbar_fills_pair_by_pair_and_is_full_at_one_half(page):
    found = opened_lab(page, "plasticity", "willshaw")
    for stored in range(8, 11):
        weights = crossbar(found)
        assert len(found["asked"]["pairs"]) == stored
        assert [sorted(row) for row in found["joined"]] == [np.flatnonzero(row).tolist() for row in weights]
        assert found["fill"] == pytest.approx(weights.mean())
        assert f"{100 * weights.mean():.1f} % of the weights" in words(page, "plasticity")
        page.click("#plasticity-presets button:text-is('store a pair')")
        found = answered(page, "plasticity", "willshaw")
    # From one shared bit on too much fires; from all active bits on, what was stored.
    which = put(page, "plasticity", "willshaw", which=4)
    assert which["output"] == which["asked"]["pairs"][3][1]
    loose = put(page, "plasticity", "willshaw", threshold="one")
    assert set(loose["output"]) > set(which["output"]) and loose["faultless"] < which["faultless"]
    full = put(page, "plasticity", "willshaw", pairs=60)
    assert full["full"] and "the net is full" in words(page, "plasticity")
    assert full["expected"]["fill"] == pytest.approx(1 - (1 - (3 / 24) ** 2) ** 60)
    # A cue by hand: nothing is active, nothing fires; then all is forgotten.
    assert [cell for cell in range(24) if page.locator(".cells button").nth(cell).get_attribute("aria-pressed") == "true"] == full["asked"]["pairs"][3][0]
    while page.locator(".cells button[aria-pressed=true]").count():
        page.locator(".cells button[aria-pressed=true]").first.focus()
        page.keyboard.press("Enter")
    until(page, "() => import('/plasticity.js').then(m => m.plasticity.now()?.asked.cue.length === 0)")
    assert answered(page, "plasticity", "willshaw")["output"] == []
    page.click("#plasticity-presets button:text-is('forget all')")
    assert answered(page, "plasticity", "willshaw")["fill"] == 0


# 002b:HF-08 002b:F7-14
def test_noise_is_cleaned_and_states_that_were_never_stored_are_flagged(page):
    found = opened_lab(page, "plasticity", "hopfield")
    patterns = np.array(found["asked"]["patterns"])
    weights = patterns.T @ patterns / 64
    np.fill_diagonal(weights, 0)

    def energy(state):
        return -0.5 * np.array(state) @ weights @ state

    assert found["kind"] == "stored" and found["pattern"] == 0 and found["state"] == patterns[0].tolist()
    assert (np.array(found["asked"]["cue"]) != patterns[0]).sum() == round(0.2 * 64)
    # One unit at a time the energy never rises.
    assert (np.diff(found["energies"]) <= 1e-12).all()
    assert found["energies"][0] == pytest.approx(energy(found["asked"]["cue"])) and found["energies"][-1] == pytest.approx(energy(found["state"]))
    assert pixels(page, "plasticity-canvas-1", GREEN) > 1000
    inverse = preset(page, "plasticity", "hopfield", "turned over")
    assert inverse["kind"] == "inverse" and inverse["state"] == (-patterns[0]).tolist()
    spurious = preset(page, "plasticity", "hopfield", "pure noise")
    state = np.array(spurious["state"])
    assert spurious["kind"] == "spurious" and np.abs(patterns @ state).max() < 64
    # It is stable all the same, and flagged.
    assert (np.where(weights @ state >= 0, 1, -1) == state).all()
    assert "spurious" in words(page, "plasticity")
    assert pixels(page, "plasticity-canvas-1", ORANGE) > 500 and pixels(page, "plasticity-canvas-1", GREEN) == 0


# 002b:F7-14
def test_patterns_are_edited_and_all_units_may_change_at_once(page):
    opened_lab(page, "plasticity", "hopfield")
    cells = page.locator(".cells button")
    box = cells.nth(27).bounding_box()
    # A stroke with the mouse switches the cells under it on.
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 5 + box["width"], box["y"] + 5, steps=4)
    page.mouse.up()
    until(page, "() => import('/plasticity.js').then(m => m.plasticity.now()?.asked.patterns[0].filter(cell => cell === 1).length === 26)")
    edited = answered(page, "plasticity", "hopfield")
    assert [edited["asked"]["patterns"][0][cell] for cell in (27, 28)] == [1, 1]
    together = put(page, "plasticity", "hopfield", mode="synchronous")
    assert together["asked"]["synchronous"] and len(together["energies"]) == together["sweeps"] + 1
    page.click("#plasticity-form button:text-is('remove')")
    assert len(answered(page, "plasticity", "hopfield")["asked"]["patterns"]) == 3


def mesh(found):
    shape = next(figure["shape"] for figure in found["figures"] if figure["name"] == "mesh")
    return np.reshape(shape["points"]["data"], shape["points"]["dim"]), shape["edges"]


def attribute(found, name):
    return next(one["value"] for one in found["attributes"] if one["name"] == name)


# 002b:SM-01 002b:F7.8.1
def test_the_mesh_unfolds_over_the_square_and_the_winner_is_the_nearest_node(page):
    opened_lab(page, "plasticity", "som")
    early = put(page, "plasticity", "som", **{"pass": 1})
    late = put(page, "plasticity", "som", **{"pass": 40})
    (crumpled, _), (nodes, edges) = mesh(early), mesh(late)
    assert nodes.shape == (49, 2) and len(edges) == 2 * 7 * 6
    # It covers more of the square in the end, and neighbours on the grid are neighbours in the plane.
    assert nodes.std(axis=0).min() > 1.5 * crumpled.std(axis=0).min()
    assert attribute(late, "topographic_error") < 0.05 and attribute(late, "quantization_error") < attribute(early, "quantization_error")
    lengths = [np.linalg.norm(nodes[a] - nodes[b]) for a, b in edges]
    assert max(lengths) < 0.7
    winner = late["points"]["clusters"][-1]
    assert winner == np.argmin(np.linalg.norm(nodes - [0.4, 0.3], axis=1))
    # A click chooses another input.
    box = page.locator("#plasticity-canvas-0").bounding_box()
    page.mouse.click(box["x"] + 34 + (box["width"] - 44) / 2 - 60, box["y"] + box["height"] / 2 + 60)
    until(page, "() => import('/plasticity.js').then(m => m.plasticity.now()?.values.x1 < -0.1)")
    clicked = answered(page, "plasticity", "som")
    place = [clicked["values"]["x1"], clicked["values"]["x2"]]
    assert place[0] < -0.1 and place[1] < -0.1
    assert clicked["points"]["clusters"][-1] == np.argmin(np.linalg.norm(nodes - place, axis=1))


# 002b:F7.8.1
def test_nodes_stand_on_a_line_or_on_a_plane(page):
    opened_lab(page, "plasticity", "som")
    line = put(page, "plasticity", "som", grid="line")
    nodes, edges = mesh(line)
    assert len(nodes) == 21 and edges == [[node, node + 1] for node in range(20)]
    hexagons = put(page, "plasticity", "som", grid="hexagonal")
    _, edges = mesh(hexagons)
    assert max(np.bincount(np.ravel(edges))) == 6
    assert pixels(page, "plasticity-canvas-0", BLUE) > 500
