"""Pictures on the components of a projection, any two of them."""

import re

import numpy as np
import pytest

from conftest import answer, open_page, points, settled


def opened(page, address):
    open_page(page, address, "#scene=later-component")
    settled(page)
    drawn = points(page)
    return np.array([point["c"] for point in drawn]), np.array([point["k"] for point in drawn])


def share(projected, labels):
    """Half the trace of T⁻¹B, of all spread and of that between the means of the classes."""
    total = np.cov(projected.T, ddof=0)
    off = [(labels == one).mean() ** 0.5 * (projected[labels == one].mean(axis=0) - projected.mean(axis=0)) for one in np.unique(labels)]
    return np.trace(np.linalg.solve(total, np.transpose(off) @ off)) / 2


def nearest(projected, labels):
    """How many rows are nearest to the mean of their own class, in units of the spread within classes."""
    means = np.array([projected[labels == one].mean(axis=0) for one in np.unique(labels)])
    within = np.linalg.inv(np.cov((projected - means[labels]).T))
    off = projected[:, None] - means
    return (np.einsum("nki,ij,nkj->nk", off, within, off).argmin(axis=1) == labels).mean()


# 002a:FIG28 002a:PCA11
def test_a_later_pair_of_components_tells_pictures_of_four_classes_apart(page, address):
    rows, labels = opened(page, address)
    assert rows.shape[1] == 64 and sorted(set(labels)) == [0, 1, 2, 3]
    assert page.evaluate("import('/state.js').then(m => m.state.drawing.classes)") == ["4", "5", "7", "9"]
    projected = np.array(answer(page)["points"]["projected"])
    # The projection is that of the centred pictures.
    axes = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[2][:6]
    np.testing.assert_allclose(np.abs(projected), np.abs((rows - rows.mean(axis=0)) @ axes.T), rtol=1e-6, atol=1e-6)
    first = page.evaluate("document.getElementById('projected').toDataURL()")
    said = lambda: [int(number) for number in re.findall(r"(\d+) % of the spread lies|with (\d+) %", page.inner_text("#projection-facts"))[0] if number]
    assert said() == [round(100 * share(projected[:, [0, 1]], labels))]
    page.select_option("#component-y", index=2)
    assert page.evaluate("document.getElementById('projected').toDataURL()") != first
    later = round(100 * share(projected[:, [0, 2]], labels))
    assert said() == [later] and "no pair does better" in page.inner_text("#projection-facts")
    assert nearest(projected[:, [0, 2]], labels) > nearest(projected[:, [0, 1]], labels) + 0.1
    for pair in [(0, 1), (1, 2), (0, 3), (2, 5), (4, 5)]:
        assert share(projected[:, pair], labels) < share(projected[:, [0, 2]], labels)


# 002a:PCA11
@pytest.mark.parametrize("pair", [(3, 1), (5, 4)])
def test_any_pair_of_components_is_chosen_in_either_order(page, address, pair):
    _, labels = opened(page, address)
    for control, component in zip(("#component-x", "#component-y"), pair):
        page.select_option(control, index=component)
    projected = np.array(answer(page)["points"]["projected"])
    assert f"{100 * share(projected[:, list(pair)], labels):.0f} % of the spread" in page.inner_text("#projection-facts")


# 002a:FIG28
def test_pictures_stand_where_the_projection_puts_them(page, address):
    rows, labels = opened(page, address)
    page.select_option("#component-y", index=2)
    # The picture whose row comes first is drawn first, so nothing keeps it from its place.
    projected = np.array(answer(page)["points"]["projected"])[:, [0, 2]]
    low, high = projected.min(axis=0), projected.max(axis=0)
    share_of = (projected[0] - low) / (high - low)
    ink = page.evaluate(
        """([across, up]) => {
            const canvas = document.getElementById('projected'), context = canvas.getContext('2d');
            const { width, height } = canvas.getBoundingClientRect(), edge = 14, inner = 6;
            const x = edge + inner + across * (width - 2 * edge - 2 * inner), y = height - edge - inner - up * (height - 2 * edge - 2 * inner);
            const { data } = context.getImageData(Math.round(x) - 11, Math.round(y) - 11, 22, 22);
            return Array.from({ length: 484 }, (_, pixel) => data[4 * pixel + 3]);
        }""",
        share_of.tolist(),
    )
    drawn = np.array(ink, dtype=float).reshape(22, 22)
    picture = np.kron(rows[0].reshape(8, 8), np.ones((11, 11))).reshape(22, 4, 22, 4).mean(axis=(1, 3))
    assert np.corrcoef(drawn.ravel(), picture.ravel())[0, 1] > 0.8
    page.uncheck("#show-pictures")
    dots = page.evaluate("document.getElementById('projected').toDataURL()")
    page.check("#show-pictures")
    assert page.evaluate("document.getElementById('projected').toDataURL()") != dots


def test_columns_that_are_no_pixels_are_points(page, address):
    open_page(page, address, "#scene=pca-axes")
    settled(page)
    assert not page.locator("#pictures-row").is_visible()
