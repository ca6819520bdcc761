"""Composable signal processing blocks; ``a | b`` feeds a into b."""
from __future__ import annotations

import logging
from abc import ABC, abstractmethod
from collections import deque
from typing import Deque, Iterable, Iterator, List

import numpy as np
from numpy.typing import NDArray

LOG = logging.getLogger(__name__)

Signal = NDArray[np.float64]
SAMPLE_RATE = 100.0


class Block(ABC):
    @abstractmethod
    def process(self, samples: Iterable[float]) -> Iterator[float]:
        ...

    def __or__(self, other: Block) -> Chain:
        return Chain([self, other])

    def __call__(self, signal: Signal) -> Signal:
        return np.fromiter(self.process(signal), dtype=np.float64)


class Chain(Block):
    def __init__(self, blocks: List[Block]) -> None:
        self.blocks = blocks

    def __or__(self, other: Block) -> Chain:
        return Chain(self.blocks + [other])

    def process(self, samples: Iterable[float]) -> Iterator[float]:
        for block in self.blocks:
            samples = block.process(samples)
        yield from samples


class LowPass(Block):
    """First-order recursive low-pass filter."""

    def __init__(self, cutoff: float) -> None:
        rc = 1 / (2 * np.pi * cutoff)
        self.a = (1 / SAMPLE_RATE) / (rc + 1 / SAMPLE_RATE)

    def process(self, samples: Iterable[float]) -> Iterator[float]:
        state = 0.0
        for s in samples:
            state += self.a * (s - state)
            yield state


class FIR(Block):
    """Finite impulse response filter with a delay line."""

    def __init__(self, taps: Signal) -> None:
        self.taps = taps

    def process(self, samples: Iterable[float]) -> Iterator[float]:
        line: Deque[float] = deque([0.0] * len(self.taps), maxlen=len(self.taps))
        for s in samples:
            line.appendleft(s)
            yield float(np.dot(self.taps, list(line)))


class Meter:
    def __init__(self, signal: Signal) -> None:
        self.rms = float(np.sqrt(np.mean(signal ** 2)))

    def __enter__(self) -> Meter:
        LOG.info("rms in %.3f", self.rms)
        return self

    def __exit__(self, *exc: object) -> None:
        LOG.info("done")


t = np.arange(150) / SAMPLE_RATE
rng = np.random.default_rng(0)
noisy = np.sin(2 * np.pi * 2 * t) + 0.4 * rng.standard_normal(t.size)
chain = FIR(np.hanning(9)[1:-1] / 4) | LowPass(cutoff=10.0) | LowPass(cutoff=15.0)
with Meter(noisy) as meter:
    filtered = chain(noisy)
rms_in = meter.rms
attenuation = float(np.std(np.diff(filtered)) / np.std(np.diff(noisy)))
impulse_response = chain(np.eye(1, 20).ravel())
