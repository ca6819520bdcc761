# call: basicblock(x, w1, w2); x = normal(1, 6, 6, 4); w1 = normal(3, 3, 4, 4); w2 = normal(1, 1, 4, 4)
import numpy as np


def batchnorm2d(x, eps=1e-5):
    mean = np.mean(x, axis=(0, 1, 2), keepdims=True)
    std = np.std(x, axis=(0, 1, 2), keepdims=True)
    return (x - mean) / np.sqrt(std + eps)


def conv(x, w):
    k = w.shape[0]
    n, h, wd, _ = x.shape
    out = np.empty((n, h - k + 1, wd - k + 1, w.shape[3]))
    for i in range(out.shape[1]):
        for j in range(out.shape[2]):
            out[:, i, j, :] = np.sum(x[:, i:i + k, j:j + k, :, np.newaxis] * w[np.newaxis], axis=(1, 2, 3))
    return out


def basicblock(x, w1, w2):
    padded = np.zeros((x.shape[0], x.shape[1] + 2, x.shape[2] + 2, x.shape[3]))
    padded[:, 1:-1, 1:-1, :] = x
    y = np.maximum(batchnorm2d(conv(padded, w1)), 0)
    y = batchnorm2d(conv(y, w2))
    return np.maximum(x + y, 0)
