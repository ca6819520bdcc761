# call: lstm_step(x, h, c, W, b, dh, dc); x = normal(4, 3); h = normal(4, 5); c = normal(4, 5); W = normal(8, 20); b = normal(20); dh = normal(4, 5); dc = normal(4, 5)
import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_step(x, h, c, W, b, dh, dc):
    """One step and its gradient."""
    H = h.shape[1]
    z = np.concatenate([x, h], axis=1)
    a = z @ W + b
    i = sigmoid(a[:, :H])
    f = sigmoid(a[:, H:2 * H])
    o = sigmoid(a[:, 2 * H:3 * H])
    g = np.tanh(a[:, 3 * H:])
    c_next = f * c + i * g
    tc = np.tanh(c_next)
    h_next = o * tc
    dc_total = dc + dh * o * (1 - tc ** 2)
    da = np.empty_like(a)
    da[:, :H] = dc_total * g * i * (1 - i)
    da[:, H:2 * H] = dc_total * c * f * (1 - f)
    da[:, 2 * H:3 * H] = dh * tc * o * (1 - o)
    da[:, 3 * H:] = dc_total * i * (1 - g * g)
    dz = da @ W.T
    return h_next, c_next, dz[:, :3], dz[:, 3:], dc_total * f, z.T @ da, da.sum(axis=0)
