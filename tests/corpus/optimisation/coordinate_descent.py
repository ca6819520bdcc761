# call: coordinate_descent(X, y, w, 0.05, 20); X = normal(50, 10); y = normal(50); w = zeros(10)


def coordinate_descent(X, y, w, lam, sweeps):
    n, d = X.shape
    for _ in range(sweeps):
        for j in range(d):
            r = y - X @ w + X[:, j] * w[j]
            rho = X[:, j] @ r / n
            z = X[:, j] @ X[:, j] / n
            if rho < -lam:
                w[j] = (rho + lam) / z
            elif rho > lam:
                w[j] = (rho - lam) / z
            else:
                w[j] = 0.0
