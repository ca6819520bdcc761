# The gradient of an autoencoder, as the question that started it all asks it.
import numpy as np

X: (128, 20)
W: (20, 12)
b_h: (12,)
b_o: (20,)

h = 1 / (1 + np.exp(-(np.dot(X, W) + b_h)))
z = 1 / (1 + np.exp(-(np.dot(h, W.T) + b_o)))
x = X
delta_o = -(x - z)
delta_h = np.dot(delta_o, W) * h * (1.0 - h)
grad_W = np.dot(X.T, delta_h)
