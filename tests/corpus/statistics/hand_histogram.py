# call: histogram(a, 8); a = normal(300)
import numpy as np


def histogram(a, bins):
    lo, hi = a.min(), a.max()
    counts = np.zeros(bins, dtype=np.int64)
    edges = np.linspace(lo, hi, bins + 1)
    for i in range(a.shape[0]):
        k = int((a[i] - lo) / (hi - lo) * bins)
        if k == bins:
            k = bins - 1
        counts[k] += 1
    return counts, edges
