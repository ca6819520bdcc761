# call: multi_head(x, Wq, Wk, Wv, Wo, 4); x = normal(2, 6, 16); Wq = normal(16, 16); Wk = normal(16, 16); Wv = normal(16, 16); Wo = normal(16, 16)
import numpy as np


def multi_head(x, Wq, Wk, Wv, Wo, num_heads):
    B, T, D = x.shape
    assert D % num_heads == 0
    dh = D // num_heads

    def split(y):
        return y.reshape(B, T, num_heads, dh).transpose(0, 2, 1, 3)

    q, k, v = split(x @ Wq), split(x @ Wk), split(x @ Wv)
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(dh)
    scores -= scores.max(axis=-1, keepdims=True)
    att = np.exp(scores)
    att /= att.sum(axis=-1, keepdims=True)
    y = (att @ v).transpose(0, 2, 1, 3).reshape(B, T, D)
    return y @ Wo
