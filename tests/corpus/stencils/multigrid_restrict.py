# call: v_step(u, f); u = zeros(33); f = normal(33)
import numpy as np


def smooth(u, f, h2, sweeps):
    for _ in range(sweeps):
        u[1:-1:2] = 0.5 * (u[0:-2:2] + u[2::2] + h2 * f[1:-1:2])
        u[2:-2:2] = 0.5 * (u[1:-3:2] + u[3:-1:2] + h2 * f[2:-2:2])


def v_step(u, f):
    h2 = 1.0 / (len(u) - 1) ** 2
    smooth(u, f, h2, 2)
    r = np.zeros_like(u)
    r[1:-1] = f[1:-1] + (u[:-2] - 2 * u[1:-1] + u[2:]) / h2
    rc = r[::2].copy()
    rc[1:-1] = 0.25 * (r[1:-3:2] + 2 * r[2:-2:2] + r[3:-1:2])
    ec = np.zeros_like(rc)
    smooth(ec, rc, 4 * h2, 10)
    e = np.zeros_like(u)
    e[::2] = ec
    e[1::2] = 0.5 * (ec[:-1] + ec[1:])
    u += e
    return np.abs(r).max()
