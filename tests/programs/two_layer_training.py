# A network of two layers, trained with momentum on mini-batches.
import numpy as np

X: (40, 6)
T: (40, 3)
W1: (6, 5)
W2: (5, 3)

n_batches = 4
batch_size = X.shape[0] // n_batches
X = X / 2
targets = 1 / (1 + np.exp(-T))
b1 = np.zeros(5)
b2 = np.zeros(3)
W1 = 0.3 * W1
W2 = 0.3 * W2
M1 = np.zeros_like(W1)
M2 = np.zeros_like(W2)
losses = []
rate = 0.2
for epoch in range(5):
    momentum = 0.5 if epoch < 2 else 0.8
    total = 0.0
    for k in range(n_batches):
        x = X[k * batch_size:(k + 1) * batch_size]
        t = targets[k * batch_size:(k + 1) * batch_size]
        h = np.tanh(x @ W1 + b1)
        y = 1 / (1 + np.exp(-(h @ W2 + b2)))
        delta2 = (y - t) / batch_size
        delta1 = delta2 @ W2.T * (1 - h * h)
        M1 = momentum * M1 - rate * (x.T @ delta1)
        M2 = momentum * M2 - rate * (h.T @ delta2)
        W1 += M1
        W2 += M2
        b1 -= rate * delta1.sum(axis=0)
        b2 -= rate * delta2.sum(axis=0)
        total += np.sum((y - t) ** 2)
    rate = rate * 0.5
    losses.append(total / X.shape[0])
    print("epoch %d: rate %.4f" % (epoch + 1, rate))
curve = np.array(losses)
improvement = losses[0] - losses[-1]
