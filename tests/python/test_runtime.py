"""Memory, threads, signals, forks: how the package behaves while it computes."""

import multiprocessing
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from sklearn.utils import all_estimators

import didact
from didact import PCA, GaussianMixture, KMeans, StandardScaler


def run(script):
    """Runs a script in a new interpreter and gives what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.alone
def test_large_arrays_go_in_and_out_without_a_copy():
    # 400 MB in and 400 MB out: a copy of the input would show in the peak.
    printed = run(
        """
        import resource
        import numpy as np
        from didact import StandardScaler
        X = np.ones((1_000_000, 50))
        X[0] = 2
        scaler = StandardScaler().fit(X[:1000])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        Z = scaler.transform(X)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print((after - before) * 1024 / X.nbytes)
        """
    )
    assert float(printed) < 1.3


def test_fortran_order_float32_and_integers_give_the_same_model(wine):
    X = np.round(wine[0])
    reference = PCA(3).fit(X)
    for other in [np.asfortranarray(X), X.astype(np.float32), X.astype(np.int64), X.tolist()]:
        np.testing.assert_array_equal(PCA(3).fit(other).components_, reference.components_)


@pytest.mark.alone
def test_other_python_threads_run_while_a_fit_computes():
    X = np.random.default_rng(0).normal(size=(60_000, 20))
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.005)

    ticker = threading.Thread(target=tick)
    ticker.start()
    start = time.perf_counter()
    GaussianMixture(8, max_iter=15, tol=0.0).fit(X)
    end = time.perf_counter()
    stop.set()
    ticker.join()
    during = [moment for moment in ticks if start < moment < end]
    assert end - start > 0.2
    assert max(np.diff(during)) < 0.1


def test_several_threads_fit_at_once_and_agree_with_one(wine):
    X = wine[0]
    alone = [KMeans(4, random_state=seed).fit(X).inertia_ for seed in range(8)]
    together = [None] * 8

    def fit(seed):
        together[seed] = KMeans(4, random_state=seed).fit(X).inertia_

    workers = [threading.Thread(target=fit, args=(seed,)) for seed in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert together == alone


@pytest.mark.alone
def test_ctrl_c_stops_a_long_fit_within_a_tenth_of_a_second():
    printed = run(
        """
        import os, signal, threading, time
        import numpy as np
        from didact import GaussianMixture, KMeans
        X = np.random.default_rng(0).normal(size=(200_000, 30))
        sent = []
        def interrupt():
            time.sleep(1.0)
            sent.append(time.perf_counter())
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt).start()
        try:
            GaussianMixture(20, max_iter=10_000, tol=0.0).fit(X)
            print("finished")
        except KeyboardInterrupt:
            late = time.perf_counter() - sent[0]
            # The process is healthy afterwards.
            assert KMeans(3).fit(X[:100]).inertia_ > 0
            print(late)
        """
    )
    assert float(printed) < 0.1


def test_forked_processes_can_fit_after_their_parent_did():
    X = np.random.default_rng(0).normal(size=(50_000, 10))
    expected = StandardScaler().fit(X).mean_
    KMeans(4).fit(X)
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        for centres, means in pool.map_async(_fit_in_child, [X, X]).get(timeout=60):
            assert centres == (4, 10)
            np.testing.assert_array_equal(means, expected)


def _fit_in_child(X):
    return KMeans(4).fit(X).cluster_centers_.shape, StandardScaler().fit(X).mean_


def test_the_answer_does_not_depend_on_the_number_of_threads(wine):
    X = np.tile(wine[0], (60, 1)) + np.random.default_rng(0).normal(size=(10680, 13))
    one = GaussianMixture(3, n_jobs=1).fit(X)
    two = GaussianMixture(3, n_jobs=2).fit(X)
    np.testing.assert_array_equal(one.means_, two.means_)


@pytest.mark.alone
def test_least_squares_take_little_more_than_the_product_they_are_made_of():
    # Sums that no longer fit into registers would make the product three times as slow, and
    # nothing else would notice.
    printed = run(
        """
        import os
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
        import time
        import numpy as np
        from didact import LinearRegression
        random = np.random.default_rng(0)
        X, y = random.normal(size=(50_000, 100)), random.normal(size=50_000)
        def seconds(work):
            start = time.perf_counter()
            work()
            return time.perf_counter() - start
        pairs = [
            (seconds(lambda: LinearRegression(n_jobs=1).fit(X, y)), seconds(lambda: X.T @ X))
            for _ in range(15)
        ]
        print(min(ours for ours, _ in pairs) / min(product for _, product in pairs))
        """
    )
    assert float(printed) < 2


@pytest.mark.alone
def test_importing_costs_little_more_than_numpy():
    script = "import time; import numpy; start = time.perf_counter(); import didact; print(time.perf_counter() - start)"
    fastest = min(float(run(script)) for _ in range(5))
    assert fastest < 0.1


# Wrappers are as fast as what they wrap; categories are whole numbers, which the rows are not.
NOT_ASKED = {
    "CalibratedClassifierCV",
    "CategoricalNB",
    "OneVsOneClassifier",
    "OneVsRestClassifier",
    "OutputCodeClassifier",
}


def in_both():
    """The classes of scikit-learn that didact has, too, and that answer for a new row."""
    named = {line["name"] for line in didact.catalogue()} - NOT_ASKED
    for name, theirs in all_estimators():
        if name in named and (hasattr(theirs, "predict") or hasattr(theirs, "transform")):
            yield pytest.param(theirs, id=name)


@pytest.mark.alone
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("theirs", in_both())
def test_one_row_is_predicted_faster_than_by_scikit_learn(theirs, iris):
    X, y = iris
    mine = getattr(didact, theirs.__name__)().fit(X, y)
    other = theirs().fit(X, y)
    row = np.ascontiguousarray(X[:1])
    method = "predict" if hasattr(mine, "predict") else "transform"

    def fastest(model):
        call = getattr(model, method)
        times = []
        for _ in range(300):
            start = time.perf_counter()
            call(row)
            times.append(time.perf_counter() - start)
        return min(times)

    # A Gaussian process compares a new row with all rows and weighs them: that alone takes longer.
    limit = 30e-6 if not theirs.__name__.startswith("GaussianProcess") else np.inf
    assert fastest(mine) < min(fastest(other), limit)
