# call: block(x, g1, b1, W1, c1, W2, c2); x = normal(10, 12); g1 = uniform(12); b1 = normal(12); W1 = normal(12, 48); c1 = normal(48); W2 = normal(48, 12); c2 = normal(12)
import numpy as np


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def layer_norm(x, g, b, eps: float = 1e-5):
    mean = np.mean(x, axis=-1, keepdims=True)
    variance = np.var(x, axis=-1, keepdims=True)
    return g * (x - mean) / np.sqrt(variance + eps) + b


def block(x, g1, b1, W1, c1, W2, c2):
    """x + MLP(LayerNorm(x))"""
    return x + gelu(layer_norm(x, g1, b1) @ W1 + c1) @ W2 + c2
