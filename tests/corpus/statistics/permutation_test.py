import numpy as np

rng = np.random.default_rng(8)
a = rng.normal(0.0, 1.0, 30)
b = rng.normal(0.5, 1.0, 30)
observed = abs(a.mean() - b.mean())
pooled = np.concatenate([a, b])
count = 0
for _ in range(300):
    rng.shuffle(pooled)
    if abs(pooled[:30].mean() - pooled[30:].mean()) >= observed:
        count += 1
print("difference %.3f, p = %.3f" % (observed, (count + 1) / 301))
