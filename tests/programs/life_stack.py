# The game of life on several boards at once.
import numpy as np

boards: (3, 8, 9)

Z = np.where(boards > 0, 1.0, 0.0)
for generation in range(3):
    N = (Z[:, :-2, :-2] + Z[:, :-2, 1:-1] + Z[:, :-2, 2:] + Z[:, 1:-1, :-2] + Z[:, 1:-1, 2:] +
         Z[:, 2:, :-2] + Z[:, 2:, 1:-1] + Z[:, 2:, 2:])
    birth = (N == 3) & (Z[:, 1:-1, 1:-1] == 0)
    survive = ((N == 2) | (N == 3)) & (Z[:, 1:-1, 1:-1] == 1)
    Z[...] = 0
    Z[:, 1:-1, 1:-1][birth | survive] = 1
alive = Z.sum(axis=(1, 2))
