"""Loops and chains of small statements: textbook algorithms as one writes them in NumPy, each a function of arrays that all
peers run as it is. DATA has the arguments of each, made of a generator.
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


def pendulum(s):
    for _ in range(2000):
        s[1] += 0.001 * (-9.81 * np.sin(s[0]) - 0.1 * s[1])
        s[0] += 0.001 * s[1]
    return s


def kalman_filter(f, h, q, r, x, p, zs):
    for t in range(zs.shape[0]):
        x = f @ x
        p = f @ p @ f.T + q
        k = p @ h.T / (h @ p @ h.T + r)[0, 0]
        x = x + k @ (zs[t] - h @ x)
        p = p - k @ (h @ p)
    return x


def gated(w, u, b, xs, h):
    for t in range(xs.shape[0]):
        z = 1 / (1 + np.exp(-(w[0] @ xs[t] + u[0] @ h + b[0])))
        r = 1 / (1 + np.exp(-(w[1] @ xs[t] + u[1] @ h + b[1])))
        g = np.tanh(w[2] @ xs[t] + u[2] @ (r * h) + b[2])
        h = (1 - z) * h + z * g
    return h


# Functions without a loop, which are called again and again.


def kalman_step(f, h, q, r, x, p, z):
    x = f @ x
    p = f @ p @ f.T + q
    k = p @ h.T / (h @ p @ h.T + r)[0, 0]
    return x + k @ (z - h @ x)


def quaternion_product(p, q):
    r = np.zeros(4)
    r[0] = p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3]
    r[1] = p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2]
    r[2] = p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1]
    r[3] = p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]
    return r


def runge_kutta_step(x):
    k = np.zeros((4, 3))
    u = x
    for i in range(4):
        k[i, 0] = 10 * (u[1] - u[0])
        k[i, 1] = u[0] * (28 - u[2]) - u[1]
        k[i, 2] = u[0] * u[1] - 8 / 3 * u[2]
        u = x + (0.01 if i == 2 else 0.005) * k[i]
    return x + 0.01 / 6 * (k[0] + 2 * k[1] + 2 * k[2] + k[3])


def _kalman():
    return [np.eye(4) + 0.1 * np.eye(4, k=2), np.eye(1, 4), 0.01 * np.eye(4), np.eye(1), np.zeros(4), np.eye(4)]


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
    pendulum: lambda r: [np.array([1.0, 0.0])],
    kalman_filter: lambda r: [*_kalman(), r.random((500, 1))],
    gated: lambda r: [r.random((3, 16, 8)) / 8, r.random((3, 16, 16)) / 8, r.random((3, 16)), r.random((300, 8)), r.random(16)],
    kalman_step: lambda r: [*_kalman(), r.random(1)],
    quaternion_product: lambda r: [r.random(4), r.random(4)],
    runge_kutta_step: lambda r: [r.random(3)],
}
