import numpy as np

np.random.seed(77)
walkers, steps = 200, 100
moves = np.random.choice([-1, 1], size=(walkers, steps))
paths = np.cumsum(moves, axis=1)
msd = (paths ** 2).mean(axis=0)
t = np.arange(1, steps + 1)
slope = (t * msd).sum() / (t * t).sum()
print("diffusion constant", slope / 2)
first = np.argmax(np.abs(paths) >= 10, axis=1)
hit = (np.abs(paths) >= 10).any(axis=1)
print("mean first passage", first[hit].mean() if hit.any() else None)
