# call: attend(q, k, v); q = normal(2, 3, 5, 4); k = normal(2, 3, 5, 4); v = normal(2, 3, 5, 4)
import numpy as np


def attend(q, k, v):
    scores = np.einsum('...id,...jd->...ij', q, k) / np.sqrt(q.shape[-1])
    scores -= scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights /= np.einsum('...ij->...i', weights)[..., None]
    return np.einsum('...ij,...jd->...id', weights, v), np.einsum('...ii->...i', weights)
