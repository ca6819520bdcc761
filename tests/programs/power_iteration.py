# The first principal component by power iteration, five steps written out, then the second by deflation.
import numpy as np
import gnumpy as gpu

X: (30, 5)

centred = X - X.mean(axis=0)
C = centred.T @ centred / (X.shape[0] - 1)
v = np.ones(5)
v = C @ v
v /= gpu.euclid_norm(v)
v = C @ v
v /= gpu.euclid_norm(v)
v = C @ v
v /= gpu.euclid_norm(v)
v = C @ v
v /= gpu.euclid_norm(v)
v = C @ v
v /= gpu.euclid_norm(v)
variance = v @ C @ v
share = variance / np.sum(C * np.eye(5))
C -= variance * np.outer(v, v)
u = C @ np.array([1.0, -1.0, 1.0, -1.0, 1.0])
u = C @ (u / np.sqrt(np.sum(u * u)))
u = u / np.sqrt(np.sum(u * u))
scores = np.concatenate(((centred @ v)[:, None], (centred @ u)[:, None]), axis=1)
