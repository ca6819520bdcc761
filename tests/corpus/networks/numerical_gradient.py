# call: gradient_error(W, X); W = normal(3, 2); X = normal(5, 3)
import numpy as np


def loss(W, X):
    return np.sum(np.tanh(X @ W) ** 2)


def numerical_gradient(f, x, h=1e-5):
    grad = np.zeros_like(x)
    it = np.nditer(x, flags=['multi_index'], op_flags=['readwrite'])
    while not it.finished:
        ix = it.multi_index
        old = x[ix]
        x[ix] = old + h
        above = f(x)
        x[ix] = old - h
        below = f(x)
        x[ix] = old
        grad[ix] = (above - below) / (2 * h)
        it.iternext()
    return grad


def gradient_error(W, X):
    numeric = numerical_gradient(lambda w: loss(w, X), W)
    t = np.tanh(X @ W)
    exact = X.T @ (2 * t * (1 - t ** 2))
    return exact, np.abs(numeric - exact).max() < 1e-6
