import numpy as np

np.random.seed(1)
n = 120
X = np.column_stack([np.ones(n), np.random.normal(size=n), np.random.uniform(-1, 1, n)])
beta_true = np.array([1.0, -2.0, 0.5])
y = X @ beta_true + 0.1 * np.random.randn(n)

XtX_inv = np.linalg.inv(X.T @ X)
beta = XtX_inv @ X.T @ y
residuals = y - X @ beta
dof = n - X.shape[1]
sigma2 = residuals @ residuals / dof
se = np.sqrt(sigma2 * np.diag(XtX_inv))
t = beta / se
r2 = 1 - np.sum(residuals ** 2) / np.sum((y - y.mean()) ** 2)

for name, b, s, tt in zip(["const", "x1", "x2"], beta, se, t):
    print(f"{name:>6} {b: .4f} {s:.4f} {tt: .2f}")
print("R^2 = {:.5f}".format(r2))
