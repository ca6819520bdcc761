# call: linear_attention(Q, K, V); Q = normal(2, 9, 4); K = normal(2, 9, 4); V = normal(2, 9, 5)
import numpy as np


def elu1(x):
    return np.where(x > 0, x + 1, np.exp(x))


def linear_attention(Q, K, V):
    q, k = elu1(Q), elu1(K)
    kv = np.einsum("bnd,bne->bde", k, V)
    z = 1 / (np.einsum("bnd,bd->bn", q, k.sum(axis=1)) + 1e-6)
    return np.einsum("bnd,bde,bn->bne", q, kv, z)
