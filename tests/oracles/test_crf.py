"""Conditional random fields against CRFsuite, which minimises −Σ ln p(y | x) + c2·‖weights‖²."""

import numpy
import pytest
import statsmodels.api as statsmodels
from command import Model, probabilities, table

pycrfsuite = pytest.importorskip("pycrfsuite")


def sunspots():
    """The sunspots of three years, and whether the next year has more, fewer or about as many."""
    activity = statsmodels.datasets.sunspots.load_pandas().data["SUNACTIVITY"].to_numpy()
    scaled = activity / activity.std()
    # CRFsuite leaves out columns of which the values add up to less than zero for a label.
    items = numpy.column_stack([scaled[2:-1], scaled[1:-2], scaled[:-3], numpy.ones(len(scaled) - 3)])
    change = scaled[3:] - scaled[2:-1]
    labels = numpy.where(change > 0.25, 2, numpy.where(change < -0.25, 0, 1))
    lengths = [50, 1, 75, 100, len(items) - 226]
    return items, labels, lengths


def theirs(path, items, labels, lengths, c2):
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({
        "c1": 0, "c2": c2, "feature.possible_transitions": True, "feature.possible_states": True,
        "max_iterations": 5000, "epsilon": 1e-12, "delta": 1e-16, "period": 50, "num_memories": 20,
    })
    ends = numpy.cumsum(lengths)
    sequences = [attributes(items[end - length : end]) for end, length in zip(ends, lengths)]
    for sequence, end, length in zip(sequences, ends, lengths):
        trainer.append(sequence, [str(label) for label in labels[end - length : end]])
    trainer.train(str(path))
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return tagger, sequences


def attributes(items):
    return [{f"x{column}": float(value) for column, value in enumerate(item)} for item in items]


def objective(coef, transitions, items, labels, lengths, c2):
    """−Σ ln p(y | x) + c2·‖weights‖² by its definition."""
    total = c2 * ((coef**2).sum() + (transitions**2).sum())
    for end, length in zip(numpy.cumsum(lengths), lengths):
        scores, path = items[end - length : end] @ coef.T, labels[end - length : end]
        forward = scores[0]
        for score in scores[1:]:
            forward = score + numpy.logaddexp.reduce(forward[:, None] + transitions, axis=0)
        total += numpy.logaddexp.reduce(forward) - scores[range(length), path].sum()
        total -= transitions[path[:-1], path[1:]].sum()
    return total


# 000b:S23 000b:S24 000b:S26 000b:S27
@pytest.mark.parametrize("c2", [0.01, 0.5, 10])
def test_crf_has_the_optimum_of_crfsuite(tmp_path, c2):
    items, labels, lengths = sunspots()
    tagger, sequences = theirs(tmp_path / "crfsuite", items, labels, lengths, c2)
    info = tagger.info()
    coef = numpy.array([[info.state_features[f"x{column}", str(label)] for column in range(4)] for label in range(3)])
    transitions = numpy.array([[info.transitions[str(a), str(b)] for b in range(3)] for a in range(3)])
    frame = table(items, label=labels, series=numpy.repeat(range(len(lengths)), lengths))
    ours = Model(
        tmp_path, "crf", frame, "--sequence", "series", "--target", "label",
        alpha=2 * c2, transition_alpha=2 * c2, fit_intercept=False, fit_ends=False, tol=1e-10, max_iter=5000,
    )
    best = objective(coef, transitions, items, labels, lengths, c2)
    found = objective(ours["coef"], ours["transitions"], items, labels, lengths, c2)
    numpy.testing.assert_allclose(found, best, rtol=1e-8)
    # Their weights are printed with six decimals.
    numpy.testing.assert_allclose(ours["coef"], coef, atol=1e-5)
    numpy.testing.assert_allclose(ours["transitions"], transitions, atol=1e-5)
    predictions = ours.predict(frame)
    marginals, path = [], []
    for sequence in sequences:
        path += tagger.tag(sequence)
        marginals += [[tagger.marginal(str(label), item) for label in range(3)] for item in range(len(sequence))]
    numpy.testing.assert_allclose(probabilities(predictions), marginals, atol=1e-5)
    assert list(predictions["state"].astype(str)) == path
