"""Saving: model files between the faces, pickle, joblib."""

import io
import json
import pickle
import subprocess

import joblib
import numpy as np
import pytest

import didact
from conftest import estimators


def fitted(name, iris):
    X, y = iris
    if name in estimators("sequence"):
        found, items = getattr(didact, name), (X[:, :1] > 5).astype(float)
        if found._route["kind"] == "labelled-sequences":
            return found().fit(items, [100, 50], y=y)
        return found(n_components=2).fit(items, [100, 50])
    return getattr(didact, name)().fit(suited(getattr(didact, name), X), y)


def suited(found, X):
    """Counts and codes of categories are whole numbers."""
    return X if found._route["values"] == "any" else X.round()


def answers(model, iris):
    X = iris[0]
    if hasattr(model, "decode"):
        return model.predict((X[:, :1] > 5).astype(float), [100, 50])
    methods = ("predict", "transform", "score_samples")
    return next(getattr(model, name) for name in methods if hasattr(model, name))(suited(model, X))


@pytest.mark.parametrize("name", list(didact._CLASSES))
def test_a_model_is_the_same_after_saving_pickling_and_dumping(name, iris, tmp_path):
    model = fitted(name, iris)
    expected = answers(model, iris)
    model.save(tmp_path / "model.didact")
    dumped = io.BytesIO()
    joblib.dump(model, dumped)
    dumped.seek(0)
    copies = [
        didact.load(tmp_path / "model.didact"),
        pickle.loads(pickle.dumps(model)),
        joblib.load(dumped),
    ]
    for copy in copies:
        assert type(copy) is type(model)
        np.testing.assert_array_equal(answers(copy, iris), expected)


def test_pickles_hold_the_bytes_of_the_model_file(iris, tmp_path):
    model = didact.GaussianNB().fit(*iris)
    model.save(tmp_path / "model.didact")
    assert (tmp_path / "model.didact").read_bytes() in pickle.dumps(model)


def test_class_names_of_every_type_come_back(iris):
    X, y = iris
    for names in [np.array(["a", "b", "c"]), np.array([-1.0, 0.0, 7.0]), np.array([3, 5, 9])]:
        model = didact.GaussianNB().fit(X, names[y])
        copy = pickle.loads(pickle.dumps(model))
        assert copy.classes_.dtype == names.dtype
        np.testing.assert_array_equal(copy.predict(X), model.predict(X))
    model = didact.GaussianNB().fit(X, y == 1)
    assert model.predict(X).dtype == bool


def test_damaged_files_are_errors(iris, tmp_path):
    path = tmp_path / "model.didact"
    didact.GaussianNB().fit(*iris).save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises((ValueError, OSError), match="model.didact"):
        didact.load(path)
    with pytest.raises(OSError, match="missing.didact"):
        didact.load(tmp_path / "missing.didact")


def test_the_command_reads_what_python_wrote(command, iris, tmp_path):
    X, y = iris
    model = didact.LogisticRegression().fit(X, np.array(["one", "two", "three"])[y])
    model.save(tmp_path / "model.didact")
    table = tmp_path / "rows.csv"
    np.savetxt(table, X, delimiter=",", header="a,b,c,d", comments="")
    done = subprocess.run(
        [command, "predict", tmp_path / "model.didact", "--data", table, "--json"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()] if done.stdout.startswith("{\"") and "\n{" in done.stdout else json.loads(done.stdout)
    predicted = [row["prediction"] for row in rows]
    assert predicted == model.predict(X).tolist()


def test_python_reads_what_the_command_wrote(command, tmp_path):
    path = tmp_path / "model.didact"
    subprocess.run(
        [command, "fit", "gaussian-nb", "--data", "iris", "--out", path, "--quiet"], check=True
    )
    model = didact.load(path)
    iris = didact.datasets.load_iris()
    assert isinstance(model, didact.GaussianNB)
    again = didact.GaussianNB().fit(iris.data, iris.target)
    table = dict(zip(iris.feature_names, iris.data.T))
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(table)[list(model.feature_names_in_)]
    np.testing.assert_allclose(model.predict_proba(frame), again.predict_proba(iris.data), rtol=1e-12)


def test_tables_with_words_and_gaps_travel_too(command, tmp_path):
    pytest.importorskip("pandas")
    frame = didact.datasets.load_penguins(as_frame=True).frame
    model = didact.Model("standard-scaler | logistic-regression").fit(frame, target="species")
    assert np.mean(model.predict(frame) == frame["species"]) > 0.98
    model.save(tmp_path / "penguins.didact")
    frame.to_csv(tmp_path / "penguins.csv", index=False)
    done = subprocess.run(
        [command, "predict", tmp_path / "penguins.didact", "--data", tmp_path / "penguins.csv"],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    for copy in [didact.load(tmp_path / "penguins.didact"), pickle.loads(pickle.dumps(model))]:
        np.testing.assert_array_equal(copy.predict(frame), model.predict(frame))
        np.testing.assert_allclose(copy.predict_proba(frame).sum(axis=1), 1.0)
