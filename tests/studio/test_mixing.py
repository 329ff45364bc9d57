"""The mixing laboratory: two sources, a matrix, and the one angle that parts them."""

import re

import numpy as np
import pytest

ROOT_3 = np.sqrt(3)
LABORATORY = """import('/mixlab.js').then(({ laboratory }) => {
    const { sources, mixing, mixtures, singular, white, whitened, parted, rotation, match } = laboratory();
    const lists = (pair) => pair?.map((list) => [...list]);
    return { kind: sources.kind, sources: lists(sources.values), mixing, mixtures: lists(mixtures), singular, white, whitened: lists(whitened), parted: lists(parted), rotation, match };
})"""


def opened(page, kind):
    page.click("#open-labs")
    page.click("#open-mixing")
    page.select_option("#mix-kind", kind)
    return page.evaluate(LABORATORY)


def put(page, *matrix):
    for cell, value in zip(("00", "01", "10", "11"), matrix):
        page.fill(f"#mix-{cell}", str(value))


def search(page):
    """Rounds until the angle stands still."""
    for _ in range(12):
        page.click("#mix-step")
        if re.search(r"Round (\d+) of \1\b", page.inner_text("#mix-words")):
            return page.evaluate(LABORATORY)


# 002a:FIG21 002a:ICA16 002a:FIG24 002a:EX03
def test_the_mixed_square_is_a_parallelogram_and_white_it_is_only_turned(page):
    lab = opened(page, "square")
    corners = page.evaluate("import('/mixing.js').then(m => m.corners([[2, 3], [2, 1]], Math.sqrt(3)))")
    expected = {(5 * ROOT_3, 3 * ROOT_3), (-5 * ROOT_3, -3 * ROOT_3), (-ROOT_3, ROOT_3), (ROOT_3, -ROOT_3)}
    assert {tuple(np.round(corner, 9)) for corner in corners} == {tuple(np.round(corner, 9)) for corner in expected}
    # All mixed points lie within: in terms of the columns of A they are in the square again.
    back = np.linalg.solve(lab["mixing"], lab["mixtures"])
    assert np.abs(back).max() <= ROOT_3 + 1e-12
    np.testing.assert_allclose(np.cov(lab["whitened"], ddof=0) + np.outer(np.mean(lab["whitened"], axis=1), np.mean(lab["whitened"], axis=1)), np.eye(2), atol=1e-9)
    # Where the sources are white themselves, V·A is orthogonal.
    white = page.evaluate("import('/mixing.js').then(m => m.whitener([new Float64Array([5, -1, 1, -5]), new Float64Array([3, 1, -1, -3])]))")
    rotation = np.array(white) @ [[2, 3], [2, 1]]
    np.testing.assert_allclose(rotation @ rotation.T, np.eye(2), atol=1e-12)
    assert np.isclose(np.abs(lab["rotation"] @ np.transpose(lab["rotation"]) - np.eye(2)).max(), 0, atol=0.1)
    # By the points alone the angle is found: W·A is a signed permutation.
    found = search(page)
    assert min(abs(one["correlation"]) for one in found["match"]) > 0.99
    assert {one["source"] for one in found["match"]} == {0, 1}


# 002a:FIG19 002a:EX02
def test_a_singular_mixing_puts_everything_on_one_line_and_is_flagged(page):
    lab = opened(page, "corners")
    assert lab["singular"] and lab["parted"] is None
    assert sorted(zip(*lab["mixtures"])) == [(-2, -2), (0, 0), (0, 0), (2, 2)]
    assert np.linalg.matrix_rank(np.array(lab["mixtures"])) == 1
    assert "singular" in page.inner_text("#mix-words") and page.locator("#mix-words.bad").count()
    assert page.locator("#mix-find").is_disabled()
    put(page, 1, 1, 1, -1)
    assert "singular" not in page.inner_text("#mix-words") and page.locator("#mix-find").is_enabled()


# 002a:FIG22 002b:F7-13 002a:ICA17
@pytest.mark.parametrize("kind", ["pictures", "sounds"])
def test_mixed_pictures_and_sounds_part_round_by_round(page, kind):
    lab = opened(page, kind)
    corr = lambda pair, sources: np.abs(np.corrcoef(pair, sources)[:2, 2:])
    assert corr(lab["mixtures"], lab["sources"]).max(axis=1).min() < 0.95
    assert corr(lab["parted"], lab["sources"]).max(axis=1).min() < 0.95
    before = page.evaluate("document.getElementById('mix-canvas').toDataURL()")
    found = search(page)
    assert page.evaluate("document.getElementById('mix-canvas').toDataURL()") != before
    best = corr(found["parted"], found["sources"])
    assert (np.sort(best, axis=1)[:, 1] > 0.95).all() and sorted(best.argmax(axis=1)) == [0, 1]
    said = [float(number) for number in re.findall(r"correlation (\d\.\d+)", page.inner_text("#mix-words"))]
    assert said == pytest.approx([abs(one["correlation"]) for one in found["match"]], abs=1e-3)
    # The rule climbs the fourth moment of the first list: no angle near by has a larger one.
    angle = np.degrees(np.arctan2(*(np.array(found["parted"]) @ np.linalg.pinv(found["whitened"]))[0][::-1]))
    moments = np.abs(page.evaluate("Promise.all([import('/mixlab.js'), import('/mixing.js')]).then(([{ laboratory }, m]) => { const { whitened } = laboratory(); return [...Array(180).keys()].map(d => m.kurtosis(m.turned(d * Math.PI / 180, whitened)[0])); })"))
    near = np.abs((np.arange(180) - angle + 90) % 180 - 90) < 40
    here = abs(np.mean(np.power(found["parted"][0], 4)) / np.mean(np.square(found["parted"][0])) ** 2 - 3)
    assert here >= moments[near].max() * (1 - 1e-9)
    assert page.locator("#mix-play button").count() == 6 and page.locator("#mix-play").is_visible() == (kind == "sounds")


# 002a:S19
def test_two_pictures_of_ones_own_are_mixed(page, tmp_path):
    from pictures import png

    for name, picture in (("a", [[255 * ((x // 8) % 2) for x in range(64)] for _ in range(64)]), ("b", [[255 * (x * x + y * y < 2500) for x in range(64)] for y in range(64)])):
        (tmp_path / f"{name}.png").write_bytes(png(picture))
    opened(page, "square")
    page.set_input_files("#mix-files", [tmp_path / "a.png", tmp_path / "b.png"])
    page.wait_for_function("document.getElementById('mix-kind').value === 'pictures'")
    assert min(abs(one["correlation"]) for one in search(page)["match"]) > 0.95
    page.set_input_files("#mix-files", [tmp_path / "a.png"])
    page.wait_for_selector("text=choose two files")
