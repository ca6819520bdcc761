# The softmax over the last axis of a batch of score volumes, and its gradient.
import numpy as np

x: (2, 3, 4, 5)
upstream: (2, 3, 4, 5)


def softmax(x):
    tmp_max = np.max(x, axis=-1, keepdims=True)
    tmp_out = np.exp(x - tmp_max)
    tmp_sum = np.sum(tmp_out, axis=-1, keepdims=True)
    return tmp_out / tmp_sum


p = softmax(x)
gradient = p * (upstream - np.sum(p * upstream, axis=-1, keepdims=True))
by_class = p.sum(axis=(0, 1, 2))
confident = p.max(-1)
chosen = np.argmax(p, axis=3)
entropy = -np.sum(p * np.log(p), axis=-1).mean(axis=(1, 2))
