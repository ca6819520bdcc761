# call: chi_square(table); table = 1.0 + ints(0, 20, 4, 3)
import numpy as np


def chi_square(table):
    """Statistic, degrees of freedom and expected counts of a contingency table."""
    rows = table.sum(axis=1, keepdims=True)
    cols = table.sum(axis=0, keepdims=True)
    expected = rows * cols / table.sum()
    stat = ((table - expected) ** 2 / expected).sum()
    dof = (table.shape[0] - 1) * (table.shape[1] - 1)
    return stat, dof, expected
