"""Random numbers for NumPy: those that statements draw."""
import contextlib
import io

import numpy as np

from . import _numpy_check, _rewriter


GENERATORS = (np.random.Generator, np.random.RandomState)  # while given() lasts, NumPy has others


class Draws(_numpy_check.Draws):
    """The stream of statements, under NumPy's names."""

    def __init__(self, real, change=None):  # pylint: disable=super-init-not-called
        self.real, self.change, self.given = np.dtype(real), change, []

    def say(self, line):
        kind, *numbers = line.split()
        if kind == "seed":
            _rewriter._seed_draws(int(numbers[0]))
        else:
            drawn = _rewriter._draw(self.real.name, kind == "randn", *map(int, numbers))
            if self.change:
                drawn = self.change(np.frombuffer(drawn, self.real)).tobytes()
            self.answers = io.BytesIO(drawn)


@contextlib.contextmanager
def given(outside, seed, engine, change=None):
    """While it lasts NumPy's functions and generators, those that a function finds outside among them, draw the numbers
    of a run in this engine with this seed, and `change` of them. outside: (holder, name, object). Gives what stands for a
    generator."""
    draws = Draws(next((name for name in ("float32", "float64") if name in engine), "longdouble"), change)
    draws.seed(seed)
    before = dict(vars(np.random))
    held = []
    for holder, name, value in outside:
        if isinstance(value, GENERATORS):
            held.append((holder, name, value, draws))
        elif before.get(getattr(value, "__name__", None)) is value and hasattr(draws, value.__name__):
            held.append((holder, name, value, getattr(draws, value.__name__)))
    _numpy_check.adapt_random(draws)
    try:
        for holder, name, _, made in held:
            _put(holder, name, made)
        yield draws
    finally:
        vars(np.random).update(before)
        for holder, name, value, _ in held:
            _put(holder, name, value)


def _put(holder, name, value):
    if isinstance(holder, dict):
        holder[name] = value
    else:
        holder.cell_contents = value
