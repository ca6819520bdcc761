import numpy as np
rng = np.random.RandomState(7)
prices = np.cumprod(1 + 0.01 * rng.randn(250, 4), axis=0)
returns = np.diff(np.log(prices), axis=0)
mu = returns.mean(axis=0)
sigma = np.cov(returns, rowvar=False)
corr = np.corrcoef(returns.T)
w = np.full(4, 0.25)
var = w @ sigma @ w
vol = np.sqrt(var * 252)
dd = np.max(np.maximum.accumulate(prices, axis=0) - prices, axis=0)
