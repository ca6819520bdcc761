# Subscripts of every kind on arrays of one to three dimensions, read and written.
import numpy as np
X: (5, 4)
V: (3, 5, 4)
w: (4,)
m = w > 0
X[:, m] = 0.5
X[:, m] += 1

Y = X.copy()
Y[Y > 0.7] = Y[Y > 0.7] * 2 - Y[Y > 0.7] ** 2
rows = X[:, 0] > 0
s = X[rows].sum()
c = X[rows].mean(axis=0)
c1 = X[rows].sum(axis=1).max()
t = np.mean((X[rows] - X[rows].mean(axis=0)) ** 2)
X[rows] = w
X[rows, 1] = -1.0
n = X[rows].shape[0]
n2 = len(V[V > 0])
frac = np.sum(V[V > 0]) / V[V > 0].size
Z = V[..., ::-1].copy()
Z[:, ::2] = Z[:, ::2] * 2
Z[::-1] = V
Z[1, ...] = w
Z[..., None][:, 1:3] += 1
d = np.dot(w[m], w[m])
k = np.argmax(w)
X[k, :] *= 2
X[2, k] = 9
r = X[k] + 1
col = X[:, k] - 1
best = X[np.argmax(X[:, 0])]
idx = np.array([[0, 1], [2, 0]])
P = X[idx]
P2 = X[:, idx]
P3 = V[idx, :, idx]
P4 = V[:, idx, 0]
P5 = V[0, :, np.array([1, 2])]
V[idx[0], 1] = w
V[:, np.array([0, 2]), np.array([1, 3])] = 5.0
q = np.where(V > 0.5, V, 0).max(axis=(0, 2))
A = np.zeros((2, 3, 4))
A[0] = 1
A[1, 2] = w
A[:, 1, :] = A[:, 0, :] + w
B = np.concatenate((V, V[:1]), axis=0).std(axis=(0, 1))
C = V.transpose(2, 0, 1)[1:, :, 0].T
E = np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]) * 2.0
print(V.ndim, V.shape, len(V), V.shape[-1])
