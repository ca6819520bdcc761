# call: gaussian_kde(samples, grid); samples = normal(60); grid = np.linspace(-3, 3, 40)
import numpy as np


def gaussian_kde(samples: np.ndarray, grid: np.ndarray, bandwidth=None) -> np.ndarray:
    """Kernel density estimate with Scott's rule as the default bandwidth."""
    n = samples.size
    if bandwidth is None:
        bandwidth = samples.std(ddof=1) * n ** (-1 / 5)
    z = (grid[:, None] - samples[None, :]) / bandwidth
    return np.exp(-0.5 * z ** 2).sum(axis=1) / (n * bandwidth * np.sqrt(2 * np.pi))
