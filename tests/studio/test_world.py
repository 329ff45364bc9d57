"""The grid world: a room is painted, a policy is found, a robot walks by it."""

import re

import numpy as np
import pytest

from conftest import until


def opened(page):
    page.click("#open-labs")
    page.click("#open-world")
    return found(page)


def found(page):
    until(page, "import('/world.js').then(m => !m.worldNow().busy && m.worldNow().answer !== null)")
    return page.evaluate("import('/world.js').then(m => m.worldNow())")


def put(page, control, value):
    page.fill(control, str(value))
    page.locator(control).press("Tab")
    return found(page)


def paint(page, tool, row, column, worth=None):
    page.select_option("#world-tool", tool)
    if worth is not None:
        page.fill("#world-score", str(worth))
    world = found(page)["room"]["cells"]
    box = page.locator("#pane-reward").bounding_box()
    side = min((box["width"] - 8) / len(world[0]), (box["height"] - 8) / len(world))
    left, top = box["width"] / 2 - side * len(world[0]) / 2, box["height"] / 2 - side * len(world) / 2
    page.mouse.click(box["x"] + left + (column + 0.5) * side, box["y"] + top + (row + 0.5) * side)
    return found(page)


def by_place(world):
    return {tuple(place): value for place, value in zip(world["answer"]["places"], world["answer"]["values"])}


def pixels(page, pane):
    return page.evaluate("id => document.getElementById(id).toDataURL()", f"pane-{pane}")


# 001:RL-02 002b:F6.3.3 002b:F6-7 002b:RL-17
def test_the_robot_room_has_its_values_and_a_painted_wall_changes_the_way(page):
    world = opened(page)
    expected = {(0, 0): 0.610462, (0, 1): 0.766207, (0, 2): 0.928180, (1, 0): 0.487235, (1, 2): 0.584934, (2, 0): 0.373852, (2, 1): 0.326623, (2, 2): 0.427543, (2, 3): 0.188825}
    values = by_place(world)
    for place, value in expected.items():
        assert values[place] == pytest.approx(value, abs=1e-6)
    arrows = {tuple(place): action for place, action in zip(world["answer"]["places"], world["answer"]["policy"])}
    assert [arrows[0, column] for column in range(3)] == [1, 1, 1] and arrows[2, 3] == 3 and arrows[0, 3] is None
    # What is likely adds up, for every move of every cell.
    for cell in world["answer"]["model"]:
        for move in cell:
            assert sum(outcome[1] for outcome in move) == pytest.approx(1)
    before = {pane: pixels(page, pane) for pane in ("policy", "reward", "value", "model")}
    # A wall on the short way: the other one is taken, and every pane shows it.
    world = paint(page, "wall", 0, 1)
    assert world["room"]["cells"][0][1]["kind"] == "wall"
    assert by_place(world)[0, 0] < 0.3 and (0, 1) not in by_place(world)
    assert all(pixels(page, pane) != before[pane] for pane in ("policy", "reward", "value"))
    # A cell that is looked at shows where its move leads.
    box = page.locator("#pane-policy").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2 + 30, box["y"] + box["height"] / 2)
    assert pixels(page, "model") != before["model"]
    world = paint(page, "reward", 2, 1, worth=0.5)
    assert world["text"].count("= 0.5\n") == 1
    # Collecting half a point again and again is worth more than leaving for one.
    assert by_place(world)[2, 1] > 1.5


# 002b:F6-6
def test_steps_of_the_walk_are_logged_one_by_one(page):
    world = put(page, "#world-slip", 0) if opened(page) else None
    walk = world["answer"]["walk"]
    assert walk["ended"] and walk["states"][0] == world["answer"]["places"].index([2, 0])
    for count in range(1, len(walk["actions"]) + 1):
        page.click("#world-step")
        assert page.locator("#world-log tr").count() == count
    assert page.locator("#world-step").is_disabled()
    last = page.locator("#world-log tr").first.locator("td").all_inner_texts()
    assert last == ["5", "(1, 3)", "right", "1", "(1, 4)"]
    # Five steps, of which the last earns one: −0.04·(1 + γ + γ² + γ³) + γ⁴.
    worth = -0.04 * sum(0.9**k for k in range(4)) + 0.9**4
    assert walk["return"] == pytest.approx(worth)
    assert by_place(world)[2, 0] == pytest.approx(worth)
    page.click("#world-again")
    page.click("#world-run")
    page.wait_for_function("document.querySelectorAll('#world-log tr').length === 2")


# 001:RL-08 002b:RL-17
def test_planning_and_trial_find_the_same_way_and_few_sweeps_are_not_enough(page):
    plan = opened(page)
    page.select_option("#world-method", "policy-iteration")
    again = found(page)
    np.testing.assert_allclose(again["answer"]["values"], plan["answer"]["values"], atol=1e-6)
    page.select_option("#world-method", "value-iteration")
    page.uncheck("#world-all")
    few = put(page, "#world-iterations", 2)
    # Good news travels one cell a sweep: after two the start still knows nothing of the exit.
    assert by_place(few)[2, 0] < 0 < by_place(few)[0, 2]
    page.select_option("#world-method", "q-learning")
    learned = put(page, "#world-iterations", 3000)
    assert len(learned["answer"]["returns"]) == 3000
    start = learned["answer"]["places"].index([2, 0])
    assert learned["answer"]["policy"][start] == plan["answer"]["policy"][start]


def test_a_room_is_saved_opened_resized_and_painted_with_the_keyboard(page, tmp_path):
    opened(page)
    with page.expect_download() as download:
        page.click("#world-save")
    text = open(download.value.path()).read()
    assert text == "...E\n.#.P\nS...\n\nE = 1 exit\nP = -1 exit\n"
    (tmp_path / "corridor.txt").write_text("S....G\n")
    page.set_input_files("#world-file", tmp_path / "corridor.txt")
    page.wait_for_function("document.getElementById('world-wide').value === '6'")
    assert len(found(page)["answer"]["places"]) == 6
    put(page, "#world-tall", 2)
    page.locator("#pane-reward").focus()
    page.select_option("#world-tool", "wall")
    page.locator("#pane-reward").focus()
    for key in ("ArrowRight", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    assert found(page)["text"] == "S....E\n.#....\n\nE = 0 exit\n".replace("E = 0 exit", re.search(r"E = .*", found(page)["text"]).group())
    (tmp_path / "bad.txt").write_text("..?\n")
    page.set_input_files("#world-file", tmp_path / "bad.txt")
    page.wait_for_selector("text=is not explained below the map")
