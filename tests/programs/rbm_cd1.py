# Contrastive divergence with one step for a restricted Boltzmann machine; the draws are inputs.
import numpy as np
import gnumpy as gpu

dat: (16, 12)
uniform: (16, 7)
w_vh: (12, 7)
w_v: (12,)
w_h: (7,)
wu_vh: (12, 7)

epsilon = 0.1
momentum = 0.9
batch_size = dat.shape[0]

v1 = gpu.logistic(dat)
h1 = (gpu.dot(v1, w_vh) + w_h).logistic()
hSampled = gpu.logistic(uniform) < h1
v2 = (gpu.dot(hSampled, w_vh.T) + w_v).logistic()
h2 = (gpu.dot(v2, w_vh) + w_h).logistic()
wu_vh = wu_vh * momentum + gpu.dot(v1.T, h1) - gpu.dot(v2.T, h2)
w_vh += wu_vh * (epsilon / batch_size)
w_v += (v1.sum(0) - v2.sum(0)) * (epsilon / batch_size)
w_h += (h1.sum(0) - h2.sum(0)) * (epsilon / batch_size)
err = (v2 - v1).euclid_norm() ** 2 / (dat.shape[1] * batch_size)
