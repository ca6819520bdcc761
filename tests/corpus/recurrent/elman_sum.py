import numpy as np

np.random.seed(6)
X = (np.random.rand(20, 10) > 0.5) * 1.0
t = X.sum(axis=1)
w_in, w_rec = 0.5, 0.5
lr = 0.001
for it in range(40):
    S = np.zeros((20, 11))
    for k in range(10):
        S[:, k + 1] = X[:, k] * w_in + S[:, k] * w_rec
    err = S[:, -1] - t
    g = 2 * err / len(t)
    g_in = g_rec = 0.0
    for k in range(10, 0, -1):
        g_in += np.sum(g * X[:, k - 1])
        g_rec += np.sum(g * S[:, k - 1])
        g = g * w_rec
    w_in -= lr * g_in
    w_rec -= lr * g_rec
    if it % 10 == 0:
        print("iteration %d loss %.4f" % (it, np.mean(err ** 2)))
print(w_in, w_rec)
