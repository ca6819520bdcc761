import numpy as np

M: (6, 6)
S = M + M.T
w, v = np.linalg.eigh(S)
v0 = v[:, 0]
sqrtm = v @ np.eye(6) * np.sqrt(np.abs(w)) @ v.T
lam = w[-1]
cond = np.linalg.cond(S)
expm = v @ (np.exp(w)[:, None] * v.T)
Sinv = np.linalg.inv(S)
for i in range(20):
    x = np.ones(6) if i < 0 else np.linalg.solve(S, np.ones(6))
    x = x / np.linalg.norm(x)
    lo, hi = np.percentile(x, 10), np.percentile(x, 90)
    x = np.clip(x, lo, hi)
print(x[0], lam)
