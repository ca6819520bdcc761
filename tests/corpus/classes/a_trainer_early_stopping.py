import copy
import time

import numpy as np


class Dataset:
    def __init__(self, X, y):
        self.X, self.y = X, y

    def __len__(self):
        return len(self.X)

    def __getitem__(self, idx):
        return self.X[idx], self.y[idx]


class DataLoader:
    def __init__(self, dataset, batch_size=16, shuffle=False, rng=None):
        self.dataset = dataset
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.rng = rng

    def __iter__(self):
        n = len(self.dataset)
        order = self.rng.permutation(n) if self.shuffle else np.arange(n)
        for i in range(0, n, self.batch_size):
            yield self.dataset[order[i:i + self.batch_size]]

    def __len__(self):
        return (len(self.dataset) + self.batch_size - 1) // self.batch_size


class EarlyStopping:
    def __init__(self, patience=3, min_delta=1e-4):
        self.patience = patience
        self.min_delta = min_delta
        self.best = float("inf")
        self.counter = 0
        self.best_state = None

    def __call__(self, value, state):
        if value < self.best - self.min_delta:
            self.best = value
            self.counter = 0
            self.best_state = copy.deepcopy(state)
        else:
            self.counter += 1
        return self.counter >= self.patience


class Trainer:
    def __init__(self, lr=0.05, epochs=60, stopper=None):
        self.lr = lr
        self.epochs = epochs
        self.stopper = stopper
        self.history = {"train": [], "val": []}

    def fit(self, params, train_loader, val_set):
        start = time.time()
        for epoch in range(self.epochs):
            running = 0.0
            for xb, yb in train_loader:
                err = xb @ params["w"] + params["b"] - yb
                params["w"] = params["w"] - self.lr * 2 * xb.T @ err / len(yb)
                params["b"] = params["b"] - self.lr * 2 * err.mean()
                running += np.mean(err ** 2)
            val = np.mean((val_set.X @ params["w"] + params["b"] - val_set.y) ** 2)
            self.history["train"].append(running / len(train_loader))
            self.history["val"].append(val)
            if self.stopper is not None and self.stopper(val, params):
                print(f"early stop at epoch {epoch}")
                params = self.stopper.best_state
                break
        print(f"trained in {time.time() - start:.2f}s")
        return params


rng = np.random.default_rng(0)
X = rng.normal(size=(100, 5))
y = X @ np.array([1.0, -1.0, 0.5, 0.0, 2.0]) + 0.3 + 0.1 * rng.normal(size=100)
loader = DataLoader(Dataset(X[:80], y[:80]), batch_size=16, shuffle=True, rng=rng)
trainer = Trainer(stopper=EarlyStopping(patience=4))
params = trainer.fit({"w": np.zeros(5), "b": 0.0}, loader, Dataset(X[80:], y[80:]))
weights = params["w"]
bias = params["b"]
val_curve = np.array(trainer.history["val"])
