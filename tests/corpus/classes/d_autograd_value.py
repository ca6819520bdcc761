"""Scalar reverse-mode differentiation with closures."""
from __future__ import annotations

from typing import Callable, Iterable, List, Tuple, Union

import numpy as np

Number = Union[int, float]


class Value:
    __slots__ = ("data", "grad", "_backward", "_prev")

    def __init__(self, data: float, children: Tuple["Value", ...] = ()) -> None:
        self.data = float(data)
        self.grad = 0.0
        self._backward: Callable[[], None] = lambda: None
        self._prev = children

    @staticmethod
    def lift(x: Union["Value", Number]) -> "Value":
        return x if isinstance(x, Value) else Value(x)

    def __add__(self, other: Union["Value", Number]) -> "Value":
        other = Value.lift(other)
        out = Value(self.data + other.data, (self, other))

        def backward() -> None:
            self.grad += out.grad
            other.grad += out.grad
        out._backward = backward
        return out

    def __mul__(self, other: Union["Value", Number]) -> "Value":
        other = Value.lift(other)
        out = Value(self.data * other.data, (self, other))

        def backward() -> None:
            self.grad += other.data * out.grad
            other.grad += self.data * out.grad
        out._backward = backward
        return out

    __radd__ = __add__
    __rmul__ = __mul__

    def __sub__(self, other: Union["Value", Number]) -> "Value":
        return self + Value.lift(other) * -1

    def tanh(self) -> "Value":
        out = Value(np.tanh(self.data), (self,))

        def backward() -> None:
            self.grad += (1 - out.data ** 2) * out.grad
        out._backward = backward
        return out

    def backward(self) -> None:
        order: List[Value] = []
        seen: set[int] = set()

        def visit(v: Value) -> None:
            if id(v) not in seen:
                seen.add(id(v))
                for child in v._prev:
                    visit(child)
                order.append(v)
        visit(self)
        self.grad = 1.0
        for v in reversed(order):
            v._backward()


def neuron(w: Iterable[Value], b: Value, x: Iterable[float]) -> Value:
    return (sum((wi * xi for wi, xi in zip(w, x)), Value(0.0)) + b).tanh()


w, b = [Value(0.3), Value(-0.2)], Value(0.1)
samples = [((1.0, 2.0), 0.5), ((-1.0, 0.5), -0.5), ((0.5, -1.5), 0.2)]
losses: List[float] = []
for _ in range(30):
    errors = [neuron(w, b, x) - t for x, t in samples]
    loss = sum((e * e for e in errors), Value(0.0))
    for p in (*w, b):
        p.grad = 0.0
    loss.backward()
    for p in (*w, b):
        p.data -= 0.1 * p.grad
    losses.append(loss.data)
weights, history = np.array([w[0].data, w[1].data, b.data]), np.array(losses)
