"""Converted estimators in scikit-learn, which `tools/setup peers` installs."""
import numpy as np
import pytest

pytest.importorskip("sklearn", reason="scikit-learn is not installed: tools/setup peers")
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rewriter import convert


class Ridge(RegressorMixin, BaseEstimator):
    def __init__(self, alpha=1.0, rate=0.1, epochs=50):
        self.alpha = alpha
        self.rate = rate
        self.epochs = epochs

    def fit(self, X, y):
        self.coef_ = np.zeros(X.shape[1])
        self.intercept_ = y.mean()
        for _ in range(self.epochs):
            error = X @ self.coef_ + self.intercept_ - y
            self.coef_ -= self.rate * (X.T @ error / len(y) + self.alpha * self.coef_)
            self.intercept_ -= self.rate * error.mean()
        return self

    def predict(self, X):
        return X @ self.coef_ + self.intercept_


class Centroids(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.centroids_ = np.array([X[y == k].mean(0) for k in self.classes_])
        return self

    def predict(self, X):
        distances = ((X[:, None, :] - self.centroids_[None]) ** 2).sum(-1)
        return self.classes_[distances.argmin(1)]


@pytest.fixture
def data():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 4))
    return X, X @ random.normal(size=4) + 0.1 * random.normal(size=60)


@pytest.mark.parametrize("kind", [Ridge, Centroids])
def test_cross_val_score(kind, data):
    X, y = data
    y = y if kind is Ridge else (y > 0).astype(int) + (y > 1)
    fast = convert(kind)
    np.testing.assert_allclose(cross_val_score(fast(), X, y, cv=5), cross_val_score(kind(), X, y, cv=5), rtol=1e-10)


def test_grids_pipelines_and_clones(data):
    X, y = data
    fast = convert(Ridge)
    grid = {"alpha": [0.01, 0.1, 1.0, 10.0]}
    ours, theirs = (GridSearchCV(kind(), grid, cv=3).fit(X, y) for kind in (fast, Ridge))
    assert ours.best_params_ == theirs.best_params_
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], rtol=1e-10)
    ours, theirs = (make_pipeline(StandardScaler(), clone(kind(alpha=0.2))).fit(X, y).predict(X) for kind in (fast, Ridge))
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)
