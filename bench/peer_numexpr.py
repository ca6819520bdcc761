"""The workloads that are element-wise alone, as NumExpr has them. Numbers have names, which makes them float32."""

import numexpr
import numpy as np

from fused_workloads import exchanging

NAME = f"NumExpr {numexpr.__version__}"


def floats(**numbers):
    return {name: np.float32(number) for name, number in numbers.items()}


def evaluate(expression, names, out):
    return numexpr.evaluate(expression, names, out=out, casting="same_kind")


def chain(_, a, b):
    names = {"a": a, "b": b, **floats(half=0.5, quarter=0.25)}
    expression = "sqrt(abs(tanh((a * b + 1) * (a - b)) * half + quarter) * a) + b * b"
    r = np.empty_like(a)
    return lambda: {"r": evaluate(expression, names, r)}


def slope(_, d, h):
    r = np.empty_like(d)
    return lambda: {"r": evaluate("d * h * (1 - h)", {"d": d, "h": h}, r)}


def stencil_step(A, B):
    names = {"m": A[1:-1, 1:-1], "w": A[1:-1, :-2], "e": A[1:-1, 2:], "n": A[:-2, 1:-1], "s": A[2:, 1:-1]}
    evaluate("fifth * (m + w + e + n + s)", {**names, "fifth": np.float32(0.2)}, B[1:-1, 1:-1])


CDF = """where({d} > 0, one - {tail}, {tail})"""
TAIL = "c0 * exp(-half * {d} * {d}) * {k} * (c1 + {k} * (c2 + {k} * (c3 + {k} * (c4 + {k} * c5))))"


def black_scholes(_, price, strike, years):
    names = {"price": price, "strike": strike, "years": years}
    names |= floats(rate=0.05, drift=0.05 + 0.5 * 0.3**2, volatility=0.3, half=0.5, one=1, p=0.2316419)
    names |= floats(c0=0.3989422804014327, c1=0.31938153, c2=-0.356563782, c3=1.781477937, c4=-1.821255978)
    names |= floats(c5=1.330274429)

    def cdf(d):
        tail = TAIL.format(d=d, k=f"(one / (one + p * abs({d})))")
        return CDF.format(d=d, tail=f"({tail})")

    deviation = "(volatility * sqrt(years))"
    d1 = f"((log(price / strike) + drift * years) / {deviation})"
    names |= {"d1": np.empty_like(price), "d2": np.empty_like(price), "call": np.empty_like(price)}
    put = np.empty_like(price)

    def run():
        evaluate(d1, names, names["d1"])
        evaluate(f"d1 - {deviation}", names, names["d2"])
        evaluate(f"price * {cdf('d1')} - strike * exp(-rate * years) * {cdf('d2')}", names, names["call"])
        evaluate("call - price + strike * exp(-rate * years)", names, put)
        return {"call": names["call"], "put": put}

    return run


def adam(_, p, g, m, v):
    names = {"p": p, "g": g, "m": m, "v": v}
    names |= floats(m1=0.9, m2=0.1, v1=0.999, v2=0.001, rate=0.001, m3=1 - 0.9**3, v3=1 - 0.999**3, least=1e-8)

    def run():
        evaluate("m1 * m + m2 * g", names, m)
        evaluate("v1 * v + v2 * g * g", names, v)
        evaluate("p - rate * (m / m3) / (sqrt(v / v3) + least)", names, p)
        return {"p": p, "m": m, "v": v}

    return run


def small(steps, a, b):
    names = {"a": a, "b": b, **floats(half=0.5, quarter=0.25)}

    def run():
        for _ in range(steps):
            evaluate("(a * b + half) * (a - b) * quarter", names, a)
        return {"a": a}

    return run


WORKLOADS = {make.__name__: make for make in (chain, slope, black_scholes, adam, small)}
WORKLOADS["stencil"] = exchanging(stencil_step)


def prepare(workload, arrays):
    """As in peer_numpy; None where NumExpr has no such operations."""
    make = WORKLOADS.get(workload.name)
    return make(workload.steps, **arrays) if make else None
