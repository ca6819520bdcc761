# call: topple(grid); grid = ints(0, 7, 12, 12)
import numpy as np


def topple(grid):
    """Relax an abelian sandpile; returns the number of sweeps."""
    sweeps = 0
    while np.any(grid >= 4):
        over = grid // 4
        grid -= 4 * over
        grid[1:, :] += over[:-1, :]
        grid[:-1, :] += over[1:, :]
        grid[:, 1:] += over[:, :-1]
        grid[:, :-1] += over[:, 1:]
        sweeps += 1
    return sweeps
