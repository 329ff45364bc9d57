"""The image laboratory: pictures are loaded, cut, labelled, projected, put together again and filtered."""

import json
import random
import re

import numpy as np
import pytest

from conftest import answer, open_page, points, settled
from pictures import png
from test_components import opened
from test_sweeps import method


def laboratory(page):
    page.click("#open-labs")
    page.click("#open-images")


def image_set(page):
    return page.evaluate("import('/images.js').then(m => m.imageSet())")


def axes(page):
    found = page.evaluate("Promise.all([import('/eigen.js'), import('/picture.js')]).then(([e, p]) => e.axesOf(p.shown.answer))")
    return np.array(found["mean"]), np.array(found["axes"])


# 002a:FIG12 002a:FIG13 002a:S09
def test_later_axes_of_pictures_hold_finer_detail_and_pictures_come_back_from_a_few(page, address):
    rows, _ = opened(page, address)
    mean, found = axes(page)
    np.testing.assert_allclose(mean, rows.mean(axis=0), rtol=1e-9, atol=1e-9)
    own = np.linalg.svd(rows - mean, full_matrices=False)[2][: len(found)]
    np.testing.assert_allclose(np.abs((own * found).sum(axis=1)), 1, rtol=1e-9)
    details = page.evaluate("Promise.all([import('/eigen.js'), import('/picture.js')]).then(([e, p]) => { const { size, axes } = e.axesOf(p.shown.answer); return axes.map(axis => e.detail(axis, size)); })")
    assert np.mean(details[3:]) > np.mean(details[:3]) and np.polyfit(np.arange(len(details)), details, 1)[0] > 0
    assert page.locator("#eigen-strip").is_visible() and page.locator("#rebuilt").is_visible()
    lost = []
    for p in (0, 1, 3, 6):
        page.locator("#rebuild-count").fill(str(p))
        lost.append(float(re.search(r"([\d.]+) % of this", page.inner_text("#rebuild-words")).group(1)))
        off = rows[0] - mean
        left = off - found[:p].T @ (found[:p] @ off)
        assert lost[-1] == pytest.approx(100 * (left @ left) / (off @ off), rel=1e-3)
    assert lost == sorted(lost, reverse=True) and lost[0] == 100
    # With all six the picture is the one that the model itself gives back.
    back = np.array(answer(page)["points"]["reconstructed"][0])
    assert lost[-1] == pytest.approx(100 * ((rows[0] - back) ** 2).sum() / (off @ off), rel=1e-3)


def person(side, rng):
    """A photograph of one of two persons: bright hair on one side, noise everywhere."""
    bright = lambda x, y: 40 + 150 * ((x < 12) == (side == 0)) + 20 * (abs(y - 12) < 4)
    return png([[max(0, min(255, int(bright(x, y) + rng.gauss(0, 18)))) for x in range(24)] for y in range(24)])


# 002a:FIG06 002a:S09
def test_two_persons_are_told_apart_by_a_line_on_two_components(page, tmp_path):
    rng = random.Random(4)
    laboratory(page)
    for side, name in enumerate("AB"):
        page.locator("#image-classes").get_by_role("radio", name=name).click()
        files = []
        for index in range(20):
            files.append(tmp_path / f"{name}{index}.png")
            files[-1].write_bytes(person(side, rng))
        page.set_input_files("#picture-files", files)
        page.wait_for_function(f"document.querySelectorAll('#image-grid button').length === {20 * (side + 1)}")
    assert "40 pictures of 16×16: A 20, B 20." in page.inner_text("#image-words")
    # One is given the other class by a click, and back.
    page.locator("#image-grid button").first.click()
    assert "A 19, B 21" in page.inner_text("#image-words")
    page.locator("#image-classes").get_by_role("radio", name="A").click()
    page.locator("#image-grid button").first.click()
    page.click("#use-pictures")
    method(page, "pca", "transformation", n_components=2)
    assert page.locator("#pictures-row").is_visible()
    page.click("#use-projected")
    method(page, "logistic-regression", "classification")
    assert next(one["value"] for one in answer(page)["scores"]["train"]["figures"] if one["metric"] == "accuracy") == 1


