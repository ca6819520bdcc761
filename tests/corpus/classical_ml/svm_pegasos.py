import numpy as np

np.random.seed(4)
X = np.vstack((np.random.randn(50, 2) + 2, np.random.randn(50, 2) - 2))
y = np.hstack((np.ones(50), -np.ones(50)))

lam = 0.01
w = np.zeros(2)
for t in range(1, 501):
    i = np.random.randint(len(X))
    eta = 1.0 / (lam * t)
    if y[i] * X[i].dot(w) < 1:
        w = (1 - eta * lam) * w + eta * y[i] * X[i]
    else:
        w = (1 - eta * lam) * w

hinge = np.maximum(0, 1 - y * (X @ w)).mean()
print("w =", w, "hinge =", hinge)
print("train accuracy: {:.1%}".format(np.mean(np.sign(X @ w) == y)))
