"""The figures that `score` prints against scikit-learn, to 1e-12."""

from command import Model, probabilities, table
from sklearn import metrics


def test_classification_figures_agree_with_scikit_learn(labelled, tmp_path):
    features, target = labelled
    frame = table(features, y=target)
    model = Model(tmp_path, "gaussian-nb", frame[::2], "--target", "y", "--task", "classification")
    figures = model.score(frame)
    predictions = model.predict(frame)
    predicted = predictions["prediction"].astype(int)
    assert abs(figures["accuracy"] - metrics.accuracy_score(target, predicted)) < 1e-12
    assert abs(figures["balanced accuracy"] - metrics.balanced_accuracy_score(target, predicted)) < 1e-12
    surprise = metrics.log_loss(target, probabilities(predictions))
    assert abs(figures["log-loss"] - surprise) < 1e-12 * max(1, surprise)


def test_regression_figures_agree_with_scikit_learn(measured, tmp_path):
    features, target = measured
    frame = table(features, y=target)
    model = Model(tmp_path, "ridge", frame[::2], "--target", "y", "--task", "regression")
    figures = model.score(frame)
    predicted = model.predict(frame)["y"]
    assert abs(figures["R²"] - metrics.r2_score(target, predicted)) < 1e-12
    assert abs(figures["RMSE"] - metrics.root_mean_squared_error(target, predicted)) < 1e-12 * figures["RMSE"]
    assert abs(figures["MAE"] - metrics.mean_absolute_error(target, predicted)) < 1e-12 * figures["MAE"]


def test_adjusted_rand_agrees_with_scikit_learn(labelled, tmp_path):
    features, target = labelled
    frame = table(features, y=target)
    model = Model(tmp_path, "k-means", table(features), n_clusters=4)
    figures = model.score(frame, "--target", "y")
    clusters = model.predict(table(features))["cluster"]
    assert abs(figures["adjusted Rand"] - metrics.adjusted_rand_score(target, clusters)) < 1e-12
