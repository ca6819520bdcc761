import numpy as np
from collections import namedtuple

Interval = namedtuple("Interval", ["low", "high"])


class Bootstrap:
    """Bootstrap confidence intervals for any statistic."""

    def __init__(self, data, n_boot=100, seed=0):
        self.data = np.asarray(data, dtype=float)
        self.n_boot = n_boot
        self.rng = np.random.default_rng(seed)
        self._cache = {}

    def resample(self):
        idx = self.rng.integers(0, len(self.data), len(self.data))
        return self.data[idx]

    def replicate(self, stat, name=None):
        name = name or stat.__name__
        if name not in self._cache:
            self._cache[name] = np.array([stat(self.resample()) for _ in range(self.n_boot)])
        return self._cache[name]

    def interval(self, stat, name=None, level=0.9):
        if not 0 < level < 1:
            raise ValueError("level must be between 0 and 1")
        reps = self.replicate(stat, name)
        a = 100 * (1 - level) / 2
        return Interval(np.percentile(reps, a), np.percentile(reps, 100 - a))

    def bias(self, stat, name=None):
        return self.replicate(stat, name).mean() - stat(self.data)


def trimmed_mean(x, frac=0.1):
    k = int(len(x) * frac)
    s = np.sort(x)
    return s[k:len(s) - k].mean()


if __name__ == "__main__":
    np.random.seed(0)
    heights = 170 + 8 * np.random.randn(40)
    heights[3] = 230  # an outlier

    boot = Bootstrap(heights)
    stats = {"mean": np.mean, "median": np.median, "trimmed": trimmed_mean,
             "cv": lambda x: np.std(x) / np.mean(x)}
    table = []
    for name, stat in stats.items():
        ci = boot.interval(stat, name)
        table.append([stat(heights), ci.low, ci.high])
        print("%-8s %9.3f  [%.3f, %.3f]" % (name, stat(heights), ci.low, ci.high))

    try:
        boot.interval(np.mean, level=95)
    except ValueError as e:
        print("bad level:", e)

    table = np.array(table)
    widths = table[:, 2] - table[:, 1]
    mean_bias = boot.bias(np.mean, "mean")
