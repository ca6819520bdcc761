import numpy as np


def kernel_regression(A, b, x):
    n = A.shape[0]
    d = np.linalg.norm(A, axis=1)
    order = np.argsort(d)
    q, r = np.linalg.qr(A)
    x[:] = np.linalg.solve(r, q.T @ b)
    P = np.linalg.pinv(A)
    h, e = np.histogram(b, bins=5)
    p = h / h.sum()
    entropy = -np.sum(np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0))
    med = np.median(b)
    b = np.where(b > med, med, b)
    return order[:3], entropy, P @ b


A: (12, 4)
b: (12,)
x: (4,)
o, e, z = kernel_regression(A, b, x)
