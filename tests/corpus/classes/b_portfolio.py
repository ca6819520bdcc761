from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Dict

import numpy as np


class InsufficientFunds(Exception):
    pass


@dataclass
class Portfolio:
    cash: float = 1000.0
    holdings: Dict[str, float] = field(default_factory=dict)
    fee: float = 0.001

    def trade(self, symbol: str, qty: float, price: float) -> None:
        cost = qty * price + abs(qty) * price * self.fee
        self.cash -= cost
        self.holdings[symbol] = self.holdings.get(symbol, 0.0) + qty

    def value(self, prices) -> float:
        return self.cash + sum(q * prices[s] for s, q in self.holdings.items())

    @contextmanager
    def transaction(self):
        """All the trades of the block, or none of them."""
        saved = self.cash, dict(self.holdings)
        try:
            yield self
            if self.cash < 0:
                raise InsufficientFunds(f"short of {-self.cash:.2f}")
        except InsufficientFunds:
            self.cash, self.holdings = saved
            raise


class EqualWeight:
    def weights(self, history):
        n = history.shape[1]
        return 0.99 * np.ones(n) / n


class MinVariance:
    def __init__(self, window=20):
        self.window = window

    def weights(self, history):
        r = np.diff(np.log(history[-self.window:]), axis=0)
        w = np.linalg.solve(np.cov(r, rowvar=False) + 1e-6 * np.eye(r.shape[1]), np.ones(r.shape[1]))
        w = np.clip(w, 0, None)
        return 0.99 * w / w.sum()


def backtest(strategy, prices, symbols, every=10, start=20):
    book, values, rejected = Portfolio(), [], 0
    for t in range(start, len(prices)):
        today = dict(zip(symbols, prices[t]))
        if (t - start) % every == 0:
            target = strategy.weights(prices[:t]) * book.value(today)
            try:
                with book.transaction():
                    for s, amount in zip(symbols, target):
                        book.trade(s, amount / today[s] - book.holdings.get(s, 0.0), today[s])
            except InsufficientFunds:
                rejected += 1
        values.append(book.value(today))
    return np.array(values), rejected


def main():
    np.random.seed(0)
    symbols = ["AAA", "BBB", "CCC"]
    returns = np.random.randn(100, 3) * np.array([0.01, 0.02, 0.015]) + 0.0005
    prices = 50 * np.exp(np.cumsum(returns, axis=0))
    curves = []
    for strategy in (EqualWeight(), MinVariance()):
        values, rejected = backtest(strategy, prices, symbols)
        curves.append(values)
        print(f"{type(strategy).__name__}: final {values[-1]:.2f}, {rejected} rebalances rejected")
    return curves


if __name__ == "__main__":
    equal_values, minvar_values = main()
    edge = minvar_values[-1] - equal_values[-1]
