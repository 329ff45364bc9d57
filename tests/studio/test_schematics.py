"""Schematics for teaching: a script makes a picture of icons, boxes, arrows and diagrams."""

import itertools
import struct
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from conftest import open_page


def opened(page):
    page.click("#open-labs")
    page.click("#open-schematics")
    page.wait_for_selector("#schematic-picture svg")


def prepared(page, name):
    """The marks of a prepared schematic."""
    opened(page)
    page.select_option("#schematic-which", name)
    assert page.locator("#schematic-mistakes li").count() == 0
    return marks(page)


def marks(page):
    """What lies on the sheet: the data of every mark and its words."""
    return page.evaluate("[...document.querySelectorAll('#schematic-picture [data-kind]')].map(mark => ({ ...mark.dataset, words: [...mark.querySelectorAll('text')].map(text => text.textContent) }))")


def write(page, script):
    page.fill("#schematic-script", script)
    return [line.strip() for line in page.locator("#schematic-mistakes li").all_inner_texts()]


def of(found, kind):
    return [mark for mark in found if mark["kind"] == kind]


def place(mark):
    return float(mark["x"]), float(mark["y"])


def inside(box, mark):
    (x, y), (u, v) = place(box), place(mark)
    return abs(u - x) < float(box["wide"]) / 2 and abs(v - y) < float(box["tall"]) / 2


# 002a:S24
def test_every_prepared_schematic_is_right_and_lies_within_its_sheet(page):
    opened(page)
    names = [option.get_attribute("value") for option in page.locator("#schematic-which option").all()]
    assert len(names) >= 20
    for name in filter(None, names):
        page.select_option("#schematic-which", name)
        assert page.locator("#schematic-mistakes li").count() == 0, name
        beyond = page.evaluate(
            """() => {
                const picture = document.querySelector('#schematic-picture svg');
                const { width, height } = picture.viewBox.baseVal;
                return [...picture.querySelectorAll('[data-line]')].filter((mark) => {
                    const box = mark.getBBox();
                    return box.x < 0 || box.y < 0 || box.x + box.width > width || box.y + box.height > height;
                }).map((mark) => mark.dataset.line + mark.textContent);
            }"""
        )
        assert beyond == [], name
        assert page.locator("#schematic-picture image").count() == 0


# 002a:FIG25 002a:S24
def test_six_objects_lie_in_the_boxes_of_their_classes(page):
    found = prepared(page, "supervised")
    objects = [mark for mark in of(found, "icon") if mark["shape"] != "star"]
    assert {(mark["colour"], mark["shape"]) for mark in objects} == set(itertools.product(("blue", "orange", "green"), ("circle", "triangle")))
    held = {box["text"]: [mark["colour"] for mark in objects if inside(box, mark)] for box in of(found, "box")}
    assert held == {"class 1": ["blue"] * 2, "class 2": ["orange"] * 2, "class 3": ["green"] * 2}


# 002a:FIG26 002a:S24
def test_the_same_objects_without_classes_have_two_valid_groupings(page):
    found = prepared(page, "unsupervised")
    groups = [[(mark["colour"], mark["shape"]) for mark in of(found, "icon") if inside(box, mark)] for box in of(found, "box")]
    assert all(box["text"] == "" for box in of(found, "box"))
    by_colour = [group for group in groups if len({colour for colour, _ in group}) == 1]
    by_shape = [group for group in groups if len({shape for _, shape in group}) == 1]
    assert [len(group) for group in by_colour] == [2, 2, 2] and [len(group) for group in by_shape] == [3, 3]
    loose = [mark for mark in of(found, "icon") if not any(inside(box, mark) for box in of(found, "box"))]
    everything = sorted((mark["colour"], mark["shape"]) for mark in loose)
    assert sorted(sum(by_colour, [])) == sorted(sum(by_shape, [])) == everything and len(set(everything)) == 6


# 002a:FIG27 002a:S24
def test_where_similarity_is_hard_any_two_are_partly_alike(page):
    objects = [(mark["colour"], mark["shape"], mark["fill"]) for mark in of(prepared(page, "similarity"), "icon")]
    assert len(objects) >= 4
    for one, other in itertools.combinations(objects, 2):
        assert 0 < sum(a == b for a, b in zip(one, other)) < 3
    # No property parts them evenly, so none is the natural one.
    for values in zip(*objects):
        assert max(values.count(value) for value in values) == len(objects) - 1


