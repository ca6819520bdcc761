import functools
import numpy as np


class memoize:
    def __init__(self, fn):
        self.fn = fn
        self.cache = {}
        self.hits = 0
        functools.update_wrapper(self, fn)

    def __call__(self, n):
        if n in self.cache:
            self.hits += 1
        else:
            self.cache[n] = self.fn(n)
        return self.cache[n]


@memoize
def legendre(n):
    """coefficients of P_n, lowest first"""
    if n == 0:
        return np.array([1.0])
    if n == 1:
        return np.array([0.0, 1.0])
    a = np.zeros(n + 1)
    a[1:] += (2 * n - 1) / n * legendre(n - 1)
    a[:n - 1] -= (n - 1) / n * legendre(n - 2)
    return a


class LegendreSeries:
    def __init__(self, f, n, quad=40):
        self.n = n
        x = (np.arange(quad) + 0.5) * 2 / quad - 1
        w = 2.0 / quad
        self.c = np.array([(2 * k + 1) / 2 * np.sum(w * f(x) * self.P(k, x)) for k in range(n)])

    @staticmethod
    def P(k, x):
        c = legendre(k)
        y = np.zeros_like(x)
        for a in c[::-1]:
            y = y * x + a
        return y

    def __call__(self, x):
        return sum(c * self.P(k, x) for k, c in enumerate(self.c))

    def truncate(self, m):
        new = object.__new__(LegendreSeries)
        new.n = m
        new.c = self.c[:m]
        return new


f = lambda x: np.exp(x) * np.sin(3 * x)
s = LegendreSeries(f, 8)
x = np.linspace(-0.9, 0.9, 7)
print("coefficients", np.round(s.c, 4))
print("max err n=8: %.4f" % np.abs(s(x) - f(x)).max())
for m in (2, 4, 6):
    print(f"max err n={m}: {np.abs(s.truncate(m)(x) - f(x)).max():.4f}")
print("cache", len(legendre.cache), legendre.__name__)
print("P5", legendre(5))
