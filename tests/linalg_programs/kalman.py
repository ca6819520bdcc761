import numpy as np

Z: (30, 1)

F = np.array([[1.0, 0.1], [0.0, 1.0]])
H = np.array([[1.0, 0.0]])
Q = 0.01 * np.eye(2)
R = np.array([[0.25]])
x = np.zeros((2, 1))
P = np.eye(2)
estimates = np.zeros((30, 2))
for k in range(30):
    x = F @ x
    P = F @ P @ F.T + Q
    S = H @ P @ H.T + R
    K = P @ H.T @ np.linalg.inv(S)
    y = Z[k:k + 1] - H @ x
    x = x + K @ y
    P = (np.eye(2) - K @ H) @ P
    estimates[k] = x[:, 0]
