"""Mean-variance portfolios with a fluent builder."""
from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Dict, List

import numpy as np
from numpy.typing import NDArray

TRADING_DAYS = 252


class ConstraintError(ValueError):
    """The requested portfolio cannot be built."""


@dataclass(frozen=True)
class Portfolio:
    names: tuple[str, ...]
    weights: NDArray[np.float64]
    expected_return: float
    volatility: float

    @property
    def sharpe(self) -> float:
        return self.expected_return / self.volatility

    def __add__(self, other: "Portfolio") -> NDArray[np.float64]:
        return 0.5 * (self.weights + other.weights)

    def as_dict(self) -> Dict[str, float]:
        return dict(zip(self.names, self.weights.tolist()))


class PortfolioBuilder:
    def __init__(self, returns: NDArray[np.float64]) -> None:
        self._mu = returns.mean(axis=0) * TRADING_DAYS
        self._cov = np.cov(returns, rowvar=False) * TRADING_DAYS
        self._names: List[str] = [f"A{i}" for i in range(returns.shape[1])]
        self._long_only = False
        self._cap: float | None = None

    def named(self, *names: str) -> PortfolioBuilder:
        if len(names) != len(self._mu):
            raise ConstraintError(f"expected {len(self._mu)} names, got {len(names)}")
        self._names = list(names)
        return self

    def long_only(self) -> PortfolioBuilder:
        self._long_only = True
        return self

    def cap(self, limit: float) -> PortfolioBuilder:
        if limit * len(self._mu) < 1:
            raise ConstraintError("cap is too tight")
        self._cap = limit
        return self

    def minimum_variance(self) -> Portfolio:
        return self._finish(np.linalg.solve(self._cov, np.ones(len(self._mu))))

    def tangency(self) -> Portfolio:
        return self._finish(np.linalg.solve(self._cov, self._mu))

    def _finish(self, raw: NDArray[np.float64]) -> Portfolio:
        w = np.clip(raw, 0.0, None) if self._long_only else raw
        w = w / w.sum()
        if self._cap is not None:
            for _ in range(20):
                w = np.minimum(w, self._cap)
                w = w / w.sum()
        ret, vol = float(w @ self._mu), float(np.sqrt(w @ self._cov @ w))
        return Portfolio(tuple(self._names), w, ret, vol)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    market = rng.normal(0.0006, 0.01, size=(200, 1))
    returns = market * np.array([0.8, 1.0, 1.3, 0.5]) + rng.normal(0.0002, 0.008, size=(200, 4))
    base = PortfolioBuilder(returns).named("bonds", "index", "tech", "gold")
    min_var = copy.deepcopy(base).long_only().minimum_variance()
    capped = copy.deepcopy(base).long_only().cap(0.4).tangency()
    blend = min_var + capped
    for label, p in {"min var": min_var, "tangency": capped}.items():
        print(f"{label}: return {p.expected_return:.2%}, vol {p.volatility:.2%}")
    weights = np.vstack([min_var.weights, capped.weights])
    sharpe = capped.sharpe
