import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def layer_norm(x):
    return (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True) + 1e-6)


def encoder_layer(x, p, heads):
    T, d = x.shape
    dh = d // heads
    outs = []
    for h in range(heads):
        sl = slice(h * dh, (h + 1) * dh)
        q, k, v = x @ p["Wq"][:, sl], x @ p["Wk"][:, sl], x @ p["Wv"][:, sl]
        outs.append(softmax(q @ k.T / np.sqrt(dh)) @ v)
    x = layer_norm(x + np.concatenate(outs, axis=-1) @ p["Wo"])
    return layer_norm(x + np.maximum(x @ p["W1"], 0) @ p["W2"])


if __name__ == "__main__":
    np.random.seed(0)
    d = 12
    params = {name: np.random.randn(d, d) * 0.1 for name in ["Wq", "Wk", "Wv", "Wo"]}
    params["W1"] = np.random.randn(d, 4 * d) * 0.1
    params["W2"] = np.random.randn(4 * d, d) * 0.1
    x = np.random.randn(7, d)
    for layer in range(3):
        x = encoder_layer(x, params, 3)
        print("layer", layer, "norm", np.linalg.norm(x))
