# call: forces(pos, F); pos = 3 * uniform(14, 3); F = zeros(14, 3)
import numpy as np


def forces(pos, F):
    n = pos.shape[0]
    energy = 0.0
    F[:] = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            r = pos[i] - pos[j]
            r2 = np.dot(r, r)
            if r2 < 6.25:
                s6 = (1.0 / r2) ** 3
                energy += 4.0 * (s6 * s6 - s6)
                f = 24.0 * (2.0 * s6 * s6 - s6) / r2 * r
                F[i] += f
                F[j] -= f
    return energy
