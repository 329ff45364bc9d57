"""Docstrings, signatures and stubs say what is true."""

import doctest
import importlib
import inspect
import re
from pathlib import Path

import pytest

import didact

MODULES = ["didact", "didact._model", "didact.distributions"]


@pytest.mark.parametrize("name", list(didact._CLASSES))
def test_the_example_of_every_class_runs(name):
    found = getattr(didact, name)
    tests = doctest.DocTestFinder(recurse=False).find(found, name, globs={})
    assert tests[0].examples
    runner = doctest.DocTestRunner()
    assert runner.run(tests[0]).failed == 0


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_the_package_run(module):
    module = importlib.import_module(module)
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", list(didact._CLASSES))
def test_every_parameter_and_attribute_is_explained(name):
    found = getattr(didact, name)
    for parameter in inspect.signature(found).parameters:
        assert f"\n{parameter} : " in found.__doc__, parameter
    for attribute in found._route["attributes"]:
        assert f"\n{attribute['name']}_\n" in found.__doc__
    assert found.__doc__.strip()[0].isupper()


def test_completion_lists_classes_before_they_are_made():
    assert {"KMeans", "LogisticRegression", "datasets", "metrics"} <= set(dir(didact))


def test_the_stubs_are_current():
    from didact._stubs import stubs

    for name, text in stubs().items():
        written = Path(didact.__file__).with_name(name).read_text()
        assert written == text, f"{name}: run `cargo xtask stubs`"


FUNCTIONS = [
    (module, name)
    for module in didact._MODULES
    for name in importlib.import_module(f"didact.{module}").__all__
]


@pytest.mark.parametrize("module, name", FUNCTIONS)
def test_everything_in_a_module_is_explained_and_its_example_runs(module, name):
    found = getattr(importlib.import_module(f"didact.{module}"), name)
    document = inspect.getdoc(found)
    assert document
    tests = doctest.DocTestFinder(recurse=False).find(found, name, globs={})
    runner = doctest.DocTestRunner()
    assert all(runner.run(test).failed == 0 for test in tests)
    if inspect.isfunction(found):
        for parameter in inspect.signature(found).parameters:
            assert f"\n{parameter} : " in document or f"\n*{parameter} : " in document


def readme():
    """The Python examples of the front page."""
    text = Path(__file__).parents[2].joinpath("README.md").read_text()
    return re.findall(r"```python\n(.*?)```", text, re.S)


@pytest.mark.parametrize("example", readme(), ids=lambda example: example.splitlines()[0])
def test_the_examples_of_the_front_page_run(example, tmp_path, monkeypatch, capsys):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "README.md", "exec"), {})
