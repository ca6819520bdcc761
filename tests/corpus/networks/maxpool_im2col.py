# call: conv_forward(x, w, b, 1, 1); x = normal(2, 3, 8, 8); w = normal(4, 3, 3, 3); b = normal(4)
import numpy as np


def conv_forward(x, w, b, stride=1, pad=0):
    """Convolution (NCHW) with im2col."""
    N, C, H, W = x.shape
    F, _, HH, WW = w.shape
    Ho = (H + 2 * pad - HH) // stride + 1
    Wo = (W + 2 * pad - WW) // stride + 1
    xp = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)), mode="constant")
    cols = np.zeros((N, C, HH, WW, Ho, Wo))
    for i in range(HH):
        for j in range(WW):
            cols[:, :, i, j] = xp[:, :, i:i + stride * Ho:stride, j:j + stride * Wo:stride]
    cols = cols.transpose(0, 4, 5, 1, 2, 3).reshape(N * Ho * Wo, -1)
    out = cols @ w.reshape(F, -1).T + b
    return out.reshape(N, Ho, Wo, F).transpose(0, 3, 1, 2)
