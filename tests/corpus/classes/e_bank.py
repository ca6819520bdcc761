import numpy as np
from contextlib import contextmanager


class InsufficientFunds(Exception):
    def __init__(self, need):
        Exception.__init__(self, "need %.2f more" % need)
        self.need = need


class Account(object):
    _count = 0
    interest = 0.02

    def __init__(self, owner, balance=0):
        type(self)._count += 1
        self.id = Account._count
        self.owner = owner
        self.balance = balance

    def withdraw(self, amount):
        if amount > self.balance:
            raise InsufficientFunds(amount - self.balance)
        self.balance -= amount

    def deposit(self, amount):
        assert amount > 0, "amount must be positive"
        self.balance += amount

    def __str__(self):
        return "#%03d %-6s %10.2f" % (self.id, self.owner, self.balance)


class Savings(Account):
    interest = 0.05

    def accrue(self, years):
        self.balance *= (1 + self.interest) ** years
        return self


@contextmanager
def transaction(*accounts):
    before = [a.balance for a in accounts]
    try:
        yield
    except Exception:
        for a, b in zip(accounts, before):
            a.balance = b
        raise


a, b = Account("ann", 100), Savings("bob", 500)
for amount in [30, 90, -5]:
    try:
        with transaction(a, b):
            b.deposit(amount)
            a.withdraw(amount)
    except InsufficientFunds as e:
        print("rolled back:", e, e.need)
    except AssertionError as e:
        print("assertion:", e)
    print(a)
    print(b)
b.accrue(3)
print(round(b.balance, 2), Account._count, Savings.__name__, b.__class__.__name__)
rates = np.array([acc.interest for acc in (a, b)])
weights = np.array([acc.balance for acc in (a, b)])
mean_rate = np.average(rates, weights=weights)
