import numpy as np

img: (16, 12)

hist, edges = np.histogram(img, bins=8)
density, _ = np.histogram(img.ravel(), bins=8, range=(0.0, 1.0), density=True)
where = np.searchsorted(edges, img.ravel())
level = np.digitize(img, [-1.0, -0.5, 0.0, 0.5, 1.0])
counts = np.bincount(level.ravel(), minlength=7)
sums = np.bincount(level.ravel(), weights=img.ravel(), minlength=7)
