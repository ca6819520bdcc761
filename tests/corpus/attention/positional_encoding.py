# call: positional_encoding(20, 16)
import numpy as np


def positional_encoding(max_len: int, d_model: int) -> np.ndarray:
    """Sinusoidal encoding."""
    pe = np.zeros((max_len, d_model))
    position = np.arange(max_len)[:, np.newaxis]
    div_term = np.exp(np.arange(0, d_model, 2) * -(np.log(10000.0) / d_model))
    pe[:, 0::2] = np.sin(position * div_term)
    pe[:, 1::2] = np.cos(position * div_term)
    return pe
