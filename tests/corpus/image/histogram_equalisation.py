import numpy as np

rng = np.random.default_rng(5)
img = np.clip(rng.normal(100, 20, (40, 40)), 0, 255).astype(np.uint8)
hist, _ = np.histogram(img.flatten(), 256, [0, 256])
cdf = hist.cumsum()
cdf_min = cdf[cdf > 0].min()
lut = np.round((cdf - cdf_min) / (img.size - cdf_min) * 255).astype(np.uint8)
out = lut[img]
print("before", img.min(), img.max(), img.mean())
print("after ", out.min(), out.max(), out.mean())
