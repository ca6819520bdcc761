# PageRank of a dense random graph.
import numpy as np

links: (8, 8)


def normalised(A):
    totals = A.sum(axis=0)
    return A / np.where(totals > 0, totals, 1)


def rank(M, damping=0.85, steps=5):
    n = M.shape[0]
    r = np.ones(n) / n
    for i in range(steps):
        previous = r
        r = damping * (M @ r) + (1 - damping) / n
    return r, np.abs(r - previous).sum()


A = (links > 0.3) * 1.0
M = normalised(A)
r, change = rank(M)
r2, change2 = rank(M, steps=2, damping=0.5)
