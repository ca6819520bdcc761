import numpy as np

rng = np.random.RandomState(3)
X = rng.rand(50, 8)
Y = (X.sum(axis=1, keepdims=True) > 4).astype(float)
W1, b1 = 0.3 * rng.randn(8, 12), np.zeros(12)
W2, b2 = 0.3 * rng.randn(12, 1), np.zeros(1)
keep = 0.8
for epoch in range(50):
    h = np.maximum(0, X @ W1 + b1)
    mask = (rng.rand(*h.shape) < keep) / keep
    h *= mask
    p = 1 / (1 + np.exp(-(h @ W2 + b2)))
    d = (p - Y) / len(X)
    gW2, gb2 = h.T @ d, d.sum(0)
    dh = (d @ W2.T) * mask * (h > 0)
    for w, g in ((W1, X.T @ dh), (b1, dh.sum(0)), (W2, gW2), (b2, gb2)):
        w -= 0.5 * g
    if epoch % 10 == 0:
        print(epoch, float(-np.mean(Y * np.log(p) + (1 - Y) * np.log(1 - p))))
