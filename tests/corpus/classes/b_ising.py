import numpy as np


class Ising2D:
    """Metropolis sampling of the square-lattice Ising model with periodic edges."""

    J = 1.0

    def __init__(self, L, T, rng):
        self.L = L
        self.T = T
        self.rng = rng
        self.spins = rng.choice([-1, 1], size=(L, L))

    def neighbours(self, i, j):
        L, s = self.L, self.spins
        return s[(i + 1) % L, j] + s[(i - 1) % L, j] + s[i, (j + 1) % L] + s[i, (j - 1) % L]

    def sweep(self):
        accepted = 0
        for _ in range(self.L ** 2):
            i, j = self.rng.integers(0, self.L, size=2)
            dE = 2 * self.J * self.spins[i, j] * self.neighbours(i, j)
            if dE <= 0 or self.rng.random() < np.exp(-dE / self.T):
                self.spins[i, j] *= -1
                accepted += 1
        return accepted / self.L ** 2

    @property
    def energy(self):
        s = self.spins
        return -self.J * np.sum(s * (np.roll(s, 1, axis=0) + np.roll(s, 1, axis=1))) / s.size

    @property
    def magnetisation(self):
        return abs(self.spins.mean())


class Observables:
    def __init__(self):
        self._samples = {}

    def add(self, **values):
        for k, v in values.items():
            self._samples.setdefault(k, []).append(v)

    def mean(self, key):
        return np.mean(self._samples[key])

    def var(self, key):
        return np.var(self._samples[key])


def run(T, L=6, n_warm=10, n_sweeps=20):
    model = Ising2D(L, T, np.random.default_rng(0))
    obs = Observables()
    for n in range(n_warm + n_sweeps):
        rate = model.sweep()
        if n >= n_warm:
            obs.add(E=model.energy, M=model.magnetisation, rate=rate)
    return obs


def main():
    temperatures = np.array([1.0, 2.0, 2.5, 4.0])
    results = [run(T) for T in temperatures]
    E = np.array([o.mean("E") for o in results])
    M = np.array([o.mean("M") for o in results])
    C = np.array([o.var("E") * 36 / T ** 2 for o, T in zip(results, temperatures)])
    for row in zip(temperatures, E, M, C):
        print("T=%.2f E=%.3f |M|=%.3f C=%.3f" % row)
    return E, M, C


if __name__ == "__main__":
    energies, magnetisations, heat_capacities = main()
