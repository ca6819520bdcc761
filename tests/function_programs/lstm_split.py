import numpy as np
def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))
np.random.seed(0)
n_x, n_h, T = 3, 5, 6
x = np.random.randn(T, n_x)
Wf = np.random.randn(4 * n_h, n_x + n_h) * 0.1
b = np.zeros(4 * n_h)
h = np.zeros(n_h)
c = np.zeros(n_h)
hs = np.empty((T, n_h))
for t in range(T):
    z = np.concatenate((x[t], h))
    g = Wf @ z + b
    i, f, o, u = np.split(g, 4)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(u)
    h = sigmoid(o) * np.tanh(c)
    hs[t] = h
out = hs.sum(axis=0)
