import numpy as np
from functools import lru_cache

calls = 0


class Aligner:
    class Costs:
        insert = 1
        delete = 1
        substitute = 1

    def __init__(self, a, b, **costs):
        self.a = a
        self.b = b
        self.costs = self.Costs()
        for k, v in costs.items():
            setattr(self.costs, k, v)
        self.table = None

    def fill(self):
        n, m = len(self.a), len(self.b)
        D = np.zeros((n + 1, m + 1))
        D[:, 0] = np.arange(n + 1) * self.costs.delete
        D[0, :] = np.arange(m + 1) * self.costs.insert
        for i in range(1, n + 1):
            for j in range(1, m + 1):
                sub = 0 if self.a[i - 1] == self.b[j - 1] else self.costs.substitute
                D[i, j] = min(D[i - 1, j] + self.costs.delete,
                              D[i, j - 1] + self.costs.insert,
                              D[i - 1, j - 1] + sub)
        self.table = D
        return D

    @property
    def distance(self):
        if self.table is None:
            self.fill()
        return self.table[-1, -1]


def recursive_distance(a, b):
    """The same with recursion and a cache."""
    @lru_cache(maxsize=None)
    def d(i, j):
        global calls
        calls += 1
        if i == 0:
            return j
        if j == 0:
            return i
        return min(d(i - 1, j) + 1, d(i, j - 1) + 1,
                   d(i - 1, j - 1) + (a[i - 1] != b[j - 1]))
    return d(len(a), len(b))


if __name__ == "__main__":
    words = ["kitten", "sitting", "mitten", "knitting"]
    dist = np.zeros((len(words), len(words)))
    for i, a in enumerate(words):
        for j, b in enumerate(words):
            dist[i, j] = Aligner(a, b).distance

    check = np.array([[recursive_distance(a, b) for b in words] for a in words])
    assert (dist == check).all()
    table = Aligner("kitten", "sitting", substitute=2).fill()
    weighted = table[-1, -1]
    print(dist)
    print("weighted distance: %d, recursive calls: %d" % (weighted, calls))
    mean_distance = dist[np.triu_indices(len(words), 1)].mean()
