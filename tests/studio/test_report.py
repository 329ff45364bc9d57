"""The page that `didact report` writes, in a real browser and without a network."""

import os
import subprocess

import pytest

CASES = {
    "classes": ("standard-scaler | logistic-regression", "wine", ["Confusion matrix", "ROC curve"]),
    "numbers": ("standard-scaler | ridge", "diabetes", ["Residuals", "Effect of"]),
    "groups": ("k-means(n_clusters=3)", "iris", ["Silhouette"]),
    "states": ("hmm(n_components=2, emission=gaussian)", "nile", ["Trellis"]),
}


def didact(*arguments):
    subprocess.run([os.environ["DIDACT"], *arguments], check=True, capture_output=True, text=True)


@pytest.fixture(scope="module", params=CASES)
def report(request, tmp_path_factory):
    """A report and the titles of pictures that it must hold."""
    spec, data, titles = CASES[request.param]
    folder = tmp_path_factory.mktemp("report")
    model, page = str(folder / "m.didact"), folder / "report.html"
    didact("fit", spec, "--data", data, "--out", model)
    didact("report", model, "--data", data, "--out", str(page))
    return page, titles


def opened(browser, page, **settings):
    """The page in a browser that cannot reach anything, and what went wrong on it."""
    context = browser.new_context(offline=True, **settings)
    view = context.new_page()
    faults, asked = [], []
    view.on("pageerror", lambda error: faults.append(str(error)))
    view.on("console", lambda message: faults.append(message.text))
    view.on("request", lambda request: asked.append(request.url))
    view.goto(page.as_uri())
    asked = [url for url in asked if not url.startswith(("file:", "data:"))]
    return view, faults + asked


def test_a_report_opens_without_an_error_and_without_a_network(browser, report):
    page, titles = report
    view, faults = opened(browser, page)
    assert faults == []
    drawn = view.locator("figure svg title").evaluate_all("all => all.map(one => one.textContent)")
    for title in titles:
        assert any(title in one for one in drawn), (title, drawn)
    for link in view.locator("nav a").all():
        assert view.locator(f"section{link.get_attribute('href')}").count() == 1


@pytest.mark.parametrize("width", [360, 1280])
def test_nothing_is_wider_than_the_window(browser, report, width):
    view, _ = opened(browser, report[0], viewport={"width": width, "height": 800})
    assert view.evaluate("document.documentElement.scrollWidth") <= width


def test_pictures_follow_the_theme_of_the_reader(browser, report):
    grounds = []
    for scheme in ["light", "dark"]:
        view, _ = opened(browser, report[0], color_scheme=scheme)
        ground = view.evaluate(
            "[getComputedStyle(document.querySelector('figure svg rect')).fill,"
            " getComputedStyle(document.querySelector('section')).backgroundColor]"
        )
        assert ground[0] == ground[1]
        grounds.append(ground[0])
    assert grounds[0] != grounds[1]


def test_on_paper_the_page_is_light(browser, report):
    view, _ = opened(browser, report[0], color_scheme="dark")
    view.emulate_media(media="print")
    assert view.evaluate("getComputedStyle(document.querySelector('section')).backgroundColor") == (
        "rgb(255, 255, 255)"
    )
    assert not view.locator("nav").is_visible()
