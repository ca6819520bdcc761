import numpy as np


def log_density(x):
    return -0.5 * x ** 2 + np.log1p(0.5 * np.cos(3 * x))


np.random.seed(7)
samples = []
x = 0.0
accepted = 0
for step in range(2000):
    proposal = x + np.random.normal(scale=1.2)
    if np.log(np.random.rand()) < log_density(proposal) - log_density(x):
        x = proposal
        accepted += 1
    if step >= 200:
        samples.append(x)

samples = np.array(samples)
print("acceptance rate", accepted / 2000)
print("mean", samples.mean(), "var", samples.var())
