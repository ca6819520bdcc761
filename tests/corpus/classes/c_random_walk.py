import numpy as np


class Walker:
    count = 0

    def __init__(self, start=0.0, p=0.5):
        Walker.count += 1
        self.id = Walker.count
        self.pos = start
        self.p = p
        self.path = [start]

    def step(self):
        if np.random.rand() < self.p:
            self.pos += 1
        else:
            self.pos -= 1
        self.path.append(self.pos)

    def walk(self, n):
        for _ in range(n):
            self.step()
        return self

    def first_return(self):
        for t, x in enumerate(self.path[1:], start=1):
            if x == 0:
                return t
        return None


class DriftWalker(Walker):
    def __init__(self, start=0.0, p=0.5, drift=0.1):
        super().__init__(start, p)
        self.drift = drift

    def step(self):
        super().step()
        self.pos += self.drift
        self.path[-1] = self.pos


def summarize(walkers):
    paths = np.array([w.path for w in walkers])
    return paths.mean(axis=0), paths.std(axis=0)


if __name__ == "__main__":
    np.random.seed(0)
    plain = [Walker().walk(50) for _ in range(12)]
    drift = [DriftWalker(drift=0.25).walk(50) for _ in range(12)]

    mean_plain, std_plain = summarize(plain)
    mean_drift, std_drift = summarize(drift)

    returns = [w.first_return() for w in plain]
    returned = [r for r in returns if r is not None]
    frac_returned = len(returned) / len(returns)
    try:
        avg_return = sum(returned) / len(returned)
    except ZeroDivisionError:
        avg_return = 0.0

    farthest = sorted(plain + drift, key=lambda w: abs(w.pos))[-1]
    print("walkers: %d, farthest is no. %d at %.2f" % (Walker.count, farthest.id, farthest.pos))
    print("fraction returned %.2f, average time %.2f" % (frac_returned, avg_return))
