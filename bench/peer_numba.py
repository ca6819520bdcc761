"""The workloads as loops for Numba, on all cores and with its fastest arithmetic."""

import numpy as np
from numba import __version__, njit, prange

from fused_workloads import exchanging

NAME = f"Numba {__version__}"
F = np.float32
parallel = njit(parallel=True, fastmath=True, error_model="numpy")
helper = njit(fastmath=True, error_model="numpy", inline="always")


@parallel
def chain(r, a, b):
    for i in prange(a.shape[0]):
        for j in range(a.shape[1]):
            x, y = a[i, j], b[i, j]
            r[i, j] = np.sqrt(np.abs(np.tanh((x * y + F(1)) * (x - y)) * F(0.5) + F(0.25)) * x) + y * y


@parallel
def slope(r, d, h):
    for i in prange(d.shape[0]):
        for j in range(d.shape[1]):
            r[i, j] = d[i, j] * h[i, j] * (F(1) - h[i, j])


@parallel
def stencil_step(A, B):
    for i in prange(1, A.shape[0] - 1):
        for j in range(1, A.shape[1] - 1):
            B[i, j] = F(0.2) * (A[i, j] + A[i, j - 1] + A[i, j + 1] + A[i - 1, j] + A[i + 1, j])


@parallel
def softmax(y, x):
    for i in prange(x.shape[0]):
        most = x[i, 0]
        for j in range(1, x.shape[1]):
            most = max(most, x[i, j])
        total = F(0)
        for j in range(x.shape[1]):
            y[i, j] = np.exp(x[i, j] - most)
            total += y[i, j]
        for j in range(x.shape[1]):
            y[i, j] /= total


@helper
def normal_cdf(d):
    k = F(1) / (F(1) + F(0.2316419) * np.abs(d))
    tail = F(-1.821255978) + k * F(1.330274429)
    tail = k * (F(0.31938153) + k * (F(-0.356563782) + k * (F(1.781477937) + k * tail)))
    tail *= F(0.3989422804014327) * np.exp(F(-0.5) * d * d)
    return F(1) - tail if d > F(0) else tail


@parallel
def black_scholes(call, put, price, strike, years):
    for i in prange(price.shape[0]):
        deviation = F(0.3) * np.sqrt(years[i])
        d1 = (np.log(price[i] / strike[i]) + F(0.05 + 0.5 * 0.3**2) * years[i]) / deviation
        present = strike[i] * np.exp(F(-0.05) * years[i])
        call[i] = price[i] * normal_cdf(d1) - present * normal_cdf(d1 - deviation)
        put[i] = call[i] - price[i] + present


@parallel
def adam(p, g, m, v):
    for i in prange(p.shape[0]):
        m[i] = F(0.9) * m[i] + F(0.1) * g[i]
        v[i] = F(0.999) * v[i] + F(0.001) * g[i] * g[i]
        p[i] -= F(0.001) * (m[i] / F(1 - 0.9**3)) / (np.sqrt(v[i] / F(1 - 0.999**3)) + F(1e-8))


@parallel
def layer_norm(y, x, gain, bias):
    n = F(x.shape[1])
    for i in prange(x.shape[0]):
        total = F(0)
        for j in range(x.shape[1]):
            total += x[i, j]
        mean = total / n
        total = F(0)
        for j in range(x.shape[1]):
            total += (x[i, j] - mean) * (x[i, j] - mean)
        scale = F(1) / np.sqrt(total / n + F(1e-5))
        for j in range(x.shape[1]):
            y[i, j] = (x[i, j] - mean) * scale * gain[j] + bias[j]


@parallel
def kmeans(nearest, points, centres):
    for i in prange(points.shape[0]):
        least = F(np.inf)
        for c in range(centres.shape[0]):
            distance = F(0)
            for k in range(points.shape[1]):
                distance += (points[i, k] - centres[c, k]) * (points[i, k] - centres[c, k])
            if distance < least:
                least = distance
                nearest[i] = c


@helper
def sigmoid(z):
    return F(1) / (F(1) + np.exp(-z))


@parallel
def lstm_gates(c_next, h_next, z, c, b):
    n = c.shape[1]
    for i in prange(c.shape[0]):
        for j in range(n):
            forget, kept = sigmoid(z[i, n + j] + b[n + j]), sigmoid(z[i, j] + b[j])
            c_next[i, j] = forget * c[i, j] + kept * np.tanh(z[i, 2 * n + j] + b[2 * n + j])
            h_next[i, j] = sigmoid(z[i, 3 * n + j] + b[3 * n + j]) * np.tanh(c_next[i, j])


@njit(fastmath=True, error_model="numpy")
def small(a, b, steps):
    for _ in range(steps):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                a[i, j] = (a[i, j] * b[i, j] + F(0.5)) * (a[i, j] - b[i, j]) * F(0.25)


def writing(function, like, **outputs):
    """Of a function that writes its outputs, which come first."""

    def make(_, **arrays):
        results = {name: np.empty(arrays[like].shape, kind) for name, kind in outputs.items()}

        def run():
            function(*results.values(), *arrays.values())
            return results

        return run

    return make


def make_adam(_, p, g, m, v):
    def run():
        adam(p, g, m, v)
        return {"p": p, "m": m, "v": v}

    return run


def make_kmeans(_, points, centres):
    nearest = np.empty(points.shape[0], np.int32)

    def run():
        kmeans(nearest, points, centres)
        return {"nearest": nearest}

    return run


def make_lstm(_, x, h, c, W, U, b):
    z, other = np.empty((2, *c.shape[:1], W.shape[1]), F)
    results = {"c_next": np.empty_like(c), "h_next": np.empty_like(c)}

    def run():
        np.matmul(x, W, out=z)  # NumPy's library does the products
        np.matmul(h, U, out=other)
        np.add(z, other, out=z)
        lstm_gates(*results.values(), z, c, b)
        return results

    return run


def make_small(steps, a, b):
    def run():
        small(a, b, steps)
        return {"a": a}

    return run


WORKLOADS = {
    "chain": writing(chain, "a", r=F),
    "slope": writing(slope, "d", r=F),
    "stencil": exchanging(stencil_step),
    "softmax": writing(softmax, "x", y=F),
    "black_scholes": writing(black_scholes, "price", call=F, put=F),
    "adam": make_adam,
    "layer_norm": writing(layer_norm, "x", y=F),
    "kmeans": make_kmeans,
    "lstm": make_lstm,
    "small": make_small,
}


def prepare(workload, arrays):
    """As in peer_numpy."""
    return WORKLOADS[workload.name](workload.steps, **arrays)
