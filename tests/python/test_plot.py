"""Pictures show themselves and save to files."""

import numpy as np
import pytest
import scipy.cluster.hierarchy

import didact
from didact import metrics, plot
from didact.model_selection import cross_validate, learning_curve, validation_curve


def pictures():
    """One picture of each kind."""
    random = np.random.default_rng(0)
    iris = didact.datasets.load_iris()
    X, y = iris.data, iris.target
    plane = X[:, :2]
    classifier = didact.LogisticRegression().fit(plane, y)
    mixture = didact.GaussianMixture(3).fit(plane)
    chances = didact.GaussianNB().fit(X, y == 1).predict_proba(X)[:, 1]
    pca = didact.PCA(2).fit(X)
    curve = learning_curve(didact.GaussianNB(), X, y, train_sizes=[0.2, 1.0], cv=3)
    yield "scatter", plot.scatter(X, y, columns=[2, 3], feature_names=iris.feature_names)
    yield "decision map", plot.decision_map(classifier, plane, y)
    yield "density", plot.density(mixture, plane)
    yield "biplot", plot.biplot(pca.transform(X), pca.components_.T, y)
    yield "roc", plot.roc(y == 1, {"naive Bayes": chances, "chance": random.random(150)})
    yield "precision", plot.precision_recall(y == 1, chances)
    yield "calibration", plot.calibration(y == 1, chances)
    yield "confusion", plot.confusion_matrix(np.array(["a", "b", "c"])[y], np.array(["a", "b", "c"])[y])
    yield "residuals", plot.residuals(random.normal(size=50), random.normal(size=50))
    yield "curve", plot.regression_curve([1, 2, 3], [1, 3, 2], [1, 2, 3], [1, 2, 3], [0.1, 0.2, 0.1])
    yield "importance", plot.feature_importance(["a", "b"], [0.3, 0.1], [0.02, 0.01])
    yield "coefficients", plot.coefficients(["a", "b"], [0.3, -0.1])
    yield "learning", curve.plot()
    validated = validation_curve(
        didact.Ridge(), X[:, :3], X[:, 3], param_name="alpha", param_range=[0.1, 10.0], cv=3
    )
    yield "validation", validated.plot()
    yield "folds", plot.cross_validation({"a": [0.9, 0.8], "b": [0.7, 0.75]}, score_name="accuracy")
    yield "one fold", cross_validate("gaussian-nb", X, y).plot()
    yield "grid", plot.grid_search([[0.1, 0.2], [0.3, 0.4]], ["1", "2"], ["x", "y"])
    yield "silhouette", plot.silhouette(X, y)
    yield "elbow", plot.elbow([1, 2, 3, 4], [100, 20, 15, 12])
    yield "criteria", plot.criteria([1, 2, 3], {"AIC": [5, 3, 4], "BIC": [6, 5, 7]})
    yield "scree", plot.scree(pca.explained_variance_ratio_)
    yield "dendrogram", plot.dendrogram(scipy.cluster.hierarchy.linkage(X[:12], "ward"))
    yield "trace", plot.trace(mixture)
    yield "trellis", plot.trellis([[0.9, 0.1], [0.2, 0.8]], [0, 1])
    yield "states", plot.state_path([[1.0], [1.2], [5.0]], [0, 0, 1])


@pytest.mark.parametrize("name, picture", pictures(), ids=lambda value: str(value)[:20] if isinstance(value, str) else "")
def test_every_picture_shows_itself_and_saves(name, picture, tmp_path):
    assert picture._repr_svg_().startswith("<svg")
    assert len(str(picture).splitlines()) > 5
    picture.titled(name).themed("dark").save(tmp_path / "picture.svg")
    picture.save(tmp_path / "picture.png")
    assert name in (tmp_path / "picture.svg").read_text()
    assert (tmp_path / "picture.png").read_bytes()[:4] == b"\x89PNG"


def test_the_area_in_the_picture_is_that_of_the_metric():
    random = np.random.default_rng(1)
    y, score = random.random(80) < 0.5, random.random(80)
    area = metrics.roc_auc_score(y, score)
    assert f"{area:.4f}" in plot.roc(y, score).svg()


def test_mistakes_are_said(tmp_path):
    with pytest.raises(OSError, match="endings"):
        plot.scree([0.5, 0.5]).save(tmp_path / "picture.gif")
    with pytest.raises(ValueError, match="theme is pink"):
        plot.scree([0.5, 0.5]).themed("pink")
    with pytest.raises(TypeError, match="fitted estimator of didact"):
        plot.decision_map("knn", [[1.0, 2.0]])
    with pytest.raises(ValueError, match="not iterative"):
        plot.trace(didact.GaussianNB().fit([[0.0], [1.0]], [0, 1]))
