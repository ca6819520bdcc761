# call: bootstrap_curve(rates); rates = 0.02 + 0.01 * uniform(10)
import numpy as np


def bootstrap_curve(rates):
    """Discount factors and zero rates from annual par swap rates."""
    n = rates.shape[0]
    df = np.zeros(n)
    for i in range(n):
        df[i] = (1 - rates[i] * df[:i].sum()) / (1 + rates[i])
    t = np.arange(1, n + 1)
    zero = -np.log(df) / t
    forward = np.empty(n)
    forward[0] = 1 / df[0] - 1
    forward[1:] = df[:-1] / df[1:] - 1
    return df, zero, forward
