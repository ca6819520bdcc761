# call: entropy(counts); counts = np.maximum(normal(9), 0)
import numpy as np


def entropy(counts):
    shares = counts / counts.sum()
    bits = -np.sum([p * np.log2(p) for p in shares if p > 0])
    return bits, sum(1 for p in shares if p > 0), max(p for p in shares if p < 0.9)
