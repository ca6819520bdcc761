# Reductions of matrices that are filled with a number, and of what is then overwritten.
import numpy as np

w: (3, 1, 1)
a: (3, 7)
b: (1, 7)

zeros = np.zeros_like(w > 0)
none = zeros.clip(zeros, 1)
spread = zeros.T.std(axis=-1, keepdims=True, ddof=2).dot(w) >= 2

least = np.min(a, axis=-2)
least /= least
product = -a.T @ a @ a.T
chosen = least = np.where(b[:, :][:1] >= least, b[:, :][:1], least)
column = np.reshape(b, (-1, 1))
waves, chosen = np.sin(np.abs(column.transpose()) ** 1.5), product.T.T.dot((product + column).T)
