import numpy as np
A: (8, 5)
m, n = A.shape
Q = np.zeros((m, n))
R = np.zeros((n, n))
A = A.copy()
for k in range(n):
    nrm = np.dot(A[:, k], A[:, k])
    R[k, k] = np.sqrt(nrm)
    Q[:, k] = A[:, k] / R[k, k]
    for j in range(k + 1, n):
        R[k, j] = np.dot(Q[:, k], A[:, j])
        A[:, j] -= Q[:, k] * R[k, j]
