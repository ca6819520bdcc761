import numpy as np


class PowerMethod:
    """Dominant eigenvalue of a symmetric matrix, then deflation for the next ones."""

    def __init__(self, A, n_iter=150, tol=1e-12):
        assert A.shape[0] == A.shape[1], "matrix must be square"
        self.A = A.copy()
        self.n_iter = n_iter
        self.tol = tol
        self.values = []
        self.vectors = []

    def dominant(self):
        n = self.A.shape[0]
        v = np.ones(n) / np.sqrt(n)
        lam = 0.0
        for _ in range(self.n_iter):
            u = self.A @ v
            norm = np.linalg.norm(u)
            if norm == 0:
                break
            v = u / norm
            new = v @ self.A @ v
            if abs(new - lam) < self.tol:
                lam = new
                break
            lam = new
        return lam, v

    def deflate(self):
        lam, v = self.dominant()
        self.values.append(lam)
        self.vectors.append(v)
        self.A -= lam * np.outer(v, v)
        return lam

    def run(self, k=2):
        for i in range(k):
            lam = self.deflate()
            print("eigenvalue %d: %.6f" % (i + 1, lam))
        return np.array(self.values), np.array(self.vectors).T


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    Q, _ = np.linalg.qr(rng.standard_normal((5, 5)))
    A = Q @ np.diag([9.0, 5.0, 2.0, 1.0, 0.5]) @ Q.T
    A = (A + A.T) / 2

    pm = PowerMethod(A)
    vals, vecs = pm.run(k=3)
    exact = np.sort(np.linalg.eigvalsh(A))[::-1][:3]
    error = np.max(np.abs(vals - exact))
    residual = np.linalg.norm(A @ vecs - vecs * vals)
    print("max error", error)
