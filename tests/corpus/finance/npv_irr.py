# call: irr(cashflows); cashflows = np.array([-100.0, 30.0, 35.0, 40.0, 45.0])
import numpy as np


def npv(rate, cashflows):
    return np.sum(cashflows / (1 + rate) ** np.arange(len(cashflows)))


def irr(cashflows, lo=-0.9, hi=1.0, tol=1e-8):
    """Internal rate of return by bisection."""
    while hi - lo > tol:
        mid = (lo + hi) / 2
        if npv(mid, cashflows) > 0:
            lo = mid
        else:
            hi = mid
    return (lo + hi) / 2
