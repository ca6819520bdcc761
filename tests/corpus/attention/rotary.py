# call: apply_rotary(x, 10000.0); x = normal(3, 10, 8)
import numpy as np


def apply_rotary(x, base):
    """Rotary position embedding of x with shape (heads, time, dim)."""
    h, t, d = x.shape
    assert d % 2 == 0
    inv_freq = 1.0 / (base ** (np.arange(0, d, 2) / d))
    angles = np.outer(np.arange(t), inv_freq)
    cos, sin = np.cos(angles), np.sin(angles)
    x1, x2 = x[..., 0::2], x[..., 1::2]
    out = np.empty_like(x)
    out[..., 0::2] = x1 * cos - x2 * sin
    out[..., 1::2] = x1 * sin + x2 * cos
    return out
