"""Label propagation against scikit-learn, from a target column with empty cells."""

import numpy
import pytest
from command import Model, table
from conftest import scaled
from sklearn.semi_supervised import LabelPropagation


def hidden(target, every):
    """The labels with only every so many kept, and the same with -1 for those that are not known."""
    known = numpy.arange(len(target)) % every == 0
    names = [f"class {label}" if keep else None for label, keep in zip(target, known)]
    return names, numpy.where(known, target, -1)


@pytest.mark.parametrize("every", [1, 5])
@pytest.mark.parametrize("name", ["iris", "wine"])
def test_label_propagation_agrees_with_scikit_learn(tmp_path, name, every):
    features, target = scaled(name)
    names, labels = hidden(target, every)
    gamma = 0.5
    ours = Model(tmp_path, "label-propagation", table(features, y=names), "--target", "y", kernel="rbf", gamma=gamma)
    # Theirs averages until nothing changes; ours solves the system.
    theirs = LabelPropagation(kernel="rbf", gamma=gamma, tol=1e-13, max_iter=1_000_000).fit(features, labels)
    numpy.testing.assert_allclose(ours["label_distributions"], theirs.label_distributions_, atol=1e-7)
    predicted = ours.predict(table(features))["prediction"]
    assert list(predicted) == [f"class {label}" for label in theirs.predict(features)]
