import numpy as np


class Adam:
    def __init__(self, lr=0.1, b1=0.9, b2=0.999, eps=1e-8):
        self.lr, self.b1, self.b2, self.eps = lr, b1, b2, eps
        self.m = 0
        self.v = 0
        self.t = 0

    def step(self, w, g):
        self.t += 1
        self.m = self.b1 * self.m + (1 - self.b1) * g
        self.v = self.b2 * self.v + (1 - self.b2) * g * g
        mhat = self.m / (1 - self.b1 ** self.t)
        vhat = self.v / (1 - self.b2 ** self.t)
        return w - self.lr * mhat / (np.sqrt(vhat) + self.eps)


np.random.seed(0)
A = np.random.randn(30, 5)
b = np.random.randn(30)
w = np.zeros(5)
opt = Adam()
for it in range(200):
    r = A @ w - b
    g = A.T @ r / len(b)
    w = opt.step(w, g)
    if it % 50 == 0:
        print(it, 0.5 * np.mean(r ** 2))
print(w)