# 002a:FIG02 002a:S24
def test_the_parts_of_a_partition_share_nothing_and_are_as_wide_as_their_shares(page):
    parts = of(prepared(page, "partition"), "part")
    assert [part["text"] for part in parts] == ["train", "validation", "test"]
    edges = [(float(part["x"]), float(part["x"]) + float(part["wide"])) for part in parts]
    for (_, end), (start, _) in itertools.pairwise(edges):
        assert end == pytest.approx(start)
    assert [round((end - start) / (edges[-1][1] - edges[0][0]), 6) for start, end in edges] == [0.6, 0.2, 0.2]
    # Other shares, other widths.
    assert write(page, 'bar at 200 60 size 360 40\npart "a" 1 blue\npart "b" 3 green\n') == []
    assert [float(part["wide"]) for part in of(marks(page), "part")] == [90, 270]


# 002a:FIG16 002a:S24
def test_each_of_two_data_points_has_a_picture_and_a_sound(page):
    found = prepared(page, "pairs")
    for box in of(found, "box"):
        held = [mark for mark in of(found, "icon") if inside(box, mark)]
        assert sorted(mark["shape"] for mark in held) == ["picture", "sound"] and len({mark["colour"] for mark in held}) == 1


# 002a:FIG53 002a:S24
def test_the_f1_of_the_drawn_groups_is_the_one_that_is_written(page):
    found = prepared(page, "f1")
    groups = [box for box in of(found, "box")]
    held = [[mark["colour"] for mark in of(found, "icon") + of(found, "dot") if inside(box, mark)] for box in groups]
    assert [len(group) for group in held] == [6, 6]
    labels = [colour for group in held for colour in group if colour != "grey"]
    total, figures = 0, {}
    for colour in set(labels):
        count = labels.count(colour)
        best = 0
        for group in held:
            recall, precision = group.count(colour) / count, group.count(colour) / len(group)
            best = max(best, 2 * recall * precision / (recall + precision) if recall else 0)
        figures[colour] = best
        total += count / len(labels) * best
    assert total == pytest.approx(0.7)
    rows = {row["cells"].split(" · ")[0]: row["cells"].split(" · ")[-1] for row in of(found, "row")[1:]}
    assert {colour: float(text) for colour, text in rows.items()} == pytest.approx(figures)
    assert any("= 0.7" in mark["words"] for mark in of(found, "text"))


# 002a:FIG65 002a:S24
def test_in_feature_space_a_plane_parts_what_no_line_did(page):
    found = prepared(page, "feature-space")
    dots = [(*place(mark), mark["colour"]) for mark in of(found, "dot")]
    left = [dot for dot in dots if dot[0] < 340]
    right = [dot for dot in dots if dot[0] > 340]
    assert len(left) == len(right) == 30
    # On the left one class surrounds the other: every direction has some of it beyond all others.
    for angle in np.linspace(0, 2 * np.pi, 24, endpoint=False):
        along = {colour: max(x * np.cos(angle) + y * np.sin(angle) for x, y, own in left if own == colour) for colour in ("blue", "orange")}
        assert along["orange"] > along["blue"]
    height = float(of(found, "plane")[0]["y"])
    assert all((y < height) == (colour == "orange") for _, y, colour in right)
    assert [arrow["label"] for arrow in of(found, "arrow")] == ["φ"]


# 002b:RL-01
def test_the_agent_acts_and_the_environment_answers_with_the_next_state_and_reward(page):
    arrows = {(mark["from"], mark["to"]): mark["label"] for mark in of(prepared(page, "agent"), "arrow")}
    assert set(arrows) == {("agent", "environment"), ("environment", "agent")}
    # Which actions there are depends on the state, and the reward is that of the next step.
    assert "aₜ ∈ A(sₜ)" in arrows["agent", "environment"]
    assert "sₜ₊₁" in arrows["environment", "agent"] and "rₜ₊₁" in arrows["environment", "agent"]


