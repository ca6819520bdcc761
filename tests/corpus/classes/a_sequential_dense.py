import numpy as np


class Layer:
    def __init__(self):
        self.input = None
        self.output = None

    def forward(self, x):
        raise NotImplementedError

    def backward(self, grad, lr):
        raise NotImplementedError


class Dense(Layer):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.weights = np.random.randn(n_in, n_out) * np.sqrt(2.0 / n_in)
        self.bias = np.zeros((1, n_out))

    def forward(self, x):
        self.input = x
        self.output = x @ self.weights + self.bias
        return self.output

    def backward(self, grad, lr):
        grad_w = self.input.T @ grad
        grad_in = grad @ self.weights.T
        self.weights -= lr * grad_w
        self.bias -= lr * grad.sum(axis=0, keepdims=True)
        return grad_in


class ReLU(Layer):
    def forward(self, x):
        self.input = x
        return np.maximum(x, 0)

    def backward(self, grad, lr):
        return grad * (self.input > 0)


class Tanh(Layer):
    def forward(self, x):
        self.output = np.tanh(x)
        return self.output

    def backward(self, grad, lr):
        return grad * (1 - self.output ** 2)


class Sequential:
    def __init__(self, *layers):
        self.layers = list(layers)

    def add(self, layer):
        self.layers.append(layer)

    def predict(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def train(self, x, y, epochs, lr):
        losses = []
        for e in range(epochs):
            out = self.predict(x)
            losses.append(np.mean((out - y) ** 2))
            grad = 2 * (out - y) / y.size
            for layer in reversed(self.layers):
                grad = layer.backward(grad, lr)
            if (e + 1) % 50 == 0:
                print(f"epoch {e + 1}/{epochs}  loss={losses[-1]:.5f}")
        return losses


np.random.seed(0)
X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
Y = np.array([[0], [1], [1], [0]], dtype=float)

net = Sequential(Dense(2, 8), Tanh(), Dense(8, 8), ReLU())
net.add(Dense(8, 1))
history = np.array(net.train(X, Y, epochs=200, lr=0.1))
outputs = net.predict(X)
print(outputs.round(3))
