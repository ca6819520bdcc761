import numpy as np
X: (20, 3)
Y: (20, 2)
W1_0: (3, 5)
W2_0: (5, 2)

params = {"W1": W1_0 * 0.5, "b1": np.zeros(5), "W2": W2_0 * 0.5, "b2": np.zeros(2)}
m = {k: np.zeros_like(v) for k, v in params.items()}
v = {k: np.zeros_like(p) for k, p in params.items()}
lr, beta1, beta2, eps = 1e-2, 0.9, 0.999, 1e-8

def forward(params, X):
    h = np.tanh(X @ params["W1"] + params["b1"])
    out = h @ params["W2"] + params["b2"]
    return out, (X, h)

def backward(params, cache, dout):
    X, h = cache
    grads = {}
    grads["W2"] = h.T @ dout
    grads["b2"] = dout.sum(axis=0)
    dh = dout @ params["W2"].T * (1 - h ** 2)
    grads["W1"] = X.T @ dh
    grads["b1"] = dh.sum(axis=0)
    return grads

for t in range(1, 6):
    out, cache = forward(params, X)
    diff = out - Y
    loss = np.mean(diff ** 2)
    grads = backward(params, cache, 2 * diff / diff.size)
    for key in params:
        m[key] = beta1 * m[key] + (1 - beta1) * grads[key]
        v[key] = beta2 * v[key] + (1 - beta2) * grads[key] ** 2
        mhat = m[key] / (1 - beta1 ** t)
        vhat = v[key] / (1 - beta2 ** t)
        params[key] -= lr * mhat / (np.sqrt(vhat) + eps)
    print("step", t, "loss", loss)
W1 = params["W1"]
W2 = params["W2"]
