import numpy as np

np.random.seed(0)
T, d = 8, 16
x = np.random.randn(T, d)
Wq, Wk, Wv = (np.random.randn(d, d) / np.sqrt(d) for _ in range(3))

q, k, v = x @ Wq, x @ Wk, x @ Wv
scores = q @ k.T / np.sqrt(d)
mask = np.triu(np.ones((T, T)), k=1).astype(bool)
scores[mask] = -np.inf
w = np.exp(scores - scores.max(axis=1, keepdims=True))
w = w / w.sum(axis=1, keepdims=True)
out = w @ v
print(np.round(w, 2))
print(out.shape, out.mean())
