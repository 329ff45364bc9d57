"""What a user does in the studio, done with the mouse and looked at."""

import csv
import http.client
import json
import os
import re
import subprocess
import sys
import urllib.request
from pathlib import Path

import numpy as np
import pytest

import didact
from conftest import open_page, points, settled

def share(page):
    """Opens the dialog, which opens when the link and the code are written."""
    page.click("#open-share")
    page.wait_for_selector("#sharing[open]")


def draw(page, places):
    box = page.locator("#points").bounding_box()
    for x, y in places:
        page.mouse.click(box["x"] + x, box["y"] + y)


def test_points_drawn_with_the_mouse_are_learned_from_and_can_be_taken_back(page):
    draw(page, [(100, 100), (150, 130), (120, 180)])
    page.get_by_role("radio", name="B", exact=True).click()
    draw(page, [(500, 500), (550, 520), (520, 560)])
    settled(page)
    drawn = points(page)
    assert [p["k"] for p in drawn] == [0, 0, 0, 1, 1, 1]
    assert "Learned from 6 points" in page.inner_text("#facts")
    page.click("#undo")
    assert len(points(page)) == 5
    page.keyboard.press("Control+y")
    assert len(points(page)) == 6


@pytest.mark.parametrize("tool, least", [("Airbrush", 10), ("Line", 30), ("Ellipse", 60), ("Stroke", 5)])
def test_every_drawing_tool_makes_points(page, tool, least):
    page.get_by_role("radio", name=tool).click()
    box = page.locator("#points").bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 350, steps=12)
    page.wait_for_timeout(200)
    page.mouse.up()
    assert len(points(page)) >= least
    page.get_by_role("radio", name="Eraser").click()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 400, box["y"] + 350, steps=40)
    page.mouse.up()
    assert len(points(page)) < least + 60


def test_every_scene_fits(page, address):
    scenes = page.evaluate("import('/scenes.js').then(m => m.SCENES.map(({ id, lesson }) => [id, lesson]))")
    assert len(scenes) >= 45 and len({scene for scene, _ in scenes}) == len(scenes)
    for scene, lesson in scenes:
        # The page stays; another address opens another scene.
        page.goto(f"{address}/#scene={scene}")
        page.wait_for_function("lesson => document.getElementById('lesson-text').textContent === lesson", arg=lesson)
        settled(page)


def test_every_method_of_the_catalogue_fits_on_a_suitable_scene(page, address):
    suitable = {
        "classification": "straight-line",
        "clustering": "k-means-good-start",
        "transformation": "pca-axes",
        "regression": "sinc",
        "sequence": "hidden-states",
        "density": "pca-axes",
    }
    shown = None
    for line in sorted(didact.catalogue(), key=lambda line: suitable[line["task"]]):
        if suitable[line["task"]] != shown:
            shown = suitable[line["task"]]
            open_page(page, address, f"#scene={shown}")
            page.evaluate("import('/state.js').then(({ state }) => { window.drawn = state.drawing; })")
        page.evaluate(
            """([id, task, whole]) => import('/state.js').then(({ state, draw, changed }) => {
                state.drawing = window.drawn;
                state.task = task;
                state.steps = [{ algorithm: id, parameters: {} }];
                // Methods that label the items of strokes need more than one class.
                const known = (point) => ({ ...point, k: Number(point.c[0] > 0) });
                if (task === 'sequence') draw({ ...state.drawing, points: state.drawing.points.map(known) });
                const count = (point) => ({ ...point, c: point.c.map((value) => Math.round(Math.abs(value))) });
                if (whole) draw({ ...state.drawing, points: state.drawing.points.map(count) });
                changed('method');
            })""",
            [line["id"], line["task"], getattr(didact, line["name"])._route["values"] != "any"],
        )
        if line["id"] == "k-means":
            page.locator("[name=n_clusters-exact]").fill("3")
        settled(page)
        # The answer is that of this method, not of the one before.
        said = page.evaluate("import('/picture.js').then(m => m.shown.answer?.kind)")
        assert said, line["id"]


