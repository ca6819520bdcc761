# Monte Carlo estimates with a running mean/variance object (Welford)
import numpy as np
import math

np.random.seed(42)


class RunningStats:
    def __init__(self):
        self.n = 0
        self.mean = 0.0
        self.m2 = 0.0

    def push(self, x):
        self.n += 1
        d = x - self.mean
        self.mean += d / self.n
        self.m2 += d * (x - self.mean)

    @property
    def variance(self):
        if self.n < 2:
            return 0.0
        return self.m2 / (self.n - 1)

    def stderr(self):
        return math.sqrt(self.variance / self.n)

    def __str__(self):
        return f"{self.mean:.4f} +/- {1.96 * self.stderr():.4f} (n={self.n})"


class Estimator:
    def __init__(self, sample, **options):
        self.sample = sample
        self.batch = options.get("batch", 100)
        self.target = options.get("target", 0.02)
        self.max_batches = options.pop("max_batches", 60)
        self.stats = RunningStats()
        self.trace = []

    def run(self):
        k = 0
        while True:
            k += 1
            self.stats.push(self.sample(self.batch).mean())
            self.trace.append(self.stats.mean)
            if k > 5 and self.stats.stderr() < self.target:
                break
            if k >= self.max_batches:
                break
        return self.stats.mean


def pi_sample(n):
    x, y = np.random.rand(2, n)
    return 4.0 * (x * x + y * y <= 1)


gauss = lambda n: np.exp(-np.random.rand(n) ** 2)


if __name__ == "__main__":
    est_pi = Estimator(pi_sample, batch=200, target=0.02)
    est_int = Estimator(gauss, target=0.002)
    pi_hat = est_pi.run()
    int_hat = est_int.run()
    print("pi      ", est_pi.stats)
    print("integral", est_int.stats)

    exact = math.sqrt(math.pi) / 2 * math.erf(1)
    errors = np.array([pi_hat - math.pi, int_hat - exact])
    trace = np.array(est_pi.trace)
