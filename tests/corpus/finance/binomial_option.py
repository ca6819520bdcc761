# call: american_put(100.0, 105.0, 1.0, 0.05, 0.2, 50)
import numpy as np


def american_put(S0, K, T, r, sigma, n):
    """Cox-Ross-Rubinstein tree."""
    dt = T / n
    u = np.exp(sigma * np.sqrt(dt))
    d = 1 / u
    p = (np.exp(r * dt) - d) / (u - d)
    disc = np.exp(-r * dt)
    S = S0 * u ** np.arange(n, -n - 1, -2)
    V = np.maximum(K - S, 0)
    for i in range(n - 1, -1, -1):
        V = disc * (p * V[:-1] + (1 - p) * V[1:])
        S = S0 * u ** np.arange(i, -i - 1, -2)
        V = np.maximum(V, K - S)
    return V[0]
