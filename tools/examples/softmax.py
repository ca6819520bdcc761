# The softmax of each case, and its layer norm.
import numpy as np

x: (512, 128)

e = np.exp(x - x.max(axis=1, keepdims=True))
p = e / e.sum(axis=1, keepdims=True)

centred = x - x.mean(axis=1, keepdims=True)
variance = (centred * centred).mean(axis=1, keepdims=True)
normal = centred / np.sqrt(variance + 1e-5)
