# call: golden_section(a); a = normal(3)
import numpy as np


def golden_section(a, lo=-3.0, hi=3.0, n=20):
    calls = 0

    def f(x):
        nonlocal calls
        calls += 1
        return np.sum((x - a) ** 2)

    ratio = (np.sqrt(5) - 1) / 2
    c, d = hi - ratio * (hi - lo), lo + ratio * (hi - lo)
    for _ in range(n):
        if f(c) < f(d):
            hi = d
        else:
            lo = c
        c, d = hi - ratio * (hi - lo), lo + ratio * (hi - lo)
    return (lo + hi) / 2, calls
