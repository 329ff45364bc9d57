"""Figures of the texts as scenes, each with what it is there to show."""

import re

import numpy as np
import pytest

import didact
from conftest import answer, points, settled
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
    groups = [int(re.match(r".*?(\d+) groups", text, re.S).group(1)) for text in words]
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
            """() => Promise.all([import('/maps.js'), import('/picture.js'), import('/geometry.js')]).then(([{ cells }, { shown }, { rows }]) => {
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
