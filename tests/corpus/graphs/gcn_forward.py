# call: gcn(A, X, W0, W1); A = symmetric01(15); X = normal(15, 6); W0 = normal(6, 8); W1 = normal(8, 3)
import numpy as np


def gcn(A, X, W0, W1):
    """Two graph convolutions with symmetric normalisation."""
    A_hat = A + np.eye(A.shape[0])
    d = A_hat.sum(axis=1)
    D_inv_sqrt = np.diag(d ** -0.5)
    S = D_inv_sqrt @ A_hat @ D_inv_sqrt
    H = np.maximum(S @ X @ W0, 0)
    Z = S @ H @ W1
    Z = Z - Z.max(axis=1, keepdims=True)
    return np.exp(Z) / np.exp(Z).sum(axis=1, keepdims=True)
