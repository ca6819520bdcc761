# call: forward_backward(obs, pi, A, B); obs = ints(0, 3, 12); pi = stochastic(2); A = stochastic(2, 2); B = stochastic(2, 3)
import numpy as np


def forward_backward(obs, pi, A, B):
    """Posterior of the hidden states and the log-likelihood, scaled."""
    T, n = len(obs), len(pi)
    alpha = np.zeros((T, n))
    beta = np.ones((T, n))
    c = np.zeros(T)
    alpha[0] = pi * B[:, obs[0]]
    c[0] = alpha[0].sum()
    alpha[0] /= c[0]
    for t in range(1, T):
        alpha[t] = (alpha[t - 1] @ A) * B[:, obs[t]]
        c[t] = alpha[t].sum()
        alpha[t] /= c[t]
    for t in reversed(range(T - 1)):
        beta[t] = A @ (B[:, obs[t + 1]] * beta[t + 1]) / c[t + 1]
    return alpha * beta, np.log(c).sum()
