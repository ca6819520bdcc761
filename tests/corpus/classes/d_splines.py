"""Interpolants sharing one interface: linear, cubic spline, Lagrange."""
from abc import ABC, abstractmethod
from bisect import bisect_right
from typing import Callable, ClassVar, Dict, Type, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


class Interpolant(ABC):
    kinds: ClassVar[Dict[str, Type["Interpolant"]]] = {}

    def __init_subclass__(cls, *, kind: str, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)
        Interpolant.kinds[kind] = cls

    def __init__(self, x: ArrayLike, y: ArrayLike) -> None:
        self.x = np.asarray(x, dtype=float)
        self.y = np.asarray(y, dtype=float)
        if np.any(np.diff(self.x) <= 0):
            raise ValueError("knots must be strictly increasing")
        self._prepare()

    def _prepare(self) -> None:
        pass

    @abstractmethod
    def _evaluate(self, t: float) -> float: ...

    def __call__(self, t: Union[float, FloatArray]) -> Union[float, FloatArray]:
        if np.ndim(t) == 0:
            return self._evaluate(float(t))
        return np.array([self._evaluate(v) for v in t])

    def _segment(self, t: float) -> int:
        return min(max(bisect_right(self.x.tolist(), t) - 1, 0), len(self.x) - 2)


class Linear(Interpolant, kind="linear"):
    def _evaluate(self, t: float) -> float:
        i = self._segment(t)
        s = (t - self.x[i]) / (self.x[i + 1] - self.x[i])
        return (1 - s) * self.y[i] + s * self.y[i + 1]


class CubicSpline(Interpolant, kind="cubic"):
    """Natural cubic spline."""

    def _prepare(self) -> None:
        n, h = len(self.x), np.diff(self.x)
        slope = np.diff(self.y) / h
        A, rhs = np.eye(n), np.zeros(n)
        for i in range(1, n - 1):
            A[i, i - 1:i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
            rhs[i] = 6 * (slope[i] - slope[i - 1])
        self.m = np.linalg.solve(A, rhs)

    def _evaluate(self, t: float) -> float:
        i = self._segment(t)
        h = self.x[i + 1] - self.x[i]
        a, b = (self.x[i + 1] - t) / h, (t - self.x[i]) / h
        curve = ((a ** 3 - a) * self.m[i] + (b ** 3 - b) * self.m[i + 1]) * h * h / 6
        return a * self.y[i] + b * self.y[i + 1] + curve


class Lagrange(Interpolant, kind="lagrange"):
    def _evaluate(self, t: float) -> float:
        basis = [np.prod([(t - xj) / (xi - xj) for xj in self.x if xj != xi]) for xi in self.x]
        return float(np.dot(basis, self.y))


if __name__ == "__main__":
    runge: Callable[[FloatArray], FloatArray] = lambda x: 1 / (1 + 25 * x ** 2)
    knots = np.linspace(-1, 1, 9)
    grid = np.linspace(-0.95, 0.95, 39)
    curves = {k: cls(knots, runge(knots))(grid) for k, cls in Interpolant.kinds.items()}
    max_errors = np.array([np.abs(c - runge(grid)).max() for c in curves.values()])
    spline_curve = curves["cubic"]
    midpoint = CubicSpline(knots, runge(knots))(0.1)
    for (name, _), err in zip(curves.items(), max_errors):
        print(f"{name:>9}: {err:.4f}")
