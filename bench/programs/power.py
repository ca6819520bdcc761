# The eigenvector of the largest eigenvalue, until it moves no more. A: a symmetric matrix; v: a vector.
import numpy as np

change = 1.0
while change > 1e-6:
    w = A @ v
    w = w / np.sqrt(np.sum(w * w))
    change = np.max(np.abs(w - v))
    v = w
