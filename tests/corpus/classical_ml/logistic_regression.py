import numpy as np

np.random.seed(0)
N, D = 200, 3
X = np.random.randn(N, D)
w_true = np.array([1.5, -2.0, 0.7])
y = (X @ w_true + 0.3 * np.random.randn(N) > 0).astype(float)


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


w = np.zeros(D)
b = 0.0
lr = 0.5
for epoch in range(100):
    p = sigmoid(X @ w + b)
    loss = -np.mean(y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9))
    dw = X.T @ (p - y) / N
    db = np.mean(p - y)
    w -= lr * dw
    b -= lr * db
    if epoch % 10 == 0:
        acc = np.mean((p > 0.5) == y)
        print(f"epoch {epoch}: loss={loss:.4f} acc={acc:.3f}")
