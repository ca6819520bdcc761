# call: holt_winters(y, 0.3, 0.1); y = normal(60)
import numpy as np


def holt_winters(y, alpha, beta):
    level, trend = y[0], y[1] - y[0]
    fitted = np.zeros(len(y))
    for t in range(len(y)):
        fitted[t] = level + trend
        last = level
        level = alpha * y[t] + (1 - alpha) * (level + trend)
        trend = beta * (level - last) + (1 - beta) * trend
    return fitted, np.sqrt(np.mean((fitted - y) ** 2))
