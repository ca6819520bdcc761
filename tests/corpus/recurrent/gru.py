# call: gru(x, h, Wz, Wr, Wn, Uz, Ur, Un); x = normal(9, 4); h = zeros(5); Wz = normal(4, 5); Wr = normal(4, 5); Wn = normal(4, 5); Uz = normal(5, 5); Ur = normal(5, 5); Un = normal(5, 5)
import numpy as np


def gru(x, h, Wz, Wr, Wn, Uz, Ur, Un):
    sig = lambda v: 1 / (1 + np.exp(-v))
    states = []
    for xt in x:
        z = sig(xt @ Wz + h @ Uz)
        r = sig(xt @ Wr + h @ Ur)
        n = np.tanh(xt @ Wn + (r * h) @ Un)
        h = (1 - z) * n + z * h
        states.append(h)
    return np.stack(states)
