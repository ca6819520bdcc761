# Layer normalisation, forward and backward.
import numpy as np

x: (8, 10)
gain: (10,)
shift: (10,)
grad_y: (8, 10)

eps = 1e-5
mu = x.mean(axis=1, keepdims=True)
sd = np.sqrt(x.var(axis=1, keepdims=True) + eps)
normal = (x - mu) / sd
y = gain * normal + shift

grad_gain = (grad_y * normal).sum(axis=0)
grad_shift = grad_y.sum(axis=0)
g = grad_y * gain
grad_x = (g - g.mean(axis=1, keepdims=True) - normal * np.mean(g * normal, axis=1, keepdims=True)) / sd
