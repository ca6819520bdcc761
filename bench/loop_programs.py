"""Loops of small statements: textbook algorithms as one writes them in NumPy, each a function of arrays that all peers run
as it is. DATA has the arguments of each, made of a generator.
"""

import numpy as np


def gauss_seidel(a):
    n = a.shape[0]
    for _ in range(8):
        for i in range(1, n - 1):
            a[i, 1:-1] += a[i - 1, :-2] + a[i - 1, 1:-1] + a[i - 1, 2:] + a[i, 2:] + a[i + 1, :-2] + a[i + 1, 1:-1] + a[i + 1, 2:]
            for j in range(1, n - 1):
                a[i, j] += a[i, j - 1]
                a[i, j] /= 9.0
    return a


def lu(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] -= a[i, :j] @ a[:j, j]
            a[i, j] /= a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


def cholesky(a):
    n = a.shape[0]
    a[0, 0] = np.sqrt(a[0, 0])
    for i in range(1, n):
        for j in range(i):
            a[i, j] -= np.dot(a[i, :j], a[j, :j])
            a[i, j] /= a[j, j]
        a[i, i] -= np.dot(a[i, :i], a[i, :i])
        a[i, i] = np.sqrt(a[i, i])
    return a


def forward_substitution(a, b):
    n = b.shape[0]
    x = np.zeros(n)
    for i in range(n):
        x[i] = (b[i] - a[i, :i] @ x[:i]) / a[i, i]
    return x


def triangular_product(a, b):
    m, n = b.shape
    for i in range(m):
        for j in range(n):
            b[i, j] += np.dot(a[i + 1:, i], b[i + 1:, j])
    return b * 1.5


def rank_update(a, c):
    n, m = a.shape
    for i in range(n):
        c[i, :i + 1] *= 1.2
        for k in range(m):
            c[i, :i + 1] += 1.5 * a[i, k] * a[:i + 1, k]
    return c


def nussinov(seq):
    n = seq.shape[0]
    table = np.zeros((n, n))
    for i in range(n - 2, -1, -1):
        for j in range(i + 1, n):
            table[i, j] = max(table[i, j - 1], table[i + 1, j])
            if i < j - 1:
                table[i, j] = max(table[i, j], table[i + 1, j - 1] + 1.0 * (seq[i] + seq[j] == 3))
            else:
                table[i, j] = max(table[i, j], table[i + 1, j - 1])
            for k in range(i + 1, j):
                table[i, j] = max(table[i, j], table[i, k] + table[k + 1, j])
    return table


def shortest_paths(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            d[i] = np.minimum(d[i], d[i, k] + d[k])
    return d


def orbit(p, v):
    for _ in range(2000):
        r = np.sqrt(np.sum(p * p))
        v = v - p / (r * r * r) * 0.001
        p = p + v * 0.001
    return p


def recurrent(w, u, xs, h):
    for t in range(xs.shape[0]):
        h = np.tanh(w @ h + u @ xs[t])
    return h


def smoothing(x):
    level, trend = x[0], x[1] - x[0]
    y = np.zeros(x.shape[0])
    for t in range(1, x.shape[0]):
        last = level
        level = 0.3 * x[t] + 0.7 * (level + trend)
        trend = 0.1 * (level - last) + 0.9 * trend
        y[t] = level + trend
    return y


def _definite(r, n):
    b = r.random((n, n))
    return b @ b.T + n * np.eye(n)


DATA = {
    gauss_seidel: lambda r: [r.random((60, 60))],
    lu: lambda r: [_definite(r, 60)],
    cholesky: lambda r: [_definite(r, 100)],
    forward_substitution: lambda r: [np.tril(r.random((400, 400))) + 400 * np.eye(400), r.random(400)],
    triangular_product: lambda r: [r.random((65, 65)), r.random((65, 80))],
    rank_update: lambda r: [r.random((70, 50)), r.random((70, 70))],
    nussinov: lambda r: [r.integers(0, 4, 40).astype(float)],
    shortest_paths: lambda r: [r.random((100, 100))],
    orbit: lambda r: [np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.1])],
    recurrent: lambda r: [r.random((16, 16)) / 8, r.random((16, 8)) / 8, r.random((500, 8)), r.random(16)],
    smoothing: lambda r: [r.random(5000)],
}
