from functools import reduce
from numbers import Number

import numpy as np


class Polynomial:
    """Coefficients are stored lowest degree first."""

    def __init__(self, *coeffs):
        self.coeffs = np.array(coeffs, dtype=float)

    @classmethod
    def from_roots(cls, roots):
        return reduce(lambda p, r: p * cls(-r, 1), roots, cls(1))

    @property
    def degree(self):
        return len(self.coeffs) - 1

    def __call__(self, x):
        result = 0.0
        for c in reversed(self.coeffs):
            result = result * x + c
        return result

    def __add__(self, other):
        if isinstance(other, Number):
            other = Polynomial(other)
        n = max(len(self.coeffs), len(other.coeffs))
        out = np.zeros(n)
        out[:len(self.coeffs)] += self.coeffs
        out[:len(other.coeffs)] += other.coeffs
        return Polynomial(*out)

    __radd__ = __add__

    def __neg__(self):
        return Polynomial(*(-self.coeffs))

    def __sub__(self, other):
        return self + (-other)

    def __mul__(self, other):
        if isinstance(other, Polynomial):
            return Polynomial(*np.convolve(self.coeffs, other.coeffs))
        return Polynomial(*(self.coeffs * other))

    __rmul__ = __mul__

    def __pow__(self, n):
        result = Polynomial(1)
        for _ in range(n):
            result = result * self
        return result

    def __eq__(self, other):
        return self.degree == other.degree and np.allclose(self.coeffs, other.coeffs)

    def __str__(self):
        terms = [f"{c:g}x^{k}" for k, c in enumerate(self.coeffs) if c != 0]
        return " + ".join(terms) or "0"

    def deriv(self):
        return Polynomial(*(k * c for k, c in enumerate(self.coeffs) if k > 0))

    def newton(self, x, n_iter=20):
        d = self.deriv()
        for _ in range(n_iter):
            x = x - self(x) / d(x)
        return x


p = Polynomial.from_roots([1, 2, -3])
q = 2 * p - Polynomial(0, 1) ** 2 + 5
assert p == Polynomial(6, -7, 0, 1)
print("p =", p)
print("q =", q)

xs = np.linspace(-4, 4, 33)
p_values = p(xs)
q_coeffs = q.coeffs
roots = np.array([p.newton(x0) for x0 in (0.5, 2.5, -4.0)])
slope_at_zero = p.deriv()(0.0)
