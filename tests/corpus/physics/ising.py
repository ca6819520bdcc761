import numpy as np

np.random.seed(10)
N = 16
beta = 0.5
spins = np.random.choice([-1, 1], size=(N, N))
for sweep in range(10):
    for _ in range(N * N):
        i, j = np.random.randint(0, N, 2)
        nb = spins[(i + 1) % N, j] + spins[i - 1, j] + spins[i, (j + 1) % N] + spins[i, j - 1]
        dE = 2 * spins[i, j] * nb
        if dE <= 0 or np.random.rand() < np.exp(-beta * dE):
            spins[i, j] *= -1
    m = abs(spins.mean())
    print("sweep", sweep, "magnetisation", m)