def dependence(gate, observed, descendant):
    """How far A and C depend on each other in a triple with tables by chance, given what is known."""
    rng = np.random.default_rng(3)
    table = lambda *shape: rng.dirichlet([1, 1], size=shape or None)
    if gate == "chain":
        joint = np.einsum("a,ab,bc->abc", table(), table(2), table(2))
    elif gate == "cause":
        joint = np.einsum("b,ba,bc->abc", table(), table(2), table(2))
    else:
        joint = np.einsum("a,c,acb->abc", table(), table(), table(2, 2))
    joint = np.einsum("abc,bd->abcd", joint, table(2))
    if observed:
        both = joint.sum(axis=3)[:, 1]
    elif descendant:
        both = joint[:, :, :, 1].sum(axis=1)
    else:
        both = joint.sum(axis=(1, 3))
    both = both / both.sum()
    return np.abs(both - np.outer(both.sum(axis=1), both.sum(axis=0))).max()


# 001:BN-11
def test_the_gates_are_open_and_closed_as_the_numbers_say(page):
    gates = of(prepared(page, "gates"), "gate")
    table = {(mark["gate"], mark["observed"] == "true", mark["descendant"] == "true"): mark["verdict"] for mark in gates}
    assert table == {
        ("chain", False, False): "open",
        ("chain", True, False): "closed",
        ("cause", False, False): "open",
        ("cause", True, False): "closed",
        ("collider", False, False): "closed",
        ("collider", True, False): "open",
        ("collider", False, True): "open",
    }
    for case, verdict in table.items():
        assert (dependence(*case) > 1e-3) == (verdict == "open"), case
    assert all(mark["verdict"] in mark["words"] for mark in gates)


# 002b:F7.2
def test_a_nerve_cell_regions_and_the_brain_beside_a_computer_are_drawn(page):
    found = prepared(page, "neuron")
    said = " ".join(word for mark in found for word in mark["words"])
    assert all(word in said for word in ("dendrites", "cell body", "axon", "synapse")) and len(of(found, "curve")) >= 8
    page.select_option("#schematic-which", "regions")
    said = " ".join(word for mark in marks(page) for word in mark["words"])
    assert all(word in said for word in ("frontal", "parietal", "temporal", "occipital", "cerebellum", "brain stem"))
    page.select_option("#schematic-which", "brain")
    rows = [row["words"] for row in of(marks(page), "row")]
    assert rows[0][-2:] == ["brain", "computer"] and len(rows) >= 7


# 002b:F8
def test_the_words_of_genetic_algorithms_are_drawn_and_the_offspring_is_true(page):
    found = prepared(page, "genetic")
    said = " ".join(word for mark in found for word in mark["words"])
    for word in ("population", "chromosome", "individual", "gene", "allele", "fitness", "selection", "crossover", "mutation", "generation"):
        assert word in said
    strings = [(mark["bits"], [int(one) - 1 for one in mark["marked"].split()]) for mark in of(found, "bits")]
    (mother, _), (father, _), *_, (child, tail), (mutant, flipped) = strings
    assert child == "".join(father[place] if place in tail else mother[place] for place in range(8)) and tail[-1] == 7
    assert [place for place in range(8) if mutant[place] != mother[place]] == flipped


# 002a:S24
def test_a_network_joins_every_unit_to_all_of_the_next_layer(page):
    opened(page)
    assert write(page, 'network 3 5 2 at 320 160 size 400 240 letters "x" "h" "y" as net\narrow net.3.2 -> 600 300\n') == []
    network = of(marks(page), "network")[0]
    counts = page.evaluate("['path', 'circle'].map(tag => document.querySelectorAll(`#schematic-picture [data-kind=network] ${tag}`).length)")
    assert counts == [3 * 5 + 5 * 2, 3 + 5 + 2] and network["words"] == ["x₁", "x₂", "x₃", "h₁", "h₂", "h₃", "h₄", "h₅", "y₁", "y₂"]
    # With biases every layer but the last has one unit more, which nothing leads to.
    assert write(page, "network 3 5 2 at 320 160 size 400 240 biases\n") == []
    counts = page.evaluate("['path', 'circle'].map(tag => document.querySelectorAll(`#schematic-picture [data-kind=network] ${tag}`).length)")
    assert counts == [4 * 5 + 6 * 2, 4 + 6 + 2]


