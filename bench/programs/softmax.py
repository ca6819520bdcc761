# The softmax of each row. x: a matrix.
import numpy as np

e = np.exp(x - x.max(axis=1, keepdims=True))
y = e / e.sum(axis=1, keepdims=True)
