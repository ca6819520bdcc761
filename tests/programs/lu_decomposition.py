import numpy as np

A: (6, 6)

def lu(A):
    n = A.shape[0]
    A = A + 10 * np.eye(n)
    for i in range(n):
        for j in range(i):
            A[i, j] -= A[i, :j] @ A[:j, j]
            A[i, j] /= A[j, j]
        for j in range(i, n):
            A[i, j] -= A[i, :i] @ A[:i, j]
    return A

B = lu(A)
