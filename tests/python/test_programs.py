"""Random programs on garrays of any number of dimensions beside the same on NumPy's arrays: 10,000 operations, with
names, aliases, in-place operators and subscripts on both sides; PROGRAMS in the environment is how many programs."""

import os

import gnumpy as gpu
import numpy as np
import pytest

OPERATIONS = 250  # a program
PROGRAMS = int(os.environ.get("PROGRAMS", 40))
LARGEST = 60.0  # magnitudes beyond are brought back, so that errors stay those of single operations

STEPS = [np.floor, np.sign, lambda a: a > 0.25]  # where a last place makes a difference of 1
UNARY = [
    *STEPS,
    np.negative,
    np.abs,
    np.tanh,
    np.sin,
    lambda a: a * 0.5,
    lambda a: 1.5 - a,
    lambda a: a**2 / 8,
    np.square,
    lambda a: a.copy(),
    lambda a: (a + 1.0) * a - a / 3,
]
COMPARISONS = [lambda a, b: a < b, lambda a, b: a == b]
BINARY = [
    *COMPARISONS,
    lambda a, b: a + b,
    lambda a, b: a - b,
    lambda a, b: a * b,
    np.maximum,
    np.minimum,
    lambda a, b: (a - b) * (a + b),
    lambda a, b: a / (b * b + 1.0),
]


