# The largest principal component by power iteration.
import numpy as np

X: (1000, 20)

v = np.ones(20)
for step in range(50):
    v = X.T @ (X @ v)
    v /= np.sqrt(np.sum(v * v))
