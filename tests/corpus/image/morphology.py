# call: opening(img, 1); img = (uniform(18, 20) > 0.4)
import numpy as np


def erode(img, r):
    padded = np.pad(img, r, constant_values=True)
    out = np.ones_like(img)
    for dy in range(2 * r + 1):
        for dx in range(2 * r + 1):
            out &= padded[dy:dy + img.shape[0], dx:dx + img.shape[1]]
    return out


def dilate(img, r):
    return ~erode(~img, r)


def opening(img, r):
    return dilate(erode(img, r), r)
