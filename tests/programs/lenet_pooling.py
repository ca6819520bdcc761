# Two-by-two max pooling with strides, and what follows it in LeNet.
import numpy as np

x: (3, 6, 8, 2)
w: (24, 5)


def maxpool2d(x):
    output = np.zeros([x.shape[0], x.shape[1] // 2, x.shape[2] // 2, x.shape[3]])
    for i in range(x.shape[1] // 2):
        for j in range(x.shape[2] // 2):
            output[:, i, j, :] = np.max(x[:, 2 * i:2 * i + 2, 2 * j:2 * j + 2, :], axis=(1, 2))
    return output


pooled = maxpool2d(x)
again = x.reshape(3, 3, 2, 4, 2, 2).max(axis=(2, 4))
strided = np.maximum(np.maximum(x[:, ::2, ::2], x[:, 1::2, ::2]),
                     np.maximum(x[:, ::2, 1::2], x[:, 1::2, 1::2]))
same = np.abs(pooled - again).max() + np.abs(pooled - strided).max()
flat = pooled.reshape(pooled.shape[0], -1)
scores = flat @ w
