# The gradient of an auto-encoder's weights.
import numpy as np

X: (128, 784)   # inputs, one case a row
x: (128, 784)   # reconstructions
z: (128, 784)   # targets
h: (128, 256)   # hidden activities
W: (784, 256)   # weights

delta_o = -(x - z)
delta_h = np.dot(delta_o, W) * h * (1.0 - h)
grad_W = np.dot(X.T, delta_h)
