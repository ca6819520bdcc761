import numpy as np


def batches(X, batch_size, shuffle=True):
    idx = np.arange(len(X))
    if shuffle:
        np.random.shuffle(idx)
    for start in range(0, len(X), batch_size):
        yield X[idx[start:start + batch_size]]


class Autoencoder:
    def __init__(self, n_visible, n_hidden, lr=0.05, tied=False):
        self.lr = lr
        self.tied = tied
        self.W1 = np.random.randn(n_visible, n_hidden) * 0.2
        self.b1 = np.zeros(n_hidden)
        self.W2 = self.W1.T.copy() if tied else np.random.randn(n_hidden, n_visible) * 0.2
        self.b2 = np.zeros(n_visible)
        self.history = {"loss": [], "grad_norm": []}

    def encode(self, X):
        return np.tanh(X @ self.W1 + self.b1)

    def decode(self, H):
        return H @ self.W2 + self.b2

    def reconstruct(self, X):
        return self.decode(self.encode(X))

    def _step(self, X):
        H = self.encode(X)
        R = self.decode(H)
        dR = 2 * (R - X) / X.shape[0]
        dW2 = H.T @ dR
        dH = (dR @ self.W2.T) * (1 - H ** 2)
        dW1 = X.T @ dH
        if self.tied:
            dW = dW1 + dW2.T
            self.W1 -= self.lr * dW
            self.W2 = self.W1.T
        else:
            self.W1 -= self.lr * dW1
            self.W2 -= self.lr * dW2
        self.b1 -= self.lr * dH.sum(axis=0)
        self.b2 -= self.lr * dR.sum(axis=0)
        return np.sum((R - X) ** 2) / X.shape[0], np.linalg.norm(dW1)

    def fit(self, X, epochs=20, batch_size=16):
        for epoch in range(epochs):
            total, count, norms = 0.0, 0, []
            for xb in batches(X, batch_size):
                loss, gn = self._step(xb)
                total += loss * len(xb)
                count += len(xb)
                norms.append(gn)
            self.history["loss"].append(total / count)
            self.history["grad_norm"].append(np.mean(norms))
        return self


def main():
    np.random.seed(0)
    Z = np.random.randn(100, 2)
    X = Z @ np.random.randn(2, 8) * 0.5
    X += 0.05 * np.random.randn(*X.shape)

    losses = {}
    for tied in (False, True):
        ae = Autoencoder(8, 3, tied=tied).fit(X, epochs=25)
        losses[tied] = ae.history["loss"]
        mse = np.mean((ae.reconstruct(X) - X) ** 2)
        print("tied" if tied else "free", f"{mse:.5f}")
    codes = ae.encode(X[:10])
    return np.array(losses[False]), np.array(losses[True]), codes


if __name__ == "__main__":
    free_loss, tied_loss, codes = main()
