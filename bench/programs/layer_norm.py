# Layer norm over the last axis. x: a matrix; gain, bias: vectors.
import numpy as np

centred = x - x.mean(axis=1, keepdims=True)
variance = (centred * centred).mean(axis=1, keepdims=True)
y = centred / np.sqrt(variance + 1e-5) * gain + bias
