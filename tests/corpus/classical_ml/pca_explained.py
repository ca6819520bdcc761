# call: explained(X, 2); X = normal(20, 4)
import numpy as np


def explained(X, k):
    X_std = (X - np.mean(X, axis=0)) / np.std(X, axis=0, ddof=1)
    vals, vecs = np.linalg.eigh(np.cov(X_std.T))
    order = np.argsort(vals)[::-1]
    vals, vecs = vals[order], vecs[:, order]
    total = sum(vals)
    shares = [(v / total) * 100 for v in sorted(vals, reverse=True)]
    return X_std.dot(np.abs(vecs[:, :k])), shares, np.cumsum(shares)
