import numpy as np


def squared_distances(A, B):
    return (A ** 2).sum(axis=1)[:, None] - 2 * A @ B.T + (B ** 2).sum(axis=1)


def knn(train, test, k):
    d2 = squared_distances(test, train)
    order = np.argsort(d2, axis=1)
    return order[:, :k], np.sort(d2, axis=1)[:, k - 1]


train: (30, 4)
test: (6, 4)

nearest, kth = knn(train, test, 5)
d2 = squared_distances(test, train)
far = np.argsort(d2[0])[-3:]
close = np.partition(d2[1], 3)[3]
