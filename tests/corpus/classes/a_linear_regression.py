import numpy as np


class LinearRegression:
    """Ordinary least squares fitted by batch gradient descent."""

    def __init__(self, learning_rate=0.1, n_iters=200):
        self.lr = learning_rate
        self.n_iters = n_iters
        self.coef_ = None
        self.intercept_ = None
        self.losses_ = []

    def fit(self, X, y):
        n_samples, n_features = X.shape
        self.coef_ = np.zeros(n_features)
        self.intercept_ = 0.0

        for _ in range(self.n_iters):
            y_pred = X @ self.coef_ + self.intercept_
            error = y_pred - y
            dw = (1 / n_samples) * (X.T @ error)
            db = (1 / n_samples) * np.sum(error)
            self.coef_ -= self.lr * dw
            self.intercept_ -= self.lr * db
            self.losses_.append(np.mean(error ** 2))

        return self

    def predict(self, X):
        if self.coef_ is None:
            raise ValueError("call fit first")
        return X @ self.coef_ + self.intercept_

    def score(self, X, y):
        y_pred = self.predict(X)
        u = ((y - y_pred) ** 2).sum()
        v = ((y - y.mean()) ** 2).sum()
        return 1 - u / v

    def __repr__(self):
        return f"LinearRegression(lr={self.lr}, n_iters={self.n_iters})"


def train_test_split(X, y, test_size=0.25):
    idx = np.random.permutation(len(X))
    n_test = int(len(X) * test_size)
    test, train = idx[:n_test], idx[n_test:]
    return X[train], X[test], y[train], y[test]


def main():
    np.random.seed(0)
    X = np.random.randn(120, 4)
    true_w = np.array([1.5, -2.0, 0.5, 3.0])
    y = X @ true_w + 0.7 + 0.1 * np.random.randn(120)

    X_train, X_test, y_train, y_test = train_test_split(X, y)

    model = LinearRegression(learning_rate=0.1, n_iters=150)
    model.fit(X_train, y_train)
    r2 = model.score(X_test, y_test)
    print(model)
    print(f"R2 on the test set: {r2:.4f}")
    return model, r2


if __name__ == "__main__":
    model, r2 = main()
    coef = model.coef_
    losses = np.array(model.losses_)
