# call: black_litterman(Sigma, w, P, q, 0.05, 2.5); Sigma = 0.04 * spd(4); w = stochastic(4); P = np.array([[1.0, -1, 0, 0], [0, 0, 1, 0]]); q = np.array([0.02, 0.07])
import numpy as np


def black_litterman(Sigma, w, P, q, tau, delta):
    pi = delta * Sigma @ w
    Omega = np.diag(np.diag(tau * P @ Sigma @ P.T))
    tS_inv = np.linalg.inv(tau * Sigma)
    O_inv = np.linalg.inv(Omega)
    mean = np.linalg.inv(tS_inv + P.T @ O_inv @ P) @ (tS_inv @ pi + P.T @ O_inv @ q)
    return pi, mean
