import numpy as np
rng = np.random.default_rng(3)
X = rng.standard_normal((64, 5))
true_w = np.arange(1, 6, dtype=float)
y = X @ true_w + rng.normal(scale=0.1, size=64)
w = np.zeros(5)
m = np.zeros_like(w)
v = np.zeros_like(w)
lr, b1, b2, eps = 0.1, 0.9, 0.999, 1e-8
for t in range(1, 31):
    g = 2 * X.T @ (X @ w - y) / len(y)
    m = b1 * m + (1 - b1) * g
    v = b2 * v + (1 - b2) * g**2
    w -= lr * (m / (1 - b1)) / (np.sqrt(v / (1 - b2)) + eps)
loss = np.average((X @ w - y)**2)
close = np.isclose(w, true_w, atol=0.5)
