# call: value_iteration(P, R, 0.9); P = stochastic(3, 8, 8); R = normal(3, 8)
import numpy as np


def value_iteration(P, R, gamma, theta=1e-6):
    """Optimal values and policy; P is (actions, states, states)."""
    V = np.zeros(P.shape[1])
    while True:
        Q = R + gamma * (P @ V)
        V_new = Q.max(axis=0)
        if np.max(np.abs(V_new - V)) < theta:
            break
        V = V_new
    return V_new, Q.argmax(axis=0)
