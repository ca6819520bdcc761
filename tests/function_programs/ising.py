import numpy as np
np.random.seed(3)
spins = 2 * np.random.randint(2, size=(8, 8)) - 1
neigh = np.roll(spins, 1, axis=0) + np.roll(spins, -1, axis=0) + np.roll(spins, 1, axis=1) + np.roll(spins, -1, axis=1)
E = -np.sum(spins * neigh) / 2.0
M = spins.sum()
flip = np.random.random((8, 8)) < np.exp(-2.0 * spins * neigh)
spins = np.where(flip, -spins, spins)
m2 = np.mean(spins)
