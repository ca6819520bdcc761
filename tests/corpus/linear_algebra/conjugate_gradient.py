import numpy as np

np.random.seed(0)
n = 50
M = np.random.randn(n, n)
A = M.T @ M + n * np.eye(n)
b = np.random.randn(n)

x = np.zeros(n)
r = b - A @ x
p = r.copy()
rs_old = r @ r

for i in range(n):
    Ap = A @ p
    alpha = rs_old / (p @ Ap)
    x = x + alpha * p
    r = r - alpha * Ap
    rs_new = r @ r
    if np.sqrt(rs_new) < 1e-10:
        print("converged after", i + 1, "iterations")
        break
    p = r + (rs_new / rs_old) * p
    rs_old = rs_new

print("residual:", np.linalg.norm(A @ x - b))
