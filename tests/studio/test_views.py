"""What is seen of a model, and what one does with it."""

import csv
import io
import json
import os
import subprocess
import threading
import urllib.request

import numpy as np
import pytest

import didact
from conftest import answer, open_page, parameters, points, screen, settled


def opened(page, address, scene):
    open_page(page, address, f"#scene={scene}")
    settled(page)


def choose(page, name):
    page.get_by_role("option", name=name, exact=True).first.click()
    settled(page)


def curve(page):
    return next(one for one in answer(page)["maps"] if one["kind"] == "curve")


def test_bands_are_those_of_the_model_where_it_knows(page, address):
    """002a:FIG62: away from the points the band widens as the distance squared."""
    opened(page, address, "doubt-grows")
    drawn = curve(page)
    assert drawn["own"] is True
    x, deviation = np.array(drawn["x"]), np.array(drawn["deviation"])
    middle = np.mean([point["c"][0] for point in points(page)])
    # The variance is a parabola about the mean of the places: s² = a + b·(x − x̄)².
    slope, offset = np.polyfit((x - middle) ** 2, deviation**2, 1)
    assert slope > 0
    np.testing.assert_allclose(offset + slope * (x - middle) ** 2, deviation**2, rtol=1e-3)
    assert "as the model knows them" in page.inner_text("#facts")


def test_bands_of_other_models_are_their_error(page, address):
    opened(page, address, "sinc")
    drawn = curve(page)
    said = np.array(answer(page)["points"]["values"])
    truth = np.array([point["c"][1] for point in points(page)])
    assert drawn["own"] is False
    np.testing.assert_allclose(drawn["deviation"], np.sqrt(np.mean((said - truth) ** 2)), rtol=1e-9)
    # The band is on the canvas: above and below the curve the model layer is not empty.
    alpha = page.evaluate(
        """() => Promise.all([import('/plane.js'), import('/picture.js')]).then(([{ toScreen }, { shown }]) => {
            const { x, y, deviation } = shown.answer.maps.find(m => m.kind === 'curve');
            const i = x.length >> 1;
            const context = document.getElementById('model').getContext('2d');
            return [0.5, 1.5, 3].map(times => { const [sx, sy] = toScreen([x[i], y[i] + times * deviation[i]]); return context.getImageData(Math.round(sx), Math.round(sy), 1, 1).data[3]; });
        })"""
    )
    assert alpha[0] > alpha[1] > alpha[2] == 0


def test_margins_are_held_by_the_ringed_points(page, address):
    """002a:FIG72: the other points can go and the line stays."""
    opened(page, address, "margins")
    held = page.evaluate("Promise.all([import('/margins.js'), import('/picture.js')]).then(([g, p]) => g.supports(p.shown.answer))")
    assert 2 <= len(held) <= 6 and all(one["slack"] < 0.02 for one in held)
    drawn = points(page)
    model = answer(page)
    coef = np.array(next(one["value"] for one in model["attributes"] if one["name"] == "coef")).ravel()
    assert f"{2 / np.linalg.norm(coef):.3f}"[:4] in page.inner_text("#facts")
    few = [drawn[one["index"]] for one in held]
    refitted = didact.LinearSVC(C=100, loss="hinge").fit(np.array([p["c"] for p in few]), np.array([p["k"] for p in few]))
    np.testing.assert_allclose(refitted.coef_.ravel(), coef, rtol=0.02, atol=0.02)


def test_slack_is_shown_for_points_beyond_their_margin(page, address):
    """002a:FIG73: ξ = max(0, 1 − y·f)."""
    opened(page, address, "slack")
    held = page.evaluate("Promise.all([import('/margins.js'), import('/picture.js')]).then(([g, p]) => g.supports(p.shown.answer))")
    scores = answer(page)["points"]["scores"]
    sides = [1 if point["k"] else -1 for point in points(page)]
    expected = {index for index, (score, side) in enumerate(zip(scores, sides)) if 1 - side * score > 0.02}
    assert {one["index"] for one in held if one["slack"] > 0.02} == expected and len(expected) > 3
    for one in held:
        assert one["slack"] == pytest.approx(max(0, 1 - sides[one["index"]] * scores[one["index"]]))