def test_the_border_on_the_screen_is_that_of_the_model(page, address):
    open_page(page, address, "#scene=straight-line")
    settled(page)
    for layer in ["samples", "grid", "legend"]:
        page.locator(f"[name=layer-{layer}]").uncheck()
    page.click("#close-lesson")
    settled(page)
    places = [(x, y) for x in range(20, 740, 60) for y in range(20, 600, 60)]
    seen = page.evaluate(
        """places => import('/plane.js').then(({ toWorld }) => {
            const context = document.getElementById('map').getContext('2d');
            return places.map(([x, y]) => [toWorld([x, y]), Array.from(context.getImageData(x, y, 1, 1).data)]);
        })""",
        places,
    )
    drawn = points(page)
    model = didact.LogisticRegression().fit(
        np.array([p["c"] for p in drawn]), np.array([p["k"] for p in drawn])
    )
    probability = model.predict_proba(np.array([place for place, _ in seen]))[:, 1]
    sure = np.abs(probability - 0.5) > 0.15
    assert sure.sum() > 50
    # The first class is blue, the second orange.
    orange = np.array([red > blue for _, (red, _, blue, _) in seen])
    np.testing.assert_array_equal(orange[sure], probability[sure] > 0.5)


def test_iterations_can_be_stepped_through(page, address):
    open_page(page, address, "#scene=k-means-good-start")
    settled(page)
    page.click("#step-first")
    settled(page)
    assert page.inner_text("#step-value").startswith("iteration 1 of")
    page.click("#step-forward")
    page.wait_for_function("!document.getElementById('step-value').textContent.startsWith('iteration 1 of')")
    page.click("#step-last")
    settled(page)


def test_a_link_brings_the_same_session_back(page, address):
    open_page(page, address, "#scene=moons-neighbours")
    settled(page)
    before = points(page)
    share(page)
    link = page.input_value("#link")
    open_page(page, address, link.removeprefix(address).lstrip("/"))
    settled(page)
    after = points(page)
    np.testing.assert_allclose([p["c"] for p in after], [p["c"] for p in before], rtol=1e-6)
    assert page.evaluate("import('/state.js').then(m => m.state.steps[0].parameters.n_neighbors)") == 7


