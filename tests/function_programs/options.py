import numpy as np
from scipy.special import erf
S = np.linspace(80, 120, 9)
K, r, sigma, T = 100.0, 0.05, 0.2, 1.0
d1 = (np.log(S / K) + (r + sigma**2 / 2) * T) / (sigma * np.sqrt(T))
d2 = d1 - sigma * np.sqrt(T)
def cdf(x):
    return 0.5 * (1 + erf(x / np.sqrt(2)))
call = S * cdf(d1) - K * np.exp(-r * T) * cdf(d2)
paths = S[0] * np.exp(np.cumsum((r - 0.5 * sigma**2) * 0.01 + sigma * 0.1 * np.random.standard_normal(size=(50, 16)), axis=0))
payoff = np.maximum(paths[-1] - K, 0).mean()
delta = np.gradient(call, 5.0)
