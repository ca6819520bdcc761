# call: escape(cx, cy, 30); cx = np.linspace(-2, 0.5, 40); cy = np.linspace(-1.2, 1.2, 30)
import numpy as np


def escape(cx, cy, max_iter):
    """Escape times without complex numbers."""
    x = np.zeros((len(cy), len(cx)))
    y = np.zeros_like(x)
    count = np.zeros_like(x)
    for i in range(max_iter):
        inside = x * x + y * y <= 4.0
        xn = x * x - y * y + cx[None, :]
        yn = 2 * x * y + cy[:, None]
        x = np.where(inside, xn, x)
        y = np.where(inside, yn, y)
        count += inside
    return count
