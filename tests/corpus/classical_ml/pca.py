# call: pca(X, 2); X = normal(60, 5)
import numpy as np


def pca(X, n_components):
    """Project the rows of X to the leading principal components."""
    Xc = X - X.mean(axis=0)
    cov = np.cov(Xc, rowvar=False)
    eigvals, eigvecs = np.linalg.eigh(cov)
    order = np.argsort(eigvals)[::-1]
    components = eigvecs[:, order[:n_components]]
    explained = eigvals[order] / eigvals.sum()
    return np.abs(Xc @ components), explained
