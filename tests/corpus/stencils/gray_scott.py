import numpy as np

size = 40
U = np.ones((size, size))
V = np.zeros((size, size))
r = 5
U[size // 2 - r:size // 2 + r, size // 2 - r:size // 2 + r] = 0.50
V[size // 2 - r:size // 2 + r, size // 2 - r:size // 2 + r] = 0.25
Du, Dv, F, k = 0.16, 0.08, 0.035, 0.065


def laplacian(Z):
    return (np.roll(Z, 1, axis=0) + np.roll(Z, -1, axis=0)
            + np.roll(Z, 1, axis=1) + np.roll(Z, -1, axis=1) - 4 * Z)


for step in range(200):
    uvv = U * V * V
    U += Du * laplacian(U) - uvv + F * (1 - U)
    V += Dv * laplacian(V) + uvv - (F + k) * V
    if step % 50 == 0:
        print(step, U.mean(), V.max())
