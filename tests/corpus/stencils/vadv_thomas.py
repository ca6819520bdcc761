# call: vertical_solve(a, b, c, d); a = uniform(6, 5, 12); b = 4 + uniform(6, 5, 12); c = uniform(6, 5, 12); d = normal(6, 5, 12)
import numpy as np


def vertical_solve(a, b, c, d):
    I, J, K = d.shape
    ccol = np.ndarray((I, J, K), dtype=d.dtype)
    dcol = np.ndarray((I, J, K), dtype=d.dtype)
    x = np.zeros((I, J, K))
    for k in range(K):
        if k == 0:
            ccol[:, :, k] = c[:, :, k] / b[:, :, k]
            dcol[:, :, k] = d[:, :, k] / b[:, :, k]
        else:
            divided = 1.0 / (b[:, :, k] - ccol[:, :, k - 1] * a[:, :, k])
            ccol[:, :, k] = c[:, :, k] * divided
            dcol[:, :, k] = (d[:, :, k] - dcol[:, :, k - 1] * a[:, :, k]) * divided
    for k in range(K - 1, -1, -1):
        if k == K - 1:
            datacol = dcol[:, :, k]
        else:
            datacol = dcol[:, :, k] - ccol[:, :, k] * x[:, :, k + 1]
        x[:, :, k] = datacol
    return x
