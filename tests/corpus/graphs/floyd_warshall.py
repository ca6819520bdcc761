# call: floyd_warshall(path); path = 10 * uniform(25, 25)
import numpy as np


def floyd_warshall(path):
    for k in range(path.shape[0]):
        path[:] = np.minimum(path[:], np.add.outer(path[:, k], path[k, :]))
