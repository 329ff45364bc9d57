"""Networks as graphs: the fitted one, a single unit, Bayesian networks, and weights that learn."""

import numpy as np
import pytest

from conftest import answer, points, screen, settled, until
from laboratories import answered, opened_lab, pixels, preset, put, switched, words

BLUE, ORANGE, GREEN = [0, 114, 178], [213, 94, 0], [0, 158, 115]


def learn(page, steps, task="classification"):
    """Some points of two classes, and a method for them."""
    page.evaluate(
        """([steps, task]) => Promise.all([import('/state.js'), import('/plane.js')]).then(([{ state, changed }, { fitView }]) => {
            const point = (index) => [Math.sin(3 * index) * 2, Math.cos(1.3 * index) * 2];
            const points = Array.from({ length: 60 }, (_, index) => ({ c: point(index), k: point(index)[0] * point(index)[1] > 0 ? 1 : 0, g: 0 }));
            state.drawing = { ...state.drawing, points };
            Object.assign(state, { steps, task });
            fitView();
            changed('method');
        })""",
        [steps, task],
    )
    settled(page)


def activations(page):
    return page.evaluate("import('/fittednet.js').then(m => ({ place: m.lit.place, activations: m.lit.activations }))")


def point_at(page, index):
    """Moves the pointer over a point and waits until the network has seen it."""
    box, (x, y) = page.locator("#points").bounding_box(), screen(page, index)
    page.mouse.move(box["x"] + x, box["y"] + y)
    until(
        page,
        "index => Promise.all([import('/fittednet.js'), import('/state.js'), import('/picture.js')]).then(([{ lit }, { state }, { shown }]) => {"
        " const { matrix, offset } = shown.answer.network.before, c = state.drawing.points[index].c;"
        " const input = matrix.map((row, out) => row.reduce((sum, weight, axis) => sum + weight * c[axis], offset[out]));"
        " return lit.activations && input.every((value, axis) => Math.abs(value - lit.activations[0][axis]) < 0.02); })",
        index,
    )
    return activations(page)


def forward(layers, inputs, hidden, output):
    """a = f(W·a + b), layer by layer."""
    found = [np.array(inputs)]
    for index, layer in enumerate(layers):
        z = np.array(layer["weights"]) @ found[-1] + layer["biases"]
        found.append((output if index == len(layers) - 1 else hidden)(z))
    return found


def logistic(z):
    return 1 / (1 + np.exp(-z))


# 001:NN-03 002b:F7-6
def test_every_unit_of_the_fitted_network_answers_to_the_place_that_is_pointed_at(page):
    learn(page, [{"algorithm": "standard-scaler", "parameters": {}}, {"algorithm": "mlp", "parameters": {"hidden_layer_sizes": [4, 3], "activation": "tanh", "solver": "lbfgs", "random_state": 3}}])
    network = answer(page)["network"]
    assert [np.shape(layer["weights"]) for layer in network["layers"]] == [(4, 2), (3, 4), (1, 3)]
    labels = answer(page)["points"]["labels"]
    where = np.array([point["c"] for point in points(page)])
    for index in (0, 7, 23):
        seen = point_at(page, index)
        # What the scaler makes of the place is what the network sees.
        scaled = (np.array(seen["place"]) - where.mean(axis=0)) / where.std(axis=0)
        np.testing.assert_allclose(seen["activations"][0], scaled, atol=1e-9)
        for found, expected in zip(seen["activations"], forward(network["layers"], scaled, np.tanh, logistic)):
            np.testing.assert_allclose(found, expected, atol=1e-9)
        assert (seen["activations"][-1][0] > 0.5) == bool(labels[index])
    # A slider moves one input alone.
    before = activations(page)["activations"][0]
    page.locator("[name=network-input-0]").fill("1.5")
    until(page, "was => import('/fittednet.js').then(m => m.lit.place[0] === 1.5 && m.lit.activations[0][0] !== was)", before[0])
    after = activations(page)
    assert after["activations"][0][0] == pytest.approx((1.5 - where[:, 0].mean()) / where[:, 0].std()) and after["activations"][0][1] == before[1]
    assert f"{after['activations'][-1][0]:.3f}" in page.inner_text("#network-words")


