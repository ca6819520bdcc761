# One step of gradient descent on the cross-entropy of a logistic regression, with weight decay.
import numpy as np
import gnumpy as gpu

X: (20, 6)
w: (6,)
b: ()
scores: (20,)

rate = 0.5
decay = 1e-3
n_cases = X.shape[0]
labels = (scores > 0) * 1.0

z = X @ w + b
p = gpu.logistic(z)
loss = np.mean(gpu.log_1_plus_exp(z) - labels * z) + 0.5 * decay * np.sum(w ** 2)
error = (p - labels) / n_cases
w -= rate * (X.T @ error + decay * w)
b -= rate * error.sum()
accuracy = ((p > 0.5) == (labels > 0.5)).mean()
