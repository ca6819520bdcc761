# call: wireworld(grid, 6); grid = ints(0, 4, 14, 14)
import numpy as np


def wireworld(grid, steps):
    """0 empty, 1 electron head, 2 tail, 3 conductor."""
    for _ in range(steps):
        heads = np.pad((grid == 1).astype(int), 1)
        n = sum(heads[i:i + grid.shape[0], j:j + grid.shape[1]] for i in range(3) for j in range(3)) - (grid == 1)
        new = grid.copy()
        new[grid == 1] = 2
        new[grid == 2] = 3
        new[(grid == 3) & ((n == 1) | (n == 2))] = 1
        grid = new
    return grid
