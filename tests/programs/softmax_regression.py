# The loss of a softmax regression and its gradients, the maximum taken out before exp.
import numpy as np

X: (15, 4)
W: (4, 3)
b: (3,)
targets: (15, 3)

onehot = (targets == targets.max(axis=1, keepdims=True)) * 1.0
logits = np.dot(X, W) + b
shifted = logits - np.max(logits, axis=1)[:, None]
exponentials = np.exp(shifted)
totals = np.sum(exponentials, axis=1, keepdims=True)
p = exponentials / totals
log_p = shifted - np.log(totals)
loss = -np.sum(onehot * log_p) / len(X)
delta = (p - onehot) / len(X)
grad_W = np.dot(X.T, delta)
grad_b = delta.sum(0)
right = np.mean(p.argmax(axis=1) == onehot.argmax(axis=1))
W = W - 0.1 * grad_W
b = b - 0.1 * grad_b
