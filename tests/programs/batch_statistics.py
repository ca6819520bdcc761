# Batch normalisation with running statistics, in place, through views.
import numpy as np

batch: (12, 4)
running_mean: (4,)
running_var: (4,)
gamma: (1, 4)
beta: (1, 4)

momentum = 0.1
mean = batch.mean(0)
var = batch.var(0)
normal = (batch - mean) * (var + 1e-5) ** -0.5
out = gamma * normal + beta
running_mean *= 1 - momentum
running_mean += momentum * mean
running_var *= 1 - momentum
running_var += momentum * var * len(batch) / (len(batch) - 1)

half = out[:6]
half[half.shape[0] - 1] = 0       # the last row of the first half, in `out` too
column = out[:, 1]
column *= 2
flat = out.reshape(-1)
flat[:2] = -1.0
total = out.sum()
