"""The studio in a real browser."""

import os
import re
import shutil
import subprocess

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


def open_page(page, address, fragment=""):
    """Opens the studio anew and waits until it is ready."""
    page.goto("about:blank")
    page.goto(f"{address}/{fragment}")
    page.wait_for_selector("body[data-ready]")
