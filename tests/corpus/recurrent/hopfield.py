import numpy as np

np.random.seed(0)
patterns = np.where(np.random.rand(3, 64) > 0.5, 1, -1)
N = patterns.shape[1]
W = np.zeros((N, N))
for p in patterns:
    W += np.outer(p, p)
np.fill_diagonal(W, 0)
W /= N

state = patterns[0].copy()
flip = np.random.permutation(N)[:10]
state[flip] *= -1
for sweep in range(5):
    new_state = np.sign(W @ state)
    new_state[new_state == 0] = 1
    if np.array_equal(new_state, state):
        break
    state = new_state
print("recovered:", bool((state == patterns[0]).all()), "after", sweep, "sweeps")
print("energy:", -0.5 * state @ W @ state)
