import numpy as np
from enum import IntEnum


class Weather(IntEnum):
    SUNNY = 0
    CLOUDY = 1
    RAINY = 2


class MarkovChain:
    def __init__(self, P, seed=0):
        self.P = np.asarray(P, dtype=float)
        if not np.allclose(self.P.sum(axis=1), 1):
            raise ValueError("rows must sum to one")
        self.rng = np.random.RandomState(seed)
        self._cum = np.cumsum(self.P, axis=1)

    def walk(self, start):
        """Endless generator of states."""
        s = int(start)
        while True:
            yield s
            s = int(np.searchsorted(self._cum[s], self.rng.rand()))

    def sample(self, start, n):
        gen = self.walk(start)
        return np.array([next(gen) for _ in range(n)])

    def stationary(self, tol=1e-12):
        pi = np.ones(len(self.P)) / len(self.P)
        while True:
            nxt = pi @ self.P
            if np.abs(nxt - pi).sum() < tol:
                return nxt
            pi = nxt

    def __pow__(self, n):
        return MarkovChain(np.linalg.matrix_power(self.P, n))


def main():
    chain = MarkovChain([[0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.2, 0.4, 0.4]])
    path = chain.sample(Weather.SUNNY, 150)
    pi = chain.stationary()
    for w in Weather:
        print(f"{w.name.title():7s} {pi[w]:.4f}  visited {np.mean(path == w):.4f}")
    return pi, (chain ** 5).P, np.bincount(path, minlength=len(Weather)) / len(path)


if __name__ == "__main__":
    pi, P5, visited = main()
