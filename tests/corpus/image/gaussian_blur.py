# call: gaussian_blur(img, 1.0); img = uniform(24, 30)
import numpy as np


def gaussian_kernel(sigma):
    radius = int(3 * sigma)
    x = np.arange(-radius, radius + 1)
    k = np.exp(-x ** 2 / (2 * sigma ** 2))
    return k / k.sum()


def gaussian_blur(img, sigma):
    """Separable blur with edge replication."""
    k = gaussian_kernel(sigma)
    r = len(k) // 2
    padded = np.pad(img, r, mode="edge")
    tmp = np.zeros((padded.shape[0], img.shape[1]))
    for i, w in enumerate(k):
        tmp += w * padded[:, i:i + img.shape[1]]
    out = np.zeros_like(img)
    for i, w in enumerate(k):
        out += w * tmp[i:i + img.shape[0], :]
    return out
