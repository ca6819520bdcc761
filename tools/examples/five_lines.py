# Five lines of the Gnumpy report's restricted Boltzmann machine (listing 2.2).
import gnumpy as gpu

v1: (128, 784)      # a batch of cases
w_vh: (784, 4096)   # weights
w_v: (784,)
w_h: (4096,)
wu_vh: (784, 4096)  # the weights' update, which momentum carries on

h1 = (gpu.dot(v1, w_vh) + w_h).logistic()
hSampled = h1.rand() < h1
v2 = (gpu.dot(hSampled, w_vh.T) + w_v).logistic()
h2 = (gpu.dot(v2, w_vh) + w_h).logistic()
wu_vh = wu_vh * 0.9 + gpu.dot(v1.T, h1) - gpu.dot(v2.T, h2)
