# Masks, steps and indices known only at run time, in loops.
import numpy as np

X: (6, 4)
w: (6,)


def work(X, w):
    total = 0.0
    for i in range(3):
        sel = X[X[:, i] > 0]
        total = total + sel.sum()
        m = w > 0.1 * i
        w[m] -= 0.05
        part = w[m]
        k = np.argmax(X[:, i])
        X[k, i] = -1.0
        X[i, ::2] *= 0.5
        X[::-1, i] = w
    last = part.mean() + sel.mean()
    kk = k + 1
    u = np.zeros((4, 6, 4))
    for t in range(4):
        u[t, 1:-1, ::2] = X[1:-1, ::2] * t
        u[t] += 1
    return total, last, kk, u


total, last, kk, u = work(X, w)
