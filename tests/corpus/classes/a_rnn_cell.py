import numpy as np


class RNNCell:
    """Vanilla tanh recurrence h_t = tanh(x W_x + h W_h + b)."""

    def __init__(self, input_dim, hidden_dim):
        self.hidden_dim = hidden_dim
        self.params = {
            'Wx': np.random.randn(input_dim, hidden_dim) * 0.3,
            'Wh': np.random.randn(hidden_dim, hidden_dim) * 0.3,
            'b': np.zeros(hidden_dim),
        }
        self.grads = {k: np.zeros_like(v) for k, v in self.params.items()}

    def step(self, x, h):
        h_next = np.tanh(x @ self.params['Wx'] + h @ self.params['Wh'] + self.params['b'])
        return h_next, (x, h, h_next)

    def step_backward(self, dh_next, cache):
        x, h, h_next = cache
        dz = dh_next * (1 - h_next * h_next)
        self.grads['Wx'] += x.T @ dz
        self.grads['Wh'] += h.T @ dz
        self.grads['b'] += dz.sum(axis=0)
        return dz @ self.params['Wh'].T


class RNNRegressor:
    def __init__(self, input_dim, hidden_dim, lr=0.05, clip=1.0):
        self.cell = RNNCell(input_dim, hidden_dim)
        self.Wy = np.random.randn(hidden_dim, 1) * 0.3
        self.lr = lr
        self.clip = clip

    def forward(self, xs):
        N, T, D = xs.shape
        h = np.zeros((N, self.cell.hidden_dim))
        self.caches = []
        for t in range(T):
            h, cache = self.cell.step(xs[:, t, :], h)
            self.caches.append(cache)
        self.h_last = h
        return h @ self.Wy

    def backward(self, dy):
        for k in self.cell.grads:
            self.cell.grads[k][...] = 0
        self.dWy = self.h_last.T @ dy
        dh = dy @ self.Wy.T
        while self.caches:
            dh = self.cell.step_backward(dh, self.caches.pop())

    def apply(self):
        for k, g in self.cell.grads.items():
            np.clip(g, -self.clip, self.clip, out=g)
            self.cell.params[k] -= self.lr * g
        self.Wy -= self.lr * self.dWy

    def fit(self, xs, ys, epochs=40):
        self.losses = []
        for epoch in range(epochs):
            y_hat = self.forward(xs)
            err = y_hat - ys
            self.losses.append(float((err ** 2).mean()))
            self.backward(2 * err / len(xs))
            self.apply()
        return self


def make_windows(series, width):
    xs = np.array([series[i:i + width] for i in range(len(series) - width)])
    ys = series[width:]
    return xs[:, :, None], ys[:, None]


def main():
    np.random.seed(0)
    series = np.sin(np.linspace(0, 12, 70))
    xs, ys = make_windows(series, 8)
    rnn = RNNRegressor(1, 6).fit(xs, ys, epochs=50)
    return np.array(rnn.losses), rnn.forward(xs).ravel()


if __name__ == '__main__':
    losses, fitted = main()
    print('first/last loss:', losses[0], losses[-1])
