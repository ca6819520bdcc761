# call: fpu(q, p, 0.05, 60); q = np.sin(np.pi * np.arange(1, 17) / 17); p = zeros(16)
import numpy as np


def force(q, alpha=0.25):
    ext = np.concatenate(([0.0], q, [0.0]))
    d = np.diff(ext)
    return d[1:] - d[:-1] + alpha * (d[1:] ** 2 - d[:-1] ** 2)


def fpu(q, p, dt, steps):
    """Velocity Verlet; returns the energy at every step."""
    energy = []
    f = force(q)
    for _ in range(steps):
        p = p + 0.5 * dt * f
        q = q + dt * p
        f = force(q)
        p = p + 0.5 * dt * f
        d = np.diff(np.concatenate(([0.0], q, [0.0])))
        energy.append(0.5 * (p ** 2).sum() + (0.5 * d ** 2 + 0.25 / 3 * d ** 3).sum())
    return np.array(energy)