def test_the_way_between_the_margins_is_twice_the_least_distance(page, address):
    """001:SVM-01: 2/‖w‖ under any scale of the points, drawn from one margin to the other."""
    opened(page, address, "margins")

    def width():
        coef = np.ravel(next(one["value"] for one in answer(page)["attributes"] if one["name"] == "coef"))
        offset = np.ravel(next(one["value"] for one in answer(page)["attributes"] if one["name"] == "intercept"))[0]
        rows = np.array([point["c"] for point in points(page)])
        return 2 / np.linalg.norm(coef), 2 * np.abs(rows @ coef + offset).min() / np.linalg.norm(coef)

    said, twice = width()
    assert said == pytest.approx(twice, rel=0.02)
    inked = "[...document.getElementById('model').getContext('2d').getImageData(0, 0, 800, 800).data].filter((v, i) => i % 4 === 3 && v).length"
    with_arrow = page.evaluate(inked)
    page.evaluate("import('/state.js').then(({ state, draw }) => draw({ ...state.drawing, points: state.drawing.points.map(p => ({ ...p, c: p.c.map(v => 10 * v) })) }))")
    page.click("#fit-view")
    page.locator("[name=C-exact]").fill("100")
    settled(page)
    scaled, twice = width()
    assert scaled == pytest.approx(10 * said, rel=0.02) and scaled == pytest.approx(twice, rel=0.02)
    assert with_arrow > 1500


def test_bands_reach_as_far_as_is_asked_for(page, address):
    """002a:S10: envelopes of one, two and three deviations, or their density."""
    opened(page, address, "sinc")

    def alpha(*times):
        page.wait_for_timeout(80)
        return page.evaluate(
            """times => Promise.all([import('/plane.js'), import('/picture.js')]).then(([{ toScreen }, { shown }]) => {
                const { x, y, deviation } = shown.answer.maps.find(m => m.kind === 'curve');
                const i = x.length >> 2;
                const context = document.getElementById('model').getContext('2d');
                return times.map(t => { const [sx, sy] = toScreen([x[i], y[i] + t * deviation[i]]); return context.getImageData(Math.round(sx), Math.round(sy), 1, 1).data[3]; });
            })""",
            list(times),
        )

    bands = page.locator("[name=bands]")
    for reach in [0, 1, 2, 3]:
        bands.select_option(str(reach))
        assert [value > 0 for value in alpha(0.5, 1.5, 2.5)] == [reach >= 1, reach >= 2, reach >= 3]
    page.locator("[name=layer-shading]").check()
    shades = alpha(0.3, 0.9, 1.5, 2.1, 2.7)
    assert shades == sorted(shades, reverse=True) and shades[0] > 3 * shades[-1] > 0
    # About as dense as the normal law: at one and a half deviations a third of what it is near the curve.
    assert shades[2] / shades[0] == pytest.approx(np.exp(-0.5 * (1.5**2 - 0.3**2)), abs=0.15)


def test_any_column_is_predicted_from_any_other(page):
    """002a:S10: the output is what is shown upwards."""
    page.click("#open-data")
    page.get_by_role("button", name="Iris flowers").click()
    settled(page)
    choose(page, "linear-regression")
    page.select_option("#axis-x", "2")
    for column in [0, 3]:
        page.select_option("#axis-y", str(column))
        settled(page)
        rows = np.array([point["c"] for point in points(page)])
        slope = np.polyfit(rows[:, 2], rows[:, column], 1)[0]
        coef = np.ravel(next(one["value"] for one in answer(page)["attributes"] if one["name"] == "coef"))
        assert coef == pytest.approx([slope])


