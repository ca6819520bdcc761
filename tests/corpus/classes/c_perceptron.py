import numpy as np

np.random.seed(1)


class Perceptron:
    learning_rate = 0.5
    max_epochs = 30

    def __init__(self, n_inputs, **kwargs):
        self.w = np.zeros(n_inputs)
        self.b = 0.0
        self.mistakes = []
        # override the defaults, e.g. Perceptron(2, learning_rate=0.1)
        for key, value in kwargs.items():
            if not hasattr(self, key):
                raise ValueError(f"unknown option {key}")
            setattr(self, key, value)

    def activation(self, x):
        return 1 if x @ self.w + self.b > 0 else -1

    def train(self, X, y):
        for epoch in range(self.max_epochs):
            wrong = 0
            for xi, yi in zip(X, y):
                if self.activation(xi) != yi:
                    self.w += self.learning_rate * yi * xi
                    self.b += self.learning_rate * yi
                    wrong += 1
            self.mistakes.append(wrong)
            if wrong == 0:
                break
        else:
            print("did not converge")

    def score(self, X, y):
        hits = 0
        for i in range(len(y)):
            if self.activation(X[i]) == y[i]:
                hits += 1
        return hits / len(y)


# two separated clouds
n = 20
pos = np.random.randn(n, 2) + np.array([2.5, 2.5])
neg = np.random.randn(n, 2) - np.array([2.5, 2.5])
X = np.vstack([pos, neg])
y = np.concatenate([np.ones(n), -np.ones(n)])
order = np.random.permutation(2 * n)
X, y = X[order], y[order]

p = Perceptron(2, learning_rate=0.1)
p.train(X, y)
accuracy = p.score(X, y)
w = p.w
b = p.b
epochs_used = float(len(p.mistakes))
print(f"accuracy={accuracy:.2f} after {len(p.mistakes)} epochs")

try:
    bad = Perceptron(2, momentum=0.9)
except ValueError as e:
    print("as expected:", e)
