import numpy as np


def value_at_risk(returns, level=0.95):
    ordered = np.sort(returns)
    index = int((1 - level) * len(ordered))
    var = -ordered[index]
    cvar = -ordered[:index + 1].mean()
    return var, cvar


if __name__ == "__main__":
    np.random.seed(99)
    weights = np.array([0.5, 0.3, 0.2])
    cov = np.array([[0.04, 0.01, 0.0], [0.01, 0.09, 0.02], [0.0, 0.02, 0.16]])
    chol = np.linalg.cholesky(cov)
    returns = np.random.randn(1000, 3).dot(chol.T) / np.sqrt(252)
    portfolio = returns @ weights
    for level in (0.9, 0.95, 0.99):
        v, c = value_at_risk(portfolio, level)
        print("%.2f  VaR %.4f  CVaR %.4f" % (level, v, c))
