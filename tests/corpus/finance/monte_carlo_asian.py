import numpy as np

np.random.seed(123)
S0, K, r, sigma, T = 100.0, 100.0, 0.05, 0.2, 1.0
n_paths, n_steps = 2000, 50
dt = T / n_steps
Z = np.random.standard_normal((n_paths, n_steps))
increments = (r - 0.5 * sigma ** 2) * dt + sigma * np.sqrt(dt) * Z
paths = S0 * np.exp(np.cumsum(increments, axis=1))
average = paths.mean(axis=1)
payoff = np.maximum(average - K, 0.0)
price = np.exp(-r * T) * payoff.mean()
stderr = np.exp(-r * T) * payoff.std() / np.sqrt(n_paths)
print(f"price {price:.4f} +/- {1.96 * stderr:.4f}")
