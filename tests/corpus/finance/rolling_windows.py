# call: rolling(prices, 5); prices = 100 + np.cumsum(normal(40))
import numpy as np


def rolling(prices, window):
    if window <= 0 or window > prices.size:
        raise ValueError("window must be in 1..%d" % prices.size)
    windows = np.lib.stride_tricks.sliding_window_view(prices, window)
    mean = windows.mean(axis=-1)
    band = 2 * windows.std(axis=-1)
    crossed = np.argwhere(prices[window - 1:] > mean + 0.5 * band)
    return mean, mean - band, mean + band, len(crossed)
