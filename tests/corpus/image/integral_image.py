# call: box_filter(img, 2); img = uniform(16, 18)
import numpy as np


def box_filter(img, r):
    """Mean over a window, with an integral image."""
    h, w = img.shape
    S = np.zeros((h + 1, w + 1))
    S[1:, 1:] = img.cumsum(axis=0).cumsum(axis=1)
    k = 2 * r + 1
    inner = S[k:, k:] - S[:-k, k:] - S[k:, :-k] + S[:-k, :-k]
    out = img.copy()
    out[r:h - r, r:w - r] = inner / k ** 2
    return out
