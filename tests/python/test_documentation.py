"""Docstrings, signatures and stubs say what is true."""

import doctest
import inspect

import pytest

import didact

MODULES = ["didact", "didact._model"]


@pytest.mark.parametrize("name", list(didact._CLASSES))
def test_the_example_of_every_class_runs(name):
    found = getattr(didact, name)
    tests = doctest.DocTestFinder(recurse=False).find(found, name, globs={})
    assert tests[0].examples
    runner = doctest.DocTestRunner()
    assert runner.run(tests[0]).failed == 0


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_the_package_run(module):
    import importlib

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


def test_the_stub_is_current():
    from pathlib import Path

    from didact._stubs import stub

    written = Path(didact.__file__).with_name("__init__.pyi").read_text()
    assert written == stub(), "run `cargo xtask stubs`"
