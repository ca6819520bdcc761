import numpy as np


class LinearRegression:
    def __init__(self, lr=0.1, n_iters=150):
        self.lr = lr
        self.n_iters = n_iters
        self.weights = None
        self.bias = None

    def fit(self, X, y):
        n_samples, n_features = X.shape
        self.weights = np.zeros(n_features)
        self.bias = 0

        for _ in range(self.n_iters):
            y_pred = np.dot(X, self.weights) + self.bias
            dw = (1 / n_samples) * np.dot(X.T, (y_pred - y))
            db = (1 / n_samples) * np.sum(y_pred - y)
            self.weights = self.weights - self.lr * dw
            self.bias = self.bias - self.lr * db

    def predict(self, X):
        return np.dot(X, self.weights) + self.bias


def mse(y_test, predictions):
    return np.mean((y_test - predictions) ** 2)


if __name__ == "__main__":
    np.random.seed(0)
    X = np.random.randn(100, 3)
    y = X @ np.array([1.5, -2.0, 3.0]) + 0.7 + 0.1 * np.random.randn(100)
    X_train, X_test, y_train, y_test = X[:80], X[80:], y[:80], y[80:]

    reg = LinearRegression(lr=0.1)
    reg.fit(X_train, y_train)
    predictions = reg.predict(X_test)
    error = mse(y_test, predictions)
    print(error)
