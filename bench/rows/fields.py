"""Conditional random fields."""

import tempfile
from pathlib import Path

import didact
import numpy as np
import pycrfsuite
import scipy.sparse
from peers import Row

#: Of Σ ln p(y | x) we subtract α/2 ‖weights‖², CRFsuite twice as much.
PRICE = 0.2


def sentences():
    """Words of a hidden chain, told by themselves, their neighbours and their endings, as texts are tagged."""
    random = np.random.default_rng(0)
    count, length, labels, words = 2_000, 20, 9, 10_000
    steps = random.dirichlet(0.3 * np.ones(labels), size=labels)
    path = np.zeros((count, length), dtype=int)
    for place in range(1, length):
        draws = random.random((count, 1))
        path[:, place] = (draws > steps[path[:, place - 1]].cumsum(axis=1)).sum(axis=1).clip(max=labels - 1)
    # Frequent words have any label, rare ones mostly their own.
    drawn = np.minimum(random.zipf(1.3, size=path.shape), words) - 1
    word = np.where(random.random(path.shape) < 0.6, drawn // labels * labels + path, drawn).clip(max=words - 1)
    before, after = np.roll(word, 1, axis=1), np.roll(word, -1, axis=1)
    told = np.stack([word, words + before, 2 * words + after, 3 * words + word % 300], axis=-1).reshape(-1, 4)
    rows = np.repeat(np.arange(len(told)), 4)
    x = scipy.sparse.csr_matrix((np.ones(told.size), (rows, told.ravel())), shape=(len(told), 3 * words + 300))
    return x, path.ravel(), [length] * count


def of_crfsuite(data, _):
    """A trainer that has read the sentences."""
    x, labels, lengths = data
    told = x.indices.reshape(-1, 4)
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    ends = np.cumsum(lengths)
    for begin, end in zip(ends - lengths, ends):
        trainer.append([[str(name) for name in item] for item in told[begin:end]], [str(label) for label in labels[begin:end]])
    return trainer


def trained(pair, _):
    """Every label has a weight for every attribute and every step, as ours has."""
    trainer = pair[0]
    trainer.set_params({"c1": 0, "c2": PRICE / 2, "feature.possible_states": True, "feature.possible_transitions": True, "max_iterations": 1000})
    path = Path(tempfile.gettempdir()) / "bench.crfsuite"
    trainer.train(str(path))
    return path


def weights_of(answer, shape):
    if not isinstance(answer, Path):
        return np.asarray(answer.coef_), np.asarray(answer.transitions_)
    tagger = pycrfsuite.Tagger()
    tagger.open(str(answer))
    known, (columns, labels) = tagger.info(), shape
    coef, transitions = np.zeros((labels, columns)), np.zeros((labels, labels))
    for (name, label), weight in known.state_features.items():
        coef[int(label), int(name)] = weight
    for (before, after), weight in known.transitions.items():
        transitions[int(before), int(after)] = weight
    return coef, transitions


def objective(data, answer):
    """Σ ln p(y | x) − α/2 ‖weights‖² by its definition, of sentences of one length."""
    x, labels, lengths = data
    coef, transitions = weights_of(answer, (x.shape[1], labels.max() + 1))
    scores, path = (x @ coef.T).reshape(len(lengths), lengths[0], -1), labels.reshape(len(lengths), -1)
    forward = scores[:, 0]
    for place in range(1, lengths[0]):
        forward = scores[:, place] + np.logaddexp.reduce(forward[:, :, None] + transitions, axis=1)
    of_path = np.take_along_axis(scores, path[:, :, None], axis=2).sum() + transitions[path[:, :-1], path[:, 1:]].sum()
    return float(of_path - np.logaddexp.reduce(forward, axis=1).sum() - PRICE / 2 * ((coef**2).sum() + (transitions**2).sum()))


def ours(data, threads):
    # By default we go on much longer, for weights of six digits.
    model = didact.CRF(PRICE, transition_alpha=PRICE, fit_intercept=False, fit_ends=False, tol=1e-4, n_jobs=threads)
    return model.fit(data[0], data[2], y=data[1])


ROWS = [
    Row(
        "conditional random field, 2000 sentences",
        sentences,
        {"didact": ours, "CRFsuite": trained},
        objective,
        tolerance=1e-3,
        prepare={"CRFsuite": of_crfsuite},
    ),
]
