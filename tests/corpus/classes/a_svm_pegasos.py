import numpy as np


class LinearSVM:
    def __init__(self, C=1.0, lr=0.01, epochs=20, random_state=0):
        self.C = C
        self.lr = lr
        self.epochs = epochs
        self.random_state = random_state

    def _hinge(self, X, y):
        margins = y * (X @ self.w_ + self.b_)
        return 0.5 * self.w_ @ self.w_ + self.C * np.maximum(0, 1 - margins).mean()

    def fit(self, X, y):
        rng = np.random.RandomState(self.random_state)
        self.w_ = np.zeros(X.shape[1])
        self.b_ = 0.0
        self.objective_ = []
        for epoch in range(self.epochs):
            order = rng.permutation(X.shape[0])
            eta = self.lr / (1 + 0.1 * epoch)
            for i in order:
                xi, yi = X[i], y[i]
                if yi * (xi @ self.w_ + self.b_) < 1:
                    self.w_ = self.w_ - eta * (self.w_ - self.C * yi * xi)
                    self.b_ += eta * self.C * yi
                else:
                    self.w_ = self.w_ - eta * self.w_
            self.objective_.append(self._hinge(X, y))
        return self

    def decision_function(self, X):
        return X @ self.w_ + self.b_

    def predict(self, X):
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def score(self, X, y):
        return np.mean(self.predict(X) == y)


class KernelSVM:
    """Dual coordinate ascent, no bias, RBF kernel."""

    def __init__(self, C=1.0, gamma=0.5, n_iter=30):
        self.C, self.gamma, self.n_iter = C, gamma, n_iter

    def _kernel(self, A, B):
        d2 = np.sum(A ** 2, axis=1)[:, None] + np.sum(B ** 2, axis=1)[None, :] - 2 * A @ B.T
        return np.exp(-self.gamma * d2)

    def fit(self, X, y):
        self.X_ = X
        self.y_ = y
        K = self._kernel(X, X)
        Q = K * np.outer(y, y)
        alpha = np.zeros(len(y))
        for _ in range(self.n_iter):
            for i in range(len(y)):
                g = 1.0 - Q[i] @ alpha
                alpha[i] = min(max(alpha[i] + g / Q[i, i], 0.0), self.C)
        self.alpha_ = alpha
        return self

    def decision_function(self, X):
        return self._kernel(X, self.X_) @ (self.alpha_ * self.y_)

    def predict(self, X):
        return np.sign(self.decision_function(X))


def main():
    np.random.seed(0)
    X = np.random.randn(80, 2)
    y = np.where(X[:, 0] * 1.5 - X[:, 1] + 0.2 > 0, 1, -1)
    svm = LinearSVM(C=5.0, lr=0.05, epochs=15).fit(X, y)

    ring = np.where((X ** 2).sum(axis=1) < 1.2, 1.0, -1.0)
    ksvm = KernelSVM(C=2.0, gamma=0.8).fit(X, ring)
    kernel_acc = np.mean(ksvm.predict(X) == ring)
    print(f"linear {svm.score(X, y):.3f}  rbf {kernel_acc:.3f}")
    return svm.w_, np.array(svm.objective_), ksvm.alpha_, kernel_acc


if __name__ == "__main__":
    w, objective, alphas, kernel_acc = main()
