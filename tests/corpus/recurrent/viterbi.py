# call: viterbi(obs, pi, A, B); obs = ints(0, 4, 15); pi = stochastic(3); A = stochastic(3, 3); B = stochastic(3, 4)
import numpy as np


def viterbi(obs, pi, A, B):
    """Most likely path of a hidden Markov model."""
    T = len(obs)
    N = A.shape[0]
    delta = np.zeros((T, N))
    psi = np.zeros((T, N), dtype=int)
    delta[0] = np.log(pi) + np.log(B[:, obs[0]])
    for t in range(1, T):
        for j in range(N):
            scores = delta[t - 1] + np.log(A[:, j])
            psi[t, j] = np.argmax(scores)
            delta[t, j] = scores[psi[t, j]] + np.log(B[j, obs[t]])
    path = np.zeros(T, dtype=int)
    path[-1] = np.argmax(delta[-1])
    for t in range(T - 2, -1, -1):
        path[t] = psi[t + 1, path[t + 1]]
    return path
