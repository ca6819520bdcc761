# call: channel(6, u, 0.1, 0.001, 1.0); u = zeros(10, 12)
import numpy as np


def channel(nit, u, dy, dt, F):
    udiff = 1.0
    steps = 0
    while udiff > 0.05 and steps < 200:
        un = u.copy()
        for _ in range(nit):
            u[1:-1, 1:-1] += dt / dy ** 2 * 0.1 * (un[2:, 1:-1] - 2 * un[1:-1, 1:-1] + un[:-2, 1:-1]) + F * dt
            # periodic in x
            u[1:-1, 0] = u[1:-1, -2]
            u[1:-1, -1] = u[1:-1, 1]
        u[0, :] = 0
        u[-1, :] = 0
        udiff = (np.sum(u) - np.sum(un)) / np.sum(u)
        steps += 1
    return steps
