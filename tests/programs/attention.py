# One head of scaled dot-product attention with a causal mask.
import numpy as np

tokens: (7, 8)
W_q: (8, 4)
W_k: (8, 4)
W_v: (8, 4)
positions: (7, 1)

queries, keys, values = tokens @ W_q, tokens @ W_k, tokens @ W_v
scale = queries.shape[1] ** -0.5
scores = (queries @ keys.T) * scale
order = np.ones((7, 1)) * np.array([[0, 1, 2, 3, 4, 5, 6]])
allowed = order <= order.T
scores = np.where(allowed, scores, -np.inf)
scores -= scores.max(axis=-1, keepdims=True)
weights = np.exp(scores)
weights /= weights.sum(axis=-1, keepdims=True)
out = weights @ values
entropy = -np.sum(np.where(allowed, weights * np.log(np.maximum(weights, 1e-12)), 0), axis=1)
