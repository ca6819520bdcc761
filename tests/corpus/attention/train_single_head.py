import numpy as np

rng = np.random.RandomState(1)
n, d = 6, 4
X = rng.randn(n, d)
Y = rng.randn(n, d)
P = {"q": rng.randn(d, d) * 0.3, "k": rng.randn(d, d) * 0.3, "v": rng.randn(d, d) * 0.3}


def softmax_rows(s):
    s = s - s.max(axis=1, keepdims=True)
    e = np.exp(s)
    return e / e.sum(axis=1, keepdims=True)


for epoch in range(41):
    q, k, v = X @ P["q"], X @ P["k"], X @ P["v"]
    A = softmax_rows(q @ k.T / np.sqrt(d))
    out = A @ v
    dout = 2 * (out - Y) / out.size
    dA = dout @ v.T
    dS = A * (dA - (dA * A).sum(axis=1, keepdims=True)) / np.sqrt(d)
    grads = dict(q=X.T @ (dS @ k), k=X.T @ (dS.T @ q), v=X.T @ (A.T @ dout))
    for name, g in grads.items():
        P[name] = P[name] - 0.5 * g
    if epoch % 10 == 0:
        print("Epoch {}: loss {:.4f}".format(epoch, ((out - Y) ** 2).mean()))
