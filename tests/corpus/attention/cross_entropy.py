# call: cross_entropy(logits, targets); logits = normal(12, 7); targets = ints(0, 7, 12)
import numpy as np


def log_softmax(z):
    z = z - np.max(z, axis=1)[:, None]
    return z - np.log(np.sum(np.exp(z), axis=1))[:, None]


def cross_entropy(logits, targets):
    """Mean loss and its gradient with respect to the logits."""
    n = logits.shape[0]
    logp = log_softmax(logits)
    loss = -logp[np.arange(n), targets].mean()
    grad = np.exp(logp)
    grad[np.arange(n), targets] -= 1
    return loss, grad / n
