import numpy as np


class Conv1D:
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0):
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        k = np.sqrt(1 / (in_channels * kernel_size))
        self.W = np.random.uniform(-k, k, (out_channels, in_channels, kernel_size))
        self.b = np.zeros(out_channels)

    def forward(self, x):
        """x: (batch, channels, length)"""
        if self.padding:
            x = np.pad(x, ((0, 0), (0, 0), (self.padding, self.padding)))
        self.x = x
        n, c, length = x.shape
        out_len = (length - self.kernel_size) // self.stride + 1
        out = np.zeros((n, self.out_channels, out_len))
        for t in range(out_len):
            s = t * self.stride
            window = x[:, :, s:s + self.kernel_size]
            out[:, :, t] = np.tensordot(window, self.W, axes=([1, 2], [1, 2])) + self.b
        return out

    def backward(self, dout):
        self.dW = np.zeros_like(self.W)
        self.db = dout.sum(axis=(0, 2))
        dx = np.zeros_like(self.x)
        for t in range(dout.shape[2]):
            s = t * self.stride
            window = self.x[:, :, s:s + self.kernel_size]
            g = dout[:, :, t]
            self.dW += np.einsum('no,nck->ock', g, window)
            dx[:, :, s:s + self.kernel_size] += np.einsum('no,ock->nck', g, self.W)
        if self.padding:
            dx = dx[:, :, self.padding:-self.padding]
        return dx


class MaxPool1D:
    def __init__(self, size=2):
        self.size = size

    def forward(self, x):
        n, c, l = x.shape
        blocks = x[:, :, :l // self.size * self.size].reshape(n, c, -1, self.size)
        self.mask = blocks == blocks.max(axis=-1, keepdims=True)
        self.in_shape = x.shape
        return blocks.max(axis=-1)

    def backward(self, dout):
        dx = (self.mask * dout[..., None]).reshape(dout.shape[0], dout.shape[1], -1)
        full = np.zeros(self.in_shape)
        full[:, :, :dx.shape[2]] = dx
        return full


def main(epochs=40, lr=2.0):
    np.random.seed(0)
    t = np.linspace(0, 1, 24)
    signals = np.stack([np.sin(2 * np.pi * f * t) for f in (1, 2, 3, 4, 5, 6)])[:, None, :]
    target = np.array([0., 0., 0., 1., 1., 1.])

    conv = Conv1D(1, 3, kernel_size=5, padding=2)
    pool = MaxPool1D(2)
    w_out = np.random.randn(3) * 0.1
    losses = []
    for epoch in range(epochs):
        h = pool.forward(conv.forward(signals))
        feats = h.mean(axis=2)
        pred = 1 / (1 + np.exp(-(feats @ w_out)))
        losses.append(np.mean((pred - target) ** 2))
        dz = 2 * (pred - target) * pred * (1 - pred) / len(target)
        dh = np.repeat(np.outer(dz, w_out)[:, :, None], h.shape[2], axis=2) / h.shape[2]
        w_out -= lr * feats.T @ dz
        conv.backward(pool.backward(dh))
        conv.W -= lr * conv.dW
        conv.b -= lr * conv.db
    return np.array(losses), conv.W[:, 0, :]


if __name__ == "__main__":
    losses, kernels = main()
    print("loss", losses[0], "->", losses[-1])
