import numpy as np

np.random.seed(9)
X = np.random.rand(40, 10)
We = 0.1 * np.random.randn(10, 4)
Wd = 0.1 * np.random.randn(4, 10)
lr = 0.2
losses = []
for epoch in range(80):
    H = np.tanh(X @ We)
    out = H @ Wd
    diff = out - X
    losses.append(np.mean(diff ** 2))
    gout = 2 * diff / diff.size
    gWd = H.T @ gout
    gH = gout @ Wd.T
    gWe = X.T @ (gH * (1 - H ** 2))
    We -= lr * gWe
    Wd -= lr * gWd
print("first %.5f last %.5f" % (losses[0], losses[-1]))
assert losses[-1] < losses[0]
