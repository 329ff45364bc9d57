"""Gaussians and other laws: on the canvas, and in the explorer of distributions."""

import re

import numpy as np
import pytest
import scipy.stats

import didact
from conftest import answer, points, settled
from test_views import opened, sweep


def matrix(value):
    """A matrix as the library writes it."""
    return np.array(value["data"]).reshape(value["dim"])


def ellipsoids(page):
    return [one for one in answer(page)["figures"] if one["shape"]["shape"] == "ellipsoids"]


def covariance(page):
    return matrix(ellipsoids(page)[0]["shape"]["covariances"][0])


def explore(page, kind, name=None, **parameters):
    """Opens the explorer and sets the parameters."""
    if not page.locator("#laws").is_visible():
        page.click("#open-laws")
    page.select_option("#law-kind", kind)
    if name:
        page.select_option("#law-name", name)
    for parameter, value in parameters.items():
        control = page.locator(f"[name={parameter}-exact]")
        control.fill(str(value))
        control.press("Tab")


def asked(page, law):
    """What the server says about a law."""
    return page.evaluate("law => import('/api.js').then(({ job }) => job('/api/law', law, undefined, () => {}))", law)


def words(page, beginning):
    page.wait_for_function("text => document.getElementById('law-words').textContent.startsWith(text)", arg=beginning)
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", page.inner_text("#law-words"))]


def drag(page, start, end):
    box = page.locator("#law-canvas").bounding_box()
    spots = [(box["x"] + share[0] * box["width"], box["y"] + share[1] * box["height"]) for share in (start, end)]
    page.mouse.move(*spots[0])
    page.mouse.down()
    page.mouse.move(*spots[1], steps=5)
    page.mouse.up()


def painted(page, canvas="law-canvas"):
    """How many colours a canvas has, coarsely."""
    return page.evaluate(
        """id => { const c = document.getElementById(id); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
            const seen = new Set(); for (let i = 0; i < d.length; i += 4) if (d[i + 3]) seen.add(d[i] >> 4 << 8 | d[i + 1] >> 4 << 4 | d[i + 2] >> 4); return seen.size; }""",
        canvas,
    )


def test_sixteen_ellipses_tell_intertwined_classes_apart_without_an_error(page, address):
    """002a:FIG55, EX09: two mixtures of eight full Gaussians each make no error on the drawn points."""
    opened(page, address, "intertwined")
    drawn = points(page)
    rows, labels = np.array([point["c"] for point in drawn]), np.array([point["k"] for point in drawn])
    assert answer(page)["points"]["labels"] == labels.tolist()
    figures = ellipsoids(page)
    assert [figure["owner"] for figure in figures] == [0, 1]
    for figure in figures:
        mixture = didact.GaussianMixture(n_components=8, random_state=1).fit(rows[labels == figure["owner"]])
        np.testing.assert_allclose(matrix(figure["shape"]["centers"]), mixture.means_, rtol=1e-9)
        spreads = np.array([matrix(one) for one in figure["shape"]["covariances"]])
        assert spreads.shape == (8, 2, 2) and np.abs(spreads[:, 0, 1]).max() > 0.01


def test_points_classes_ellipses_and_regions_are_a_layer_each(page, address):
    """002a:FIG55 i–iv: the four pictures of the figure are what the layers show one by one."""
    opened(page, address, "intertwined")

    def picture(*shown):
        for layer in ["samples", "predictions", "geometry", "map", "grid", "legend"]:
            page.locator(f"[name=layer-{layer}]").set_checked(layer in shown)
        page.wait_for_timeout(80)
        return {
            canvas: page.evaluate("id => document.getElementById(id).toDataURL()", canvas)
            for canvas in ["map", "points", "model", "overlay"]
        }

    empty = picture()
    assert len(set(empty.values())) == 1
    data = picture("samples")
    classified = picture("samples", "predictions")
    # Without an error the classified points have the colours of their classes.
    assert data["points"] == classified["points"] != empty["points"]
    assert {name for name, image in picture("geometry").items() if image != empty[name]} == {"model"}
    assert {name for name, image in picture("map").items() if image != empty[name]} == {"map"}


def test_lines_of_equal_density_are_circles_upright_or_slanted_ellipses(page, address):
    """001:GEN-05: σ²I, a diagonal and a full covariance."""
    opened(page, address, "covariance-shapes")
    shapes = {}
    for kind in ["spherical", "diag", "full"]:
        page.locator("[name=covariance_type]").select_option(kind)
        settled(page)
        shapes[kind] = covariance(page)
        # The contours on the canvas are those of the covariance: two places at the same Mahalanobis
        # distance have the same density.
        turned = np.linalg.cholesky(shapes[kind]) @ np.array([[2, 0, -1.2], [0, 2, 1.6]])
        density = page.evaluate(
            """places => Promise.all([import('/laws.js'), import('/picture.js')]).then(([{ modelDensity }]) => {
                const { edges, cells: [wide, tall], density } = modelDensity();
                return places.map(([x, y]) => density[Math.floor((1 - (y - edges[1][0]) / (edges[1][1] - edges[1][0])) * tall) * wide + Math.floor((x - edges[0][0]) / (edges[0][1] - edges[0][0]) * wide)]);
            })""",
            (turned.T + matrix(ellipsoids(page)[0]["shape"]["centers"])[0]).tolist(),
        )
        # One cell of the grid is about a fiftieth of a standard deviation wide.
        np.testing.assert_allclose(density, density[0], rtol=0.25)
    assert shapes["spherical"][0, 0] == pytest.approx(shapes["spherical"][1, 1]) and shapes["spherical"][0, 1] == 0
    assert shapes["diag"][0, 0] > 1.5 * shapes["diag"][1, 1] and shapes["diag"][0, 1] == 0
    assert shapes["full"][0, 1] > 1
    likelihoods = [float(re.search(r"log-likelihood per row (-?[\d.]+)", text).group(1)) for text in sweep(page, "covariance_type", ["spherical", "diag", "full"])]
    assert likelihoods == sorted(likelihoods)