class Program:
    """Pairs of a garray and NumPy's array, with the same history."""

    def __init__(self, seed):
        self.random = np.random.default_rng(seed)
        self.pairs = []
        self.log = []
        for _ in range(4):
            self.new(self.random.uniform(-2, 2, self.shape()).astype("float32"))

    def shape(self):
        return tuple(self.random.integers(1, 5, self.random.integers(0, 5)))

    def new(self, x, a=None):
        a = gpu.garray(x) if a is None else a
        assert isinstance(a, gpu.garray) and a.shape == x.shape, (a.shape, x.shape, self.log[-3:])
        x = np.asarray(x, "float32") if x.dtype != np.float32 else x
        if x.ndim == 0 or x.size == 0 or x.size > 4000:
            return self.check((a, x))
        if np.abs(x).max(initial=0) > LARGEST:
            a[...] = a * 0.01
            x[...] = x * np.float32(0.01)
        self.pairs.append((a, x))
        if len(self.pairs) > 8:
            self.check(self.pairs.pop(0))

    def check(self, pair):
        a, x = pair
        got = a.as_numpy_array()
        assert got.shape == x.shape
        np.testing.assert_allclose(got, x, rtol=2e-4, atol=2e-3, err_msg=str(self.log[-12:]))
        if x.ndim:
            a[...] = x  # so that rounding does not add up over the program

    def pick(self):
        return self.pairs[self.random.integers(len(self.pairs))]

    def subscript(self, shape):
        key = []
        for extent in shape[: self.random.integers(1, len(shape) + 1)]:
            kind = self.random.integers(6)
            start, stop = sorted(self.random.integers(0, extent + 1, 2).tolist())
            key.append(
                [
                    int(self.random.integers(-extent, extent)),
                    slice(start, max(stop, start + 1)),
                    slice(None, None, int(self.random.choice([-1, 2]))),
                    slice(None),
                    slice(start, None),
                    slice(-2, None),
                ][kind]
            )
        if self.random.integers(5) == 0:
            key.insert(int(self.random.integers(len(key) + 1)), None)
        return tuple(key) if len(key) > 1 else key[0]

    def unary(self):
        (a, x), f = self.pick(), UNARY[self.random.integers(len(UNARY))]
        if f in STEPS:
            self.check((a, x))
        self.new(np.array(f(x)), f(a))

    def binary(self):
        f = BINARY[self.random.integers(len(BINARY))]
        a, x = self.pick()
        partners = [
            (b, y)
            for b, y in self.pairs
            if np.ndim(y) <= np.ndim(x) and all(p in (1, q) for p, q in zip(y.shape[::-1], x.shape[::-1]))
        ]
        b, y = partners[self.random.integers(len(partners))]
        if f in COMPARISONS:
            self.check((a, x))
            self.check((b, y))
        if self.random.integers(2):
            a, x, b, y = b, y, a, x
        self.new(np.array(f(x, y)), f(a, b))

    def reduction(self):
        a, x = self.pick()
        name = ["sum", "mean", "max", "min", "any", "all"][self.random.integers(6)]
        if name in ("any", "all"):
            self.check((a, x))
        axes = self.random.permutation(x.ndim)[: self.random.integers(x.ndim + 1)].tolist()
        axis = [None, tuple(axes), axes[0] if axes else None][self.random.integers(3)]
        keepdims = bool(self.random.integers(2))
        self.new(
            np.array(getattr(np, name)(x, axis=axis, keepdims=keepdims), "float32"),
            getattr(a, name)(axis=axis, keepdims=keepdims),
        )

    def read(self):
        a, x = self.pick()
        key = self.subscript(x.shape)
        part, got = x[key], a[key]
        # gnumpy's rule: ranges of the first axis are aliases, other parts copies.
        keys = key if isinstance(key, tuple) else (key,)
        first_axis = [k for k in keys if k is not None]
        whole = all(isinstance(k, slice) and k == slice(None) for k in first_axis[1:])
        whole = whole or all(
            isinstance(k, slice) and k.step is None and len(range(*k.indices(n))) == n
            for k, n in list(zip(first_axis, x.shape))[1:]
        )
        alias = whole and (not isinstance(first_axis[0], slice) or first_axis[0].step is None) if first_axis else True
        self.new(part if alias and np.ndim(part) else np.array(part), got)

    def write(self):
        a, x = self.pick()
        key = self.subscript(x.shape)
        value = float(np.round(self.random.uniform(-1, 1), 3))
        kind = self.random.integers(3)
        if kind == 0:
            a[key], x[key] = value, value
        elif kind == 1:
            a[key] += value
            x[key] += np.float32(value)
        else:
            part = self.random.uniform(-1, 1, np.shape(x[key])).astype("float32")
            a[key], x[key] = gpu.garray(part) * 2, part * 2

    def in_place(self):
        a, x = self.pick()
        b, y = self.pick()
        if np.broadcast_shapes(x.shape, y.shape) != x.shape if self.fits(x, y) else True:
            b, y = 0.5, np.float32(0.5)
        kind = self.random.integers(3)
        if kind == 0:
            a += b
            x += y
        elif kind == 1:
            a -= b
            x -= y
        else:
            a *= 0.5
            x *= np.float32(0.5)

    @staticmethod
    def fits(x, y):
        return all(p == q or 1 in (p, q) for p, q in zip(x.shape[::-1], y.shape[::-1]))

    def move(self):
        a, x = self.pick()
        kind = self.random.integers(6)
        if kind == 0:
            self.new(x.T.copy(), a.T)
        elif kind == 1:
            axes = self.random.permutation(x.ndim).tolist()
            self.new(x.transpose(axes).copy(), a.transpose(axes))
        elif kind == 2:
            self.new(x.reshape(-1), a.ravel())
        elif kind == 3 and x.ndim:
            self.new(x.reshape(x.shape[0], -1), a.reshape(x.shape[0], -1))
        elif kind == 4:
            self.new(np.concatenate([x, x]), gpu.concatenate([a, a]))
        else:
            self.check((a, x))
            mask = x > 0.3
            self.new(np.where(mask, x, np.float32(0)), gpu.where(a > 0.3, a, 0))

    def product(self):
        a, x = self.pick()
        y = self.random.uniform(-1, 1, (x.shape[-1], 3)).astype("float32")
        self.new((x @ y).astype("float32"), gpu.dot(a, gpu.garray(y)) if self.random.integers(2) else a @ y)

    def step(self):
        kinds = (
            [self.unary] * 3
            + [self.binary] * 3
            + [self.reduction, self.read, self.write, self.in_place, self.move, self.product]
        )
        kind = kinds[self.random.integers(len(kinds))]
        self.log.append(kind.__name__)
        if not self.pairs:
            self.new(self.random.uniform(-2, 2, (3, 4)).astype("float32"))
        kind()


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_random_programs_agree_with_numpy(seed):
    program = Program(seed)
    for _ in range(OPERATIONS):
        program.step()
    for pair in program.pairs:
        program.check(pair)
