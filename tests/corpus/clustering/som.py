import numpy as np

np.random.seed(5)
data = np.random.rand(60, 3)
grid = np.random.rand(6, 6, 3)
ii, jj = np.meshgrid(np.arange(6), np.arange(6), indexing="ij")
for t in range(100):
    x = data[t % len(data)]
    dist = ((grid - x) ** 2).sum(axis=2)
    bi, bj = np.unravel_index(dist.argmin(), dist.shape)
    sigma = 3 * np.exp(-t / 50)
    h = np.exp(-((ii - bi) ** 2 + (jj - bj) ** 2) / (2 * sigma ** 2))
    grid += 0.1 * h[:, :, None] * (x - grid)
print("quantisation error", np.mean([np.sqrt(((grid - x) ** 2).sum(axis=2)).min() for x in data]))
