# a small neural net from scratch: layers in a list, forward and backward
import numpy as np

update_count = 0


class Dense:
    def __init__(self, n_in, n_out):
        self.W = np.random.randn(n_in, n_out) * np.sqrt(2 / n_in)
        self.b = np.zeros(n_out)
        self.x = None

    def forward(self, x):
        self.x = x
        return x @ self.W + self.b

    def backward(self, grad, lr):
        global update_count
        gx = grad @ self.W.T
        self.W -= lr * (self.x.T @ grad)
        self.b -= lr * grad.sum(axis=0)
        update_count += 1
        return gx


class Tanh:
    def forward(self, x):
        self.out = np.tanh(x)
        return self.out

    def backward(self, grad, lr):
        return grad * (1 - self.out ** 2)


class Network:
    def __init__(self, *layers, lr=0.1, decay=None):
        self.layers = list(layers)
        self.lr = lr
        self.decay = decay
        self.history = []

    def forward(self, x):
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def train_step(self, X, y):
        p = 1 / (1 + np.exp(-self.forward(X)))
        loss = -np.mean(y * np.log(p + 1e-9) + (1 - y) * np.log(1 - p + 1e-9))
        grad = (p - y) / len(y)
        for layer in reversed(self.layers):
            grad = layer.backward(grad, self.lr)
        return loss

    def fit(self, X, y, epochs=100, verbose=False):
        for epoch in range(epochs):
            self.history.append(self.train_step(X, y))
            if self.decay is not None:
                self.lr *= self.decay
            if verbose and epoch % 40 == 0:
                print("epoch %3d loss %.4f" % (epoch, self.history[-1]))

    def n_params(self):
        return sum(l.W.size + l.b.size for l in self.layers if isinstance(l, Dense))


np.random.seed(0)
X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=float)
y = np.array([[0], [1], [1], [0]], dtype=float)

net = Network(Dense(2, 6), Tanh(), Dense(6, 1), lr=1.0, decay=0.999)
net.fit(X, y, epochs=120, verbose=True)

probs = 1 / (1 + np.exp(-net.forward(X)))
accuracy = np.mean((probs > 0.5) == y)
losses = np.array(net.history)
first_layer = net.layers[0].W
print("parameters", net.n_params(), "updates", update_count, "accuracy", accuracy)
