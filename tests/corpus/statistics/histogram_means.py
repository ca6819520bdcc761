# call: azimuthal_mean(data, radius, 10); data = uniform(400); radius = uniform(400)
import numpy as np


def azimuthal_mean(data, radius, npt):
    rmax = radius.max()
    res = np.zeros(npt, dtype=np.float64)
    for i in range(npt):
        r1 = rmax * i / npt
        r2 = rmax * (i + 1) / npt
        mask = np.logical_and(radius >= r1, radius < r2)
        res[i] = data[mask].mean()
    return res
