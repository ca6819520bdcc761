import numpy as np


def init(sizes, rng):
    params = {}
    for l in range(1, len(sizes)):
        params["W" + str(l)] = rng.standard_normal((sizes[l - 1], sizes[l])) * np.sqrt(2.0 / sizes[l - 1])
        params["b" + str(l)] = np.zeros((1, sizes[l]))
    return params


def forward(params, X):
    cache = {"A0": X}
    L = len(params) // 2
    for l in range(1, L + 1):
        Z = cache["A" + str(l - 1)] @ params["W" + str(l)] + params["b" + str(l)]
        cache["A" + str(l)] = np.tanh(Z) if l < L else Z
    return cache


def backward(params, cache, Y):
    grads = {}
    L = len(params) // 2
    m = Y.shape[0]
    dZ = (cache["A" + str(L)] - Y) / m
    for l in range(L, 0, -1):
        grads["W" + str(l)] = cache["A" + str(l - 1)].T @ dZ
        grads["b" + str(l)] = dZ.sum(axis=0, keepdims=True)
        if l > 1:
            dA = dZ @ params["W" + str(l)].T
            dZ = dA * (1 - cache["A" + str(l - 1)] ** 2)
    return grads


def main():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (64, 2))
    Y = np.sin(3 * X[:, :1]) * X[:, 1:]
    params = init([2, 16, 16, 1], rng)
    for epoch in range(101):
        cache = forward(params, X)
        grads = backward(params, cache, Y)
        for name in params:
            params[name] -= 0.1 * grads[name]
        if epoch % 10 == 0:
            loss = 0.5 * np.mean((cache["A3"] - Y) ** 2)
            print("epoch", epoch, "loss", loss)


if __name__ == "__main__":
    main()
