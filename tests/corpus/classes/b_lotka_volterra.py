from dataclasses import dataclass, field, replace
from typing import Callable, List

import numpy as np


@dataclass(frozen=True)
class Params:
    alpha: float = 1.1
    beta: float = 0.4
    delta: float = 0.1
    gamma: float = 0.4


@dataclass
class Run:
    params: Params
    t: List[float] = field(default_factory=list)
    prey: List[float] = field(default_factory=list)
    predators: List[float] = field(default_factory=list)

    def record(self, t, y):
        self.t.append(t)
        self.prey.append(y[0])
        self.predators.append(y[1])

    @property
    def peak_prey(self) -> float:
        return max(self.prey)

    def as_array(self) -> np.ndarray:
        return np.column_stack([self.t, self.prey, self.predators])


@dataclass
class LotkaVolterra:
    params: Params = field(default_factory=Params)
    y0: np.ndarray = field(default_factory=lambda: np.array([5.0, 2.0]))

    def deriv(self, y: np.ndarray) -> np.ndarray:
        p = self.params
        prey, pred = y
        return np.array([
            p.alpha * prey - p.beta * prey * pred,
            p.delta * prey * pred - p.gamma * pred,
        ])

    def simulate(self, dt: float = 0.05, steps: int = 160, stepper: Callable = None) -> Run:
        stepper = stepper or rk2
        run = Run(self.params)
        y = self.y0.copy()
        for n in range(steps):
            run.record(n * dt, y)
            y = stepper(self.deriv, y, dt)
        return run

    def equilibrium(self):
        p = self.params
        return np.array([p.gamma / p.delta, p.alpha / p.beta])


def rk2(f, y, h):
    return y + h * f(y + 0.5 * h * f(y))


def euler(f, y, h):
    return y + h * f(y)


base = Params()
variants = [base, replace(base, alpha=0.9), replace(base, beta=0.5, gamma=0.3)]
runs = [LotkaVolterra(p).simulate() for p in variants]
runs.append(LotkaVolterra().simulate(stepper=euler))

peaks = np.array([r.peak_prey for r in runs])
trajectory = runs[0].as_array()
equilibria = np.array([LotkaVolterra(params=p).equilibrium() for p in variants])
euler_gap = float(np.abs(runs[0].as_array() - runs[-1].as_array()).max())

for r in runs:
    print(r.params, f"peak prey {r.peak_prey:.3f}")
