# call: prim(W); W = 1 + uniform(15, 15)
import numpy as np


def prim(W):
    """Weight of a minimum spanning tree of a complete graph."""
    W = np.minimum(W, W.T)
    n = len(W)
    in_tree = np.zeros(n, dtype=bool)
    key = np.full(n, np.inf)
    key[0] = 0.0
    total = 0.0
    for _ in range(n):
        u = np.argmin(np.where(in_tree, np.inf, key))
        in_tree[u] = True
        total += key[u]
        key = np.where(~in_tree & (W[u] < key), W[u], key)
    return total
