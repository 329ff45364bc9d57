"""The studio in a real browser."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

# A browser that is left alone: nothing of this may reach for the network.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def address():
    """Where the studio is served."""
    command = [os.environ["DIDACT"], "studio", "--port", "0", "--no-open"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    found = re.search(r"http://[\d.:]+", server.stderr.readline())
    yield found.group()
    server.terminate()
    server.wait()


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser, address):
    """An empty studio; any error in the console fails the test."""
    page = browser.new_page(
        viewport={"width": 1280, "height": 800},
        bypass_csp=True,  # to wait for something, Playwright evaluates text
    )
    page.set_default_timeout(30_000)
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on(
        "console",
        lambda message: faults.append(message.text) if message.type == "error" else None,
    )
    open_page(page, address)
    yield page
    page.close()
    assert faults == []


def serve_from_disk(page, address):
    """While one works on the page: its files as they are on disk, not as they were built in."""
    folder = Path(__file__).parents[2] / "crates/studio/page"

    def answer(route):
        path = route.request.url.removeprefix(address).split("#")[0].strip("/") or "index.html"
        if (folder / path).is_file():
            route.fulfill(path=folder / path)
        else:
            route.continue_()

    page.route(f"{address}/**", answer)


def open_page(page, address, fragment=""):
    """Opens the studio anew and waits until it is ready."""
    if "DIDACT_PAGE_FROM_DISK" in os.environ:
        serve_from_disk(page, address)
    page.goto("about:blank")
    page.goto(f"{address}/{fragment}")
    page.wait_for_selector("body[data-ready]")


def settled(page):
    """Waits for the fit of what is shown."""
    page.wait_for_timeout(60)
    page.wait_for_function("!document.body.dataset.busy")
    page.wait_for_function("document.getElementById('status').textContent === ''")
    page.wait_for_function("document.getElementById('facts').textContent.includes('Learned')")


def until(page, question, arg=None):
    """Waits for a yes to a question that the page answers with a promise."""
    for _ in range(300):
        if page.evaluate(question, arg):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never: {question}")


def points(page):
    """The points that are drawn."""
    return page.evaluate("import('/state.js').then(m => m.state.drawing.points)")


def parameters(page):
    """The parameters of the method that are set."""
    return page.evaluate("import('/state.js').then(m => m.state.steps.at(-1).parameters)")


def answer(page):
    """What the server said about the model."""
    return page.evaluate("import('/picture.js').then(m => m.shown.answer)")


def screen(page, index):
    """Where a point lies on the canvas."""
    return page.evaluate(
        "index => Promise.all([import('/state.js'), import('/plane.js')]).then(([s, p]) => p.visible(s.state.drawing.points[index].c))",
        index,
    )


def drag(page, start, end, steps=6):
    """Drags with the mouse over the canvas."""
    box = page.locator("#points").bounding_box()
    page.mouse.move(box["x"] + start[0], box["y"] + start[1])
    page.mouse.down()
    page.mouse.move(box["x"] + end[0], box["y"] + end[1], steps=steps)
    page.mouse.up()
