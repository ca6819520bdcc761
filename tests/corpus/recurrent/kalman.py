# call: kalman(z, F, H, Q, R, x, P); z = normal(20, 2); F = np.eye(4) + 0.1 * np.eye(4, k=2); H = np.eye(2, 4); Q = 0.01 * np.eye(4); R = 0.5 * np.eye(2); x = zeros(4); P = np.eye(4)
import numpy as np


def kalman(z, F, H, Q, R, x, P):
    """Filter the measurements z (time, m)."""
    n = F.shape[0]
    out = np.zeros((len(z), n))
    for t in range(len(z)):
        x = F @ x
        P = F @ P @ F.T + Q
        y = z[t] - H @ x
        S = H @ P @ H.T + R
        K = P @ H.T @ np.linalg.inv(S)
        x = x + K @ y
        P = (np.eye(n) - K @ H) @ P
        out[t] = x
    return out, P
