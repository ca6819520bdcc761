import numpy as np


def batches(X, y, size, rng):
    perm = rng.permutation(len(X))
    for start in range(0, len(X), size):
        idx = perm[start:start + size]
        yield X[idx], y[idx]


rng = np.random.RandomState(0)
X = rng.randn(256, 5)
y = X.dot(np.arange(5)) + 0.1 * rng.randn(256)
w = np.zeros(5)
for epoch in range(20):
    total = 0.0
    for xb, yb in batches(X, y, 32, rng):
        err = xb.dot(w) - yb
        total += np.sum(err ** 2)
        w -= 0.05 * xb.T.dot(err) / len(xb)
    if epoch % 5 == 0:
        print(epoch, total / len(X))
print(w)
