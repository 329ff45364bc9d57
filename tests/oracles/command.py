"""The command `didact`, driven as a user would drive it."""

import json
import os
import pathlib
import subprocess

import numpy
import pandas

PROGRAM = os.environ.get("DIDACT", "didact")


def run(*arguments, text=None):
    """Runs the command and returns what it prints; a failure is an error with its message."""
    done = subprocess.run([PROGRAM, *map(str, arguments)], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def table(features, **columns):
    """A table with columns x0, x1, … and the given ones."""
    features = numpy.asarray(features, dtype=float)
    frame = pandas.DataFrame(features, columns=[f"x{column}" for column in range(features.shape[1])])
    for name, values in columns.items():
        frame[name] = values
    return frame


class Model:
    """A fitted model in its file."""

    def __init__(self, folder, spec, frame, *options, **parameters):
        self.folder = pathlib.Path(folder)
        self.path = self.folder / "model.didact"
        data = self._write("train.parquet", frame)
        settings = [part for name, value in parameters.items() for part in ("--set", f"{name}={json.dumps(value)}")]
        run("fit", spec, "--data", data, *options, *settings, "--out", self.path, "--quiet")
        report = json.loads(run("inspect", self.path, "--json"))
        self.attributes = {name: _array(value) for name, value in report["attributes"].items()}
        self.header = report["header"]
        self.trace = report["trace"]

    def _write(self, name, frame):
        path = self.folder / name
        frame.to_parquet(path)
        return path

    def __getitem__(self, name):
        return self.attributes[name]

    def predict(self, frame):
        """The table of predictions."""
        data = self._write("new.parquet", frame)
        out = self.folder / "predictions.parquet"
        run("predict", self.path, "--data", data, "--out", out, "--quiet")
        return pandas.read_parquet(out)

    def score(self, frame, *options):
        """The figures of merit by name."""
        data = self._write("judge.parquet", frame)
        figures = json.loads(run("score", self.path, "--data", data, "--json", *options))
        return {figure["metric"]: figure["value"] for figure in figures}


def _array(value):
    numbers = isinstance(value, list) and not (value and isinstance(value[0], str))
    return numpy.array(value, dtype=float) if numbers else value


def probabilities(predictions):
    """The columns of probabilities as a matrix."""
    return predictions.filter(like="probability_").to_numpy()
