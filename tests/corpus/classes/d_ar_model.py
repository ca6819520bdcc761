from __future__ import annotations

import argparse
from dataclasses import dataclass, field
from typing import Iterator, List, Optional, Sequence

import numpy as np
from numpy.typing import NDArray


class ModelError(Exception):
    pass


@dataclass
class ARModel:
    """Autoregressive model of a given order, fitted by least squares."""

    order: int
    intercept: float = 0.0
    coef: Optional[NDArray[np.float64]] = None
    residuals: List[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.order < 1:
            raise ModelError("order must be positive")

    def fit(self, series: NDArray[np.float64]) -> ARModel:
        n = len(series) - self.order
        if n <= self.order:
            raise ModelError("series is too short")
        lags = [series[self.order - k - 1: self.order - k - 1 + n] for k in range(self.order)]
        design = np.column_stack([np.ones(n)] + lags)
        target = series[self.order:]
        beta, *_ = np.linalg.lstsq(design, target, rcond=None)
        self.intercept = float(beta[0])
        self.coef = beta[1:]
        self.residuals = list(target - design @ beta)
        return self

    @property
    def sigma(self) -> float:
        return float(np.std(self.residuals))

    def aic(self) -> float:
        return len(self.residuals) * np.log(self.sigma ** 2) + 2 * (self.order + 1)

    def forecast(self, history: Sequence[float], steps: int) -> Iterator[float]:
        if self.coef is None:
            raise ModelError("fit the model first")
        window = list(history[-self.order:])
        for _ in range(steps):
            nxt = self.intercept + sum(c * v for c, v in zip(self.coef, reversed(window)))
            window = window[1:] + [nxt]
            yield nxt


def simulate(n: int, phi: Sequence[float], rng: np.random.Generator) -> NDArray[np.float64]:
    x = np.zeros(n)
    for t in range(len(phi), n):
        x[t] = sum(p * x[t - k - 1] for k, p in enumerate(phi)) + rng.normal(scale=0.5)
    return x


def parse_args(argv: Optional[Sequence[str]] = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--length", type=int, default=120)
    parser.add_argument("--max-order", type=int, default=4)
    parser.add_argument("--horizon", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(argv)


if __name__ == "__main__":
    args = parse_args([])
    series = simulate(args.length, [0.6, 0.25], np.random.default_rng(args.seed))
    models = [ARModel(order=p).fit(series) for p in range(1, args.max_order + 1)]
    best = min(models, key=lambda m: m.aic())
    aics = np.array([m.aic() for m in models])
    prediction = np.fromiter(best.forecast(series, args.horizon), dtype=float)
    coefficients, sigma = best.coef, best.sigma
    print(f"AR({best.order}) sigma={sigma:.3f}")
