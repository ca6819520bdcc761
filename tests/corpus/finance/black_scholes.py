# call: black_scholes(S, K, T, 0.03, sigma); S = 80 + 40 * uniform(50); K = 80 + 40 * uniform(50); T = 0.2 + uniform(50); sigma = 0.1 + 0.3 * uniform(50)
import numpy as np


def erf(x):
    # Abramowitz and Stegun 7.1.26
    s = np.sign(x)
    x = np.abs(x)
    t = 1.0 / (1.0 + 0.3275911 * x)
    y = 1.0 - (((((1.061405429 * t - 1.453152027) * t) + 1.421413741) * t - 0.284496736) * t
               + 0.254829592) * t * np.exp(-x * x)
    return s * y


def norm_cdf(x):
    return 0.5 * (1.0 + erf(x / np.sqrt(2.0)))


def black_scholes(S, K, T, r, sigma):
    """European call and put prices."""
    d1 = (np.log(S / K) + (r + 0.5 * sigma ** 2) * T) / (sigma * np.sqrt(T))
    d2 = d1 - sigma * np.sqrt(T)
    call = S * norm_cdf(d1) - K * np.exp(-r * T) * norm_cdf(d2)
    put = K * np.exp(-r * T) * norm_cdf(-d2) - S * norm_cdf(-d1)
    return call, put
