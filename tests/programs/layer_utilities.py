# Helpers around a layer, in spellings that are easy to get wrong: keywords out of order, sequences of numbers
# joined and repeated as Python does it, fills of arrays, norms by axis.
import numpy as np

X: (12, 5)
W: (5, 4)

widths = (X.shape[1],) + (3,) * 2
decay = np.array([0.9] * 2 + [0.5])
bias = np.zeros(W.shape[1:] + ()) + ([0.25] * 4)

H = np.tanh(X @ W + bias)
rows = H / np.linalg.norm(H, axis=1, keepdims=True)
columns = np.linalg.norm(H, None, 0)
total = np.linalg.norm(H, keepdims=True)

centre = np.full((2, 4), H.mean(axis=0))
level = np.full(fill_value=H.max(), shape=widths[1])
mask = np.full_like(H, 2)
mixed = (H > 0) ^ (H > 0.5)
mixed = mixed ^ True

same = np.transpose(X, axes=(0, 1))
turned = np.transpose(axes=(1, 0), a=X)
folded = np.reshape(X, order='C', newshape=(6, 10))
folded[0] += 1
flat = np.ravel(folded, 'C')
