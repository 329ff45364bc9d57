"""Figures of the texts as scenes, each with what it is there to show."""

import re

import numpy as np
import pytest

import didact
from conftest import answer, drag, points, settled
from test_views import opened, sweep


def data(page):
    drawn = points(page)
    return np.array([point["c"] for point in drawn]), np.array([-1 if point["k"] is None else point["k"] for point in drawn])


def regions(page):
    """How many separate regions the map has, by flooding cell after cell."""
    return page.evaluate(
        """() => Promise.all([import('/maps.js'), import('/picture.js')]).then(([{ cells }, { shown }]) => {
            const map = shown.answer.maps.find(m => m.kind === 'classes');
            const values = cells(map), { width, height, count } = map;
            const label = Array.from({ length: width * height }, (_, i) => { let best = 0; for (let k = 1; k < count; k++) if (values[i * count + k] > values[i * count + best]) best = k; return best; });
            const seen = new Uint8Array(label.length); let found = 0;
            for (let start = 0; start < label.length; start++) {
                if (seen[start]) continue;
                found++; seen[start] = 1; const open = [start];
                while (open.length) {
                    const at = open.pop(), x = at % width;
                    for (const next of [x ? at - 1 : -1, x + 1 < width ? at + 1 : -1, at - width, at + width])
                        if (next >= 0 && next < label.length && !seen[next] && label[next] === label[at]) { seen[next] = 1; open.push(next); }
                }
            }
            return found;
        })"""
    )


def test_learning_by_heart_makes_islands_and_no_training_error(page, address):
    """002a:FIG04 002a:FIG05: a smooth border errs a little, one with islands errs never, on its own points."""
    opened(page, address, "over-fitting")
    islands = regions(page)
    scores = answer(page)["scores"]
    figure = lambda part: next(one["value"] for one in scores[part]["figures"] if one["metric"] == "accuracy")
    assert figure("train") == 1 and islands >= 6
    by_heart = figure("test")
    opened(page, address, "smooth-border")
    scores = answer(page)["scores"]
    assert regions(page) <= 3 and figure("train") < 1 and figure("test") > by_heart


def test_few_labels_give_seven_tenths(page, address):
    """002a:FIG53, EX05: F₁ of 0.5 and 0.8, weighed by 2 and 4 of 6 labels."""
    opened(page, address, "few-labels")
    external = next(one for one in answer(page)["quality"]["external"] if one["name"] == "F₁")
    assert external["value"] == pytest.approx(0.7, abs=1e-12)
    assert page.locator("#quality table").nth(1).locator("td").first.inner_text() == "0.7000"


def test_round_gaussians_meet_in_circles_and_others_in_conics(page, address):
    """002a:FIG54: second derivatives of the log-odds are the same every way for round Gaussians alone."""
    opened(page, address, "round-gaussians")
    rows, labels = data(page)

    def curvature(model):
        def odds(place):
            probability = model.predict_proba(np.array([place]))[0]
            return np.log(probability[1] / probability[0])

        h, (x, y) = 0.5, rows.mean(axis=0)
        across = odds((x + h, y)) - 2 * odds((x, y)) + odds((x - h, y))
        up = odds((x, y + h)) - 2 * odds((x, y)) + odds((x, y - h))
        mixed = (odds((x + h, y + h)) - odds((x + h, y - h)) - odds((x - h, y + h)) + odds((x - h, y - h))) / 4
        return across, up, mixed

    across, up, mixed = curvature(didact.QuadraticDiscriminantAnalysis(covariance_type="spherical").fit(rows, labels))
    assert across == pytest.approx(up, rel=1e-6) and abs(mixed) < 1e-6 * abs(across)
    across, up, mixed = curvature(didact.QuadraticDiscriminantAnalysis().fit(rows, labels))
    assert abs(across - up) > 0.01 * abs(across) or abs(mixed) > 0.01 * abs(across)
    words = sweep(page, "covariance_type", ["spherical", "full"])
    accuracy = [float(re.search(r"accuracy ([\d.]+)", text).group(1)) for text in words]
    assert accuracy[1] >= accuracy[0]


