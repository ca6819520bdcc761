"""Exponential smoothing family with a small factory."""
from enum import Enum, auto
from typing import List, Optional

import numpy as np


class Kind(Enum):
    SIMPLE = auto()
    HOLT = auto()
    SEASONAL = auto()


class Smoother:
    def __init__(self, alpha: float = 0.3) -> None:
        self.alpha = alpha
        self.level: Optional[float] = None
        self.fitted: List[float] = []

    @property
    def alpha(self) -> float:
        return self._alpha

    @alpha.setter
    def alpha(self, value: float) -> None:
        if not 0.0 < value <= 1.0:
            raise ValueError(f"alpha must be in (0, 1], got {value}")
        self._alpha = value

    def predict(self, h: int = 1) -> float:
        return self.level

    def update(self, x: float) -> None:
        self.level = x if self.level is None else self.alpha * x + (1 - self.alpha) * self.level

    def run(self, series: np.ndarray) -> np.ndarray:
        for x in series:
            self.fitted.append(x if self.level is None else self.predict())
            self.update(x)
        return np.asarray(self.fitted)


class Holt(Smoother):
    def __init__(self, alpha: float = 0.3, beta: float = 0.1) -> None:
        super().__init__(alpha)
        self.beta = beta
        self.trend = 0.0

    def predict(self, h: int = 1) -> float:
        return self.level + h * self.trend

    def update(self, x: float) -> None:
        if (old := self.level) is None:
            self.level = x
            return
        self.level = self.alpha * x + (1 - self.alpha) * (old + self.trend)
        self.trend = self.beta * (self.level - old) + (1 - self.beta) * self.trend


class HoltWinters(Holt):
    def __init__(self, period: int, gamma: float = 0.2, **kwargs: float) -> None:
        super().__init__(**kwargs)
        self.season = np.zeros(period)
        self.gamma, self.t = gamma, 0

    def predict(self, h: int = 1) -> float:
        return super().predict(h) + self.season[(self.t + h - 1) % len(self.season)]

    def update(self, x: float) -> None:
        i = self.t % len(self.season)
        super().update(x - self.season[i])
        self.season[i] = self.gamma * (x - self.level) + (1 - self.gamma) * self.season[i]
        self.t += 1


def create(kind: Kind) -> Smoother:
    match kind:
        case Kind.SIMPLE:
            return Smoother()
        case Kind.HOLT:
            return Holt(beta=0.05)
        case Kind.SEASONAL:
            return HoltWinters(period=12, alpha=0.4)


t = np.arange(72)
sales = 20 + 0.2 * t + 4 * np.sin(2 * np.pi * t / 12) + np.cos(1.7 * t)
smoothers = {kind: create(kind) for kind in Kind}
mae = np.array([np.abs(s.run(sales) - sales)[24:].mean() for s in smoothers.values()])
forecast = np.array([smoothers[Kind.SEASONAL].predict(h) for h in range(1, 13)])