MISTAKES = [
    ("sheet 300 200\nicn circle red at 10 10", 2, "icn is no command; did you mean icon?"),
    ("icon circel red at 10 10", 1, "circel is no shape; did you mean circle?"),
    ("icon circle rot at 10 10", 1, "rot is no colour; there are blue, orange"),
    ('# fine\n\nbox "agent" at 40 40', 3, 'box needs size; write box "agent" at 160 120 size 120 50'),
    ('box "agent at 40 40', 1, "has no end; close it with"),
    ('box "a" at 40 40 sise 30 30', 1, "box knows no sise; did you mean size?"),
    ("icon circle red at here 10", 1, "at needs a number where here is; write icon circle red at 60 80"),
    ('node "a" at 40 40 as agent\narrow agnet -> 10 10', 2, "nothing above is called agnet; did you mean agent?"),
    ("arrow 10 10 20 20", 1, "arrow needs -> where 20 is; write arrow a -> b"),
    ('row "a"', 1, "there is no table above"),
    ('table at 10 10 widths 50 50\nrow "a"', 2, "the row has 1 cells and the table 2 columns"),
    ("icon circle red at 99999 10", 1, "99999 is too large"),
    ("network 3 99 at 100 100 size 90 90", 1, "it must be a whole number from 1 to 12"),
    ("bits 10210 at 40 40", 1, "bits needs up to 64 zeros and ones where 10210 is"),
    ("constructor", 1, "constructor is no command"),
    ("sheet 9 9", 1, "the width of the sheet is 9; it must be a whole number from 40 to 2000"),
]


# 002a:S24
def test_a_mistake_is_told_with_its_line_and_what_would_be_right(page):
    opened(page)
    for script, line, words in MISTAKES:
        mistakes = write(page, f"{script}\nicon star green at 100 100\n")
        assert len(mistakes) == 1 and mistakes[0].startswith(f"line {line} ") and words in mistakes[0], script
        # What is right is drawn all the same, and the mistake leads to its line.
        assert any(mark["shape"] == "star" for mark in of(marks(page), "icon"))
        page.click("#schematic-mistakes button")
        chosen = page.evaluate("(({ value, selectionStart, selectionEnd }) => value.slice(selectionStart, selectionEnd))(document.getElementById('schematic-script'))")
        assert chosen == script.split("\n")[line - 1]


# 002a:S24
def test_a_schematic_is_saved_shared_and_opened_again(page, address, tmp_path):
    opened(page)
    script = 'sheet 300 200\ntext "A < B & \\"C\\"" at 150 40\nicon hexagon pink at 150 110 radius 30\n'
    assert write(page, script) == []
    with page.expect_download() as download:
        page.click("#schematic-svg")
    root = ElementTree.parse(download.value.path()).getroot()
    assert root.get("viewBox") == "0 0 300 200" and any(text.text == 'A < B & "C"' for text in root.iter("{http://www.w3.org/2000/svg}text"))
    with page.expect_download() as download:
        page.click("#schematic-png")
    data = open(download.value.path(), "rb").read()
    assert struct.unpack(">II", data[16:24]) == (600, 400)
    page.locator("#schematic-picture [data-kind=icon] polygon").click()
    assert page.evaluate("document.activeElement.value.slice(document.activeElement.selectionStart).startsWith('icon hexagon')")
    page.click("#schematic-link")
    page.wait_for_function("location.hash.startsWith('#schematic=')")
    fragment = page.evaluate("location.hash")
    open_page(page, address, fragment)
    page.wait_for_selector("#schematic-picture svg")
    assert page.input_value("#schematic-script") == script
    (tmp_path / "other.txt").write_text("icon star red at 60 60\n")
    page.set_input_files("#schematic-file", tmp_path / "other.txt")
    page.wait_for_selector("#schematic-picture [data-shape=star]")
    # Every command is explained beside its picture.
    page.click("#schematic-help summary")
    forms = page.locator("#schematic-help code").all_inner_texts()
    assert len(forms) == page.evaluate("import('/schematicwords.js').then(m => Object.keys(m.COMMANDS).length)")
    for form in forms:
        before = "table at 60 60 widths 120 160 160\n" if form.startswith("row") else "bar at 320 120 size 560 60\n" if form.startswith("part") else 'node "a" at 30 30 as a\nnode "b" at 90 90 as b\n' if form.startswith("arrow") else ""
        assert write(page, before + form) == [], form


def test_a_damaged_link_is_told_in_a_sentence_and_leaves_a_page_that_works(page, address):
    for fragment in ("#schematic=AAAA", "#session=%%%", "#isolines=q1YqSy0qzszPU7IyMTA"):
        open_page(page, address, fragment)
        assert page.inner_text("#status") == "the link is damaged or was cut short; copy it once more"
    opened(page)
    assert of(marks(page), "icon")
