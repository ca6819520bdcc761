import numpy as np

payoff = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
regret = np.zeros((2, 3))
strategy_sum = np.zeros((2, 3))


def get_strategy(r):
    positive = np.maximum(r, 0)
    total = positive.sum()
    return positive / total if total > 0 else np.ones(3) / 3


for t in range(200):
    s = [get_strategy(regret[0]), get_strategy(regret[1])]
    strategy_sum[0] += s[0]
    strategy_sum[1] += s[1]
    u0 = payoff @ s[1]
    u1 = -(s[0] @ payoff)
    regret[0] += u0 - s[0] @ u0 + (0.1 if t == 0 else 0) * np.array([1, 0, 0])
    regret[1] += u1 - s[1] @ u1
average = strategy_sum / strategy_sum.sum(axis=1, keepdims=True)
print(average)
