# rounding: 1e-8 (orders of differences that are almost rounding errors)
"""Explicit Runge-Kutta steppers described by Butcher tableaus."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterator, Protocol, Tuple

import numpy as np
from numpy.typing import NDArray

Vec = NDArray[np.float64]
RHS = Callable[[float, Vec], Vec]


class Stepper(Protocol):
    name: str

    def step(self, f: RHS, t: float, y: Vec, h: float) -> Vec: ...


class StepSizeError(ArithmeticError):
    pass


@dataclass(frozen=True)
class Tableau:
    name: str
    a: Tuple[Tuple[float, ...], ...]
    b: Tuple[float, ...]
    c: Tuple[float, ...]

    def step(self, f: RHS, t: float, y: Vec, h: float) -> Vec:
        k: list[Vec] = []
        for row, ci in zip(self.a, self.c):
            yi = y + h * sum((aij * kj for aij, kj in zip(row, k)), np.zeros_like(y))
            k.append(f(t + ci * h, yi))
        return y + h * sum(bi * ki for bi, ki in zip(self.b, k))


EULER = Tableau("euler", ((),), (1.0,), (0.0,))
HEUN = Tableau("heun", ((), (1.0,)), (0.5, 0.5), (0.0, 1.0))
RK4 = Tableau("rk4", ((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)),
              (1 / 6, 1 / 3, 1 / 3, 1 / 6), (0.0, 0.5, 0.5, 1.0))


def integrate(stepper: Stepper, f: RHS, y0: Vec, t_end: float, n: int) -> Vec:
    h = t_end / n
    y = y0
    for i in range(n):
        y = stepper.step(f, i * h, y, h)
    return y


def adaptive(f: RHS, y: Vec, t_end: float, tol: float = 1e-5) -> Iterator[Tuple[float, Vec]]:
    t, h = 0.0, 0.1
    while t < t_end:
        h = min(h, t_end - t)
        low, high = HEUN.step(f, t, y, h), RK4.step(f, t, y, h)
        err = float(np.max(np.abs(high - low)))
        if err <= tol:
            t, y = t + h, high
            yield t, y
        h *= min(2.0, max(0.3, 0.9 * (tol / (err + 1e-15)) ** (1 / 3)))
        if h < 1e-8:
            raise StepSizeError(f"step size underflow at t={t}")


def oscillator(damping: float) -> RHS:
    def f(t: float, y: Vec) -> Vec:
        return np.array([y[1], -y[0] - damping * y[1]])
    return f


if __name__ == "__main__":
    rhs = oscillator(0.0)
    y0 = np.array([1.0, 0.0])
    exact = np.array([np.cos(2.0), -np.sin(2.0)])
    errors = np.array([[np.linalg.norm(integrate(s, rhs, y0, 2.0, n) - exact) for n in (10, 20, 40)]
                       for s in (EULER, HEUN, RK4)])
    orders = np.log2(errors[:, :-1] / errors[:, 1:])
    path = list(adaptive(oscillator(0.3), y0, 3.0))
    times = np.array([t for t, _ in path])
    final_state = path[-1][1]
    print(np.round(orders, 2), len(path))
