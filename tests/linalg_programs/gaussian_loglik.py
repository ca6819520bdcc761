import numpy as np

X: (25, 3)
mu: (3,)
A: (3, 3)

sigma = A @ A.T + np.eye(3)
sign, logdet = np.linalg.slogdet(sigma)
diff = X - mu
maha = np.sum(diff @ np.linalg.inv(sigma) * diff, axis=1)
logp = -0.5 * (3 * np.log(2 * np.pi) + logdet + maha)
total = logp.sum()
determinant = np.linalg.det(sigma)
