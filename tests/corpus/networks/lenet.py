# call: lenet(x, c1, b1, c2, b2, f1, g1, f2, g2); x = uniform(2, 16, 16, 1); c1 = uniform(3, 3, 1, 4); b1 = uniform(4); c2 = uniform(3, 3, 4, 6); b2 = uniform(6); f1 = uniform(24, 20); g1 = uniform(20); f2 = uniform(20, 10); g2 = uniform(10)
import numpy as np


def conv(x, w):
    k = w.shape[0]
    ho = x.shape[1] - k + 1
    wo = x.shape[2] - k + 1
    out = np.zeros((x.shape[0], ho, wo, w.shape[3]), dtype=x.dtype)
    for i in range(ho):
        for j in range(wo):
            patch = x[:, i:i + k, j:j + k, :, None]
            out[:, i, j, :] = (patch * w[None]).sum(axis=(1, 2, 3))
    return out


def pool(x):
    out = np.empty((x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]), dtype=x.dtype)
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            out[:, i, j, :] = np.max(x[:, 2 * i:2 * i + 2, 2 * j:2 * j + 2, :], axis=(1, 2))
    return out


def lenet(x, c1, b1, c2, b2, f1, g1, f2, g2):
    x = pool(np.maximum(conv(x, c1) + b1, 0))
    x = pool(np.maximum(conv(x, c2) + b2, 0))
    x = np.reshape(x, (x.shape[0], x.shape[1] * x.shape[2] * x.shape[3]))
    x = np.maximum(x @ f1 + g1, 0)
    return x @ f2 + g2
