import numpy as np
rng = np.random.RandomState(1)
n = 20
dt = 0.1
F = np.array([[1.0, dt], [0.0, 1.0]])
H = np.array([[1.0, 0.0]])
Q = 0.01 * np.eye(2)
R = np.array([[0.25]])
zs = np.cumsum(np.full(n, 0.1)) + 0.5 * rng.randn(n)
x = np.zeros((2, 1))
P = np.eye(2)
est = np.zeros(n)
for k in range(n):
    x = F @ x
    P = F @ P @ F.T + Q
    S = H @ P @ H.T + R
    K = P @ H.T / S
    x = x + K @ (zs[k] - H @ x)
    P = (np.eye(2) - K @ H) @ P
    est[k] = x[0, 0]
mse = np.mean((est - np.cumsum(np.full(n, 0.1)))**2)
