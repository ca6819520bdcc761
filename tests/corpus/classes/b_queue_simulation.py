import heapq
import itertools
from collections import deque

import numpy as np


class Event:
    _ids = itertools.count()

    def __init__(self, time, action, *args):
        self.time = time
        self.action = action
        self.args = args
        self.seq = next(Event._ids)

    def __lt__(self, other):
        return (self.time, self.seq) < (other.time, other.seq)


class Simulator:
    def __init__(self):
        self.now = 0.0
        self._events = []

    def schedule(self, delay, action, *args):
        heapq.heappush(self._events, Event(self.now + delay, action, *args))

    def run(self, until):
        while self._events and self._events[0].time <= until:
            ev = heapq.heappop(self._events)
            self.now = ev.time
            ev.action(*ev.args)
        self.now = until


class Customer:
    def __init__(self, number, arrival):
        self.number = number
        self.arrival = arrival
        self.start = self.departure = None

    @property
    def wait(self):
        return self.start - self.arrival


class Bank:
    def __init__(self, sim, n_tellers, mean_gap, mean_service, seed=0):
        self.sim = sim
        self.free = n_tellers
        self.queue = deque()
        self.rng = np.random.default_rng(seed)
        self.mean_gap, self.mean_service = mean_gap, mean_service
        self.served = []
        self.lengths = []
        self.numbers = itertools.count(1)
        sim.schedule(self.rng.exponential(mean_gap), self.arrive)

    def arrive(self):
        self.queue.append(Customer(next(self.numbers), self.sim.now))
        self.lengths.append(len(self.queue))
        self.sim.schedule(self.rng.exponential(self.mean_gap), self.arrive)
        self.try_serve()

    def try_serve(self):
        if self.free > 0 and self.queue:
            self.free -= 1
            c = self.queue.popleft()
            c.start = self.sim.now
            self.sim.schedule(self.rng.exponential(self.mean_service), self.depart, c)

    def depart(self, customer):
        customer.departure = self.sim.now
        self.served.append(customer)
        self.free += 1
        self.try_serve()


def main():
    sim = Simulator()
    bank = Bank(sim, n_tellers=2, mean_gap=1.0, mean_service=1.8)
    sim.run(until=60.0)
    waits = np.array([c.wait for c in bank.served])
    print(f"{len(bank.served)} served, mean wait {waits.mean():.3f}, longest queue {max(bank.lengths)}")
    return waits, waits.mean(), np.array(bank.lengths)


if __name__ == "__main__":
    waits, mean_wait, queue_lengths = main()
