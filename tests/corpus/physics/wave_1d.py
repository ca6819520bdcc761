# call: wave(u0, 0.8, 40); u0 = np.sin(np.linspace(0, np.pi, 50))
import numpy as np


def wave(u0: np.ndarray, c: float, steps: int) -> np.ndarray:
    """Leapfrog solution of the wave equation with fixed ends.

    Returns an array of shape (steps + 1, n) with every time level.
    """
    assert 0 < c <= 1, "CFL condition violated"
    n = u0.size
    u = np.zeros((steps + 1, n))
    u[0] = u0
    u[1, 1:-1] = u0[1:-1] + 0.5 * c ** 2 * (u0[2:] - 2 * u0[1:-1] + u0[:-2])
    for t in range(1, steps):
        u[t + 1, 1:-1] = (2 * u[t, 1:-1] - u[t - 1, 1:-1]
                          + c ** 2 * (u[t, 2:] - 2 * u[t, 1:-1] + u[t, :-2]))
    return u
