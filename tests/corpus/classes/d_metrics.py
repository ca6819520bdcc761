"""Streaming classification metrics."""
from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Dict, Iterator, Mapping, Tuple

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]


class UndefinedMetric(ArithmeticError):
    pass


@dataclass(frozen=True)
class Confusion:
    """Immutable confusion matrix; matrices of two batches can be added."""

    table: IntArray

    @classmethod
    def from_labels(cls, truth: IntArray, pred: IntArray, n: int) -> Confusion:
        table = np.zeros((n, n), dtype=np.int64)
        np.add.at(table, (truth, pred), 1)
        return cls(table)

    def __add__(self, other: Any) -> Confusion:
        if not isinstance(other, Confusion):
            return NotImplemented
        return Confusion(self.table + other.table)

    def __radd__(self, other: Any) -> Confusion:
        return self if other == 0 else NotImplemented

    @property
    def accuracy(self) -> float:
        return float(np.trace(self.table) / self.table.sum())

    def precision(self, k: int) -> float:
        predicted = int(self.table[:, k].sum())
        if predicted == 0:
            raise UndefinedMetric(f"class {k} was never predicted")
        return float(self.table[k, k] / predicted)

    def recall(self, k: int) -> float:
        return float(self.table[k, k] / max(int(self.table[k].sum()), 1))

    def f1(self, k: int) -> float:
        p, r = self.precision(k), self.recall(k)
        return 0.0 if p + r == 0 else 2 * p * r / (p + r)

    def report(self) -> Mapping[int, float]:
        scores: Dict[int, float] = {}
        for k in range(len(self.table)):
            with suppress(UndefinedMetric):
                scores[k] = self.f1(k)
        return scores


def batches(*arrays: NDArray[Any], size: int) -> Iterator[Tuple[NDArray[Any], ...]]:
    for lo in range(0, len(arrays[0]), size):
        yield tuple(a[lo:lo + size] for a in arrays)


def auc(truth: IntArray, score: NDArray[np.float64]) -> float:
    pos, neg = score[truth == 1], score[truth == 0]
    wins = (pos[:, None] > neg[None, :]).sum() + 0.5 * (pos[:, None] == neg[None, :]).sum()
    return float(wins / (pos.size * neg.size))


np.random.seed(0)
N_CLASSES = 4
centers = np.array([[0.0, 0.0], [2.5, 0.0], [0.0, 2.5], [9.0, 9.0]])
truth = np.random.choice(3, size=120)
points = centers[truth] + np.random.randn(120, 2)
pred = ((points[:, None, :] - centers) ** 2).sum(axis=2).argmin(axis=1)

total = sum(Confusion.from_labels(t, p, N_CLASSES) for t, p in batches(truth, pred, size=32))
f1_scores = np.array(list(total.report().values()))
macro_f1, accuracy = float(f1_scores.mean()), total.accuracy
confusion = total.table
binary_auc = auc((truth == 1).astype(int), points[:, 0])
assert total.table.sum() == len(truth)
