# call: trmm(1.5, A, B); A = normal(18, 18); B = normal(18, 12)
import numpy as np


def trmm(alpha, A, B):
    for i in range(B.shape[0]):
        for j in range(B.shape[1]):
            B[i, j] += np.dot(A[i + 1:, i], B[i + 1:, j])
    B *= alpha
