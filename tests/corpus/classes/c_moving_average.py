# Moving averages and a crossover "trading" signal
import numpy as np

np.random.seed(5)


class MovingAverage:
    def __init__(self, size):
        self.size = size
        self.window = []

    def __call__(self, x):
        self.window.append(x)
        if len(self.window) > self.size:
            self.window.pop(0)
        return sum(self.window) / len(self.window)


class ExpAverage:
    def __init__(self, alpha=0.3):
        self.alpha = alpha
        self.value = None

    def __call__(self, x):
        if self.value is None:
            self.value = x
        else:
            self.value = self.alpha * x + (1 - self.alpha) * self.value
        return self.value


class Account:
    fee = 0.001

    def __init__(self, cash=1000.0):
        self.cash = cash
        self.shares = 0.0
        self.trades = 0

    def buy(self, price):
        if self.shares > 0:
            return
        self.shares = self.cash * (1 - self.fee) / price
        self.cash = 0.0
        self.trades += 1

    def sell(self, price):
        if self.shares == 0:
            return
        self.cash = self.shares * price * (1 - self.fee)
        self.shares = 0.0
        self.trades += 1

    def worth(self, price):
        return self.cash + self.shares * price


prices = 100 + np.cumsum(np.random.randn(90))
fast, slow, smooth = MovingAverage(5), MovingAverage(20), ExpAverage()
filters = [fast, slow, smooth]

rows = [[f(p) for f in filters] for p in prices]
averages = np.array(rows)

account = Account()
equity = []
for i, (p, (fa, sl, _)) in enumerate(zip(prices, averages)):
    if i >= 20:
        if fa > sl:
            account.buy(p)
        else:
            account.sell(p)
    equity.append(account.worth(p))

equity = np.array(equity)
profit = equity[-1] - equity[0]
drawdown = np.max(np.maximum.accumulate(equity) - equity)
print("trades: {}, profit: {:.2f}, max drawdown: {:.2f}".format(account.trades, profit, drawdown))
