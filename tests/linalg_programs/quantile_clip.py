import numpy as np

X: (41, 3)

low, high = np.percentile(X, 5), np.percentile(X, 95)
clipped = np.clip(X, low, high)
quartiles = np.percentile(X, [25, 50, 75], axis=0)
iqr = quartiles[2] - quartiles[0]
robust = (X - np.median(X, axis=0)) / iqr
q = np.quantile(X, 0.3, axis=1)
