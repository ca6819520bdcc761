from collections import Counter

import numpy as np


def euclidean_distance(x1, x2):
    return np.sqrt(np.sum((x1 - x2) ** 2))


class KNN:
    def __init__(self, k=3):
        self.k = k

    def fit(self, X, y):
        self.X_train = X
        self.y_train = y

    def predict(self, X):
        predictions = [self._predict(x) for x in X]
        return np.array(predictions)

    def _predict(self, x):
        # compute the distances
        distances = [euclidean_distance(x, x_train) for x_train in self.X_train]

        # get the closest k
        k_indices = np.argsort(distances)[:self.k]
        k_nearest_labels = [self.y_train[i] for i in k_indices]

        # majority vote
        most_common = Counter(k_nearest_labels).most_common()
        return most_common[0][0]


np.random.seed(0)
X = np.random.randn(70, 2)
y = (X[:, 0] ** 2 + X[:, 1] > 0.5).astype(int)

clf = KNN(k=5)
clf.fit(X[:50], y[:50])
predictions = clf.predict(X[50:])
acc = np.sum(predictions == y[50:]) / len(predictions)
print(predictions)
print(acc)
