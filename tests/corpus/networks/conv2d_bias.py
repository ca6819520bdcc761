# call: conv2d_bias(x, w, bias); x = uniform(2, 12, 12, 3); w = uniform(3, 3, 3, 5); bias = uniform(5)
import numpy as np


def conv2d(x, w):
    K = w.shape[0]
    N = x.shape[0]
    H_out = x.shape[1] - K + 1
    W_out = x.shape[2] - K + 1
    C_out = w.shape[3]
    out = np.empty((N, H_out, W_out, C_out), dtype=np.float64)
    for i in range(H_out):
        for j in range(W_out):
            out[:, i, j, :] = np.sum(
                x[:, i:i + K, j:j + K, :, np.newaxis] * w[np.newaxis, :, :, :],
                axis=(1, 2, 3),
            )
    return out


def conv2d_bias(x, w, bias):
    return conv2d(x, w) + bias