@pytest.mark.parametrize("scene", ["straight-line", "sinc", "k-means-good-start", "hidden-states", "two-views"])
def test_exported_rust_gives_the_predictions_of_the_page(page, address, scene, tmp_path):
    open_page(page, address, f"#scene={scene}")
    settled(page)
    shown = page.evaluate("import('/picture.js').then(m => m.shown.answer.points)")
    share(page)
    page.get_by_role("tab", name="Rust").click()
    (tmp_path / "main.rs").write_text(page.input_value("#code"))
    parts = Path(os.environ["DIDACT"]).parent / "deps"
    library = max(parts.glob("libdidact-*.rlib"), key=lambda file: file.stat().st_mtime)
    build = ["rustc", "--edition", "2024", "main.rs", "--extern", f"didact={library}", "-L", f"dependency={parts}"]
    subprocess.run(build, cwd=tmp_path, check=True)
    done = subprocess.run(["./main"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    head, *lines = csv.reader(done.stdout.splitlines())
    said = [line[0] for line in lines]
    if "labels" in shown:
        assert said == ["AB"[label] for label in shown["labels"]]
    elif "values" in shown:
        np.testing.assert_allclose([float(value) for value in said], shown["values"], rtol=1e-5, atol=1e-5)
    else:
        assert [int(float(value)) for value in said] == shown["states" if "states" in shown else "clusters"]


@pytest.mark.parametrize("scene", ["straight-line", "sinc", "k-means-good-start", "hidden-states", "intertwined", "two-views"])
def test_exported_python_gives_the_predictions_of_the_page(page, address, scene, tmp_path):
    open_page(page, address, f"#scene={scene}")
    settled(page)
    shown = page.evaluate("import('/picture.js').then(m => m.shown.answer.points)")
    share(page)
    page.get_by_role("tab", name="Python").click()
    asked = {"hidden-states": "rows, lengths", "two-views": "first"}.get(scene, "table")
    script = page.input_value("#code") + f"\nimport json\nprint('#', json.dumps(model.predict({asked}).tolist()))\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout.rsplit("# ", 1)[1])
    if "labels" in shown:
        assert said == ["AB"[label] for label in shown["labels"]]
    elif "values" in shown:
        # The page shows the first of several columns.
        first = np.array(said).reshape(len(said), -1)[:, 0]
        np.testing.assert_allclose(first, shown["values"], rtol=1e-5, atol=1e-5)
    else:
        assert said == shown["states" if "states" in shown else "clusters"]


@pytest.mark.parametrize("language, command", [("Command", None), ("Python", [sys.executable, "main.py"])])
def test_classes_with_awkward_names_are_exported_as_they_are(page, language, command, tmp_path):
    page.click("#open-data")
    names = ["a, b", 'say "no"', "back\\slash", "it's"]
    lines = [f'{i % 4 + 0.1 * i},{i % 2},"{names[i % 4].replace(chr(34), chr(34) * 2)}"' for i in range(16)]
    page.fill("#paste", "\n".join(["x,y,class", *lines]))
    page.click("#use-paste")
    page.get_by_role("option", name="k-neighbors", exact=True).first.click()
    settled(page)
    share(page)
    page.get_by_role("tab", name=language).click()
    (tmp_path / "main.py").write_text(page.input_value("#code"))
    environment = {**os.environ, "PATH": f"{Path(os.environ['DIDACT']).parent}:{os.environ['PATH']}"}
    done = subprocess.run(command or ["bash", "-e", "main.py"], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert "it's" in done.stdout and "slash" in done.stdout


@pytest.mark.parametrize("scene", ["straight-line", "intertwined", "hidden-states", "two-views"])
def test_exported_commands_run(page, address, scene, tmp_path):
    open_page(page, address, f"#scene={scene}")
    settled(page)
    share(page)
    script = page.input_value("#code")
    environment = {**os.environ, "PATH": f"{Path(os.environ['DIDACT']).parent}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-ec", script], capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    expected = {"hidden-states": "state", "two-views": "x2,x3$"}.get(scene, "prediction")
    assert re.search(f"^{expected}", done.stdout, re.MULTILINE)


def test_methods_are_compared_on_the_same_folds(page, address):
    open_page(page, address, "#scene=straight-line")
    settled(page)
    page.click("#enter")
    page.get_by_role("option", name="gaussian-nb").click()
    settled(page)
    page.click("#enter")
    page.click("#compare")
    page.wait_for_selector("#results svg")
    assert "gaussian-nb" in page.inner_text("#results") and "logistic-regression" in page.inner_text("#results")


def test_pasted_tables_and_mistakes_in_them(page):
    page.click("#open-data")
    page.fill("#paste", "a,b,class\n1,2,x\n2,1,y\n3,4,x\n4,2,y\n")
    page.click("#use-paste")
    settled(page)
    assert len(points(page)) == 4
    page.click("#open-data")
    page.fill("#paste", "only,one\n1,x\n")
    page.click("#use-paste")
    assert "two columns of numbers" in page.inner_text("#status")


# -- judging, selecting, holding back -----------------------------------------------------------


def drawn(page):
    """The text of the picture that the dialog shows."""
    page.wait_for_function("!document.getElementById('picture').hidden && document.getElementById('picture').complete")
    return page.evaluate("fetch(document.getElementById('picture').src).then(answer => answer.text())")


@pytest.mark.parametrize("scene", ["straight-line", "sinc", "k-means-good-start", "hidden-states", "pca-axes"])
def test_every_picture_that_is_offered_can_be_drawn(page, address, scene):
    open_page(page, address, f"#scene={scene}")
    settled(page)
    page.click("#open-judge")
    kinds = page.evaluate("[...document.getElementById('picture-kind').options].map(option => option.value)")
    assert len(kinds) >= 3
    for kind in kinds:
        page.evaluate("document.getElementById('picture').hidden = true")
        page.select_option("#picture-kind", kind)
        varied = page.locator("#vary select").count() > 0
        page.wait_for_function(
            "!document.getElementById('picture').hidden || document.querySelector('#picture-status.bad')", timeout=120_000
        )
        if varied and page.locator("#picture-status.bad").count():
            # Some parameters have no usual values; the page says so.
            assert len(page.inner_text("#picture-status")) > 20
            continue
        assert drawn(page).startswith("<svg"), kind


def test_the_threshold_moves_along_the_roc_curve(page, address):
    open_page(page, address, "#scene=straight-line")
    settled(page)
    page.click("#open-judge")
    page.select_option("#picture-kind", "roc")
    # Until then the dialog may still show the picture of the first kind.
    page.wait_for_function("document.getElementById('picture-status').textContent.includes('false alarms')")
    before = drawn(page)
    assert "AUC" in before and "operating point" in before
    # 002a:BP16 002a:PM01: misses and false alarms are told apart and add up to all points.
    counts = [int(number) for number in re.findall(r"\d+", page.inner_text("#picture-status"))]
    assert len(counts) == 4 and sum(counts) == len(points(page))
    page.locator("#threshold").fill("99")
    assert page.inner_text("#threshold-value") == "0.99"
    page.wait_for_function(
        "before => fetch(document.getElementById('picture').src).then(a => a.text()).then(text => text !== before)", arg=before
    )


def test_groups_are_judged_by_themselves_and_beside_the_classes(page, address):
    """002a:CM07: RSS, AIC and BIC need the points alone, F₁ the classes of some."""
    open_page(page, address, "#scene=k-means-good-start")
    settled(page)
    internal, external = page.locator("#quality table").all()
    assert internal.get_attribute("aria-label").startswith("By themselves")
    assert [cell.split()[0] for cell in internal.locator("th").all_inner_texts()] == ["RSS", "AIC", "AICc", "BIC", "silhouette"]
    assert [cell.split()[0] for cell in external.locator("th").all_inner_texts()][0] == "F₁"
    rss, aic = (float(text) for text in internal.locator("td").all_inner_texts()[:2])
    inertia = page.evaluate("import('/picture.js').then(m => m.shown.answer.attributes.find(a => a.name === 'inertia').value)")
    groups = int(page.inner_text("#quality-figures p").split()[0])
    # B = K·d parameters: AIC = RSS + 2B.
    assert rss == pytest.approx(inertia, rel=1e-3) and aic == pytest.approx(inertia + 2 * groups * 2, rel=1e-3)
    whole = float(external.locator("td").first.inner_text())
    page.locator("#known").fill("10")
    page.wait_for_function(f"document.querySelectorAll('#quality table')[1]?.querySelector('td').textContent != '{external.locator('td').first.inner_text()}'")
    # Members without a known class count against precision.
    assert float(page.locator("#quality table").nth(1).locator("td").first.inner_text()) < whole


def test_the_number_of_groups_is_searched_and_used(page, address):
    open_page(page, address, "#scene=k-means-good-start")
    settled(page)
    page.select_option("#criterion", "silhouette")
    page.click("#find-count")
    page.wait_for_function("document.getElementById('count-status').textContent.includes('by this rule')")
    chosen = int(page.inner_text("#count-status").split()[0])
    assert page.evaluate("import('/state.js').then(m => m.state.steps.at(-1).parameters.n_clusters)") == chosen
    assert page.locator("#count-curve").is_visible()
    settled(page)
    assert page.inner_text("#quality-figures p").startswith(f"{chosen} groups")


def test_a_heat_map_tries_the_values_that_are_typed(page, address):
    open_page(page, address, "#scene=straight-line")
    settled(page)
    page.click("#open-judge")
    page.select_option("#picture-kind", "heat-map")
    drawn(page)
    for row, (name, values) in enumerate([("C", "0.01 1 100"), ("max_iter", "5, 50")]):
        page.locator("#vary select").nth(row).select_option(name)
        page.locator("#vary input").nth(row).fill(values)
        page.locator("#vary input").nth(row).press("Tab")
    page.wait_for_function(
        "fetch(document.getElementById('picture').src).then(a => a.text()).then(text => text.includes('>50<') && !text.includes('>750<'))"
    )


def test_a_box_selects_points_that_are_moved_and_removed_together(page, address):
    open_page(page, address, "#scene=straight-line")
    settled(page)
    total = len(points(page))
    page.keyboard.press("x")
    box = page.locator("#points").bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 5, steps=4)
    page.mouse.up()
    chosen = page.evaluate("import('/state.js').then(m => m.state.selected)")
    assert 10 < len(chosen) < total
    before = points(page)
    place = page.evaluate(
        "index => Promise.all([import('/state.js'), import('/plane.js')]).then(([s, p]) => p.toScreen(s.state.drawing.points[index].c))",
        chosen[0],
    )
    page.mouse.move(box["x"] + place[0], box["y"] + place[1])
    page.mouse.down()
    page.mouse.move(box["x"] + place[0] + 30, box["y"] + place[1], steps=4)
    page.mouse.up()
    after = points(page)
    moved = [index for index in range(total) if after[index]["c"][0] != before[index]["c"][0]]
    assert moved == chosen
    page.keyboard.press("Delete")
    assert len(points(page)) == total - len(chosen)
    page.keyboard.press("Control+z")
    assert len(points(page)) == total


def test_points_are_held_back_by_hand(page, address):
    open_page(page, address, "#scene=straight-line")
    settled(page)
    page.keyboard.press("t")
    place = page.evaluate(
        "Promise.all([import('/state.js'), import('/plane.js')]).then(([s, p]) => p.toScreen(s.state.drawing.points[0].c))"
    )
    page.locator("#points").click(position={"x": place[0], "y": place[1]})
    settled(page)
    assert points(page)[0]["t"] is False
    assert f"Learned from {len(points(page)) - 1} points" in page.inner_text("#facts")
    assert "held-back points" in page.inner_text("#facts")


def test_methods_are_filtered_by_the_kind_of_learning(page):
    everything = page.locator("#methods button").count()
    page.select_option("#learning", "unsupervised")
    names = page.locator("#methods button").all_inner_texts()
    assert 0 < len(names) < everything and "k-means" in names and "ridge" not in names
    page.select_option("#learning", "supervised")
    assert "ridge" in page.locator("#methods button").all_inner_texts()


# -- the server itself -----------------------------------------------------------------------


def post(address, path, body, **headers):
    host, port = address.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=20)
    given = {"content-type": "application/json", **headers}
    connection.request("POST", path, body, given)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_other_pages_are_refused(address):
    assert post(address, "/api/generate", "{}", origin="http://evil.example")[0] == 403
    assert post(address, "/api/generate", "{}", host="evil.example")[0] == 403


@pytest.mark.parametrize(
    "body",
    [
        "", "{", "[]", "{}", '{"spec": 1}', '{"spec": "ridge", "rows": [[1], [1, 2]]}',
        '{"spec": "ridge", "rows": []}', '{"spec": "no-such", "rows": [[1]]}',
        '{"spec": "k-means(n_clusters=0)", "rows": [[1, 2]]}',
        '{"spec": "gaussian-nb", "rows": [[1, 2]], "labels": [7], "classes": ["a"]}',
        '{"spec": "k-means(n_clusters=1)", "rows": [[1, 2]], "grid": {"x": [0, 1], "y": [0, 1], "width": 100000, "height": 100000, "columns": [0, 1]}}',
        '{"spec": "k-means(n_clusters=1)", "rows": [[1, 2]], "grid": {"x": [0, 1], "y": [0, 1], "width": 9, "height": 9, "columns": [0, 9]}}',
        '{"spec": "gaussian-mixture", "rows": [[1e308, -1e308], [-1e308, 1e308]]}',
        '{"spec": "hmm(emission=gaussian)", "rows": [[1, 2]], "lengths": [5]}',
    ],
)  # fmt: skip
def test_bad_requests_are_answered_with_an_error_and_the_server_lives_on(address, body):
    status, text = post(address, "/api/fit", body)
    assert status in (200, 400, 415, 422), text
    if status == 200:
        assert "event: failure" in text, text[:300]
        assert "bug of didact" not in text, text[:300]
    with urllib.request.urlopen(f"{address}/api/catalogue") as answer:
        assert len(json.load(answer)) > 10
