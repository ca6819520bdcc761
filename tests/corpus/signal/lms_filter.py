import numpy as np

np.random.seed(31)
n = 500
taps = 6
true_h = np.array([0.5, -0.3, 0.2, 0.1, -0.05, 0.02])
x = np.random.randn(n)
d = np.convolve(x, true_h)[:n] + 0.01 * np.random.randn(n)

w = np.zeros(taps)
mu = 0.02
errors = np.zeros(n)
for i in range(taps - 1, n):
    window = x[i - taps + 1:i + 1][::-1]
    e = d[i] - w.dot(window)
    w += 2 * mu * e * window
    errors[i] = e
print("weights", np.round(w, 3))
print("mse last 100:", np.mean(errors[-100:] ** 2))
