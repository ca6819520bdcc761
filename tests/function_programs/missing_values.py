import numpy as np
X: (6, 4)
X = np.where(X > 1.2, np.nan, X)
m = np.nanmean(X, axis=0)
s = np.nanstd(X, axis=0)
filled = np.where(np.isnan(X), m, X)
z = np.nan_to_num((X - m) / s, nan=0.0)
ok = np.isfinite(X).all(axis=1)
n = np.count_nonzero(np.isnan(X), axis=0)
