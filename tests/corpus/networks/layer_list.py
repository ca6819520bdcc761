# call: forward(layers_w1, layers_b1, layers_w2, layers_b2, x); x = normal(5, 6); layers_w1 = normal(6, 7); layers_b1 = normal(7); layers_w2 = normal(7, 2); layers_b2 = normal(2)
import numpy as np

ACTIVATIONS = {
    "relu": lambda z: np.where(z > 0, z, 0.0),
    "identity": lambda z: z,
}


def forward(layers_w1, layers_b1, layers_w2, layers_b2, x):
    """Dense network given as a list of layers."""
    layers = [(layers_w1, layers_b1, "relu"), (layers_w2, layers_b2, "identity")]
    for W, b, name in layers:
        x = ACTIVATIONS[name](x @ W + b)
    return x
