# call: autocorrelation(x, 10); x = normal(120)
import numpy as np


def autocorrelation(x: np.ndarray, max_lag: int) -> np.ndarray:
    """Biased autocorrelation for lags 0..max_lag."""
    x = x - np.mean(x)
    n = len(x)
    variance = np.dot(x, x) / n
    result = np.ones(max_lag + 1)
    for lag in range(1, max_lag + 1):
        result[lag] = np.dot(x[:-lag], x[lag:]) / (n * variance)
    return result
