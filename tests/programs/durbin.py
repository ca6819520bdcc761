import numpy as np
r: (8,)
def kernel(r):
    y = np.zeros_like(r)
    alpha = -r[0]
    beta = 1.0
    y[0] = -r[0]
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        z = 0.0
        for i in range(k):
            z += r[k - i - 1] * y[i]
        alpha = -(r[k] + z) / beta
        w = y.copy()
        for i in range(k):
            y[i] += alpha * w[k - i - 1]
        y[k] = alpha
    return y
out = kernel(r * 0.1)
