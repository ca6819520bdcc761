# A layer of convolutions with a bias, images last by channel, as in a small network.
import numpy as np

images: (2, 6, 5, 3)
weights: (3, 3, 3, 4)
bias: (4,)


def relu(x):
    return np.maximum(x, 0)


def conv2d(input, weights):
    K = weights.shape[0]
    N = input.shape[0]
    H_out = input.shape[1] - K + 1
    W_out = input.shape[2] - K + 1
    C_out = weights.shape[3]
    output = np.zeros((N, H_out, W_out, C_out))
    for i in range(H_out):
        for j in range(W_out):
            output[:, i, j, :] = np.sum(
                input[:, i:i + K, j:j + K, :, np.newaxis] * weights[np.newaxis, :, :, :],
                axis=(1, 2, 3),
            )
    return output


out = relu(conv2d(images, weights) + bias)
