from abc import ABC, abstractmethod
from functools import partial
from math import erf, exp, log, sqrt
from typing import NamedTuple

import numpy as np


class Market(NamedTuple):
    spot: float
    rate: float
    vol: float


def vanilla_payoff(s, strike, kind="call"):
    return np.maximum(s - strike, 0.0) if kind == "call" else np.maximum(strike - s, 0.0)


class Option:
    def __init__(self, expiry, payoff, american=False):
        self.expiry = expiry
        self.payoff = payoff
        self.american = american


class Pricer(ABC):
    @abstractmethod
    def price(self, option: Option, market: Market) -> float: ...

    def delta(self, option, market, bump=0.5):
        up = self.price(option, market._replace(spot=market.spot + bump))
        down = self.price(option, market._replace(spot=market.spot - bump))
        return (up - down) / (2 * bump)


class BinomialTree(Pricer):
    def __init__(self, steps=60):
        self.steps = steps

    def price(self, option, market):
        n = self.steps
        dt = option.expiry / n
        u = np.exp(market.vol * np.sqrt(dt))
        d = 1 / u
        p = (np.exp(market.rate * dt) - d) / (u - d)
        disc = np.exp(-market.rate * dt)
        j = np.arange(n + 1)
        values = option.payoff(market.spot * u ** (n - 2.0 * j))
        for k in range(n - 1, -1, -1):
            values = disc * (p * values[:-1] + (1 - p) * values[1:])
            if option.american:
                s = market.spot * u ** (k - 2.0 * np.arange(k + 1))
                values = np.maximum(values, option.payoff(s))
        return float(values[0])


class MonteCarlo(Pricer):
    def __init__(self, n_paths=200, seed=0):
        self.n_paths, self.seed = n_paths, seed

    def price(self, option, market):
        z = np.random.default_rng(self.seed).standard_normal(self.n_paths)
        z = np.concatenate([z, -z])
        s, r, v = market
        T = option.expiry
        end = s * np.exp((r - 0.5 * v * v) * T + v * np.sqrt(T) * z)
        return float(np.exp(-r * T) * option.payoff(end).mean())


def black_scholes_call(m, strike, T):
    N = lambda x: 0.5 * (1 + erf(x / sqrt(2)))
    d1 = (log(m.spot / strike) + (m.rate + 0.5 * m.vol ** 2) * T) / (m.vol * sqrt(T))
    return m.spot * N(d1) - strike * exp(-m.rate * T) * N(d1 - m.vol * sqrt(T))


def main():
    market = Market(spot=100.0, rate=0.03, vol=0.25)
    call = Option(1.0, partial(vanilla_payoff, strike=105.0))
    put = partial(vanilla_payoff, strike=105.0, kind="put")
    pricers = {"tree": BinomialTree(), "coarse": BinomialTree(15), "mc": MonteCarlo()}
    prices = np.array([p.price(call, market) for p in pricers.values()])
    deltas = np.array([p.delta(call, market) for p in pricers.values()])
    tree = pricers["tree"]
    premium = tree.price(Option(1.0, put, american=True), market) - tree.price(Option(1.0, put), market)
    return prices, deltas, black_scholes_call(market, 105.0, 1.0), premium


if __name__ == "__main__":
    prices, deltas, exact, early_exercise = main()
