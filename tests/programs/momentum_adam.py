# Two steps of Adam on a quadratic, and NumPy's habits with names: aliases, chains, swaps.
import numpy as np

A: (5, 5)
target: (5,)

theta = np.zeros(5)
m = np.zeros_like(theta)
s = np.zeros_like(theta)
beta1, beta2, eps = 0.9, 0.999, 1e-8
H = A.T @ A + np.eye(5)

step = 1
g = H @ theta - target
m = beta1 * m + (1 - beta1) * g
s = beta2 * s + (1 - beta2) * g ** 2
theta -= 0.01 * (m / (1 - beta1 ** step)) / (np.sqrt(s / (1 - beta2 ** step)) + eps)
before = theta.copy()
alias = theta

step += 1
g = H @ theta - target
m = beta1 * m + (1 - beta1) * g
s = beta2 * s + (1 - beta2) * g ** 2
theta -= 0.01 * (m / (1 - beta1 ** step)) / (np.sqrt(s / (1 - beta2 ** step)) + eps)
same = alias - theta
moved = alias - before
low = high = moved
low, high = np.minimum(low, 0), np.maximum(high, 0)
loss = 0.5 * theta @ H @ theta - theta @ target
