# call: otsu(img); img = uniform(30, 30)
import numpy as np


def otsu(img, bins=32):
    """Threshold which maximises the variance between two classes."""
    hist, edges = np.histogram(img, bins=bins)
    p = hist / hist.sum()
    centers = (edges[:-1] + edges[1:]) / 2
    w0 = np.cumsum(p)
    w1 = 1 - w0
    mu = np.cumsum(p * centers)
    with np.errstate(divide="ignore", invalid="ignore"):
        between = (mu[-1] * w0 - mu) ** 2 / (w0 * w1)
    best = np.nanargmax(between)
    return img > centers[best]
