"""Hidden states: their graph, what they emit, and every way through a stroke."""

import os
import re
import subprocess
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from conftest import answer, open_page, settled, until
from test_sweeps import method

# Two states that are easily mistaken for each other, and a short stroke, so that all paths can be written down.
DRAW = """import('/state.js').then(({ state, draw, changed }) => {
    const places = [-0.6, 0.4, -0.3, 0.9, 1.4, 0.2, -0.9, -0.2, 1.1, 0.6, -0.4, 1.3, 0.1, -0.7];
    draw({ names: ['x0', 'x1'], classes: ['A', 'B'], points: places.map((x, index) => ({ c: [x, 0.3 * x * x + 0.1 * (index % 3)], k: Number(x > 0.3), s: Number(index > 5) })) });
    state.axes = [0, 1];
})"""


def opened(page, algorithm="hmm", **parameters):
    page.evaluate(DRAW)
    method(page, algorithm, "sequence", **parameters)
    page.click("#open-chain")
    until(page, "import('/chain.js').then(m => m.chainNow() !== null)")
    page.wait_for_function("document.getElementById('chain-place').textContent !== ''")


def followed(page):
    return page.evaluate("import('/chain.js').then(m => m.chainNow())")


def ink(page, canvas):
    return page.evaluate("id => document.getElementById(id).toDataURL()", canvas)


# 001:HMM-03 002b:MM-02 002b:F6-1 002b:F6-3 002b:F6-4 002b:F6-5
def test_the_trellis_shows_the_sums_over_all_paths(page):
    opened(page, n_components=2)
    found = followed(page)
    lattice = found["lattice"]
    start, step = np.array(lattice["start"]), np.array(lattice["transitions"])
    emitted = np.exp(np.array(lattice["emissions"]))
    assert start.sum() == pytest.approx(1) and step.sum(axis=1) == pytest.approx([1, 1])
    # Every path by hand: its edges a·b multiply to its joint probability with the items.
    joint = {}
    for path in product(range(2), repeat=found["length"]):
        value = start[path[0]] * emitted[0, path[0]]
        for t in range(1, len(path)):
            value *= step[path[t - 1], path[t]] * emitted[t, path[t]]
        joint[path] = value
    total = sum(joint.values())
    assert np.log(total) == pytest.approx(lattice["log_likelihood"], rel=1e-9)
    best = max(joint, key=joint.get)
    assert list(best) == found["path"] and np.log(joint[best]) == pytest.approx(found["log_probability"], rel=1e-9)
    for t in range(found["length"]):
        for state in range(2):
            through = sum(value for path, value in joint.items() if path[t] == state)
            assert found["posteriors"][t][state] == pytest.approx(through / total, rel=1e-9)
    logs = lambda row: np.array([-np.inf if value is None else value for value in row])
    # The arcs that are drawn: those of pairs add up to one, the others are shares of the strongest.
    drawn = lambda view, t: np.array(page.evaluate("([view, t]) => Promise.all([import('/chain.js'), import('/chainview.js')]).then(([c, v]) => v.arcs(c.chainNow(), view, t))", [view, t]))
    for t in range(found["length"] - 1):
        assert drawn("pairs", t).sum() == pytest.approx(1)
        forward = np.exp(logs(lattice["forward"][t]))[:, None] * step
        np.testing.assert_allclose(drawn("forward", t), forward / forward.max(), rtol=1e-9)
        # α of the next item is what its arcs bring, times what it emits.
        np.testing.assert_allclose(forward.sum(axis=0) * emitted[t + 1], np.exp(logs(lattice["forward"][t + 1])), rtol=1e-9)
        backward = step * (emitted[t + 1] * np.exp(logs(lattice["backward"][t + 1])))[None]
        np.testing.assert_allclose(drawn("backward", t), backward / backward.max(), rtol=1e-9)
        np.testing.assert_allclose(backward.sum(axis=1), np.exp(logs(lattice["backward"][t])), rtol=1e-9)
    # Each view looks different, and so does each item.
    seen = set()
    for view in ("forward", "backward", "pairs", "best"):
        page.select_option("#chain-view", view)
        page.locator("#chain-at").fill("3")
        seen.add(ink(page, "chain-trellis"))
    page.locator("#chain-at").fill("4")
    assert len(seen | {ink(page, "chain-trellis")}) == 5
    said = page.inner_text("#chain-words")
    assert float(re.search(r"([\d.]+) % of all ways", said).group(1)) == pytest.approx(100 * joint[best] / total, rel=1e-2)
    # Playing goes along by itself; backward sums go back.
    page.select_option("#chain-view", "backward")
    page.click("#chain-play")
    page.wait_for_function("document.getElementById('chain-at').value === '2'")
    page.click("#chain-play")
    heat = ink(page, "chain-heat")
    page.select_option("#chain-stroke", "1")
    page.wait_for_function("document.getElementById('chain-place').textContent.includes('of 8')")
    assert ink(page, "chain-heat") != heat


# 002b:F6-2
def test_what_the_states_emit_is_seen_in_every_column(page):
    page.evaluate(DRAW)
    page.evaluate("import('/state.js').then(({ state, draw }) => draw({ ...state.drawing, names: ['x0', 'x1', 'x2'], points: state.drawing.points.map((p, index) => ({ ...p, c: [...p.c, (index % 5) - 2 * p.c[0]] })) }))")
    method(page, "hmm", "sequence", n_components=2)
    page.click("#open-chain")
    page.wait_for_function("document.getElementById('chain-place').textContent !== ''")
    seen = set()
    for column in range(3):
        page.select_option("#chain-column", str(column))
        seen.add(ink(page, "chain-emissions"))
    assert len(seen) == 3


def test_labellers_show_likely_labels_and_no_likelihood_of_items(page):
    opened(page, "crf")
    found = followed(page)
    assert found["lattice"] is None and found["names"] == ["A", "B"]
    np.testing.assert_allclose(np.sum(found["posteriors"], axis=1), 1)
    assert page.locator("#chain-view").input_value() == "best"
    assert page.locator("#chain-graph").is_hidden()
    page.locator("#chain form button").click()
    assert "accuracy" in page.inner_text("#facts") and "log-likelihood" not in page.inner_text("#facts")


def share(page):
    page.click("#open-share")
    page.wait_for_selector("#sharing[open]")


@pytest.mark.parametrize("algorithm", ["hmm", "crf"])
def test_the_command_and_the_file_of_a_model_of_strokes_know_the_strokes(page, algorithm, tmp_path):
    page.evaluate(DRAW)
    method(page, algorithm, "sequence", **({"n_components": 2} if algorithm == "hmm" else {}))
    states = answer(page)["points"]["states"]
    share(page)
    script = page.input_value("#code")
    with page.expect_download() as model:
        page.click("#save-model")
    environment = {**os.environ, "PATH": f"{Path(os.environ['DIDACT']).parent}:{os.environ['PATH']}"}
    again = f"didact predict {model.value.path()} --data points.csv"
    done = subprocess.run(["bash", "-ec", f"{script}\necho file\n{again}"], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    names = {"hmm": ["0", "1"], "crf": ["A", "B"]}[algorithm]
    by_command, by_file = done.stdout.split("\nfile\n")
    for text in (by_command, by_file):
        said = text[text.index("state,") :].splitlines()[1:]
        assert [line.split(",")[0] for line in said] == [names[state] for state in states]


def test_methods_without_states_have_no_trellis(page, address):
    open_page(page, address, "#scene=straight-line")
    settled(page)
    assert not page.locator("#open-chain").is_visible()
