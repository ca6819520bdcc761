from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, OrderedDict
from typing import List, Protocol, Sequence

import numpy as np
from numpy.typing import NDArray


class Observer(Protocol):
    def notify(self, t: int, arm: int, reward: float) -> None: ...


class RegretTracker:
    def __init__(self, probs: Sequence[float]) -> None:
        self._probs = list(probs)
        self._best = max(probs)
        self.regret: List[float] = [0.0]

    def notify(self, t: int, arm: int, reward: float) -> None:
        self.regret.append(self.regret[-1] + self._best - self._probs[arm])


class ArmCounter(Counter):
    def notify(self, t: int, arm: int, reward: float) -> None:
        self[arm] += 1


class Policy(ABC):
    def __init__(self, n_arms: int, rng: np.random.Generator) -> None:
        self.n_arms, self.rng = n_arms, rng
        self.wins: NDArray[np.float64] = np.ones(n_arms)
        self.losses: NDArray[np.float64] = np.ones(n_arms)

    @abstractmethod
    def select(self, t: int) -> int: ...

    def observe(self, arm: int, reward: float) -> None:
        self.wins[arm] += reward
        self.losses[arm] += 1.0 - reward


class Thompson(Policy):
    def select(self, t: int) -> int:
        return int(np.argmax(self.rng.beta(self.wins, self.losses)))


class DecayingGreedy(Policy):
    def select(self, t: int) -> int:
        if self.rng.random() < 1.0 / (1.0 + 0.1 * t):
            return int(self.rng.integers(self.n_arms))
        return int(np.argmax(self.wins / (self.wins + self.losses)))


class Experiment:
    def __init__(self, probs: Sequence[float], horizon: int = 100) -> None:
        self.probs, self.horizon = tuple(probs), horizon
        self.observers: List[Observer] = []

    def attach(self, *observers: Observer) -> Experiment:
        self.observers.extend(observers)
        return self

    def run(self, policy: Policy) -> float:
        total = 0.0
        for t in range(self.horizon):
            arm = policy.select(t)
            reward = float(policy.rng.random() < self.probs[arm])
            policy.observe(arm, reward)
            total += reward
            for obs in self.observers:
                obs.notify(t, arm, reward)
        return total


def main() -> OrderedDict[str, tuple[NDArray[np.float64], float]]:
    out: OrderedDict[str, tuple[NDArray[np.float64], float]] = OrderedDict()
    for cls in (Thompson, DecayingGreedy):
        tracker, counter = RegretTracker([0.2, 0.5, 0.75]), ArmCounter()
        total = Experiment([0.2, 0.5, 0.75]).attach(tracker, counter).run(cls(3, np.random.default_rng(0)))
        print(f"{cls.__name__:<15}{total:5.0f}  most played: {counter.most_common(1)}")
        out[cls.__name__] = np.array(tracker.regret), total
    return out


if __name__ == "__main__":
    outcome = main()
    regrets = np.vstack([r for r, _ in outcome.values()])
    totals = np.array([s for _, s in outcome.values()])
