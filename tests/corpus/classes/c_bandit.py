import numpy as np


class Bandit:
    def __init__(self, mean):
        self.mean = mean

    def pull(self):
        return self.mean + np.random.randn()


class Player:
    name = "base"

    def __init__(self, k):
        self.k = k
        self.counts = np.zeros(k)
        self.values = np.zeros(k)
        self.total = 0.0

    def choose(self, t):
        raise NotImplementedError

    def update(self, arm, reward):
        self.counts[arm] += 1
        self.values[arm] += (reward - self.values[arm]) / self.counts[arm]
        self.total += reward


class EpsGreedy(Player):
    name = "eps-greedy"

    def __init__(self, k, eps=0.1):
        super().__init__(k)
        self.eps = eps

    def choose(self, t):
        if np.random.rand() < self.eps:
            return np.random.randint(0, self.k)
        return np.argmax(self.values)


class UCB(Player):
    name = "ucb"

    def choose(self, t):
        # try each arm once first
        for arm in range(self.k):
            if self.counts[arm] == 0:
                return arm
        bonus = np.sqrt(2 * np.log(t) / self.counts)
        return np.argmax(self.values + bonus)


def play(player, bandits, steps=150):
    rewards = []
    for t in range(1, steps + 1):
        arm = player.choose(t)
        r = bandits[arm].pull()
        player.update(arm, r)
        rewards.append(r)
    return np.cumsum(rewards) / np.arange(1, steps + 1)


if __name__ == "__main__":
    np.random.seed(0)
    bandits = [Bandit(m) for m in (0.1, 0.5, 1.2, 0.8)]
    players = [EpsGreedy(4), EpsGreedy(4, eps=0.3), UCB(4)]
    curves = np.array([play(p, bandits) for p in players])
    ranking = sorted(players, key=lambda p: p.total, reverse=True)
    for p in ranking:
        print("%-10s eps %s total %.2f counts %s" % (p.name, getattr(p, "eps", "-"), p.total, p.counts))
    best_total = ranking[0].total
    counts = np.array([p.counts for p in players])
