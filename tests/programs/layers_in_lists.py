import numpy as np
X: (16, 4)
Y: (16, 2)
sizes = [4, 8, 8, 2]
weights = [np.ones((a, b)) * 0.1 for a, b in zip(sizes[:-1], sizes[1:])]
biases = [np.zeros(n) for n in sizes[1:]]
for epoch in range(4):
    activations = [X]
    for W, b in zip(weights, biases):
        activations.append(np.tanh(activations[-1] @ W + b))
    delta = (activations[-1] - Y) * (1 - activations[-1] ** 2)
    for i in reversed(range(len(weights))):
        grad = activations[i].T @ delta
        if i > 0:
            new_delta = (delta @ weights[i].T) * (1 - activations[i] ** 2)
        weights[i] -= 0.1 * grad
        biases[i] -= 0.1 * delta.sum(axis=0)
        if i > 0:
            delta = new_delta
    err = np.mean((activations[-1] - Y) ** 2)
    if epoch % 2 == 0:
        print(f"epoch {epoch}: {err:.6f}")
result = weights[0] @ weights[1] @ weights[2]
