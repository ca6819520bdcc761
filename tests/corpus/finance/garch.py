# call: garch_loglik(r, 1e-5, 0.1, 0.85); r = 0.01 * normal(200)
import numpy as np


def garch_loglik(r, omega, alpha, beta):
    if alpha + beta >= 1:
        return -np.inf
    T = len(r)
    h = np.empty(T)
    h[0] = np.var(r)
    for t in range(1, T):
        h[t] = omega + alpha * r[t - 1] ** 2 + beta * h[t - 1]
    return -0.5 * np.sum(np.log(2 * np.pi) + np.log(h) + r ** 2 / h)
