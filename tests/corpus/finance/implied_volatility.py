# call: implied_vol(12.0, 100.0, 100.0, 1.0, 0.02)
import numpy as np
from math import erf


def cdf(x):
    return 0.5 * (1 + erf(x / np.sqrt(2)))


def implied_vol(price, S, K, T, r):
    sigma = 0.3
    for _ in range(30):
        d1 = (np.log(S / K) + (r + sigma ** 2 / 2) * T) / (sigma * np.sqrt(T))
        d2 = d1 - sigma * np.sqrt(T)
        diff = S * cdf(d1) - K * np.exp(-r * T) * cdf(d2) - price
        vega = S * np.exp(-d1 ** 2 / 2) / np.sqrt(2 * np.pi) * np.sqrt(T)
        if abs(diff) < 1e-10:
            break
        sigma -= diff / vega
    return sigma
