import numpy as np
P = np.array([[0.9, 0.075, 0.025], [0.15, 0.8, 0.05], [0.25, 0.25, 0.5]])
assert_ok = np.allclose(P.sum(axis=1), 1)
pi = np.ones(3) / 3
for _ in range(60):
    pi = pi @ P
E = np.identity(3) - P + np.ones((3, 3)) / 3
H = -np.nansum(np.where(P > 0, P * np.log(P), 0), axis=1)
rate = np.dot(pi, H)
u = np.random.uniform(size=200)
cdf = np.cumsum(pi)
states = (u[:, None] > cdf[None, :]).sum(axis=1)
freq = np.array([np.mean(states == 0), np.mean(states == 1), np.mean(states == 2)])
