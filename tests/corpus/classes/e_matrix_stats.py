import numpy as np
import sys


class RunningStats:
    __slots__ = ("n", "mean", "m2", "lo", "hi")

    def __init__(self):
        self.n = 0
        self.mean = 0.0
        self.m2 = 0.0
        self.lo = float("inf")
        self.hi = float("-inf")

    def push(self, x):
        self.n += 1
        d = x - self.mean
        self.mean += d / self.n
        self.m2 += d * (x - self.mean)
        self.lo = min(self.lo, x)
        self.hi = max(self.hi, x)

    @property
    def variance(self):
        if self.n < 2:
            raise ValueError("not enough data")
        return self.m2 / (self.n - 1)

    def __add__(self, other):
        out = RunningStats()
        out.n = self.n + other.n
        d = other.mean - self.mean
        out.mean = self.mean + d * other.n / out.n
        out.m2 = self.m2 + other.m2 + d * d * self.n * other.n / out.n
        out.lo = min(self.lo, other.lo)
        out.hi = max(self.hi, other.hi)
        return out

    def __iadd__(self, x):
        self.push(x)
        return self


np.random.seed(0)
data = np.random.normal(5, 2, 60)
left, right = RunningStats(), RunningStats()
for x in data[:25]:
    left.push(x)
for x in data[25:]:
    right += x
both = left + right
one = RunningStats()
one.push(1.0)
try:
    print(one.variance)
except ValueError as exc:
    sys.stdout.write("error: {}\n".format(exc))
sys.stdout.write("%.4f %.4f\n" % (both.mean, both.variance))
sys.stdout.write(f"{both.lo:.3f} {both.hi:.3f}\n")
check = np.isclose(both.variance, data.var(ddof=1))