# 002b:F7-4 002b:F7-6
def test_lines_have_the_colour_of_the_sign_and_the_thickness_of_the_size(page):
    learn(page, [{"algorithm": "mlp", "parameters": {"hidden_layer_sizes": [3], "activation": "logistic", "solver": "lbfgs"}}])
    # The graph is painted in a later frame than its numbers are there.
    page.wait_for_function(
        """() => {
            const canvas = document.getElementById('network-canvas');
            return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(part => part > 0);
        }"""
    )
    seen = page.evaluate(
        """Promise.all(['/fittednet.js', '/netgraph.js', '/picture.js'].map(path => import(path))).then(([{ graphOf }, { thickness }, { shown }]) => {
            const { nodes, edges } = graphOf(shown.answer);
            const canvas = document.getElementById('network-canvas');
            const context = canvas.getContext('2d');
            const largest = Math.max(...edges.map(({ weight }) => Math.abs(weight)));
            return edges.map(({ from, to, weight }) => {
                // A little before the unit that the line leads to, where lines part.
                const [[x0, y0], [x1, y1]] = [nodes[from], nodes[to]].map(({ at }) => [at[0] * canvas.width, 10 + at[1] * (canvas.height - 12)]);
                const column = Math.round(x0 + 0.78 * (x1 - x0));
                const middle = y0 + 0.78 * (y1 - y0);
                const { data } = context.getImageData(column, Math.round(middle), 1, 1);
                return { weight, wide: thickness(weight, largest), ink: [...data] };
            });
        })"""
    )
    assert len(seen) == 2 * 3 + 3
    sizes = np.array([abs(edge["weight"]) for edge in seen])
    np.testing.assert_allclose([edge["wide"] for edge in seen], 0.6 + 5.4 * sizes / sizes.max())
    strong = [edge for edge in seen if edge["wide"] > 3]
    assert {edge["weight"] > 0 for edge in strong} == {True, False}
    for edge in strong:
        red, _, blue, _ = edge["ink"]
        assert (blue > red) == (edge["weight"] > 0), edge
    # One layer alone: two inputs and an output.
    learn(page, [{"algorithm": "mlp", "parameters": {"hidden_layer_sizes": []}}])
    assert answer(page)["network"]["sizes"] == [2, 1]


# 002b:F7-6
def test_the_weights_of_the_graph_are_those_of_the_shown_iteration(page):
    learn(page, [{"algorithm": "mlp", "parameters": {"hidden_layer_sizes": [3], "activation": "tanh", "max_iter": 40}}])
    graph = "Promise.all([import('/fittednet.js'), import('/picture.js')]).then(([m, p]) => m.graphOf(p.shown.answer).edges.map(edge => edge.weight))"
    last = page.evaluate(graph)
    page.click("#step-first")
    page.wait_for_function("document.getElementById('step-value').textContent.startsWith('iteration 1 of')")
    settled(page)
    first = page.evaluate(graph)
    assert np.abs(np.array(first) - last).max() > 1e-3
    assert first == pytest.approx(np.concatenate([np.ravel(layer["weights"]) for layer in answer(page)["network"]["layers"]]))


# 002b:NN-05 002b:F7-1 002b:F7.3
def test_the_five_transfer_functions_have_their_values_and_derivatives(page):
    opened_lab(page, "networks", "unit")
    formulas = {
        "linear": (lambda s: s, lambda s: np.ones_like(s)),
        "step": (lambda s: (s >= 0) * 1.0, lambda s: np.zeros_like(s)),
        "tanh": (np.tanh, lambda s: 1 - np.tanh(s) ** 2),
        "logistic": (lambda s: logistic(3 * s), lambda s: 3 * logistic(3 * s) * (1 - logistic(3 * s))),
        "radial": (lambda s: np.exp(-2 * s**2), lambda s: -4 * s * np.exp(-2 * s**2)),
    }
    for name, (value, slope) in formulas.items():
        put(page, "networks", "unit", transfer=name)
        found = put(page, "networks", "unit", **{"logistic": {"slope": 3}, "radial": {"alpha": 2}}.get(name, {}))
        sums, values, slopes = np.array(found["curve"]).T
        np.testing.assert_allclose(values, value(sums), atol=1e-12)
        np.testing.assert_allclose(slopes, slope(sums), atol=1e-12)
        if name == "step":
            assert values[sums == 0] == [1]
        # Both curves are seen.
        assert pixels(page, "networks-canvas-2", BLUE) > 100 and pixels(page, "networks-canvas-2", ORANGE) > 60
    # The unit answers f(w₀ + w₁x₁ + w₂x₂): here 0.3 + 1.2 at (0, 1).
    found = put(page, "networks", "unit", transfer="tanh", w0=0.3, w1=-0.7, w2=1.2)
    np.testing.assert_allclose(found["outputs"], np.tanh([0.3, 1.5, -0.4, 0.8]), atol=1e-12)


