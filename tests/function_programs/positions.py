import numpy as np
L, d = 10, 8
pos = np.arange(L)[:, np.newaxis]
i = np.arange(d)[np.newaxis, :]
angle = pos / np.power(10000, (2 * (i // 2)) / np.float32(d))
even = (i % 2 == 0)
pe = np.where(even, np.sin(angle), np.cos(angle))
mask = np.tril(np.ones((L, L)))
scores = pe @ pe.T / np.sqrt(d)
scores = np.where(mask == 0, -1e9, scores)
a = np.exp(scores - scores.max(-1, keepdims=True))
a = a / a.sum(-1, keepdims=True)
ctx = a @ pe
causal = np.triu(np.full((L, L), -np.inf), k=1)