# 002a:S09
def test_a_part_is_cut_out_and_the_set_is_saved_and_opened_again(page, tmp_path):
    # A quarter of the picture is red.
    picture = [[(255, 0, 0) if x >= 32 and y >= 32 else (0, 0, 255) for x in range(64)] for y in range(64)]
    (tmp_path / "quarters.png").write_bytes(png(picture))
    laboratory(page)
    page.check("#image-colour")
    page.select_option("#image-side", "8")
    page.set_input_files("#picture-files", tmp_path / "quarters.png")
    page.wait_for_selector("#image-grid button")
    box = page.locator("#image-source").bounding_box()
    scale = min(box["width"], box["height"]) / 64
    place = lambda x: (box["x"] + box["width"] / 2 + (x - 32) * scale, box["y"] + box["height"] / 2 + (x - 32) * scale)
    page.mouse.move(*place(36))
    page.mouse.down()
    page.mouse.move(*place(60), steps=3)
    page.mouse.up()
    page.click("#add-part")
    whole, part = (np.array(one["row"]).reshape(8, 8, 3) for one in image_set(page)["pictures"])
    np.testing.assert_allclose(part.reshape(-1, 3), [[1, 0, 0]] * 64, atol=0.01)
    assert whole[0, 0] @ [0, 0, 1] > 0.99 and whole[7, 7] @ [1, 0, 0] > 0.99
    with page.expect_download() as download:
        page.click("#save-pictures")
    before = image_set(page)
    page.click("#clear-pictures")
    assert image_set(page)["pictures"] == []
    page.set_input_files("#open-set", download.value.path())
    page.wait_for_function("document.querySelectorAll('#image-grid button').length === 2")
    assert image_set(page) == before
    page.locator("#image-grid button").first.focus()
    page.keyboard.press("Delete")
    assert len(image_set(page)["pictures"]) == 1
    (tmp_path / "broken.json").write_text("{}")
    page.set_input_files("#open-set", tmp_path / "broken.json")
    page.wait_for_selector("text=this is no set of pictures")
    page.click("#use-pictures")
    assert len(points(page)[0]["c"]) == 192


# 001:CNN-02 000b:D42
def test_a_filter_finds_its_pattern_and_those_of_a_network_can_be_tried(page, address, tmp_path):
    rows = ["100001", "010010", "001100", "100010", "010010", "001010"]
    pixels = bytes(255 * int(cell) for row in rows for cell in row)
    import base64

    saved = {"kind": "didact pictures", "version": 1, "size": {"wide": 6, "tall": 6, "channels": 1}, "classes": ["A"], "pictures": [[0, base64.b64encode(pixels).decode()]]}
    (tmp_path / "crosses.json").write_text(json.dumps(saved))
    laboratory(page)
    page.set_input_files("#open-set", tmp_path / "crosses.json")
    page.fill("#pool-stride", "1")
    page.wait_for_selector("text=the largest, 3, at (0, 0), (3, 0). Pooling keeps 3×3")
    said = page.evaluate("import('/imagefilter.js').then(m => m.filtered.answer)")
    assert said["pooled"] == [[3, 1, 0], [1, 1, 1], [3, 0, 1]]
    page.fill("#filter-stride", "9")
    page.wait_for_selector("#filter-words.bad, #filter-words:has-text('1×1')")
    page.locator("#images form button").click()
    # The filters that a network learned are there as well, with far fewer weights than dense layers have.
    open_page(page, address, "#scene=later-component")
    settled(page)
    page.evaluate("import('/state.js').then(({ state, draw }) => draw({ ...state.drawing, points: state.drawing.points.slice(0, 80) }))")
    method(page, "cnn", "classification", filters=[4], max_iter=3)
    known = {one["name"]: one["value"] for one in answer(page)["attributes"]}
    assert known["n_filter_weights"] < known["n_weights_without_sharing"] / 20
    laboratory(page)
    page.select_option("#filter-kind", "learned 4")
    cells = [float(value) for value in page.evaluate("[...document.querySelectorAll('#filter-cells input')].map(cell => cell.value)")]
    np.testing.assert_allclose(cells, np.ravel(known["filter_images"][3]), rtol=5e-3)
