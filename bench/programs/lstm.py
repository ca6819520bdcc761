# An LSTM cell. x, h, c: matrices, a case a row; W, U, b: the gates' weights side by side.
import numpy as np


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


n = c.shape[1]
z = x @ W + h @ U + b
c_next = sigmoid(z[:, n : 2 * n]) * c + sigmoid(z[:, :n]) * np.tanh(z[:, 2 * n : 3 * n])
h_next = sigmoid(z[:, 3 * n :]) * np.tanh(c_next)
