import numpy as np

rng = np.random.RandomState(12)
true_means = rng.randn(5)
counts = np.zeros(5)
values = np.zeros(5)
rewards = []
for t in range(1, 401):
    if t <= 5:
        arm = t - 1
    else:
        arm = np.argmax(values + np.sqrt(2 * np.log(t) / counts))
    reward = true_means[arm] + rng.randn()
    counts[arm] += 1
    values[arm] += (reward - values[arm]) / counts[arm]
    rewards.append(reward)
print("pulls", counts.astype(int))
print("average reward %.3f, best arm %d" % (np.mean(rewards), np.argmax(true_means)))
