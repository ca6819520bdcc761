"""Solve a diagonally dominant system with Jacobi and Gauss-Seidel."""
import numpy as np


def jacobi(A, b, iters=60):
    D = np.diag(A)
    R = A - np.diagflat(D)
    x = np.zeros(len(b))
    for _ in range(iters):
        x = (b - R.dot(x)) / D
    return x


def gauss_seidel(A, b, iters=30):
    x = np.zeros_like(b)
    for _ in range(iters):
        for i in range(len(b)):
            s = A[i, :].dot(x) - A[i, i] * x[i]
            x[i] = (b[i] - s) / A[i, i]
    return x


def main():
    rng = np.random.default_rng(3)
    n = 24
    A = rng.uniform(-1, 1, size=(n, n))
    A += np.diag(np.abs(A).sum(axis=1) + 1)
    b = rng.standard_normal(n)
    xj = jacobi(A, b)
    xg = gauss_seidel(A, b)
    print(f"Jacobi error:       {np.abs(A @ xj - b).max():.3e}")
    print(f"Gauss-Seidel error: {np.abs(A @ xg - b).max():.3e}")
    print("same answer:", np.allclose(xj, xg))


if __name__ == "__main__":
    main()
