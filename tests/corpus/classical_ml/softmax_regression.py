import numpy as np

rng = np.random.default_rng(12)
n, d, c = 150, 4, 3
X = rng.normal(size=(n, d))
labels = np.argmax(X @ rng.normal(size=(d, c)), axis=1)
Y = np.eye(c)[labels]
W = np.zeros((d, c))
for step in range(100):
    logits = X @ W
    logits -= logits.max(axis=1, keepdims=True)
    P = np.exp(logits)
    P /= P.sum(axis=1, keepdims=True)
    W -= 0.5 * X.T @ (P - Y) / n
loss = -np.log(P[range(n), labels]).mean()
accuracy = (P.argmax(1) == labels).mean()
print("loss", loss, "accuracy", accuracy)
