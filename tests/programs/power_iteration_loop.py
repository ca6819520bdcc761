# Principal components by power iteration and deflation.
import numpy as np

X: (30, 4)

C = X.T @ X / X.shape[0]
components = np.zeros((2, 4))
variances = np.zeros(2)
for k in range(2):
    v = np.ones(4) / 2
    for step in range(6):
        w = C @ v
        size = np.sqrt(np.sum(w * w))
        v = w / size
    components[k] = v
    variances[k] = size
    C = C - size * np.outer(v, v)
scores = X @ components.T
