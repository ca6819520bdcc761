"""Simulated annealing for a tiny travelling salesman problem."""
import numpy as np

np.random.seed(0)
N = 8
cities = np.random.rand(N, 2)
dist = np.sqrt(((cities[:, None, :] - cities[None, :, :]) ** 2).sum(axis=2))


class Tour:
    def __init__(self, order):
        self.order = list(order)

    @property
    def length(self):
        total = 0
        for a, b in zip(self.order, self.order[1:] + self.order[:1]):
            total += dist[a, b]
        return total

    def two_opt(self, i, j):
        if i > j:
            i, j = j, i
        new = self.order[:i] + list(reversed(self.order[i:j + 1])) + self.order[j + 1:]
        return Tour(new)

    def __lt__(self, other):
        return self.length < other.length

    def __repr__(self):
        return "-".join(str(c) for c in self.order)


class Annealer:
    T0 = 1.0
    cooling = 0.95

    def __init__(self, start):
        self.current = start
        self.best = start
        self.T = self.T0
        self.log = []
        self.accepted = 0

    def step(self):
        i, j = np.random.choice(N, 2, replace=False)
        cand = self.current.two_opt(i, j)
        delta = cand.length - self.current.length
        if delta < 0 or np.random.rand() < np.exp(-delta / self.T):
            self.current = cand
            self.accepted += 1
            if cand < self.best:
                self.best = cand
        self.T *= self.cooling
        self.log.append(self.current.length)


sa = Annealer(Tour(range(N)))
start_length = sa.current.length
for _ in range(120):
    sa.step()

best_order = np.array(sa.best.order)
best_length = sa.best.length
lengths = np.array(sa.log)
acceptance = sa.accepted / 120
print("start %.3f best %.3f tour %s" % (start_length, best_length, sa.best))
assert sorted(sa.best.order) == list(range(N))
