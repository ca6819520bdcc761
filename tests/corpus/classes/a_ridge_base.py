from abc import ABC, abstractmethod

import numpy as np


class BaseRegressor(ABC):
    def __init__(self, fit_intercept: bool = True):
        self.fit_intercept = fit_intercept

    @abstractmethod
    def _solve(self, X: np.ndarray, y: np.ndarray) -> np.ndarray:
        ...

    def fit(self, X: np.ndarray, y: np.ndarray) -> "BaseRegressor":
        if self.fit_intercept:
            self.x_mean_ = X.mean(axis=0)
            self.y_mean_ = y.mean()
        else:
            self.x_mean_ = np.zeros(X.shape[1])
            self.y_mean_ = 0.0
        self.coef_ = self._solve(X - self.x_mean_, y - self.y_mean_)
        self.intercept_ = self.y_mean_ - self.x_mean_ @ self.coef_
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return X @ self.coef_ + self.intercept_

    def score(self, X, y) -> float:
        resid = y - self.predict(X)
        return 1.0 - np.sum(resid**2) / np.sum((y - np.mean(y)) ** 2)


class OLS(BaseRegressor):
    def _solve(self, X, y):
        coef, *_ = np.linalg.lstsq(X, y, rcond=None)
        return coef


class Ridge(BaseRegressor):
    def __init__(self, alpha: float = 1.0, **kwargs):
        super().__init__(**kwargs)
        self.alpha = alpha

    def _solve(self, X, y):
        d = X.shape[1]
        return np.linalg.solve(X.T @ X + self.alpha * np.eye(d), X.T @ y)


class Lasso(BaseRegressor):
    """Coordinate descent."""

    def __init__(self, alpha: float = 0.1, max_iter: int = 50, **kwargs):
        super().__init__(**kwargs)
        self.alpha = alpha
        self.max_iter = max_iter

    @staticmethod
    def _soft(x, t):
        return np.sign(x) * max(abs(x) - t, 0.0)

    def _solve(self, X, y):
        n, d = X.shape
        w = np.zeros(d)
        norms = (X**2).sum(axis=0)
        for _ in range(self.max_iter):
            for j in range(d):
                r = y - X @ w + X[:, j] * w[j]
                w[j] = self._soft(X[:, j] @ r, n * self.alpha) / norms[j]
        return w


def main():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6))
    beta = np.array([2.0, 0.0, -1.0, 0.0, 0.0, 0.5])
    y = X @ beta + 1.0 + rng.normal(scale=0.2, size=80)
    scores = []
    coefs = []
    for reg in [OLS(), Ridge(alpha=2.0), Lasso(alpha=0.1, max_iter=40), Ridge(0.5, fit_intercept=False)]:
        reg.fit(X, y)
        scores.append(reg.score(X, y))
        coefs.append(reg.coef_)
        print(f"{type(reg).__name__:<8s} R2={scores[-1]:.4f}")
    return np.array(scores), np.vstack(coefs)


if __name__ == "__main__":
    scores, coefs = main()