def test_the_tube_is_held_by_the_points_on_its_edge_and_outside(page, address):
    """002a:S10 002b:F5-12: support points, their slack, and the margin 2ε/|w| that widens as the line flattens."""
    opened(page, address, "tube")

    def held():
        return page.evaluate("Promise.all([import('/curve.js'), import('/picture.js')]).then(([c, { shown }]) => ({ list: c.tubeSupports(shown.answer), margin: c.tubeMargin(shown.answer, shown.answer.maps[0]) }))")

    rows = np.array([point["c"] for point in points(page)])
    off = np.abs(rows[:, 1] - np.array(answer(page)["points"]["values"]))
    found = held()
    assert {one["index"] for one in found["list"] if one["slack"]} == set(np.flatnonzero(off > 0.8 * 1.02))
    for one in found["list"]:
        assert one["slack"] == pytest.approx(max(0, off[one["index"]] - 0.8), abs=0.8 * 0.021)
    # The points inside cost nothing: without them the line stays where it is.
    few = [one["index"] for one in found["list"]]
    model = didact.LinearSVR(C=10, epsilon=0.8, tol=1e-8, max_iter=100000).fit(rows[few][:, :1], rows[few][:, 1])
    coef = np.ravel(next(one["value"] for one in answer(page)["attributes"] if one["name"] == "coef"))
    np.testing.assert_allclose(model.coef_, coef, atol=0.02)
    assert found["margin"] == pytest.approx(2 * 0.8 / abs(coef[0]))
    steep = found["margin"]
    page.locator("[name=C-exact]").fill("0.01")
    page.locator("[name=C-exact]").press("Tab")
    settled(page)
    assert held()["margin"] > 1.2 * steep
    assert "ε-margin" in page.inner_text("#facts")


def partition(labels):
    """A grouping as sets, whatever the groups are called."""
    return {frozenset(np.flatnonzero(np.array(labels) == one)) for one in set(labels)}


def test_a_tree_is_cut_at_any_height_and_into_any_number_even_with_inversions(page):
    """003:P83: scipy's fcluster by height and by count, on a tree that bends back."""
    from scipy.cluster import hierarchy

    rows = np.array([[0, 0], [1, 0], [0.5, 0.9], [4, 0], [5, 0.2], [4.4, 1], [9, 3], [9.4, 3.6]])
    page.evaluate(
        """rows => import('/state.js').then(({ state, draw, changed }) => {
            state.task = 'clustering';
            state.steps = [{ algorithm: 'agglomerative', parameters: { linkage: 'centroid', n_clusters: 2 } }];
            draw({ ...state.drawing, points: rows.map(c => ({ c, k: 0, s: null })) });
            changed('method');
        })""",
        rows.tolist(),
    )
    settled(page)
    tree = np.array(next(one["value"] for one in answer(page)["attributes"] if one["name"] == "linkage_matrix"))
    expected = hierarchy.linkage(rows, "centroid")
    np.testing.assert_allclose(tree[:, 2], expected[:, 2], rtol=1e-9)
    assert (np.diff(tree[:, 2]) < 0).any()
    for height in [0.3, 0.8, 0.95, 1.05, 3, 5, 8]:
        page.evaluate("height => import('/state.js').then(({ state, changed }) => { state.steps[0].parameters.distance_threshold = height; changed('method'); })", height)
        settled(page)
        assert partition(answer(page)["points"]["clusters"]) == partition(hierarchy.fcluster(expected, height, "distance")), height
    for count in [1, 2, 3]:
        page.evaluate("count => import('/state.js').then(({ state, changed }) => { state.steps[0].parameters = { linkage: 'centroid', n_clusters: count }; changed('method'); })", count)
        settled(page)
        assert partition(answer(page)["points"]["clusters"]) == partition(hierarchy.fcluster(expected, count, "maxclust")), count
    painted = page.evaluate("document.getElementById('dendrogram').getContext('2d').getImageData(0, 0, 200, 160).data.some(v => v)")
    assert painted


def test_the_mid_point_of_two_means_is_marked(page, address):
    """002a:S21: class means and the place half way between them."""
    opened(page, address, "discriminant-axis")
    drawn = points(page)
    means = [np.mean([point["c"] for point in drawn if point["k"] == one], axis=0) for one in [0, 1]]
    pixel = page.evaluate(
        """place => import('/plane.js').then(({ toScreen }) => { const [x, y] = toScreen(place); return Array.from(document.getElementById('model').getContext('2d').getImageData(Math.round(x), Math.round(y), 1, 1).data); })""",
        np.mean(means, axis=0).tolist(),
    )
    assert pixel[3] == 255 and max(pixel[:3]) < 60


