# Gram-Schmidt on the columns of A, written out; then the least squares solution by back substitution.
import numpy as np

A: (6, 3)
y: (6,)

Q = np.zeros((6, 3))
R = np.zeros((3, 3))
a = A[:, 0]
R[0, 0] = np.linalg.norm(a)
Q[:, 0] = a / R[0, 0]
R[0, 1] = Q[:, 0] @ A[:, 1]
a = A[:, 1] - R[0, 1] * Q[:, 0]
R[1, 1] = np.linalg.norm(a)
Q[:, 1] = a / R[1, 1]
R[:2, 2] = Q[:, :2].T @ A[:, 2]
a = A[:, 2] - Q[:, :2] @ R[:2, 2]
R[2, 2] = np.linalg.norm(a)
Q[:, 2] = a / R[2, 2]

c = Q.T @ y
x = np.zeros(3)
x[2] = c[2] / R[2, 2]
x[1] = (c[1] - R[1, 2] * x[2]) / R[1, 1]
x[0] = (c[0] - R[0, 1:] @ x[1:]) / R[0, 0]
residual = y - A @ x
orthogonality = np.abs(Q.T @ residual).max() < 1e-3
