"""Interval arithmetic, and Newton's method that encloses a root."""
import numpy as np


class Interval:
    __slots__ = ("lo", "hi")

    def __init__(self, lo, hi=None):
        self.lo = float(lo)
        self.hi = float(lo if hi is None else hi)
        if self.lo > self.hi:
            raise ValueError("empty interval [%g, %g]" % (self.lo, self.hi))

    @staticmethod
    def _wrap(v):
        return v if isinstance(v, Interval) else Interval(v)

    def __add__(self, other):
        other = self._wrap(other)
        return Interval(self.lo + other.lo, self.hi + other.hi)

    __radd__ = __add__

    def __neg__(self):
        return Interval(-self.hi, -self.lo)

    def __sub__(self, other):
        return self + (-self._wrap(other))

    def __rsub__(self, other):
        return self._wrap(other) - self

    def __mul__(self, other):
        other = self._wrap(other)
        products = [a * b for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return Interval(min(products), max(products))

    __rmul__ = __mul__

    def __truediv__(self, other):
        other = self._wrap(other)
        if 0 in other:
            raise ZeroDivisionError(f"{other} contains zero")
        return self * Interval(1 / other.hi, 1 / other.lo)

    def __and__(self, other):
        return Interval(max(self.lo, other.lo), min(self.hi, other.hi))

    def __contains__(self, x):
        return self.lo <= x <= self.hi

    def __repr__(self):
        return f"[{self.lo:.6g}, {self.hi:.6g}]"

    @property
    def width(self):
        return self.hi - self.lo

    @property
    def mid(self):
        return 0.5 * (self.lo + self.hi)


def newton_enclosure(f, df, start, tol=1e-10, max_iter=30):
    X = start
    widths = [X.width]
    while X.width > tol and len(widths) < max_iter:
        m = X.mid
        X = X & (m - f(Interval(m)) / df(X))
        widths.append(X.width)
    return X, widths


root, widths = newton_enclosure(lambda x: x * x * x - 2 * x - 5, lambda x: 3 * x * x - 2, Interval(2, 3))
widths = np.array(widths)

# bounds for the logistic map with an uncertain parameter
r = Interval(2.8, 2.81)
x = Interval(0.2)
band = np.zeros((8, 2))
for n in range(8):
    x = r * x * (1 - x)
    band[n] = x.lo, x.hi

try:
    Interval(1, 2) / Interval(-1, 1)
except ZeroDivisionError as exc:
    print(exc)
print("root in", root)
root_mid = root.mid
