# Standardised features, their correlations, and what is far from the mean.
import numpy as np

X: (40, 6)

mean = np.mean(X, axis=0)
sd = np.std(X, axis=0, ddof=1)
Z = (X - mean) / sd
correlation = Z.T @ Z / (len(Z) - 1)
off_diagonal = correlation * (1 - np.eye(6))
strongest = np.abs(off_diagonal).max()
with_first = np.argmax(np.abs(correlation[0, 1:]))
clipped = np.clip(Z, -2.0, 2.0)
n_clipped = (np.abs(Z) > 2).sum(axis=0)
low, high = X.min(axis=0), X.max(axis=0)
scaled = (X - low) / (high - low)
first = Z[:5]
last = Z[-5:]
first *= 0.0
drift = last - first
