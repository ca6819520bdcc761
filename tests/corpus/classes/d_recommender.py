"""Matrix-factorisation recommender trained by stochastic gradient descent."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Iterator, List, NamedTuple, Optional

import numpy as np
from numpy.typing import NDArray


class Rating(NamedTuple):
    user: int
    item: int
    score: float


@dataclass
class Hyper:
    rank: int = 3
    lr: float = 0.05
    reg: float = 0.02
    epochs: int = 15


Callback = Callable[[int, float], None]


@dataclass
class EarlyStopping:
    patience: int = 3
    best: float = float("inf")
    wait: int = 0
    log: List[float] = field(default_factory=list)

    def __call__(self, epoch: int, rmse: float) -> None:
        self.log.append(rmse)
        if rmse < self.best - 1e-4:
            self.best, self.wait = rmse, 0
        else:
            self.wait += 1
        if self.wait >= self.patience:
            raise StopTraining(epoch)


class StopTraining(Exception):
    pass


class Recommender:
    def __init__(self, n_users: int, n_items: int, hyper: Optional[Hyper] = None) -> None:
        self.hyper = hyper or Hyper()
        rng = np.random.default_rng(0)
        self.P: NDArray[np.float64] = 0.1 * rng.standard_normal((n_users, self.hyper.rank))
        self.Q: NDArray[np.float64] = 0.1 * rng.standard_normal((n_items, self.hyper.rank))
        self.mu = 0.0

    def predict(self, user: int, item: int) -> float:
        return self.mu + self.P[user] @ self.Q[item]

    def rmse(self, ratings: List[Rating]) -> float:
        return float(np.sqrt(np.mean([(r.score - self.predict(r.user, r.item)) ** 2 for r in ratings])))

    def fit(self, ratings: List[Rating], callback: Optional[Callback] = None) -> Recommender:
        h = self.hyper
        self.mu = float(np.mean([r.score for r in ratings]))
        try:
            for epoch in range(h.epochs):
                for user, item, score in ratings:
                    err = score - self.predict(user, item)
                    pu, qi = self.P[user].copy(), self.Q[item].copy()
                    self.P[user] += h.lr * (err * qi - h.reg * pu)
                    self.Q[item] += h.lr * (err * pu - h.reg * qi)
                if callback is not None:
                    callback(epoch, self.rmse(ratings))
        except StopTraining as stop:
            print("stopped at epoch", stop)
        return self


def make_ratings(n_users: int, n_items: int) -> Iterator[Rating]:
    rng = np.random.default_rng(1)
    truth = 3 + rng.standard_normal((n_users, 2)) @ rng.standard_normal((2, n_items))
    yield from (Rating(u, i, float(truth[u, i])) for u in range(n_users)
                for i in range(n_items) if rng.random() < 0.7)


observed = list(make_ratings(6, 7))
stopper = EarlyStopping()
model = Recommender(6, 7, Hyper(epochs=30)).fit(observed, stopper)
scores, history = model.mu + model.P @ model.Q.T, np.array(stopper.log)
