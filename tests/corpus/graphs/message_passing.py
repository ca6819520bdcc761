import numpy as np

rng = np.random.default_rng(6)
src = rng.integers(0, 10, 40)
dst = rng.integers(0, 10, 40)
h = rng.standard_normal((10, 4))
W = rng.standard_normal((4, 4)) / 2
for layer in range(3):
    messages = h[src] @ W
    agg = np.zeros_like(h)
    np.add.at(agg, dst, messages)
    counts = np.bincount(dst, minlength=10)[:, None]
    h = np.tanh(h + agg / np.maximum(counts, 1))
    print("layer", layer, h.std())