def test_projected_points_are_shown_by_any_two_components_and_used_as_data(page, address):
    page.click("#open-data")
    page.get_by_role("button", name="Iris flowers").click()
    settled(page)
    choose(page, "pca")
    assert page.locator("#projected").is_visible() and page.locator("#scree").is_visible()
    first = page.evaluate("document.getElementById('projected').toDataURL()")
    page.select_option("#component-x", "1")
    page.select_option("#component-y", "2")
    assert page.evaluate("document.getElementById('projected').toDataURL()") != first
    projected = np.array(answer(page)["points"]["projected"])
    page.click("#use-projected")
    settled(page)
    np.testing.assert_allclose([point["c"] for point in points(page)], projected, rtol=1e-9)
    page.keyboard.press("Control+z")
    assert len(points(page)[0]["c"]) == 4


def test_lines_lead_to_where_the_projection_puts_the_points(page, address):
    opened(page, address, "pca-against-classes")
    back = np.array(answer(page)["points"]["reconstructed"])
    drawn = np.array([point["c"] for point in points(page)])
    off = ((back - drawn) ** 2).sum(axis=1).mean()
    assert f"{off:.4g}"[:4] in page.inner_text("#projection-facts")
    # What is lost is the variance along the axis that was left out (002a:FIG10).
    assert off == pytest.approx(np.linalg.eigvalsh(np.cov(drawn.T, ddof=0))[0], rel=1e-6)


def panels(page, count):
    page.wait_for_function(f"document.querySelectorAll('#sweep-grid button').length === {count}", timeout=60_000)
    return page.locator("#sweep-grid button")


def sweep(page, parameter, values):
    if not page.locator("#sweep").is_visible():
        page.click("#open-sweep")
    page.select_option("#sweep-parameter", parameter)
    page.fill("#sweep-values", ", ".join(str(value) for value in values))
    page.click("#sweep-again")
    cards = panels(page, len(values))
    assert [card.get_attribute("data-value") for card in cards.all()] == [str(value) for value in values]
    return [card.inner_text() for card in cards.all()]


def test_small_multiples_show_settings_side_by_side_and_take_one_over(page, address):
    opened(page, address, "moons-neighbours")
    words = sweep(page, "n_neighbors", [1, 5, 40])
    assert "accuracy 1" in words[0]
    pictures = page.evaluate("[...document.querySelectorAll('#sweep-grid canvas')].map(c => c.toDataURL())")
    assert len(set(pictures)) == 3
    with page.expect_download() as download:
        page.click("#save-sweep")
    text = open(download.value.path()).read()
    assert text.startswith("<svg") and text.count("n_neighbors = ") == 3
    page.locator("#sweep-grid button").nth(1).click()
    settled(page)
    assert parameters(page)["n_neighbors"] == 5


@pytest.mark.parametrize("view", ["matrix", "histograms", "correlations", "parallel", "andrews", "radial", "bubbles", "distances", "graph", "space"])
def test_samples_are_inspected_in_every_view(page, view):
    page.click("#open-data")
    page.get_by_role("button", name="Iris flowers").click()
    settled(page)
    page.click("#open-inspect")
    page.select_option("#inspect-view", view)
    colours = page.evaluate(
        """() => { const c = document.getElementById('inspect-canvas'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
            const seen = new Set(); for (let i = 0; i < d.length; i += 4) if (d[i + 3]) seen.add(d[i] >> 5 << 6 | d[i + 1] >> 5 << 3 | d[i + 2] >> 5); return seen.size; }"""
    )
    assert colours > 3
    if view == "matrix":
        page.locator("#inspect-canvas").click(position={"x": 400, "y": 40})
        assert not page.locator("#inspect").is_visible()
        assert page.evaluate("import('/state.js').then(m => m.state.axes)")[1] == 0


