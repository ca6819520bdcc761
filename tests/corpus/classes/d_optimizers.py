from __future__ import annotations

import itertools
from typing import Callable, ClassVar, Dict, Iterator, Optional, Tuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
OPTIMIZERS: Dict[str, Callable[..., "SGD"]] = {}


def register(cls: type) -> type:
    return OPTIMIZERS.setdefault(cls.__name__.lower(), cls)


def cosine_schedule(base: float, period: int) -> Iterator[float]:
    for t in itertools.count():
        yield base * 0.5 * (1.0 + np.cos(np.pi * min(t, period) / period))


class BatchLoader:
    """Iterable over shuffled mini-batches; one pass is one epoch."""

    def __init__(self, X: Array, y: Array, size: int, seed: int = 0) -> None:
        self.X, self.y, self.size, self.rng = X, y, size, np.random.default_rng(seed)

    def __iter__(self) -> BatchLoader:
        self._order = self.rng.permutation(len(self.X))
        self._pos = 0
        return self

    def __next__(self) -> Tuple[Array, Array]:
        if self._pos >= len(self._order):
            raise StopIteration
        idx = self._order[self._pos:self._pos + self.size]
        self._pos += self.size
        return self.X[idx], self.y[idx]


@register
class SGD:
    defaults: ClassVar[Dict[str, float]] = {"lr": 0.1}

    def __init__(self, **options: float) -> None:
        self.opts = {**self.defaults, **options}
        self.schedule = cosine_schedule(self.opts["lr"], 60)

    def direction(self, grad: Array) -> Array:
        return grad

    def update(self, w: Array, grad: Array) -> Array:
        return w - next(self.schedule) * self.direction(grad)


@register
class Momentum(SGD):
    defaults = {"lr": 0.05, "beta": 0.9}
    _velocity: Optional[Array] = None

    def direction(self, grad: Array) -> Array:
        previous = 0.0 if self._velocity is None else self._velocity
        self._velocity = self.opts["beta"] * previous + grad
        return self._velocity


def train(name: str, loader: BatchLoader, epochs: int = 10) -> Tuple[Array, Array]:
    X, y = loader.X, loader.y
    optimizer, w, curve = OPTIMIZERS[name](), np.zeros(X.shape[1]), []
    for _ in range(epochs):
        for xb, yb in loader:
            p = 1.0 / (1.0 + np.exp(-xb @ w))
            w = optimizer.update(w, xb.T @ (p - yb) / len(yb))
        p = 1.0 / (1.0 + np.exp(-X @ w))
        curve.append(-np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)))
    return w, np.array(curve)


def main() -> int:
    for name, curve in zip(OPTIMIZERS, curves):
        print(f"{name:<9} {curve[0]:.4f} -> {curve[-1]:.4f}")
    return int(curves[:, -1].max() > curves[:, 0].max())


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    X, w_true = rng.standard_normal((96, 4)), np.array([1.0, -2.0, 0.5, 0.0])
    y = (X @ w_true + 0.5 * rng.standard_normal(96) > 0).astype(float)
    weights, curves = (np.array(part) for part in zip(*(train(n, BatchLoader(X, y, 16)) for n in OPTIMIZERS)))
    raise SystemExit(main())
