# call: mlp(x, w1, b1, w2, b2, w3, b3); x = uniform(8, 3); w1 = uniform(3, 30); b1 = uniform(30); w2 = uniform(30, 20); b2 = uniform(20); w3 = uniform(20, 10); b3 = uniform(10)
import numpy as np


def relu(x):
    return np.maximum(x, 0)


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def mlp(x, w1, b1, w2, b2, w3, b3):
    x = relu(x @ w1 + b1)
    x = relu(x @ w2 + b2)
    x = softmax(x @ w3 + b3)
    return x
