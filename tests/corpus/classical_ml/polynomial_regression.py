import numpy as np

np.random.seed(0)
x = np.linspace(-1, 1, 40)
y = 1 - 2 * x + 3 * x ** 3 + 0.05 * np.random.randn(40)
for degree in range(1, 6):
    X = np.vander(x, degree + 1, increasing=True)
    coef, *_ = np.linalg.lstsq(X, y, rcond=None)
    rmse = np.sqrt(np.mean((X @ coef - y) ** 2))
    print(f"degree {degree}: rmse {rmse:.4f}")
