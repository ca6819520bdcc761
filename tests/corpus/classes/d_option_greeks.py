from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace
from enum import Enum
from typing import Callable, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., float])


class OptionType(Enum):
    CALL = 1
    PUT = -1


def counted(fn: F) -> F:
    """Count how often a pricing function is evaluated."""
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return fn(*args, **kwargs)
    wrapper.calls = 0
    return wrapper


def norm_cdf(x: float) -> float:
    return 0.5 * (1.0 + math.erf(x / math.sqrt(2.0)))


@dataclass(frozen=True)
class Option:
    strike: float
    maturity: float
    kind: OptionType = OptionType.CALL

    def __post_init__(self) -> None:
        if self.strike <= 0 or self.maturity <= 0:
            raise ValueError("strike and maturity must be positive")

    def payoff(self, spot: np.ndarray) -> np.ndarray:
        return np.maximum(self.kind.value * (spot - self.strike), 0.0)


@dataclass(frozen=True)
class Market:
    spot: float
    rate: float
    vol: float

    def bump(self, **changes: float) -> Market:
        return replace(self, **{k: getattr(self, k) + v for k, v in changes.items()})


@counted
def price(option: Option, market: Market) -> float:
    s, r, v, t = market.spot, market.rate, market.vol, option.maturity
    d1 = (math.log(s / option.strike) + (r + 0.5 * v * v) * t) / (v * math.sqrt(t))
    d2 = d1 - v * math.sqrt(t)
    sign = option.kind.value
    return sign * (s * norm_cdf(sign * d1) - option.strike * math.exp(-r * t) * norm_cdf(sign * d2))


def greeks(option: Option, market: Market, h: float = 1e-2) -> dict[str, float]:
    up, down = market.bump(spot=h), market.bump(spot=-h)
    mid = price(option, market)
    return {
        "delta": (price(option, up) - price(option, down)) / (2 * h),
        "gamma": (price(option, up) - 2 * mid + price(option, down)) / h ** 2,
        "vega": (price(option, market.bump(vol=h)) - mid) / h,
        "rho": (price(option, market.bump(rate=h)) - mid) / h,
    }


market = Market(spot=100.0, rate=0.02, vol=0.25)
book = [Option(k, 0.5, kind) for k in (90.0, 100.0, 110.0) for kind in OptionType]
prices = np.array([price(o, market) for o in book])
greek_table = np.array([list(greeks(o, market).values()) for o in book])
parity_gap = float(prices[0] - prices[1] - 100.0 + 90.0 * math.exp(-0.02 * 0.5))

np.random.seed(0)
z = np.random.randn(200)
terminal = market.spot * np.exp((market.rate - 0.5 * market.vol ** 2) * 0.5 + market.vol * np.sqrt(0.5) * z)
mc_prices = np.array([np.exp(-0.01) * o.payoff(terminal).mean() for o in book])
print(f"{price.calls} evaluations of {price.__name__}()")
