# call: median_filter(img, 3); img = uniform(20, 20)
import numpy as np


def median_filter(img, size=3):
    pad = size // 2
    padded = np.pad(img, pad, mode="reflect")
    result = np.zeros_like(img)
    for y in range(img.shape[0]):
        for x in range(img.shape[1]):
            window = padded[y:y + size, x:x + size]
            result[y, x] = np.median(window)
    return result