def test_correlations_and_curves_are_what_they_are_called(page):
    found = page.evaluate(
        """() => Promise.all([import('/columnviews.js'), import('/rowviews.js')]).then(([c, r]) => [
            c.correlation([1, 2, 3, 4], [2, 1, 4, 3]), c.correlation([1, 1], [1, 2]), r.andrewsAt([1, 2, 3, 4], 0.7)])"""
    )
    assert found[0] == pytest.approx(np.corrcoef([1, 2, 3, 4], [2, 1, 4, 3])[0, 1]) and found[1] is None
    assert found[2] == pytest.approx(1 / np.sqrt(2) + 2 * np.sin(0.7) + 3 * np.cos(0.7) + 4 * np.sin(1.4))


def test_the_cut_of_the_tree_is_dragged_and_the_canvas_follows(page, address):
    opened(page, address, "ward-tree")
    box = page.locator("#dendrogram").bounding_box()
    page.mouse.move(box["x"] + 80, box["y"] + 60)
    page.mouse.down()
    page.mouse.move(box["x"] + 80, box["y"] + 18, steps=4)
    page.mouse.up()
    settled(page)
    assert page.inner_text("#quality-figures p").startswith("2 groups")
    assert len(set(answer(page)["points"]["clusters"])) == 2
    height = parameters(page)["distance_threshold"]
    page.locator("#dendrogram").focus()
    page.keyboard.press("ArrowDown")
    settled(page)
    assert parameters(page)["distance_threshold"] < height


def test_groups_have_the_colours_of_the_classes_that_they_hold(page, address):
    opened(page, address, "k-means-good-start")
    model = answer(page)
    for cluster, point in zip(model["points"]["clusters"], points(page)):
        assert model["tints"][cluster] == point["k"]


def test_the_balls_have_the_radius_that_was_asked_for(page, address):
    opened(page, address, "dbscan-moons")
    balls = next(one["shape"] for one in answer(page)["figures"] if one["shape"]["shape"] == "balls")
    assert balls["radius"] == 0.7


def test_steps_are_added_edited_and_removed(page, address):
    opened(page, address, "straight-line")
    page.select_option("#add-step", "pca")
    settled(page)
    page.locator("[name=n_components-exact]").fill("1")
    page.locator("[name=n_components-exact]").press("Tab")
    settled(page)
    steps = page.evaluate("import('/state.js').then(m => m.state.steps)")
    assert steps == [{"algorithm": "pca", "parameters": {"n_components": 1}}, {"algorithm": "logistic-regression", "parameters": {}}]
    page.get_by_role("button", name="logistic-regression", exact=True).click()
    assert page.locator("[name=C-exact]").is_visible()
    page.get_by_role("button", name="Remove pca").click()
    settled(page)
    assert len(page.evaluate("import('/state.js').then(m => m.state.steps)")) == 1


def test_another_seed_starts_anew(page, address):
    opened(page, address, "seeds")
    before = answer(page)["points"]["clusters"]
    page.click("#step-seed")
    settled(page)
    assert parameters(page)["random_state"] == 1
    assert answer(page)["points"]["clusters"] != before


def test_a_long_fit_shows_a_bar_and_is_stopped(page, address):
    """The job ends when the reader hangs up, so the next fit is not kept waiting."""
    page.evaluate(
        """() => import('/state.js').then(({ draw, state, changed }) => {
            state.task = 'clustering';
            state.steps = [{ algorithm: 'affinity-propagation', parameters: { max_iter: 100000, convergence_iter: 90000 } }];
            const points = Array.from({ length: 1500 }, (_, i) => ({ c: [Math.sin(i * i), Math.cos(3 * i)], k: 0, s: null }));
            draw({ ...state.drawing, points });
            changed('method');
        })"""
    )
    page.wait_for_selector("#status progress")
    page.locator("#status button").click()
    page.wait_for_function("document.getElementById('status').textContent === 'stopped'")
    page.wait_for_function("!document.body.dataset.busy")