def test_marginals_stand_on_both_sides_of_the_joint_density(page, address):
    """002a:S18 002a:FIG20: a uniform square of variance one, its density and its two histograms."""
    opened(page, address, "uniform-square")
    rows = np.array([point["c"] for point in points(page)])
    assert np.abs(rows).max() <= np.sqrt(3) and rows.var(axis=0) == pytest.approx([1, 1], abs=0.1)
    assert page.locator("[name=layer-marginals]").is_checked() and painted(page, "overlay") > 1
    page.click("#open-laws")
    page.select_option("#law-kind", "model")
    mean, deviation, *_ = words(page, "On its own x")
    # The density is a Gaussian of the same moments; what lies outside the picture is cut off.
    assert mean == pytest.approx(rows[:, 0].mean(), abs=0.05) and deviation == pytest.approx(rows[:, 0].std(), abs=0.1)
    flat = page.evaluate("document.getElementById('law-canvas').toDataURL()")
    page.select_option("#law-view", "surface")
    assert page.evaluate("document.getElementById('law-canvas').toDataURL()") != flat and painted(page) > 20


def test_a_square_of_uniforms_has_variance_one_and_no_dependence(page):
    """002a:FIG20, EX03: density 1/12 on [−√3, √3]²."""
    explore(page, "two", "two uniforms")
    own_mean, own_deviation, _, mean, deviation = words(page, "On its own x")
    assert own_deviation == pytest.approx(1, abs=0.02) and deviation == pytest.approx(own_deviation, rel=1e-3)
    assert own_mean == pytest.approx(0, abs=1e-3) and mean == pytest.approx(0, abs=1e-3)
    heights = page.evaluate("import('/joint.js').then(m => [...new Set(m.pairJoint({ law: 'two uniforms', deviations: [1, 1], correlation: 0 }, [5, 5]).density)])")
    assert sorted(heights) == pytest.approx([0, 1 / 12])


def test_independent_gaussians_look_the_same_from_every_side(page, address):
    """002a:FIG23: equal deviations without correlation give a density of the radius alone."""
    densities = page.evaluate(
        """() => import('/joint.js').then(({ PAIRS }) => [0, 0.3, 1.1, 2, 2.9].map(angle => PAIRS.Gaussian.density([1.7 * Math.cos(angle), 1.7 * Math.sin(angle)], 0)))"""
    )
    assert densities == pytest.approx([np.exp(-0.5 * 1.7**2) / (2 * np.pi)] * 5, rel=1e-12)
    opened(page, address, "independent-gaussians")
    spread = np.linalg.eigvalsh(covariance(page))
    assert spread[1] / spread[0] < 1.15


def test_a_law_of_one_variable_shows_its_density_and_its_cumulative_probability(page):
    """002b:F9-1: 1/(b−a) on [a, b], and the ramp from zero to one."""
    explore(page, "one", "uniform", low=1, high=3)
    numbers = words(page, "Mean 2")
    assert numbers[1] == pytest.approx(1 / np.sqrt(3), rel=1e-3)
    law = asked(page, {"name": "uniform", "parameters": {"low": 1, "high": 3}, "at": 1.5})
    x = np.array(law["x"])
    np.testing.assert_allclose(law["density"], scipy.stats.uniform(1, 2).pdf(x), atol=1e-12)
    np.testing.assert_allclose(law["cumulative"], scipy.stats.uniform(1, 2).cdf(x), atol=1e-12)
    assert law["at"] == pytest.approx({"x": 1.5, "density": 0.5, "cumulative": 0.25})
    assert x[0] < 1 and x[-1] > 3 and painted(page) > 3
    # The place is dragged: three quarters to the right of the picture more lies below it.
    before = page.inner_text("#law-words")
    drag(page, (0.3, 0.3), (0.7, 0.3))
    page.wait_for_function("before => document.getElementById('law-words').textContent !== before", arg=before)
    at = float(re.search(r"At x = ([\d.]*\d)", page.inner_text("#law-words")).group(1))
    said = float(re.search(r"P\(X ≤ x\) = ([\d.]*\d)", page.inner_text("#law-words")).group(1))
    assert said == pytest.approx((at - 1) / 2, abs=2e-3) and at > 2


