# A histogram by masks, and the statistics of what falls into each bin.
import numpy as np

data: (40,)
values: (40,)

lo, hi = data.min(), data.max()
width = (hi - lo) / 4
sums = np.zeros(4)
counts = np.zeros(4)
for i in range(4):
    left = lo + i * width
    mask = (data >= left) & (data < left + width)
    sums[i] = values[mask].sum()
    counts[i] = np.sum(mask)


def statistics(x):
    positive = x[x > 0]
    return positive.mean(), positive.std(), positive.max(), len(positive) / x.size


mean, spread, most, share = statistics(values)
clipped = values.copy()
clipped[clipped > 1.0] = 1.0
clipped[clipped < -1.0] *= 0.5
logs = np.zeros_like(values)
logs[values > 0] = np.log(values[values > 0])
