from __future__ import annotations

import contextlib
from typing import Callable, Iterator, List, Optional

import numpy as np


class Tape:
    """Records backward closures while it is active."""

    current: Optional["Tape"] = None

    def __init__(self) -> None:
        self.ops: List[Callable[[], None]] = []

    def backward(self, out: "Tensor") -> None:
        out.grad = np.ones_like(out.data)
        for op in reversed(self.ops):
            op()


@contextlib.contextmanager
def recording() -> Iterator[Tape]:
    previous, Tape.current = Tape.current, Tape()
    try:
        yield Tape.current
    finally:
        Tape.current = previous


class Tensor:
    def __init__(self, data: np.ndarray) -> None:
        self.data = np.asarray(data, dtype=float)
        self.grad = np.zeros_like(self.data)

    def _record(self, fn: Callable[[], None]) -> None:
        if Tape.current is not None:
            Tape.current.ops.append(fn)

    def __matmul__(self, other: "Tensor") -> "Tensor":
        out = Tensor(self.data @ other.data)

        def back() -> None:
            self.grad = self.grad + out.grad @ other.data.T
            other.grad = other.grad + self.data.T @ out.grad
        self._record(back)
        return out

    def __add__(self, bias: "Tensor") -> "Tensor":
        out = Tensor(self.data + bias.data)

        def back() -> None:
            self.grad = self.grad + out.grad
            bias.grad = bias.grad + out.grad.sum(axis=0)
        self._record(back)
        return out

    def relu(self) -> "Tensor":
        out = Tensor(np.maximum(self.data, 0.0))
        self._record(lambda: setattr(self, "grad", self.grad + out.grad * (self.data > 0)))
        return out

    def mse(self, target: np.ndarray) -> "Tensor":
        diff = self.data - target
        out = Tensor(np.mean(diff ** 2))
        self._record(lambda: setattr(self, "grad", self.grad + out.grad * 2.0 * diff / diff.size))
        return out


rng = np.random.default_rng(0)
X = Tensor(rng.standard_normal((30, 3)))
y = np.sin(X.data[:, :1]) + 0.5 * X.data[:, 1:2]
params = [Tensor(rng.standard_normal((3, 8)) * 0.5), Tensor(np.zeros(8)),
          Tensor(rng.standard_normal((8, 1)) * 0.5), Tensor(np.zeros(1))]
W1, b1, W2, b2 = params
curve = []
for step in range(50):
    with recording() as tape:
        loss = ((X @ W1 + b1).relu() @ W2 + b2).mse(y)
    for p in params:
        p.grad = np.zeros_like(p.data)
    tape.backward(loss)
    for p in params:
        p.data = p.data - 0.1 * p.grad
    curve.append(float(loss.data))

curve = np.array(curve)
grad_norm = float(np.sqrt(sum((p.grad ** 2).sum() for p in params)))
first_weights = W1.data
