import numpy as np

rng = np.random.default_rng(2)
t = np.linspace(0, 8 * np.pi, 200)
series = np.sin(t)
W_in = rng.uniform(-0.5, 0.5, (50, 1))
W = rng.uniform(-0.5, 0.5, (50, 50))
W *= 0.9 / np.max(np.abs(np.linalg.eigvals(W)))

# echo state network: fixed reservoir, linear read-out
states = np.zeros((len(series) - 1, 50))
x = np.zeros(50)
for k in range(len(series) - 1):
    x = np.tanh(W_in[:, 0] * series[k] + W @ x)
    states[k] = x
washout = 20
S, target = states[washout:], series[washout + 1:]
W_out = np.linalg.solve(S.T @ S + 1e-6 * np.eye(50), S.T @ target)
print("train rmse:", np.sqrt(np.mean((S @ W_out - target) ** 2)))
