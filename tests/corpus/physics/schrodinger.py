# call: crank_nicolson(V, 0.1, 0.01, 10); V = 0.5 * np.linspace(-4, 4, 40) ** 2
import numpy as np


def crank_nicolson(V, dx, dt, steps):
    """Probability density of a packet in the potential V."""
    n = len(V)
    x = dx * (np.arange(n) - n / 2)
    psi = np.exp(-x ** 2 + 2j * x)
    psi /= np.sqrt(np.sum(np.abs(psi) ** 2) * dx)
    H = np.diag(1 / dx ** 2 + V) - 0.5 / dx ** 2 * (np.eye(n, k=1) + np.eye(n, k=-1))
    A = np.eye(n) + 0.5j * dt * H
    B = np.eye(n) - 0.5j * dt * H
    for _ in range(steps):
        psi = np.linalg.solve(A, B @ psi)
    return np.abs(psi) ** 2
