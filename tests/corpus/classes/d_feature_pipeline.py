"""A miniature preprocessing pipeline in the spirit of scikit-learn."""
from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from typing import Optional, Sequence

import numpy as np
from numpy.typing import NDArray

logger = logging.getLogger(__name__)

Array = NDArray[np.float64]


class NotFittedError(RuntimeError):
    """Raised when transform is called before fit."""


class Transformer(ABC):
    @abstractmethod
    def fit(self, X: Array) -> "Transformer": ...

    @abstractmethod
    def transform(self, X: Array) -> Array: ...

    def fit_transform(self, X: Array) -> Array:
        return self.fit(X).transform(X)


class StandardScaler(Transformer):
    def __init__(self) -> None:
        self.mean_: Optional[Array] = None
        self.scale_: Optional[Array] = None

    def fit(self, X: Array) -> "StandardScaler":
        self.mean_ = X.mean(axis=0)
        std = X.std(axis=0)
        self.scale_ = np.where(std > 0, std, 1.0)
        return self

    def transform(self, X: Array) -> Array:
        if self.mean_ is None:
            raise NotFittedError(type(self).__name__)
        return (X - self.mean_) / self.scale_


class MinMaxScaler(Transformer):
    def __init__(self, feature_range: tuple[float, float] = (0.0, 1.0)) -> None:
        self.low, self.high = feature_range

    def fit(self, X: Array) -> "MinMaxScaler":
        self.min_ = X.min(axis=0)
        self.max_ = X.max(axis=0)
        return self

    def transform(self, X: Array) -> Array:
        unit = (X - self.min_) / (self.max_ - self.min_)
        return self.low + unit * (self.high - self.low)


class Pipeline:
    def __init__(self, steps: Sequence[tuple[str, Transformer]]) -> None:
        self.steps = list(steps)

    def fit_transform(self, X: Array) -> Array:
        for name, step in self.steps:
            logger.debug("fitting %s", name)
            X = step.fit_transform(X)
        return X

    def transform(self, X: Array) -> Array:
        for _, step in self.steps:
            X = step.transform(X)
        return X

    def __getitem__(self, name: str) -> Transformer:
        return dict(self.steps)[name]


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    data = rng.normal(loc=[1.0, -3.0, 10.0, 0.0], scale=[1.0, 2.0, 5.0, 0.1], size=(60, 4))
    train, test = data[:45], data[45:]
    pipe = Pipeline([("std", StandardScaler()), ("minmax", MinMaxScaler((-1.0, 1.0)))])
    Z_train = pipe.fit_transform(train)
    Z_test = pipe.transform(test)
    means = pipe["std"].mean_
    spread = float(Z_test.max() - Z_test.min())
