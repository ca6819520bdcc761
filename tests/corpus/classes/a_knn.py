import numpy as np
from collections import Counter


def euclidean(a, b):
    return np.sqrt(np.sum((a - b) ** 2, axis=-1))


def manhattan(a, b):
    return np.abs(a - b).sum(axis=-1)


class KNN:
    METRICS = {"euclidean": euclidean, "manhattan": manhattan}

    def __init__(self, k=3, metric="euclidean"):
        if metric not in self.METRICS:
            raise ValueError(f"unknown metric: {metric}")
        self.k = k
        self.metric = self.METRICS[metric]

    def fit(self, X, y):
        self.X_train = X
        self.y_train = y
        return self

    def kneighbors(self, x):
        distances = self.metric(self.X_train, x)
        return np.argsort(distances)[: self.k]

    def predict(self, X):
        return np.array([self._predict(x) for x in X])

    def _predict(self, x):
        raise NotImplementedError


class KNNClassifier(KNN):
    def _predict(self, x):
        labels = [int(self.y_train[i]) for i in self.kneighbors(x)]
        return Counter(labels).most_common(1)[0][0]

    def score(self, X, y):
        return (self.predict(X) == y).mean()


class KNNRegressor(KNN):
    def __init__(self, k=3, metric="euclidean", weights="uniform"):
        super().__init__(k, metric)
        self.weights = weights

    def _predict(self, x):
        idx = self.kneighbors(x)
        if self.weights == "distance":
            w = 1.0 / (self.metric(self.X_train[idx], x) + 1e-9)
            return np.sum(w * self.y_train[idx]) / np.sum(w)
        return self.y_train[idx].mean()


def main():
    np.random.seed(0)
    X = np.random.randn(90, 2)
    y = (X[:, 0] ** 2 + X[:, 1] > 0.5).astype(int)
    Xtr, Xte = X[:60], X[60:]
    ytr, yte = y[:60], y[60:]

    accs = {}
    for k in (1, 3, 5, 7):
        accs[k] = KNNClassifier(k=k).fit(Xtr, ytr).score(Xte, yte)
    best_k = max(accs, key=accs.get)
    print("best k:", best_k, "accuracy:", accs[best_k])

    xs = np.linspace(0, 2 * np.pi, 40).reshape(-1, 1)
    ys = np.sin(xs).ravel()
    grid = np.linspace(0.1, 6.1, 15).reshape(-1, 1)
    reg = KNNRegressor(k=4, metric="manhattan", weights="distance").fit(xs, ys)
    return np.array(list(accs.values())), float(best_k), reg.predict(grid)


if __name__ == "__main__":
    accuracies, best_k, curve = main()
