"""Networks and maps."""

import didact
import numpy as np
import sklearn.datasets
import sklearn.neural_network as neural_network
from minisom import MiniSom
from peers import Row, blobs


def digits():
    x, y = sklearn.datasets.load_digits(return_X_y=True)
    return x / 16, y


def waves():
    random = np.random.default_rng(0)
    x = random.standard_normal((20_000, 20))
    return x, np.sin(x[:, 0]) + x[:, 1] * x[:, 2]


def network(name, make, ours, theirs, judge, tolerance, **settings):
    """So many epochs of Adam over batches of the same size, each from random weights of its own."""
    settings |= dict(tol=0.0, n_iter_no_change=10_000, random_state=0)
    who = {
        "didact": lambda d, t: ours(n_jobs=t, **settings).fit(*d),
        "scikit-learn": lambda d, t: theirs(**settings).fit(*d),
    }
    return Row(name, make, who, judge, tolerance)


def map_of_minisom(data, _):
    """As many visits of rows as ours makes in its passes, from the same plane."""
    theirs = MiniSom(10, 10, data.shape[1], sigma=5, learning_rate=0.5, random_seed=0)
    theirs.pca_weights_init(data)
    theirs.train(data, 20 * len(data), random_order=True)
    return theirs.get_weights().reshape(-1, data.shape[1])


def closeness(data, weights):
    """Minus the mean distance from a row to the nearest unit of the map."""
    squares = (data**2).sum(axis=1)[:, None] - 2 * data @ weights.T + (weights**2).sum(axis=1)
    return -float(np.sqrt(np.maximum(squares.min(axis=1), 0)).mean())


ROWS = [
    network(
        "network digits 64-64-10, 20 epochs",
        digits,
        didact.MLPClassifier,
        neural_network.MLPClassifier,
        lambda d, model: float(model.score(*d)),
        1e-2,
        hidden_layer_sizes=(64,),
        batch_size=64,
        max_iter=20,
    ),
    network(
        "network 20k×20, 20-100-50-1, 10 epochs",
        waves,
        didact.MLPRegressor,
        neural_network.MLPRegressor,
        lambda d, model: float(model.score(*d)),
        1e-2,
        hidden_layer_sizes=(100, 50),
        batch_size=200,
        max_iter=10,
    ),
    Row(
        "self-organising map 10×10 of 2k×10",
        lambda: blobs(2_000, 10, 8)[0],
        {"didact": lambda x, t: np.asarray(didact.SOM(10, grid_columns=10, n_jobs=t).fit(x).weights_).reshape(-1, x.shape[1]), "MiniSom": map_of_minisom},
        closeness,
    ),
]
