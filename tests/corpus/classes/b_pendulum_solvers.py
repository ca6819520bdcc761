"""Damped pendulum integrated by interchangeable steppers."""
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np


@dataclass
class Pendulum:
    length: float = 1.0
    damping: float = 0.2
    g: float = 9.81

    def rhs(self, t: float, state: np.ndarray) -> np.ndarray:
        theta, omega = state
        return np.array([omega, -self.damping * omega - self.g / self.length * np.sin(theta)])

    def energy(self, states):
        theta, omega = states[:, 0], states[:, 1]
        return 0.5 * (self.length * omega) ** 2 + self.g * self.length * (1 - np.cos(theta))


class Stepper(ABC):
    order = 0

    @abstractmethod
    def step(self, f, t, y, dt):
        pass


class Euler(Stepper):
    order = 1

    def step(self, f, t, y, dt):
        return y + dt * f(t, y)


class Heun(Stepper):
    order = 2

    def step(self, f, t, y, dt):
        k1 = f(t, y)
        k2 = f(t + dt, y + dt * k1)
        return y + dt * (k1 + k2) / 2


class RK4(Stepper):
    order = 4

    def step(self, f, t, y, dt):
        k1 = f(t, y)
        k2 = f(t + dt / 2, y + dt / 2 * k1)
        k3 = f(t + dt / 2, y + dt / 2 * k2)
        k4 = f(t + dt, y + dt * k3)
        return y + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def integrate(system, stepper: Stepper, y0, t_end, n):
    ts = np.linspace(0, t_end, n + 1)
    ys = np.empty((n + 1, len(y0)))
    ys[0] = y0
    for i in range(n):
        ys[i + 1] = stepper.step(system.rhs, ts[i], ys[i], ts[i + 1] - ts[i])
    return ts, ys


def main():
    pendulum = Pendulum(damping=0.3)
    y0 = np.array([np.pi / 3, 0.0])
    _, ref = integrate(pendulum, RK4(), y0, 2.0, 200)
    errors = {}
    for stepper in (Euler(), Heun(), RK4()):
        _, ys = integrate(pendulum, stepper, y0, 2.0, 50)
        errors[stepper.__class__.__name__] = np.abs(ys[-1] - ref[-1]).max()
    for name, err in errors.items():
        print(f"{name:6s} {err:.3e}")
    return ref, pendulum.energy(ref), np.array(list(errors.values()))


if __name__ == "__main__":
    trajectory, energy, errors = main()
