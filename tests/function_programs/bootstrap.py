import numpy as np
rng = np.random.default_rng(0)
data = rng.exponential(scale=2.0, size=100)
means = np.zeros(20)
for i in range(20):
    w = rng.random(100)
    means[i] = np.average(data, weights=w)
lo = means.min()
logp = np.logaddexp(-data, -1.0)
total = np.logaddexp(logp[0], logp[1])
