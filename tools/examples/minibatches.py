# A linear model, trained on batches of rows.
import numpy as np

X: (1280, 64)
y: (1280, 1)
w = np.zeros((64, 1))
for epoch in range(5):
    for b in range(10):
        x = X[128 * b:128 * b + 128]
        error = x @ w - y[128 * b:128 * b + 128]
        w -= 0.01 / 128 * (x.T @ error)
