import numpy as np


class Base:
    def __init__(self, **kw):
        self.calls = []
        if kw:
            raise TypeError(f"unexpected {sorted(kw)}")

    def loss(self, w):
        self.calls.append("base")
        return 0.0

    def grad(self, w):
        return np.zeros_like(w)


class L2(Base):
    def __init__(self, l2=0.1, **kw):
        super().__init__(**kw)
        self.l2 = l2

    def loss(self, w):
        self.calls.append("l2")
        return super().loss(w) + self.l2 * (w @ w)

    def grad(self, w):
        return super().grad(w) + 2 * self.l2 * w


class L1(Base):
    def __init__(self, l1=0.1, **kw):
        super().__init__(**kw)
        self.l1 = l1

    def loss(self, w):
        self.calls.append("l1")
        return super().loss(w) + self.l1 * np.abs(w).sum()

    def grad(self, w):
        return super().grad(w) + self.l1 * np.sign(w)


class LeastSquares(Base):
    def __init__(self, X, y, **kw):
        super().__init__(**kw)
        self.X, self.y = X, y

    def loss(self, w):
        self.calls.append("ls")
        r = self.X @ w - self.y
        return super().loss(w) + r @ r / len(r)

    def grad(self, w):
        return super().grad(w) + 2 * self.X.T @ (self.X @ w - self.y) / len(self.y)


class ElasticNet(L1, L2, LeastSquares):
    def fit(self, steps=100, lr=0.1):
        w = np.zeros(self.X.shape[1])
        for k in range(steps):
            w = w - lr * self.grad(w)
        self.w = w
        return self.loss(w)


i = np.arange(20)
X = np.column_stack([np.sin(i), np.cos(i * 2), np.sin(i * 3)])
y = X @ np.array([1.0, 0.0, -0.5])
en = ElasticNet(X=X, y=y, l1=0.05, l2=0.01)
print([c.__name__ for c in ElasticNet.__mro__])
print(round(float(en.fit()), 6), en.calls)
print([round(float(v), 4) for v in en.w])
try:
    ElasticNet(X=X, y=y, l3=1)
except TypeError as e:
    print("TypeError:", e)
print(isinstance(en, L2), issubclass(ElasticNet, LeastSquares), hasattr(en, "l3"))
