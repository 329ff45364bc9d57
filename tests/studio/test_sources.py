"""Independent sources, mixed and made white."""

import re

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm, uniform

from conftest import answer, open_page, points, settled

GAUSSIAN = norm()
UNIFORM = uniform(-np.sqrt(3), 2 * np.sqrt(3))
BELL = 0.5 * np.log(2 * np.pi * np.e)


def opened(page, name="Gaussian and uniform", **mixing):
    page.click("#open-laws")
    page.select_option("#law-kind", "sources")
    page.select_option("#law-name", name)
    for entry, value in mixing.items():
        row, column = entry[1], entry[2]
        control = page.locator(f"[name='s{'₁₂'[int(column) - 1]} into x{'₁₂'[int(row) - 1]}-exact']")
        control.fill(str(value))
        control.press("Tab")
    page.wait_for_function("document.getElementById('law-words').textContent.includes('Negentropy')")
    return page.evaluate("import('/laws.js').then(m => { const { sides, turn } = m.chosenSources(); return { turn, negentropy: sides.map(pair => pair.map(side => side.negentropy)) }; })")


def negentropy(weights, laws):
    """Of a weighted sum of two independent variables, by their convolution on a fine grid."""
    (a, b), step = np.abs(weights), 1e-3
    if min(a, b) < 1e-6:
        return BELL - (laws[0] if a > b else laws[1]).entropy()
    at = np.arange(-12, 12, step)
    both = [law.pdf(at / scale) / scale for law, scale in zip(laws, (a, b))]
    size = 2 ** int(np.ceil(np.log2(2 * len(at))))
    density = np.fft.irfft(np.fft.rfft(both[0], size) * np.fft.rfft(both[1], size), size)[: 2 * len(at) - 1] * step
    density = density / (density.sum() * step)
    inside = density > 1e-12
    return BELL + (density[inside] * np.log(density[inside])).sum() * step


def whitened(mixing):
    values, vectors = np.linalg.eigh(mixing @ mixing.T)
    return vectors @ np.diag(values**-0.5) @ vectors.T @ mixing


# 002a:FIG68
def test_mixing_makes_both_sides_more_gaussian_and_negentropy_falls(page):
    found = opened(page)
    turn = np.array(found["turn"])
    np.testing.assert_allclose(turn, whitened(np.array([[1, -0.5], [1.2, 0.8]])), atol=1e-12)
    before, after = found["negentropy"]
    assert before == pytest.approx([0, BELL - np.log(2 * np.sqrt(3))], abs=1e-5)
    assert after == pytest.approx([negentropy(row, (GAUSSIAN, UNIFORM)) for row in turn], abs=2e-4)
    # The sum falls; the uniform source, which was far from the bell, is hidden in both.
    assert sum(after) < sum(before) / 10 and max(after) < max(before) / 10
    words = page.inner_text("#law-words")
    said = [float(number) for number in re.findall(r"together (\d\.\d+)", words)]
    assert said == pytest.approx([sum(before), sum(after)], abs=1e-4)
    assert f"What fell, {sum(before) - sum(after):.4f}" in words


# 002a:FIG68
def test_the_sides_of_a_mixture_are_the_laws_of_its_sums(page):
    found = opened(page, "two uniforms", a11=2, a12=0.3, a21=-0.4, a22=1)
    turn = whitened(np.array([[2, 0.3], [-0.4, 1]]))
    np.testing.assert_allclose(found["turn"], turn, atol=1e-12)
    assert found["negentropy"][1] == pytest.approx([negentropy(row, (UNIFORM, UNIFORM)) for row in turn], abs=5e-4)
    heights = page.evaluate("import('/laws.js').then(m => m.chosenSources().sides[1].map(side => [-2, -0.7, 0, 1.1].map(side.law)))")
    for row, list_ in zip(turn, heights):
        a, b = np.abs(row)
        # p(z) = ∫ p_s(t)·p_r((z − a·t)/b)/b dt
        expected = [quad(lambda t: UNIFORM.pdf(t) * UNIFORM.pdf((z - a * t) / b) / b, -2, 2, limit=400, points=np.clip([(z - b * np.sqrt(3)) / a, (z + b * np.sqrt(3)) / a], -2, 2))[0] for z in (-2, -0.7, 0, 1.1)]
        np.testing.assert_allclose(list_, expected, atol=1e-4)


# 002a:FIG68
def test_gaussian_sources_cannot_be_told_from_their_mixture(page):
    found = opened(page, "two Gaussians")
    assert np.abs(found["negentropy"]).max() < 1e-5


def test_a_mixture_that_loses_a_source_is_told_in_a_sentence(page):
    opened(page)
    for entry, value in (("s₂ into x₁", 0.5), ("s₁ into x₂", 2), ("s₂ into x₂", 1)):
        page.locator(f"[name='{entry}-exact']").fill(str(value))
        page.locator(f"[name='{entry}-exact']").press("Tab")
    assert "loses a source" in page.inner_text("#law-words")


# 002a:FIG68
def test_whitening_the_mixed_points_leaves_the_identity_and_hides_the_box(page, address):
    open_page(page, address, "#scene=mixed-sources")
    settled(page)
    drawn = np.array([point["c"] for point in points(page)])
    white = np.array(answer(page)["points"]["projected"])
    np.testing.assert_allclose(np.cov(white.T, ddof=0), np.eye(2), atol=1e-9)
    sources = np.linalg.solve([[1, -0.5], [1.2, 0.8]], drawn.T)
    excess = lambda values: np.mean((values - values.mean()) ** 4) / np.var(values) ** 2 - 3
    # The fourth moment of a uniform law is 1.2 below that of a Gaussian; mixed, neither is as far.
    assert excess(sources[1]) == pytest.approx(-1.2, abs=0.15)
    assert max(abs(excess(column)) for column in white.T) < 0.7
