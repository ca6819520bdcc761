# Linear regression by gradient descent, with a little config object
import numpy as np
from types import SimpleNamespace

np.random.seed(0)

cfg = SimpleNamespace(lr=0.1, epochs=60, tol=1e-7)


class LinearRegression:
    """y = X w + b, trained with plain gradient descent."""

    def __init__(self, cfg):
        self.cfg = cfg
        self.w = None
        self.b = 0.0
        self.history = []

    def predict(self, X):
        return X @ self.w + self.b

    def loss(self, X, y):
        e = self.predict(X) - y
        return np.mean(e ** 2)

    def step(self, X, y):
        e = self.predict(X) - y
        grad_w = 2 * X.T @ e / len(y)
        grad_b = 2 * e.mean()
        self.w -= self.cfg.lr * grad_w
        self.b -= self.cfg.lr * grad_b

    def fit(self, X, y):
        if X.shape[0] != y.shape[0]:
            raise ValueError("X and y have different lengths")
        if self.w is None:
            self.w = np.zeros(X.shape[1])
        for epoch in range(self.cfg.epochs):
            self.step(X, y)
            self.history.append(self.loss(X, y))
            if epoch > 0 and abs(self.history[-2] - self.history[-1]) < self.cfg.tol:
                print("stopped early at epoch", epoch)
                break
        return self

    def __str__(self):
        return "LinearRegression(w=%s, b=%.3f)" % (np.round(self.w, 3), self.b)


X = np.random.randn(80, 3)
true_w = np.array([1.5, -2.0, 0.5])
y = X @ true_w + 0.7 + 0.1 * np.random.randn(80)

model = LinearRegression(cfg).fit(X, y)
print(model)
print(", ".join("%s=%s" % kv for kv in vars(cfg).items()))
print("first loss %.4f, last loss %.4f" % (model.history[0], model.history[-1]))

weights = model.w
bias = model.b
losses = np.array(model.history)
r2 = 1 - np.sum((y - model.predict(X)) ** 2) / np.sum((y - y.mean()) ** 2)
