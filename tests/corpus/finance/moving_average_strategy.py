import numpy as np

rng = np.random.default_rng(7)
prices = 100 * np.cumprod(1 + rng.normal(0.0005, 0.01, 250))


def sma(x, n):
    return np.convolve(x, np.ones(n) / n, mode="valid")


fast = sma(prices, 10)[20:]
slow = sma(prices, 30)
assert len(fast) == len(slow)
signal = np.where(fast > slow, 1, 0)
returns = np.diff(prices[29:]) / prices[29:-1]
strategy = signal[:-1] * returns
equity = np.cumprod(1 + strategy)
drawdown = 1 - equity / np.maximum.accumulate(equity)
print("total return: {:.2%}".format(equity[-1] - 1))
print("sharpe: {:.2f}".format(np.sqrt(252) * strategy.mean() / strategy.std()))
print("max drawdown: {:.2%}".format(drawdown.max()))
