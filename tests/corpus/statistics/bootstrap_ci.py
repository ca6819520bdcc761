import numpy as np

rng = np.random.default_rng(42)
sample = rng.exponential(scale=2.0, size=80)

n_boot = 500
means = np.empty(n_boot)
for b in range(n_boot):
    idx = rng.integers(0, len(sample), len(sample))
    means[b] = sample[idx].mean()

lower, upper = np.percentile(means, [2.5, 97.5])
print("mean     %.4f" % sample.mean())
print("95%% CI   [%.4f, %.4f]" % (lower, upper))
print("std err  %.4f" % means.std(ddof=1))
