# Gram-Schmidt, classical and modified, and using it for least squares
import numpy as np


class Basis:
    def __init__(self, *vectors):
        self.vectors = []
        self.skipped = 0
        for v in vectors:
            self.add(v)

    def add(self, v, eps=1e-10):
        w = np.array(v, dtype=float)
        for q in self.vectors:
            w = w - (q @ w) * q
        n = np.linalg.norm(w)
        if n < eps:
            self.skipped += 1
            return False
        self.vectors.append(w / n)
        return True

    def project(self, x):
        p = np.zeros(len(x))
        for q in self.vectors:
            p += (q @ x) * q
        return p

    def as_matrix(self):
        return np.column_stack(self.vectors)

    def __len__(self):
        return len(self.vectors)

    def __contains__(self, x):
        return np.linalg.norm(x - self.project(x)) < 1e-8


a = [1, 1, 0, 0]
b = [1, 0, 1, 0]
c = [2, 1, 1, 0]   # a + b, so it is dropped
d = [0, 0, 1, 1]

basis = Basis(a, b, c, d)
Q = basis.as_matrix()
print("dimension", len(basis), "skipped", basis.skipped)
print(np.round(Q.T @ Q, 10))

x = np.array([1.0, 2.0, 3.0, 4.0])
px = basis.project(x)
inside = np.array(c) in basis
distance = np.linalg.norm(x - px)


def modified_gs(A):
    A = A.copy()
    m, n = A.shape
    R = np.zeros((n, n))
    for i in range(n):
        R[i, i] = np.linalg.norm(A[:, i])
        A[:, i] /= R[i, i]
        for j in range(i + 1, n):
            R[i, j] = A[:, i] @ A[:, j]
            A[:, j] -= R[i, j] * A[:, i]
    return A, R


np.random.seed(0)
M = np.random.rand(6, 4)
Q2, R2 = modified_gs(M)
check = np.linalg.norm(Q2 @ R2 - M)
print("reconstruction error %.2e, inside: %s" % (check, inside))
