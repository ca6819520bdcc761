"""Discrete-event simulation of a counter with several clerks."""
import heapq
import itertools
import sys
from dataclasses import dataclass, field
from typing import Callable, Deque, Dict, List, Tuple
from collections import deque

import numpy as np

ARRIVAL_RATE: float = 1.0
SERVICE_RATE: float = 0.6
N_CUSTOMERS: int = 60


@dataclass(order=True)
class Event:
    time: float
    order: int
    action: Callable[[], None] = field(compare=False)


class Simulator:
    def __init__(self) -> None:
        self.now = 0.0
        self._queue: List[Event] = []
        self._counter = itertools.count()

    def schedule(self, delay: float, action: Callable[[], None]) -> None:
        if delay < 0:
            raise ValueError("cannot schedule in the past")
        heapq.heappush(self._queue, Event(self.now + delay, next(self._counter), action))

    def run(self) -> None:
        while self._queue:
            event = heapq.heappop(self._queue)
            self.now = event.time
            event.action()


class Counter:
    def __init__(self, sim: Simulator, clerks: int, rng: np.random.Generator) -> None:
        self.sim, self.free, self.rng = sim, clerks, rng
        self.waiting: Deque[float] = deque()
        self.waits: List[float] = []
        self.busy_time = 0.0

    def arrive(self) -> None:
        self.waiting.append(self.sim.now)
        self._serve_next()

    def _serve_next(self) -> None:
        if self.free == 0 or not self.waiting:
            return
        self.free -= 1
        self.waits.append(self.sim.now - self.waiting.popleft())
        duration = self.rng.exponential(1 / SERVICE_RATE)
        self.busy_time += duration
        self.sim.schedule(duration, self._done)

    def _done(self) -> None:
        self.free += 1
        self._serve_next()


def simulate(clerks: int, seed: int = 0) -> Tuple[np.ndarray, float]:
    rng = np.random.default_rng(seed)
    sim = Simulator()
    counter = Counter(sim, clerks, rng)
    for arrival in itertools.accumulate(rng.exponential(1 / ARRIVAL_RATE, N_CUSTOMERS)):
        sim.schedule(arrival, counter.arrive)
    sim.run()
    return np.array(counter.waits), counter.busy_time / (clerks * sim.now)


def report(results: Dict[int, Tuple[np.ndarray, float]]) -> int:
    for clerks, (waits, load) in results.items():
        print(f"{clerks} clerks: mean wait {waits.mean():6.2f}, load {load:.0%}")
    return 0 if all(load < 1 for _, load in results.values()) else 1


if __name__ == "__main__":
    results = {n: simulate(n) for n in (2, 3, 4)}
    mean_waits = np.array([w.mean() for w, _ in results.values()])
    loads = np.array([load for _, load in results.values()])
    longest_wait = float(results[2][0].max())
    sys.exit(report(results))
