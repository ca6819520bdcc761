# call: life(grid, 10); grid = (uniform(20, 20) > 0.6).astype(np.int64)
import numpy as np


def life(grid, steps):
    """Conway's game of life on a torus."""
    for _ in range(steps):
        neighbours = sum(
            np.roll(np.roll(grid, i, 0), j, 1)
            for i in (-1, 0, 1) for j in (-1, 0, 1)
            if (i != 0 or j != 0)
        )
        grid = ((neighbours == 3) | ((grid == 1) & (neighbours == 2))).astype(int)
    return grid
