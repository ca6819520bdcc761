# Prices of European options after Black and Scholes. price, strike, years: vectors.
import numpy as np

RATE, VOLATILITY = 0.05, 0.3


def normal_cdf(d):
    """Abramowitz and Stegun, 26.2.17."""
    k = 1 / (1 + 0.2316419 * np.abs(d))
    tail = k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))))
    tail = 0.3989422804014327 * np.exp(-0.5 * d * d) * tail
    return np.where(d > 0, 1 - tail, tail)


deviation = VOLATILITY * np.sqrt(years)
d1 = (np.log(price / strike) + (RATE + 0.5 * VOLATILITY**2) * years) / deviation
d2 = d1 - deviation
present = strike * np.exp(-RATE * years)
call = price * normal_cdf(d1) - present * normal_cdf(d2)
put = call - price + present
