import numpy as np
def relax(phi, f, h, n):
    new = np.empty_like(phi)
    new[:] = phi
    for it in range(n):
        new[1:-1, 1:-1] = 0.25 * (phi[2:, 1:-1] + phi[:-2, 1:-1] + phi[1:-1, 2:] + phi[1:-1, :-2] - h * h * f[1:-1, 1:-1])
        np.copyto(phi, new)
    return phi
phi = np.zeros((12, 12), dtype=np.float64)
phi[0, :] = 1.0
f = np.full((12, 12), 0.5)
res = relax(phi, f, 0.1, 10)
r = np.subtract(res, 1.0)
np.abs(r, out=r)
