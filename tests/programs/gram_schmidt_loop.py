# Modified Gram-Schmidt on the columns, in place.
import numpy as np

A: (8, 4)

Q = A.copy()
R = np.zeros((4, 4))
for k in range(4):
    column = Q[:, k]
    R[k, k] = np.sqrt((column * column).sum())
    column /= R[k, k]
    proj = column @ Q
    mask = np.zeros(4)
    for j in range(4):
        mask[j] = 1.0 if j > k else 0.0
    Q -= np.outer(column, proj * mask)
check = Q.T @ Q
last = column * 2
