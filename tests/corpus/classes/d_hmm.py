"""Discrete hidden Markov model: filtering, smoothing and Viterbi decoding."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import List, Tuple

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


class InvalidDistribution(ValueError):
    def __init__(self, name: str) -> None:
        super().__init__(f"rows of {name} must sum to one")
        self.name = name


@dataclass(frozen=True)
class HMM:
    start: Matrix
    transition: Matrix
    emission: Matrix

    def __post_init__(self) -> None:
        for name in ("start", "transition", "emission"):
            if not np.allclose(getattr(self, name).sum(axis=-1), 1.0):
                raise InvalidDistribution(name)

    @cached_property
    def n_states(self) -> int:
        return len(self.start)

    def forward(self, obs: List[int]) -> Tuple[Matrix, float]:
        alpha = np.zeros((len(obs), self.n_states))
        loglik = 0.0
        prior = self.start
        for t, o in enumerate(obs):
            alpha[t] = prior * self.emission[:, o]
            norm = alpha[t].sum()
            alpha[t] /= norm
            loglik += np.log(norm)
            prior = alpha[t] @ self.transition
        return alpha, loglik

    def posterior(self, obs: List[int]) -> Matrix:
        alpha, _ = self.forward(obs)
        beta = np.ones_like(alpha)
        for t in reversed(range(len(obs) - 1)):
            beta[t] = self.transition @ (self.emission[:, obs[t + 1]] * beta[t + 1])
            beta[t] /= beta[t].sum()
        gamma = alpha * beta
        return gamma / gamma.sum(axis=1, keepdims=True)

    def viterbi(self, obs: List[int]) -> NDArray[np.int64]:
        score = np.log(self.start) + np.log(self.emission[:, obs[0]])
        back = []
        for o in obs[1:]:
            options = score[:, None] + np.log(self.transition)
            back.append(options.argmax(axis=0))
            score = options.max(axis=0) + np.log(self.emission[:, o])
        path = [int(score.argmax())]
        for pointers in reversed(back):
            path.append(int(pointers[path[-1]]))
        return np.array(path[::-1])


model = HMM(
    start=np.array([0.6, 0.4]),
    transition=np.array([[0.8, 0.2], [0.3, 0.7]]),
    emission=np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]]),
)
np.random.seed(0)
observations = np.random.choice(3, size=40, p=[0.4, 0.3, 0.3]).tolist()

filtered, log_likelihood = model.forward(observations)
smoothed = model.posterior(observations)
path = model.viterbi(observations)
agreement = float(np.mean(smoothed.argmax(axis=1) == path))

try:
    HMM(np.array([0.5, 0.6]), np.eye(2), np.eye(2))
except InvalidDistribution as exc:
    print("rejected:", exc.name)