def test_a_comparison_is_shown_as_boxes_histograms_and_numbers(page, address):
    opened(page, address, "straight-line")
    page.click("#enter")
    choose(page, "gaussian-nb")
    page.click("#enter")
    page.select_option("#folds", "10")
    page.click("#compare")
    page.wait_for_selector("#results svg[aria-label^='Box plots']")
    page.select_option("#result-view", "histograms")
    assert page.locator("#results svg[aria-label^='Histograms'] rect").count() == 24
    page.select_option("#result-view", "numbers")
    assert page.locator("#results tr").count() == 3
    with page.expect_download() as download:
        page.click("#save-results")
    head, *rows = csv.reader(io.StringIO(open(download.value.path()).read()))
    assert head[:3] == ["method", "mean", "std"] and len(rows) == 2
    folds = np.array(rows[0][8:], float)
    assert len(folds) == 10 and float(rows[0][1]) == pytest.approx(folds.mean())
    assert float(rows[0][5]) == pytest.approx(np.median(folds))


@pytest.mark.parametrize("button, kind", [("#save-png", b"\x89PNG"), ("#save-svg", b"<svg"), ("#save-csv", b"x0,x1,class"), ("#save-state", b'{"version":1')])
def test_what_is_seen_is_saved(page, address, button, kind):
    opened(page, address, "slack")
    page.click("#open-share")
    with page.expect_download() as download:
        page.click(button)
    content = open(download.value.path(), "rb").read()
    assert content.startswith(kind) and len(content) > 1000


def test_the_saved_model_predicts_what_the_page_shows(page, address, tmp_path):
    opened(page, address, "straight-line")
    shown = answer(page)["points"]["labels"]
    page.click("#open-share")
    with page.expect_download() as model:
        page.click("#save-model")
    with page.expect_download() as table:
        page.click("#save-csv")
    model.value.save_as(tmp_path / "m.didact")
    table.value.save_as(tmp_path / "points.csv")
    done = subprocess.run([os.environ["DIDACT"], "predict", "m.didact", "--data", "points.csv"], cwd=tmp_path, capture_output=True, text=True, check=True)
    said = [line["prediction"] for line in csv.DictReader(io.StringIO(done.stdout))]
    assert said == ["AB"[label] for label in shown]


def test_undo_goes_back_to_the_beginning_and_forth_again(page):
    box = page.locator("#points").bounding_box()
    for step in range(120):
        page.mouse.click(box["x"] + 50 + 5 * step, box["y"] + 100 + step)
    assert len(points(page)) == 120
    for _ in range(120):
        page.keyboard.press("Control+z")
    assert points(page) == []
    for _ in range(120):
        page.keyboard.press("Control+y")
    assert len(points(page)) == 120


def test_a_moved_point_is_learned_from_while_it_moves(page, address):
    opened(page, address, "outlier")
    index = len(points(page)) - 1
    page.keyboard.press("m")
    box = page.locator("#points").bounding_box()
    x, y = screen(page, index)
    page.mouse.move(box["x"] + x, box["y"] + y)
    page.mouse.down()
    seen = set()
    for step in range(40):
        page.mouse.move(box["x"] + x, box["y"] + y - 6 * step)
        page.wait_for_timeout(20)
        seen.add(page.evaluate("import('/picture.js').then(m => m.shown.answer?.maps[0]?.y[0])"))
    page.mouse.up()
    # The button was down all the time, and the line followed in steps.
    assert len(seen) > 4


def test_many_tabs_work_at_once(browser, address, page):
    tabs = []
    for scene in ["straight-line", "k-means-good-start", "sinc", "pca-axes", "ward-tree", "hidden-states"]:
        tab = browser.new_page(bypass_csp=True)
        open_page(tab, address, f"#scene={scene}")
        tabs.append(tab)
    for tab in tabs:
        settled(tab)
        assert tab.inner_text("#status") == ""
        tab.close()


def test_many_requests_at_once_are_all_answered(address):
    body = {"spec": "k-means(n_clusters=3)", "rows": np.random.default_rng(0).normal(size=(500, 2)).tolist()}
    said = []

    def ask():
        request = urllib.request.Request(f"{address}/api/fit", json.dumps(body).encode(), {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as reply:
            text = reply.read().decode()
        said.append(json.loads(text.split("event: answer\ndata: ")[1].split("\n")[0])["points"]["clusters"])

    threads = [threading.Thread(target=ask) for _ in range(24)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 24 and all(one == said[0] for one in said)