@pytest.mark.parametrize(
    "name, parameters, law",
    [
        ("normal", {"mean": 1, "deviation": 2}, scipy.stats.norm(1, 2)),
        ("exponential", {"rate": 2}, scipy.stats.expon(scale=0.5)),
        ("gamma", {"shape": 3, "rate": 2}, scipy.stats.gamma(3, scale=0.5)),
        ("beta", {"a": 2, "b": 5}, scipy.stats.beta(2, 5)),
        ("Laplace", {"location": 0, "scale": 2}, scipy.stats.laplace(0, 2)),
        ("Student's t", {"freedom": 4, "location": 0, "scale": 1}, scipy.stats.t(4)),
        ("Cauchy", {"location": 1, "scale": 0.5}, scipy.stats.cauchy(1, 0.5)),
        ("log-normal", {"log_mean": 0, "log_deviation": 0.5}, scipy.stats.lognorm(0.5)),
        ("Weibull", {"shape": 2, "scale": 3}, scipy.stats.weibull_min(2, scale=3)),
    ],
)
def test_every_law_is_that_of_its_name(page, name, parameters, law):
    explore(page, "one", name)
    told = asked(page, {"name": name, "parameters": parameters})
    np.testing.assert_allclose(told["density"], law.pdf(told["x"]), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(told["cumulative"], law.cdf(told["x"]), rtol=1e-9, atol=1e-12)
    words(page, "Mean")
    assert painted(page) > 3


def test_a_parameter_that_makes_no_law_is_told_in_a_sentence(page):
    explore(page, "one", "uniform", low=2, high=1)
    page.wait_for_selector("#law-words.bad")
    assert "greater than low" in page.inner_text("#law-words")


def test_a_gaussian_pair_is_a_surface_over_its_three_ellipses(page):
    """002b:F9-2: the surface turns, and the ellipses lie one, two and three deviations out."""
    explore(page, "two", "Gaussian", deviation_x=1.5, deviation_y=0.8, correlation=-0.5)
    spread = np.array([[2.25, -0.6], [-0.6, 0.64]])
    for deviations in [1, 2, 3]:
        ellipse = np.array(page.evaluate("d => import('/ellipse.js').then(m => m.ellipseOf([0, 0], [2.25, -0.6, 0.64], d))", deviations))
        distance = np.einsum("ij,jk,ik->i", ellipse, np.linalg.inv(spread), ellipse)
        np.testing.assert_allclose(distance, deviations**2, rtol=1e-9)
    page.select_option("#law-view", "surface")
    before = page.evaluate("document.getElementById('law-canvas').toDataURL()")
    assert painted(page) > 20
    drag(page, (0.4, 0.5), (0.6, 0.55))
    assert page.evaluate("document.getElementById('law-canvas').toDataURL()") != before


def test_the_slice_is_dragged_and_gives_the_conditional_law(page):
    """002b:F9-3 002b:ST-08: μ + ρ·σ/σ′·(y − μ′) and σ·√(1 − ρ²), for whichever variable is known."""
    explore(page, "two", "Gaussian", deviation_x=1.5, deviation_y=0.8, correlation=0.6)
    own_mean, own_deviation, value, mean, deviation = words(page, "On its own x")
    assert (own_mean, own_deviation) == (0, 1.5)
    before = page.evaluate("document.getElementById('law-canvas').toDataURL()")
    drag(page, (0.4, 0.5), (0.4, 0.4))
    assert page.evaluate("document.getElementById('law-canvas').toDataURL()") != before
    *_, value, mean, deviation = words(page, "On its own x")
    assert value > 0
    assert mean == pytest.approx(0.6 * 1.5 / 0.8 * value, rel=1e-3) and deviation == pytest.approx(1.5 * 0.8, rel=1e-3)
    page.select_option("#law-slice", "1")
    *_, value, mean, deviation = words(page, "On its own y")
    assert mean == pytest.approx(0.6 * 0.8 / 1.5 * value, rel=1e-3, abs=1e-3) and deviation == pytest.approx(0.8 * 0.8, rel=1e-3)
    # The same by number, from the joint density on its grid.
    found = page.evaluate(
        """() => import('/joint.js').then(({ pairJoint, marginal, conditional, moments }) => {
            const joint = pairJoint({ law: 'Gaussian', deviations: [1.5, 0.8], correlation: 0.6 }, [8, 8], 401);
            return [moments(marginal(joint, 0)), moments(conditional(joint, 0, 1))];
        })"""
    )
    assert found[0]["deviation"] == pytest.approx(1.5, rel=1e-3)
    assert found[1]["mean"] == pytest.approx(0.6 * 1.5 / 0.8, abs=0.03) and found[1]["deviation"] == pytest.approx(1.2, rel=1e-3)


def test_the_slice_moves_with_the_keyboard(page):
    explore(page, "two", "Gaussian")
    before = words(page, "On its own x")[2]
    page.locator("#law-canvas").focus()
    page.keyboard.press("ArrowUp")
    assert words(page, "On its own x")[2] == pytest.approx(before + 0.1, abs=1e-3)
