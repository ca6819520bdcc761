import numpy as np

np.random.seed(15)
n, m = 100, 500
kappa, theta, xi, rho, r = 2.0, 0.04, 0.3, -0.7, 0.01
dt = 1.0 / n
S = np.full(m, 100.0)
v = np.full(m, 0.04)
for i in range(n):
    z1 = np.random.randn(m)
    z2 = rho * z1 + np.sqrt(1 - rho ** 2) * np.random.randn(m)
    vp = np.maximum(v, 0)
    S *= np.exp((r - 0.5 * vp) * dt + np.sqrt(vp * dt) * z1)
    v += kappa * (theta - vp) * dt + xi * np.sqrt(vp * dt) * z2
strikes = [90, 100, 110]
for K in strikes:
    print(K, round(np.exp(-r) * np.maximum(S - K, 0).mean(), 4))
