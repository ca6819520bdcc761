# call: bfs(A, 0); A = symmetric01(25)
import numpy as np


def bfs(A: np.ndarray, source: int) -> np.ndarray:
    """Level of every vertex, -1 when it is not reachable."""
    n = A.shape[0]
    level = np.full(n, -1)
    frontier = np.zeros(n, dtype=bool)
    frontier[source] = True
    depth = 0
    while frontier.any():
        level[frontier] = depth
        reached = (A[frontier].sum(axis=0) > 0)
        frontier = reached & (level == -1)
        depth += 1
    return level
