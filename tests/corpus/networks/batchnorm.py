# call: batchnorm_forward(x, gamma, beta, rm, rv); x = normal(32, 8); gamma = uniform(8); beta = normal(8); rm = zeros(8); rv = np.ones(8)
import numpy as np


def batchnorm_forward(x, gamma, beta, rm, rv, momentum=0.9, eps=1e-5, training=True):
    """Batch normalisation; the running statistics are updated in place."""
    if training:
        mu = x.mean(axis=0)
        var = x.var(axis=0)
        rm[...] = momentum * rm + (1 - momentum) * mu
        rv[...] = momentum * rv + (1 - momentum) * var
    else:
        mu, var = rm, rv
    xhat = (x - mu) / np.sqrt(var + eps)
    return gamma * xhat + beta
