import numpy as np

Nx, Ny, tau, Nt = 40, 16, 0.6, 15
cxs = np.array([0, 0, 1, 1, 1, 0, -1, -1, -1])
cys = np.array([0, 1, 1, 0, -1, -1, -1, 0, 1])
weights = np.array([4 / 9, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36, 1 / 9, 1 / 36])
idxs = np.arange(9)
np.random.seed(0)
F = np.ones((Ny, Nx, 9)) + 0.01 * np.random.randn(Ny, Nx, 9)
F[:, :, 3] += 2 * (1 + 0.2 * np.cos(2 * np.pi * np.arange(Nx) / Nx * 4))
rho = np.sum(F, 2)
for i in idxs:
    F[:, :, i] *= 100 / rho

X, Y = np.meshgrid(range(Nx), range(Ny))
cylinder = (X - Nx / 4) ** 2 + (Y - Ny / 2) ** 2 < (Ny / 5) ** 2

for it in range(Nt):
    for i, cx, cy in zip(idxs, cxs, cys):
        F[:, :, i] = np.roll(F[:, :, i], cx, axis=1)
        F[:, :, i] = np.roll(F[:, :, i], cy, axis=0)
    bndry = F[cylinder, :]
    bndry = bndry[:, [0, 5, 6, 7, 8, 1, 2, 3, 4]]
    rho = np.sum(F, 2)
    ux = np.sum(F * cxs, 2) / rho
    uy = np.sum(F * cys, 2) / rho
    Feq = np.zeros(F.shape)
    for i, cx, cy, w in zip(idxs, cxs, cys, weights):
        cu = cx * ux + cy * uy
        Feq[:, :, i] = rho * w * (1 + 3 * cu + 9 * cu ** 2 / 2 - 3 * (ux ** 2 + uy ** 2) / 2)
    F += -(1.0 / tau) * (F - Feq)
    F[cylinder, :] = bndry
print("mass", rho.sum(), "mean ux", ux.mean())
