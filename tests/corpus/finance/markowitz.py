# call: efficient_portfolio(R, 0.002); R = 0.01 * normal(120, 6)
import numpy as np


def efficient_portfolio(R, target):
    """Minimum variance weights with a given expected return."""
    mu = R.mean(axis=0)
    Sigma = np.cov(R.T)
    n = len(mu)
    ones = np.ones(n)
    A = np.zeros((n + 2, n + 2))
    A[:n, :n] = 2 * Sigma
    A[:n, n] = A[n, :n] = mu
    A[:n, n + 1] = A[n + 1, :n] = ones
    rhs = np.zeros(n + 2)
    rhs[n] = target
    rhs[n + 1] = 1
    w = np.linalg.solve(A, rhs)[:n]
    return w, np.sqrt(w @ Sigma @ w)
