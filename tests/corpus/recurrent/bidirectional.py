# call: bidirectional(x, Wf, Uf, Wb, Ub); x = normal(7, 4); Wf = normal(4, 3); Uf = normal(3, 3); Wb = normal(4, 3); Ub = normal(3, 3)
import numpy as np


def run_direction(x, W, U):
    h = np.zeros(U.shape[0])
    out = np.empty((x.shape[0], U.shape[0]))
    for t in range(x.shape[0]):
        h = np.tanh(x[t] @ W + h @ U)
        out[t, :] = h
    return out


def bidirectional(x, Wf, Uf, Wb, Ub):
    """Concatenated states of a forward and a backward pass."""
    forward = run_direction(x, Wf, Uf)
    backward = run_direction(x[::-1], Wb, Ub)[::-1]
    return np.concatenate((forward, backward), axis=1)