def threshold_errors(values, labels):
    """The least number of errors that a threshold on the values makes."""
    order = labels[np.argsort(values)]
    below = np.concatenate([[0], np.cumsum(order)])
    wrong = below + (len(order) - np.arange(len(order) + 1)) - (order.sum() - below)
    return min(wrong.min(), (len(order) - wrong).min())


def test_the_principal_axis_mixes_what_the_discriminant_tells_apart(page, address):
    """002a:FIG56: the same points on the first principal axis and on the discriminant."""
    opened(page, address, "pca-against-classes")
    rows, labels = data(page)
    principal = np.array(answer(page)["points"]["projected"])[:, 0]
    opened(page, address, "discriminant-axis")
    np.testing.assert_array_equal(data(page)[0], rows)
    assert page.locator("#projected").is_visible()
    discriminant = np.array(answer(page)["points"]["projected"])[:, 0]
    assert threshold_errors(discriminant, labels) <= 2
    assert threshold_errors(principal, labels) > 50


def test_gaussians_carry_a_curve_with_its_band(page, address):
    """002a:FIG63: the curve is the conditional mean of the mixture, the band its deviation."""
    opened(page, address, "thinning")
    model = answer(page)
    curve = next(one for one in model["maps"] if one["kind"] == "curve")
    value = lambda name: np.array(next(one["value"] for one in model["attributes"] if one["name"] == name))
    weights, means, covariances = value("weights"), value("means"), value("covariances")
    x = np.array(curve["x"])[:, None]
    variance = covariances[:, 0, 0]
    share = weights * np.exp(-0.5 * (x - means[:, 0]) ** 2 / variance) / np.sqrt(variance)
    share /= share.sum(axis=1, keepdims=True)
    lines = means[:, 1] + covariances[:, 1, 0] / variance * (x - means[:, 0])
    inner = covariances[:, 1, 1] - covariances[:, 1, 0] ** 2 / variance
    mean = (share * lines).sum(axis=1)
    spread = (share * (inner + lines**2)).sum(axis=1) - mean**2
    np.testing.assert_allclose(curve["y"], mean, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(np.square(curve["deviation"]), spread, rtol=1e-7)
    assert curve["own"] and len(means) == 4
    # The noise grows to the right, and so does the band.
    inside = np.abs(x[:, 0]) < 6
    assert curve["deviation"][np.flatnonzero(inside)[-1]] > curve["deviation"][np.flatnonzero(inside)[0]]


def test_more_gaussians_follow_the_wave_more_closely(page, address):
    """002a:FIG64: the training error falls as the mixture grows."""
    opened(page, address, "thinning")
    words = sweep(page, "n_components", [1, 2, 3, 6])
    fits = [float(re.search(r"R² (-?[\d.]+)", text).group(1)) for text in words]
    assert fits == sorted(fits) and fits[-1] - fits[0] > 0.3


def test_the_radius_in_between_is_right_and_rss_prefers_the_others(page, address):
    """002a:FIG49: on the elongated pair k-means cuts across; of three radii the middle one finds both."""
    opened(page, address, "dbscan-elongated")
    words = sweep(page, "eps", [0.25, 0.9, 3])
    groups = [int(re.match(r".*?(\d+) groups?", text, re.S).group(1)) for text in words]
    assert groups[1] == 2 and groups[0] > 2 and groups[2] == 1
    assert all("RSS" in text and "BIC" in text for text in words)
    page.keyboard.press("Escape")
    figures = {one["name"]: one["value"] for one in answer(page)["quality"]["external"]}
    assert figures["adjusted Rand"] > 0.8
    right = next(one["value"] for one in answer(page)["quality"]["internal"] if one["name"] == "RSS")
    opened(page, address, "elongated-k-means")
    wrong = answer(page)["quality"]
    assert next(one["value"] for one in wrong["external"] if one["name"] == "adjusted Rand") < 0.1
    assert next(one["value"] for one in wrong["internal"] if one["name"] == "RSS") < right


def test_the_border_of_euclid_is_straight_and_that_of_others_is_not(page, address):
    """002a:FIG36: cells of three norms around the centres that each finds."""
    opened(page, address, "norms")

    def bends():
        """How far the border of the first cell strays from straight pieces: changes of direction."""
        return page.evaluate(
            """() => Promise.all([import('/maps.js'), import('/picture.js'), import('/matrix.js')]).then(([{ cells }, { shown }, { rows }]) => {
                const map = shown.answer.maps.find(m => m.kind === 'clusters');
                const centres = rows(shown.answer.figures[0].shape.points), { region } = shown;
                const values = cells(map); let wrong = 0;
                for (let row = 0; row < map.height; row++) for (let column = 0; column < map.width; column++) {
                    const x = region.left + (column + 0.5) / map.width * (region.right - region.left);
                    const y = region.top + (row + 0.5) / map.height * (region.bottom - region.top);
                    const far = centres.map(([a, b]) => Math.hypot(a - x, b - y));
                    if (!values[(row * map.width + column) * map.count + far.indexOf(Math.min(...far))]) wrong++;
                }
                return wrong;
            })"""
        )

    assert bends() > 100
    page.locator("[name=metric]").select_option("euclidean")
    settled(page)
    assert bends() == 0


def test_soft_borders_sharpen_with_the_stiffness(page, address):
    """002a:FIG40: the entropy of the shares falls as β grows."""
    opened(page, address, "soft-k-means")
    entropies = []
    for stiffness in ["0.2", "1", "10"]:
        page.locator("[name=stiffness-exact]").fill(stiffness)
        page.locator("[name=stiffness-exact]").press("Tab")
        settled(page)
        entropies.append(
            page.evaluate(
                """() => Promise.all([import('/maps.js'), import('/picture.js')]).then(([{ cells }, { shown }]) => {
                    let sum = 0; for (const v of cells(shown.answer.maps.find(m => m.kind === 'clusters'))) if (v) sum -= v / 255 * Math.log(v / 255); return sum; })"""
            )
        )
    assert entropies[0] > entropies[1] > entropies[2]


def test_as_many_groups_as_points_leave_nothing_unexplained(page, address):
    """002a:FIG50: K = M gives RSS = 0, so RSS alone cannot choose the number of groups."""
    opened(page, address, "few-labels")
    rss = [float(re.search(r"RSS ([\d.e-]+)", text).group(1)) for text in sweep(page, "n_clusters", [1, 2, 4, 12])]
    assert rss == sorted(rss, reverse=True) and rss[0] > 1 and rss[-1] < 1e-12


def errors(found, labels):
    """The least number of points in the wrong one of two groups."""
    wrong = (np.array(found) != labels).sum()
    return min(wrong, len(labels) - wrong)


def test_k_means_splits_unbalanced_and_elongated_pairs_wrongly(page, address):
    """002a:FIG39: the label error is above zero on both sets, and a mixture cures it."""
    for scene, cure in [("unbalanced-k-means", "unequal-spreads"), ("elongated-k-means", "elongated-mixture")]:
        opened(page, address, scene)
        rows, labels = data(page)
        wrong = errors(answer(page)["points"]["clusters"], labels)
        assert wrong > 3
        opened(page, address, cure)
        np.testing.assert_array_equal(data(page)[0], rows)
        assert errors(answer(page)["points"]["clusters"], labels) < wrong / 2


def test_class_colours_can_be_hidden(page, address):
    """002a:FIG29: the same dots without their colours, and without the legend that tells them."""
    opened(page, address, "straight-line")

    def colours():
        page.wait_for_timeout(80)
        return page.evaluate(
            """() => { const c = document.getElementById('points'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
                const seen = {}; for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 255) { const key = [d[i], d[i + 1], d[i + 2]].join(); seen[key] = (seen[key] ?? 0) + 1; }
                return Object.entries(seen).filter(([, count]) => count > 1000).map(([key]) => key); }"""
        )

    coloured = colours()
    assert len(coloured) == 2
    page.locator("[name=layer-labels]").uncheck()
    assert colours() == ["130,136,144"]
    assert page.evaluate("document.getElementById('overlay').getContext('2d').getImageData(0, 0, 900, 100).data.some(v => v)") is False
    page.locator("[name=layer-labels]").check()
    assert sorted(colours()) == sorted(coloured)


def test_four_corners_have_the_identity_as_covariance(page, address):
    """002a:FIG18, EX02: four points of two independent coins."""
    opened(page, address, "four-corners")
    rows, _ = data(page)
    assert sorted(rows.tolist()) == [[-1, -1], [-1, 1], [1, -1], [1, 1]]
    np.testing.assert_array_equal(np.cov(rows.T, ddof=0), np.eye(2))
    ratio = next(one["value"] for one in answer(page)["attributes"] if one["name"] == "explained_variance_ratio")
    assert ratio == pytest.approx([0.5, 0.5])


def test_gestures_are_strokes_that_go_through_hidden_states(page, address):
    """002b:MM-22: trajectories of the canvas serve as gestures; a new one is explained as well."""
    opened(page, address, "gestures")
    drawn = points(page)
    strokes = [point["s"] for point in drawn]
    assert len(set(strokes)) == 6
    states = answer(page)["points"]["states"]
    used = [{state for state, stroke in zip(states, strokes) if stroke == one} for one in range(6)]
    # The two strokes of a gesture go through the same parts, those of different gestures do not.
    assert used[0] == used[1] and used[2] == used[3] and used[4] == used[5]
    assert not used[0] & used[2] and not used[0] & used[4] and not used[2] & used[4]
    page.keyboard.press("s")
    drag(page, (200, 150), (420, 160), steps=24)
    settled(page)
    assert len(answer(page)["points"]["log_probabilities"]) == 7


def test_no_few_or_all_classes_are_known(page, address):
    """002a:FIG30: clustering, semi-supervised, classification, by the share of known classes."""
    opened(page, address, "known-classes")

    def coloured():
        page.wait_for_timeout(120)
        return page.evaluate("import('/state.js').then(m => m.knownClasses().filter(k => k !== null).length)")

    assert coloured() == 10
    page.locator("#known").fill("0")
    settled(page)
    assert coloured() == 0 and page.locator("#quality table").count() == 1
    assert page.locator("#known").is_visible()
    page.locator("#known").fill("100")
    settled(page)
    assert coloured() == 100 and page.locator("#quality table").count() == 2
    assert float(page.locator("#quality table").nth(1).locator("td").first.inner_text()) > 0.9


def test_outcomes_are_coloured_and_counted(page, address):
    """002a:FIG59: found, false alarms, missed and left in peace on the border of a model."""
    opened(page, address, "outcomes")
    rows, labels = data(page)
    said = np.array(answer(page)["points"]["labels"])
    counts = page.evaluate("Promise.all([import('/outcomes.js'), import('/picture.js')]).then(([o, p]) => o.outcomes(p.shown.answer))")
    truth = [((said == a) & (labels == b)).sum() for a, b in [(1, 1), (1, 0), (0, 1), (0, 0)]]
    assert counts["counts"] == truth and min(truth) > 0
    confusion = answer(page)["scores"]["train"]["confusion"]
    assert [confusion[1][1], confusion[0][1], confusion[1][0], confusion[0][0]] == truth
    # A missed point has the colour of its outcome on the canvas; the loneliest is painted over by no other.
    apart = np.linalg.norm(rows[:, None] - rows, axis=2) + np.diag(np.full(len(rows), np.inf))
    missed = max((index for index, outcome in enumerate(counts["of"]) if outcome == 2), key=lambda index: apart[index].min())
    pixel = page.evaluate(
        """index => Promise.all([import('/state.js'), import('/plane.js')]).then(([s, p]) => {
            const [x, y] = p.visible(s.state.drawing.points[index].c);
            return Array.from(document.getElementById('points').getContext('2d').getImageData(Math.round(x), Math.round(y), 1, 1).data);
        })""",
        missed,
    )
    assert pixel[:3] == [204, 121, 167]


def test_the_distances_between_two_groups_are_those_of_the_linkages(page, address):
    """002a:FIG33, HC02: nearest pair, farthest pair, all pairs and means, against the height of the merge."""
    opened(page, address, "link-distances")
    rows, labels = data(page)
    merge = page.evaluate("Promise.all([import('/linkage.js'), import('/picture.js')]).then(([l, p]) => l.nextMerge(p.shown.answer))")
    one, two = (rows[group] for group in merge["groups"])
    pairs = np.linalg.norm(one[:, None] - two, axis=2)
    assert len(one) + len(two) == len(rows) and {len(one), len(two)} == {(labels == 0).sum(), (labels == 1).sum()}
    assert merge["single"]["distance"] == pytest.approx(pairs.min()) and merge["complete"]["distance"] == pytest.approx(pairs.max())
    assert merge["average"] == pytest.approx(pairs.mean()) and merge["centroid"]["distance"] == pytest.approx(np.linalg.norm(one.mean(axis=0) - two.mean(axis=0)))
    for linkage, expected in [("average", pairs.mean()), ("single", pairs.min()), ("complete", pairs.max())]:
        page.locator("[name=linkage]").select_option(linkage)
        settled(page)
        tree = next(attribute["value"] for attribute in answer(page)["attributes"] if attribute["name"] == "linkage_matrix")
        assert tree[-1][2] == pytest.approx(expected)
    assert f"{pairs.min():.4g}" in page.inner_text("#facts")
    with_links = page.evaluate("document.getElementById('model').toDataURL()")
    page.locator("[name=layer-links]").uncheck()
    page.wait_for_timeout(80)
    assert page.evaluate("document.getElementById('model').toDataURL()") != with_links


def test_figures_are_shown_for_every_number_of_groups_with_repeats(page, address):
    """002a:S15: RSS, AIC, AICc, BIC and F₁ against K over a range, with repeats."""
    opened(page, address, "how-many-groups")
    page.click("#count-figures")
    page.wait_for_function("document.querySelectorAll('.numbers tr').length === 11")
    heads = [text.split()[0] for text in page.locator(".numbers th").all_inner_texts()]
    assert heads[0] == "n_clusters" and {"RSS", "AIC", "AICc", "BIC", "silhouette", "F₁"} <= set(heads)
    assert page.locator(".curves canvas").count() == len(heads) - 1
    column = lambda name: [page.locator(".numbers tr").nth(row).locator("td").nth(heads.index(name)).inner_text() for row in range(1, 11)]
    rss = [float(text.split()[0]) for text in column("RSS")]
    assert rss[0] == max(rss)
    page.fill("#sweep-values", "2, 4")
    page.fill("#sweep-repeats", "6")
    page.locator("#sweep-repeats").press("Tab")
    page.wait_for_function("document.querySelectorAll('.numbers tr').length === 3")
    rows = data(page)[0]
    expected = [didact.KMeans(n_clusters=4, random_state=seed).fit(rows).inertia_ for seed in range(6)]
    mean, _, spread = page.locator(".numbers tr").nth(2).locator("td").nth(heads.index("RSS")).inner_text().partition(" ± ")
    assert float(mean) == pytest.approx(np.mean(expected), rel=1e-3)
    assert not spread or float(spread) == pytest.approx(np.std(expected, ddof=1), rel=0.06)
    page.locator(".numbers button", has_text="4").click()
    settled(page)
    assert page.inner_text("#quality-figures p").startswith("4 groups")


def test_the_setting_that_is_low_on_all_criteria_is_marked(page, address):
    """002a:CM05: of three radii the one that is low on RSS, AIC and BIC together."""
    marked = page.evaluate(
        """() => import('/sweepnumbers.js').then(({ bestRow, lowOnAll }) => {
            const row = (value, RSS, AIC, BIC) => ({ value, figures: Object.entries({ RSS, AIC, BIC }).map(([name, mean]) => ({ name, better: 'low', mean, deviation: 0 })) });
            const rows = [row('small', 10, 90, 95), row('medium', 12, 30, 35), row('large', 80, 84, 86)];
            return [lowOnAll(rows), bestRow(rows, { name: 'RSS', better: 'low' }), lowOnAll(rows.slice(0, 1))];
        })"""
    )
    assert marked == [1, 0, None]
    opened(page, address, "how-many-groups")
    page.click("#count-figures")
    page.wait_for_function("document.querySelectorAll('.numbers tr').length === 11")
    assert "Low on RSS, AIC and BIC together: n_clusters = " in page.inner_text(".numbers")
    assert page.locator(".numbers .all").count() == 3
    page.keyboard.press("Escape")
    # FIG49: the radius in between; points in no group count as one, so leaving them out is no gain.
    opened(page, address, "dbscan-elongated")
    page.click("#open-sweep")
    page.select_option("#sweep-view", "numbers")
    page.select_option("#sweep-parameter", "eps")
    page.fill("#sweep-values", "0.25, 0.9, 3")
    page.click("#sweep-again")
    page.wait_for_function("document.querySelector('.numbers p')?.textContent.endsWith('eps = 0.9.') && document.querySelectorAll('.numbers tr').length === 4")


def test_the_threshold_graph_joins_what_is_near(page, address):
    """001:CLU-13: D is symmetric with zeros, S with ones along the diagonal; edges are where D ≤ t."""
    opened(page, address, "few-labels")
    rows, _ = data(page)
    found = page.evaluate(
        """rows => import('/graphview.js').then(({ distanceMatrix, similarityMatrix, edgesWithin, partsOf }) => {
            const D = distanceMatrix(rows, 'Euclid'); const edges = edgesWithin(D, 1);
            return { D, M: distanceMatrix(rows, 'Manhattan'), S: similarityMatrix(D, 1), edges, parts: partsOf(rows.length, edges) };
        })""",
        rows.tolist(),
    )
    gaps = rows[:, None] - rows
    np.testing.assert_allclose(found["D"], np.linalg.norm(gaps, axis=2), atol=1e-12)
    np.testing.assert_allclose(found["M"], np.abs(gaps).sum(axis=2), atol=1e-12)
    near = np.linalg.norm(gaps, axis=2) <= 1
    np.testing.assert_array_equal(found["S"], near.astype(int))
    assert sorted(map(tuple, found["edges"])) == sorted(zip(*np.nonzero(np.triu(near, 1))))
    page.click("#open-inspect")
    page.select_option("#inspect-view", "graph")
    slider = page.locator("[name=inspect-threshold]")
    farthest = float(slider.get_attribute("max"))
    assert farthest == pytest.approx(np.linalg.norm(gaps, axis=2).max())
    slider.fill("0")
    assert "0 of 66 pairs" in page.inner_text("#inspect-words") and "12 parts" in page.inner_text("#inspect-words")
    before = page.evaluate("document.getElementById('inspect-canvas').toDataURL()")
    slider.fill(str(farthest / 2))
    assert page.evaluate("document.getElementById('inspect-canvas').toDataURL()") != before
    assert "2 parts" in page.inner_text("#inspect-words")
