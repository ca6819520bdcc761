import numpy as np
rng = np.random.default_rng(42)
x = np.linspace(-3, 3, 50)
y = 2.5 * x - 1.0 + rng.normal(0, 0.5, size=x.shape)
A = np.vstack([x, np.ones(len(x))]).T
AtA = A.T @ A
Aty = A.T @ y
det = AtA[0, 0] * AtA[1, 1] - AtA[0, 1] * AtA[1, 0]
slope = (AtA[1, 1] * Aty[0] - AtA[0, 1] * Aty[1]) / det
resid = y - slope * x
r2 = 1 - np.sum(resid ** 2) / np.sum((y - np.mean(y)) ** 2)
