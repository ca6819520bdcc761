import numpy as np

np.random.seed(11)


def cost(x):
    return np.sum(x ** 2 - 10 * np.cos(2 * np.pi * x)) + 10 * len(x)


x = np.random.uniform(-5, 5, 4)
best, best_cost = x.copy(), cost(x)
c = best_cost
T = 10.0
while T > 1e-2:
    candidate = x + np.random.normal(0, 0.5, 4)
    cc = cost(candidate)
    if cc < c or np.random.random() < np.exp((c - cc) / T):
        x, c = candidate, cc
        if c < best_cost:
            best, best_cost = x.copy(), c
    T *= 0.99
print(best_cost, best)
