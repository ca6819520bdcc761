# call: lstm(x, h0, c0, W, U, b); x = normal(10, 4, 3); h0 = zeros(4, 6); c0 = zeros(4, 6); W = normal(3, 24); U = normal(6, 24); b = normal(24)
import numpy as np


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def lstm(x, h0, c0, W, U, b):
    """Run an LSTM over a sequence of shape (time, batch, features)."""
    T, N, D = x.shape
    H = h0.shape[1]
    h, c = h0, c0
    hs = np.zeros((T, N, H))
    for t in range(T):
        a = x[t] @ W + h @ U + b
        i, f, o, g = np.split(a, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
        hs[t] = h
    return hs, h, c
