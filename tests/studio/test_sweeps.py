"""The same points under many settings: side by side, in numbers, one after the other."""

import io
import re
import struct
import zipfile
import zlib

import numpy as np
import pytest

from conftest import answer, open_page, parameters, points, settled
from test_views import opened, panels, sweep


def method(page, algorithm, task=None, **chosen):
    """Takes a method with some parameters on what is drawn."""
    page.evaluate(
        """([algorithm, task, parameters]) => import('/state.js').then(({ state, changed }) => {
            state.steps = [{ algorithm, parameters }];
            state.task = task ?? state.task;
            changed('method');
        })""",
        [algorithm, task, chosen],
    )
    settled(page)


def count(text, name="support vectors"):
    return int(re.search(rf"(\d+) {name}", text).group(1))


def saved(page, control):
    with page.expect_download() as download:
        page.click(control)
    return open(download.value.path(), "rb").read()


# 002b:KM-17 002b:F5-13 002b:F5-14 002b:F5-15
def test_a_wider_tube_and_a_lower_price_need_fewer_support_vectors(page, address):
    opened(page, address, "curved-tube")
    total = len(points(page))
    held = [count(text) for text in sweep(page, "epsilon", [0.05, 0.2, 0.5, 1.5])]
    assert held == sorted(held, reverse=True) and held[0] > 2 * held[-1]
    support = next(one["value"] for one in answer(page)["attributes"] if one["name"] == "support")
    assert held[2] == len(support)
    # A larger price follows the points more closely (the text says smoother): R² never falls.
    fit = [float(re.search(r"R² (-?[\d.]+)", text).group(1)) for text in sweep(page, "C", [0.01, 1, 100])]
    assert fit == sorted(fit)
    # Wide bumps under-fit, narrow ones learn by heart.
    page.locator("#sweep form button").click()
    method(page, "svr", C=1000, epsilon=0.01, gamma=0.5)
    narrow, wide = sweep(page, "gamma", [50, 0.001])
    assert count(narrow) <= total and float(re.search(r"R² (-?[\d.]+)", narrow).group(1)) > 0.99 > float(re.search(r"R² (-?[\d.]+)", wide).group(1))


# 002b:F5-16 002b:F5-17 002b:KM-17
def test_the_tube_widens_with_the_noise_and_its_share_with_nu(page, address):
    opened(page, address, "curved-tube")
    method(page, "nu-svr", C=100, nu=0.2, gamma=0.5)
    total = len(points(page))
    width = lambda text: float(re.search(r"ε = ([\d.e-]+)", text).group(1))
    texts = sweep(page, "noise on the points", [0, 0.5, 2])
    assert width(texts[0]) < width(texts[1]) < width(texts[2])
    for nu, text in zip([0.1, 0.5, 0.9], sweep(page, "nu", [0.1, 0.5, 0.9])):
        # ν is at most the share of support vectors and at least that of points outside, but for ties on the edge.
        assert count(text) >= nu * total - 1
        assert count(text, "outside the tube") <= nu * total + 1
    # The noise is taken over like a value, and taken back.
    before = points(page)
    sweep(page, "noise on the points", [0, 0.5])
    page.locator("#sweep-grid button").nth(1).click()
    settled(page)
    moved = np.array([p["c"] for p in points(page)]) - [p["c"] for p in before]
    assert (moved[:, 0] == 0).all() and moved[:, 1].std() == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(2 * total))
    page.keyboard.press("Control+z")
    assert points(page) == before


# 002b:F7-7 002a:FIG75
def test_more_hidden_units_and_higher_degrees_make_fewer_errors(page, address):
    opened(page, address, "moons-neighbours")
    method(page, "mlp", random_state=0)
    accuracy = lambda text: float(re.search(r"accuracy ([\d.]+)", text).group(1))
    assert page.evaluate("import('/sweepvalues.js').then(m => m.variable()[0][0])") == "hidden_layer_sizes"
    texts = sweep(page, "hidden_layer_sizes", ["1", "8", "8×4"])
    assert accuracy(texts[0]) < accuracy(texts[1]) and "hidden_layer_sizes = 8×4" in texts[2]
    page.locator("#sweep-grid button").nth(1).click()
    settled(page)
    assert parameters(page)["hidden_layer_sizes"] == [8]
    method(page, "svc", kernel="poly", coef0=1, C=100)
    degrees = [accuracy(text) for text in sweep(page, "degree", [1, 2, 3, 5])]
    assert degrees == sorted(degrees) and degrees[-1] > 0.98 > degrees[0]