# 002b:F7-1 002b:F7-2
def test_one_unit_makes_four_gates_and_exclusive_or_only_when_it_comes_down_again(page):
    opened_lab(page, "networks", "unit")
    for gate, table in {"AND": [0, 0, 0, 1], "OR": [0, 1, 1, 1], "NAND": [1, 1, 1, 0], "NOR": [1, 0, 0, 0]}.items():
        assert preset(page, "networks", "unit", gate)["outputs"] == table
        assert f"this is {gate}" in words(page, "networks")
    preset(page, "networks", "unit", "XOR, sigmoid")
    page.click("#networks-presets button:text-is('learn')")
    until(page, "() => import('/networks.js').then(m => Math.abs((m.networks.now()?.error ?? 0) - 0.5) < 1e-3)")
    # A rising function errs by at least one whole corner, or says ½ to all of them, which costs the same.
    assert answered(page, "networks", "unit")["error"] >= 0.5 - 1e-6
    assert "No line parts XOR" in words(page, "networks")
    radial = preset(page, "networks", "unit", "XOR, RBF")
    np.testing.assert_allclose(radial["outputs"], [np.exp(-5), 1, 1, np.exp(-5)], atol=1e-12)
    assert "this is XOR" in words(page, "networks")
    # It is found by learning as well, from other weights.
    put(page, "networks", "unit", w0=0.4, w1=0.1, w2=-0.3)
    page.click("#networks-presets button:text-is('learn')")
    until(page, "() => import('/networks.js').then(m => (m.networks.now()?.error ?? 1) < 1e-2)")


def asked(page, **roles):
    """Gives every node its part and reads the verdict."""
    for name in ["x1", "x2", "x3", "x4"]:
        page.select_option(f"[name=networks-role-{name}]", roles.get(name, "free"))
    until(
        page,
        "roles => import('/networks.js').then(m => { const now = m.networks.now(); return now?.asked && Object.entries(roles).every(([name, role]) => ({ from: now.asked.from, to: now.asked.to, known: now.asked.given })[role].includes(name)) && now.asked.from.length + now.asked.to.length + now.asked.given.length === Object.keys(roles).length; })",
        roles,
    )
    return answered(page, "networks", "dag")


# 001:BN-12
def test_dependence_flows_along_paths_whose_gates_are_all_open(page):
    opened_lab(page, "networks", "dag")
    # x1→x2←x3→x4: the table of the text.
    assert asked(page, x1="from", x3="to")["independent"]
    assert "common effect closed at x2" in words(page, "networks")
    assert not asked(page, x1="from", x3="to", x2="known")["independent"]
    assert "x1 → [x2] ← x3, through common effect at x2" in words(page, "networks")
    assert asked(page, x1="from", x4="to")["independent"]
    open_path = asked(page, x1="from", x4="to", x2="known")
    assert not open_path["independent"]
    assert [gate["gate"] for gate in open_path["paths"][0]["gates"]] == ["common effect", "common cause"]
    assert pixels(page, "networks-canvas-0", GREEN) > 300 and pixels(page, "networks-canvas-0", ORANGE) == 0
    assert asked(page, x1="from", x4="to", x2="known", x3="known")["independent"]
    assert "common cause closed at x3" in words(page, "networks")
    assert pixels(page, "networks-canvas-0", ORANGE) > 300
    assert asked(page, x2="from", x4="to", x3="known")["independent"]
    # What follows from a common effect opens it as well; a cycle is refused in words.
    assert not preset(page, "networks", "dag", "known descendant")["independent"]
    page.fill("[name=networks-arrows]", "a→b→c→a")
    page.locator("[name=networks-arrows]").press("Enter")
    until(page, "() => document.getElementById('networks-words').classList.contains('bad')")
    assert "cycle" in words(page, "networks")


# 002b:F7-12
def test_graphs_have_the_weights_of_the_inputs_seen_so_far(page):
    opened_lab(page, "networks", "inhibit")
    found = put(page, "networks", "inhibit", correlation=0.5)
    assert found["expected"] == pytest.approx(-0.267949, abs=1e-6) and found["path"][0] == 0
    assert np.mean(found["path"][1000:]) == pytest.approx(-0.268, abs=0.03)
    assert abs(found["after"]) < 0.1 < found["before"]
    # Opposite inputs are joined by a weight above zero: the line between the outputs changes its colour.
    assert pixels(page, "networks-canvas-0", ORANGE) > 50
    turned = put(page, "networks", "inhibit", correlation=-0.6)
    assert turned["expected"] == pytest.approx(1 / 3, abs=1e-6)
    assert pixels(page, "networks-canvas-0", ORANGE) == 0
    put(page, "networks", "inhibit", step=0)
    assert "After 0 inputs w = 0.0000" in words(page, "networks")
    agreed = switched(page, "networks", "agree")
    (first, second, _), (start, _, _) = agreed["path"][-1], agreed["path"][0]
    assert start == [0.6, 0.6]
    # Only the inputs that share something keep their weights.
    assert abs(first[1]) < 0.2 * abs(first[0]) and abs(second[0]) < 0.2 * abs(second[1])
    assert agreed["after"] == pytest.approx(0.81, abs=0.04)
