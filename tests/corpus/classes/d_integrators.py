"""Compare explicit integrators on a planar orbit."""
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from enum import Enum
from typing import Iterator

import numpy as np
from numpy.typing import NDArray

GM: float = 1.0
DT: float = 0.05
STEPS: int = 120


@dataclass(frozen=True)
class State:
    position: NDArray[np.float64]
    velocity: NDArray[np.float64]
    time: float = 0.0

    def __post_init__(self) -> None:
        if self.position.shape != self.velocity.shape:
            raise ValueError("position and velocity must have the same shape")

    @property
    def energy(self) -> float:
        kinetic = 0.5 * self.velocity @ self.velocity
        return float(kinetic - GM / np.linalg.norm(self.position))


def gravity(position: NDArray[np.float64]) -> NDArray[np.float64]:
    r = np.linalg.norm(position)
    return -GM * position / r ** 3


class Integrator(ABC):
    def __init__(self, dt: float) -> None:
        self.dt = dt

    @abstractmethod
    def step(self, state: State) -> State:
        """Advance the state by one time step."""

    def run(self, state: State, n: int) -> Iterator[State]:
        yield state
        for _ in range(n):
            state = self.step(state)
            yield state


class Euler(Integrator):
    def step(self, state: State) -> State:
        x = state.position + self.dt * state.velocity
        v = state.velocity + self.dt * gravity(state.position)
        return replace(state, position=x, velocity=v, time=state.time + self.dt)


class SymplecticEuler(Integrator):
    def step(self, state: State) -> State:
        v = state.velocity + self.dt * gravity(state.position)
        x = state.position + self.dt * v
        return replace(state, position=x, velocity=v, time=state.time + self.dt)


class Verlet(Integrator):
    def step(self, state: State) -> State:
        half = state.velocity + 0.5 * self.dt * gravity(state.position)
        x = state.position + self.dt * half
        v = half + 0.5 * self.dt * gravity(x)
        return State(x, v, state.time + self.dt)


class Method(Enum):
    EULER = Euler
    SYMPLECTIC = SymplecticEuler
    VERLET = Verlet


if __name__ == "__main__":
    start = State(np.array([1.0, 0.0]), np.array([0.0, 1.1]))
    drift = {}
    for method in Method:
        states = list(method.value(DT).run(start, STEPS))
        drift[method.name] = abs(states[-1].energy - start.energy)
        print(f"{method.name:<11s} energy drift {drift[method.name]:.3e}")
    orbit = np.array([s.position for s in states])
    energy_drift = np.array(list(drift.values()))
    end_time = states[-1].time