# 002b:F5-19
def test_pictures_of_one_method_are_kept_beside_those_of_another(page, address):
    opened(page, address, "moons-neighbours")
    method(page, "svc", gamma=1)
    sweep(page, "gamma", [0.1, 10])
    page.click("#sweep-keep")
    panels(page, 4)
    page.locator("#sweep form button").click()
    method(page, "gaussian-process-classifier", length_scale=1, optimize=False)
    page.click("#open-sweep")
    page.select_option("#sweep-parameter", "length_scale")
    page.fill("#sweep-values", "0.3, 3")
    page.click("#sweep-again")
    texts = [card.inner_text() for card in panels(page, 4).all()]
    assert ["gamma" in text for text in texts] == [True, True, False, False]
    assert page.locator("#sweep-grid button").nth(0).is_disabled()
    sheet = saved(page, "#png-sweep")
    wide, tall = struct.unpack(">II", sheet[16:24])
    # Three in a row, so four make two rows.
    assert wide == 2 * (3 * 280 + 2 * 12) and tall > wide / 2
    page.click("#sweep-forget")
    panels(page, 2)


def picture(bytes_):
    """The names of the parts of a PNG file, each with its checksum looked at."""
    assert bytes_[:8] == b"\x89PNG\r\n\x1a\n"
    place, names = 8, []
    while place < len(bytes_):
        (long,) = struct.unpack(">I", bytes_[place : place + 4])
        body = bytes_[place + 4 : place + 8 + long]
        assert struct.unpack(">I", bytes_[place + 8 + long : place + 12 + long])[0] == zlib.crc32(body)
        names.append(body[:4].decode())
        place += long + 12
    return names


# 002a:S17
def test_a_parameter_moves_in_a_sequence_of_images(page, address):
    opened(page, address, "moons-neighbours")
    method(page, "svc", C=1)
    page.click("#open-sweep")
    page.select_option("#sweep-parameter", "gamma")
    page.fill("#sweep-values", "0.1, 10")
    page.locator("#sweep-values").press("Tab")
    page.evaluate("document.getElementById('sweep-frames').value = 5")
    page.select_option("#sweep-view", "film")
    page.wait_for_function("document.querySelector('.film')?.dataset.frame === '4'")
    # Values that span decades move by equal ratios.
    shown = page.evaluate("import('/film.js').then(m => m.film.values())")
    np.testing.assert_allclose(shown, np.geomspace(0.1, 10, 5), rtol=1e-3)
    frames = zipfile.ZipFile(io.BytesIO(saved(page, "#film-zip")))
    assert frames.testzip() is None and frames.namelist() == [f"frame-00{index}.png" for index in range(5)]
    all_ = [frames.read(name) for name in frames.namelist()]
    assert len(set(all_)) == 5
    for one in all_:
        assert picture(one)[0] == "IHDR"
    names = picture(saved(page, "#film-png"))
    assert names.count("acTL") == 1 and names.count("fcTL") == 5 and "fdAT" in names
    # A browser plays it.
    page.wait_for_function("document.querySelector('.film').dataset.frame === '3'")


# 002a:S17
def test_the_picture_and_the_small_multiples_go_to_the_clipboard(page, address):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=address)
    opened(page, address, "moons-neighbours")
    sweep(page, "n_neighbors", [1, 5])
    page.click("#copy-sweep")
    page.wait_for_function("document.getElementById('sweep-status').textContent.includes('clipboard')")
    size = page.evaluate("navigator.clipboard.read().then(([item]) => item.getType('image/png')).then(createImageBitmap).then(image => [image.width, image.height])")
    assert size[0] == 2 * (2 * 280 + 12)


# 001:REG-21
def test_a_value_is_chosen_on_one_half_and_judged_once_on_the_other(page, address):
    open_page(page, address, "#scene=sinc")
    settled(page)
    page.evaluate("import('/state.js').then(({ state }) => { state.share = 60; })")
    page.evaluate("""import('/state.js').then(({ state, changed }) => {
        state.steps = [{ algorithm: 'polynomial-features', parameters: { degree: 9 } }, { algorithm: 'standard-scaler', parameters: {} }, { algorithm: 'ridge', parameters: {} }];
        changed('method');
    })""")
    settled(page)
    page.click("#open-sweep")
    page.select_option("#sweep-view", "numbers")
    page.select_option("#sweep-parameter", "alpha")
    page.fill("#sweep-values", "1e-8, 1e-4, 1, 100, 1e5")
    page.click("#sweep-again")
    page.wait_for_selector("text=looked at once")
    head = [cell.strip(" ↑↓") for cell in page.locator(".numbers th").all_inner_texts()]
    rows = [[cell for cell in row.locator("td").all_inner_texts()] for row in page.locator(".numbers tr").all()[1:]]
    column = lambda name: [float(row[head.index(name)]) for row in rows]
    learned = column("RMSE, learned")
    assert learned == sorted(learned)
    chosen = column("R², held back to choose")
    said = page.locator(".numbers p").last.inner_text()
    assert f"alpha = {rows[int(np.argmax(chosen))][0]}" in said.replace("1e-8", rows[0][0])
    assert not any("judge" in name for name in head)
