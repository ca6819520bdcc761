# call: kernel_attention(q, k, v, out, 5, 7, 4); q = normal(5, 4); k = normal(7, 4); v = normal(7, 3); out = zeros(5, 3)
import numpy as np


def kernel_attention(q, k, v, out, nq, nk, d):
    for i in range(nq):
        s = np.zeros(nk)
        for j in range(nk):
            s[j] = np.dot(q[i], k[j]) / np.sqrt(d)
        s = np.exp(s - np.max(s))
        s /= np.sum(s)
        for j in range(nk):
            out[i, :] += s[j] * v[j, :]
