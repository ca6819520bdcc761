# call: basis_of(A); A = normal(6, 4)
import numpy as np


def basis_of(A):
    basis = []
    for v in A.T:
        w = v - sum(np.dot(v, b) * b for b in basis)
        if (np.abs(w) > 1e-10).any():
            basis.append(w / np.linalg.norm(w))
    return np.array(basis)
