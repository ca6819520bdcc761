import numpy as np
import time

X: (25, 4)
y: (25,)

def train(X, y, lr=0.1, epochs: int = 3, batch_size=8):
    n, d = X.shape
    w = np.zeros(d)
    b = 0.0
    losses = []
    for epoch in range(epochs):
        t0 = time.time()
        total = 0.0
        for start in range(0, n, batch_size):
            xb = X[start:start + batch_size]
            yb = y[start:start + batch_size]
            err = xb @ w + b - yb
            w -= lr * xb.T @ err / len(yb)
            b -= lr * err.mean()
            total += (err ** 2).sum()
        losses.append(total / n)
        print(f"epoch {epoch + 1}/{epochs}: loss {total / n:.4f} ({time.time() - t0:.2f}s)")
    return w, b, losses

if __name__ == "__main__":
    w, b, losses = train(X, y)
    final = np.array(losses)
