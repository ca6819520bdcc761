# All shortest paths.
import numpy as np

D: (7, 7)


def floyd_warshall(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], path[:, k:k + 1] + path[k])
    return path


P = floyd_warshall(np.abs(D))
