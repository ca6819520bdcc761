"""Random programs of garrays, made from a seed (gnumpy_test.py).

Every statement is run while it is made. Shapes of a program are parts of one shape with some extents of 1, so that
most of them broadcast; a few statements are kept although NumPy refuses them, since garray must refuse them, too.
"""

import random

import numpy as np

import op_table
from gnumpy_numpy import ERRORS, Machine, Truths
from gnumpy_subscripts import Subscripts

MAX_SIZE = 600
MAX_NDIM = 5
KEPT_ERRORS = 0.6  # of the statements that NumPy refuses
NUMBERS = [0.0, 1.0, -1.0, 2.0, 3.0, 0.5, -0.25, 0.1, 10.0, -3.5]
DIRTY = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-30, 1e30]
BINARY = "add sub mul div add sub mul div lt le gt ge eq ne and or pow".split()
BINARY += [row.name for row in op_table.BINARY_FUNCTIONS if row.name not in op_table.OF_SIGNS]
UNARY = "negative isreal isnumber square".split() + [name for name, row in op_table.IN_GNUMPY.items()
                                                     if row.family == "Unary"]
_OF_ALL = [row.name for row in op_table.REDUCTIONS]
METHODS = set(UNARY + _OF_ALL) | {"std", "var"}
UNARY += ["neg", "not"]
REDUCTIONS = _OF_ALL + "sum mean std var var1 cumsum sort argsort".split()
OVER_SEVERAL = {row.name for row in op_table.REDUCTIONS if row.family == "Reduction"} | {"std", "var", "var1"}


def uses(expr, name):
    """How often the name stands in the expression."""
    if isinstance(expr, (tuple, list)):
        return sum(uses(part, name) for part in expr)
    if isinstance(expr, Truths):
        return uses(expr.expr, name)
    return int(isinstance(expr, str) and expr == name)


def moving(expr, name):
    """The expression with the name as an rvalue."""
    if isinstance(expr, (tuple, list)):
        return type(expr)(moving(part, name) for part in expr)
    return ("move", name) if isinstance(expr, str) and expr == name else expr


class Maker(Subscripts):
    def __init__(self, seed, index, precision):
        self.rng = random.Random(f"{seed} {index}")
        self.machine = Machine(precision)
        self.statements = []
        self.views, self.masks = set(), set()  # names of views, and of truth values, which are not written to
        self.dirty = self.rng.random() < 0.3
        self.wild = 0.4 if self.rng.random() < 0.2 else 0.02  # how often shapes are left to chance
        extents = [1, 2, 2, 3, 3, 4, 5] + ([0] if self.rng.random() < 0.15 else [])
        self.base = [self.rng.choice(extents) for _ in range(self.rng.choice([2, 3, 3, 4]))]
        if self.rng.random() < 0.3:
            self.base[-1] = self.base[-2]

    def program(self):
        for k in range(self.rng.randint(2, 4)):
            self.statements.append(("input", f"x{k}", self.data(self.shape())))
            self.machine.run(self.statements[-1])
        wanted = len(self.statements) + self.rng.randint(5, 14)
        for _ in range(200):
            if len(self.statements) >= wanted:
                break
            self.attempt(self.statement())
        return self.statements

    # ---- statements ----

    def attempt(self, statement):
        verb, target, expr = statement
        once = [n for n in sorted(self.machine.names)
                if uses(expr, n) == 1 and not uses(target, n) and n not in self.views | self.masks]
        if verb == "view" or self.views:  # which would be of the new name
            once = []
        if verb == "view":
            made, base = self.value(expr, self.machine.place), self.machine.names[self.root(expr)]
            if made is None or made.size > 0 and not np.shares_memory(self.machine.place(expr), base):
                return
        if once and len(self.machine.names) > 3 and self.rng.random() < 0.2:
            expr = moving(expr, self.rng.choice(once))
            statement = (verb, target, expr)
        try:
            if expr is not None and not self.is_fine(self.machine.evaluate(expr)):
                return
        except ERRORS:
            if self.rng.random() > KEPT_ERRORS:
                return
        self.statements.append(statement)
        try:
            self.machine.run(statement)
        except ERRORS:
            return
        if verb == "view":
            self.views.add(target)

    def is_fine(self, value):
        value = np.asarray(value)
        if value.size > MAX_SIZE or value.ndim > MAX_NDIM:
            return False
        return self.dirty or bool(np.isfinite(value).all()) or self.rng.random() < 0.1

    def statement(self):
        roll = self.rng.random()
        if roll < 0.004:
            name = self.name()
            return ("new", f"y{self.rng.randrange(6)}", self.long(name, self.rng.randint(100, 300)))
        if roll < 0.36:
            return ("new", f"y{self.rng.randrange(6)}", self.expr(self.rng.randint(0, 4)))
        if roll < 0.46:
            name = self.written()
            view = ("at", name, self.slices(self.machine.names[name].shape)) if self.rng.random() < 0.6 else \
                self.alias(name)
            return ("view", f"a{self.rng.randrange(3)}", view)
        if roll < 0.49:
            self.masks.add("m0")
            return ("new", "m0", self.truths(self.rng.randint(0, 2)))
        if roll < 0.58:
            name = self.written()
            return ("set" if name in self.views else "let", name, self.expr(self.rng.randint(0, 4)))
        if roll < 0.61:
            name = self.name()
            return ("new", "y0", name) if name in self.views else ("settle", name, None)
        target, shape = self.target()
        if roll < 0.78:
            target = target if isinstance(target, tuple) else ("at", target, self.subscripts(shape))
            return ("set", target, self.fitting(target))
        if roll < 0.85:  # overlapping parts of one array
            return self.overlapping()
        return (self.rng.choice(["+=", "-=", "*=", "/=", "%="]), target, self.fitting(target))

    def target(self):
        """A name, a subscript or a reshape, and the shape of the array."""
        name = self.written()
        shape = self.machine.names[name].shape
        roll = self.rng.random()
        if roll < 0.3:
            return name, shape
        if roll < 0.4 and self.machine.names[name].flags.c_contiguous:
            return ("reshape", name, self.other_shape(shape)), shape
        base = self.alias(name) if self.rng.random() < 0.2 else name
        value = self.value(base, self.machine.place)
        if value is None or not np.shares_memory(value, self.machine.names[name]):  # NumPy copied it
            base, value = name, self.machine.names[name]
        return ("at", base, self.subscripts(value.shape)), shape

    def overlapping(self):
        name = self.written()
        shape = self.machine.names[name].shape
        if not shape or shape[0] < 2:
            return ("+=", name, name)
        count = self.rng.randint(1, shape[0])
        first, second = (self.rng.randint(0, shape[0] - count) for _ in range(2))
        rows = [("at", name, [slice(at, at + count)]) for at in (first, second)]
        verb = self.rng.choice(["set", "+=", "-=", "*="])
        if self.rng.random() < 0.5:
            return (verb, rows[0], rows[1])
        return (verb, rows[0], (self.rng.choice(["add", "sub"]), rows[1], self.rng.choice(rows)))

    def fitting(self, target):
        """A value for the target's shape, mostly."""
        try:
            shape = np.shape(self.machine.evaluate(target))
        except ERRORS:
            return self.expr(1)
        return self.broadcastable(shape, self.rng.randint(0, 3))

    # ---- expressions ----

    def name(self):
        return self.rng.choice(sorted(self.machine.names))

    def written(self):
        """A name that may be written to."""
        return self.rng.choice(sorted(set(self.machine.names) - self.masks))

    @staticmethod
    def root(expr):
        """The name that it is a view of."""
        while isinstance(expr, tuple):
            expr = expr[1]
        return expr

    def number(self):
        return self.rng.choice(DIRTY if self.dirty and self.rng.random() < 0.2 else NUMBERS)

    def value(self, expr, evaluate=None):
        """None where NumPy refuses it."""
        try:
            with np.errstate(all="ignore"):
                value = np.asarray((evaluate or self.machine.evaluate)(expr))
        except ERRORS:
            return None
        return value if value.size <= MAX_SIZE and value.ndim <= MAX_NDIM else None

    def fits(self, expr, shape):
        value = self.value(expr)
        if value is None:
            return False
        try:
            return np.broadcast_shapes(value.shape, shape) == tuple(shape)
        except ValueError:
            return False

    def broadcastable(self, shape, depth):
        """An expression that broadcasts to the shape, mostly."""
        for _ in range(12):
            expr = self.expr(depth)
            if self.fits(expr, shape) or self.rng.random() < self.wild / 4:
                return expr
        if self.rng.random() < 0.3:
            return self.number()
        part = [n if self.rng.random() < 0.7 else 1 for n in shape[self.rng.randint(0, len(shape)):]]
        made = self.rng.choice([("full", part, self.number()), ("ones", part), ("zeros", part)])
        return ("add", made, self.number()) if self.rng.random() < 0.5 else made

    def partner(self, expr, depth):
        """A second operand."""
        value = self.value(expr)
        if value is None or self.rng.random() < self.wild:
            return self.expr(depth)
        for _ in range(10):
            other = self.number() if self.rng.random() < 0.2 else self.expr(depth)
            with_other = self.value(other)
            try:
                if with_other is not None:
                    np.broadcast_shapes(value.shape, with_other.shape)
                    return other
            except ValueError:
                pass
        return self.broadcastable(value.shape, 0)

    def expr(self, depth):
        if depth <= 0:
            return self.leaf()
        kind = self.rng.choices(["binary", "unary", "reduce", "move", "product", "where", "at", "make"],
                                [38, 16, 14, 12, 9, 4, 12, 3])[0]
        return getattr(self, kind)(depth - 1)

    def long(self, name, leaves):
        """An expression of so many operands of one shape."""
        if leaves < 2:
            same = [n for n, a in sorted(self.machine.names.items()) if a.shape == self.machine.names[name].shape]
            return self.rng.choice(same)
        left = self.rng.randint(leaves // 3, leaves - leaves // 3)
        return (self.rng.choice(["add", "sub", "maximum"]), self.long(name, left),
                self.long(name, leaves - left))

    def leaf(self):
        roll = self.rng.random()
        if roll < 0.01:
            return (self.rng.choice(["add", "sub", "div", "maximum", "lt"]), self.number(), self.number())
        if roll < 0.8:
            return self.name()
        if roll < 0.9:
            return self.alias(self.name())
        return self.at(0)

    def binary(self, depth):
        a = self.expr(depth)
        b = self.partner(a, self.rng.randint(0, depth))
        op = self.rng.choice(BINARY)
        return (op, a, b) if self.rng.random() < 0.5 or isinstance(b, str) else (op, b, a)

    def unary(self, depth):
        name = self.rng.choice(UNARY)
        if self.machine.real is np.longdouble and name in op_table.IS_NARROW:
            name = "abs"
        return (self.spelled(name), self.expr(depth))

    def spelled(self, name):
        return "." + name if name in METHODS and self.rng.random() < 0.4 else name

    def reduce(self, depth):
        a = self.expr(depth)
        value = self.value(a)
        ndim = 2 if value is None else value.ndim
        if self.rng.random() < 0.06:
            return ("euclid_norm", a)
        axis, name = None, self.rng.choice(REDUCTIONS)
        if ndim > 0 and self.rng.random() < 0.75:
            axis = self.rng.randrange(-ndim, ndim)
        if name in ("sort", "argsort", "cumsum"):
            if self.rng.random() < 0.03 or name == "argsort" and ndim == 0:
                axis = self.rng.choice([-ndim - 1, ndim, ndim + 1])
            return (self.spelled(name), a, -1 if name == "argsort" and axis is None else axis)
        if self.rng.random() < 0.04:  # NumPy takes axis 0 of some 0-d arrays
            axis = self.rng.choice([-ndim - 1, ndim, ndim + 1, -1])
        elif name in OVER_SEVERAL and ndim > 1 and self.rng.random() < 0.3:
            axis = self.rng.sample(range(-ndim, ndim), self.rng.randint(1, ndim))
        if self.rng.random() < 0.3:
            return (self.spelled(name), a, "-" if axis is None else axis, "keep")
        return (self.spelled(name), a, axis)

    def move(self, depth):
        a = self.expr(depth)
        value = self.value(a)
        shape = (2,) if value is None else value.shape
        kind = self.rng.choice(["T", "T", "reshape", "reshape", "ravel", "concatenate", "concatenate", "tile",
                                "diagflat", "diag", "trace", "squeeze", "expand_dims", "swapaxes", "take"])
        if kind in ("T", "ravel"):
            return (".T" if kind == "T" else ".ravel", a)
        if kind == "reshape":
            return ("reshape", a, self.other_shape(shape))
        if kind == "tile":
            return ("tile", a, [self.rng.choice([0, 1, 1, 2, 2, 3]) for _ in range(self.rng.randint(1, 3))])
        if kind == "diagflat":
            return ("diagflat", a) if np.prod(shape) <= 12 else a
        if kind in ("diag", "trace"):
            fits = len(shape) == 2 or kind == "diag" and len(shape) == 1 and shape[0] <= 12
            return ("." + kind, a) if fits or self.rng.random() < 0.05 else a
        if kind == "squeeze":
            ones = [k for k, n in enumerate(shape) if n == 1] + ([0] if self.rng.random() < 0.05 else [])
            return ("squeeze", a, self.rng.choice(ones)) if ones and self.rng.random() < 0.6 else ("squeeze", a, "-")
        if kind == "expand_dims":
            return (kind, a, self.rng.randint(-len(shape) - 1, len(shape)))
        if kind == "swapaxes":
            return (kind, a, *(self.rng.randrange(-len(shape), len(shape)) for _ in range(2))) if shape else a
        if kind == "take":
            axis = self.rng.randrange(-len(shape), len(shape)) if shape and self.rng.random() < 0.7 else None
            extent = int(np.prod(shape)) if axis is None else shape[axis]
            indices = [self.rng.randrange(-extent, extent) for _ in range(self.rng.randint(0, 4))] if extent else []
            return ("take", a, Indices(indices)) + (() if axis is None else (axis,))
        axis = self.rng.randrange(-len(shape), len(shape)) if shape else 0
        parts = [a]
        for _ in range(self.rng.randint(0, 2)):
            part = self.name()
            if self.value(("concatenate", axis, parts + [part])) is not None or self.rng.random() < 0.05:
                parts.append(part)
        parts = parts if len(parts) > 1 else [a, a]
        kind = self.rng.choice(["concatenate", "concatenate", "stack", "vstack", "hstack", "dstack", "column_stack"])
        if kind in ("concatenate", "stack"):
            return (kind, axis, parts)
        return (kind, parts) if self.value((kind, parts)) is not None else ("concatenate", axis, parts)

    def product(self, depth):
        kind = self.rng.choice(["dot", "dot", "dot", "outer", "tensordot", "matmul", "matmul"])
        for _ in range(12):
            a, b = self.expr(depth), self.expr(self.rng.randint(0, depth))
            a, b = ((".T", x) if self.rng.random() < 0.3 else x for x in (a, b))
            product = (kind, a, b)
            if kind == "tensordot":
                product += (self.rng.choice([0, 1, 1, 2, 2, 3]),)
            if self.value(product) is not None or self.rng.random() < self.wild:
                return product
        return ("dot", (".T", a), a)

    def where(self, depth):
        condition = self.expr(depth)
        a = self.partner(condition, depth)
        value = self.value(("add", condition, a))
        b = self.number() if value is None else self.broadcastable(value.shape, 0)
        if self.rng.random() < 0.2:
            return ("clip", a, self.number(), b)
        return ("where", condition, a, b)

    def make(self, _):
        shape = self.shape()
        return self.rng.choice([("zeros", shape), ("ones", shape), ("full", shape, self.number()),
                                ("eye", self.rng.randint(0, 4)),
                                ("arange", *self.rng.sample(NUMBERS, 2), self.rng.choice([0.5, 0.25, 1.0, -0.5])),
                                ("linspace", *self.rng.sample(NUMBERS, 2), self.rng.randint(0, 5))])

    # ---- shapes, data ----

    def shape(self):
        roll = self.rng.random()
        if roll < 0.06:
            return []
        keep = self.rng.randint(0, len(self.base) - 1)
        shape = [n if self.rng.random() < 0.8 else 1 for n in self.base[keep:]]
        if roll < 0.16:
            shape[-1] = self.rng.randint(1, 5)
        if roll > 0.95:
            self.rng.shuffle(shape)
        return shape

    def other_shape(self, shape):
        """Of as many elements, mostly."""
        shape = [int(n) for n in shape]
        if self.rng.random() < 0.5:
            self.rng.shuffle(shape)
        while len(shape) > 1 and self.rng.random() < 0.5:
            at = self.rng.randrange(len(shape) - 1)
            shape[at:at + 2] = [shape[at] * shape[at + 1]]
        if shape and self.rng.random() < 0.4:
            at = self.rng.randrange(len(shape))
            for factor in (2, 3):
                if shape[at] > factor and shape[at] % factor == 0:
                    shape[at:at + 1] = [factor, shape[at] // factor]
                    break
        if self.rng.random() < 0.3:
            shape.insert(self.rng.randint(0, len(shape)), 1)
        if shape and self.rng.random() < 0.4:
            shape[self.rng.randrange(len(shape))] = -1
        if shape and self.rng.random() < 0.03:
            shape[0] += 1
        return shape if shape else [-1]

    def data(self, shape):
        size = int(np.prod(shape))
        style = self.rng.choice(["grid", "grid", "uniform", "counts", "signs"])
        values = {"grid": lambda: self.rng.randint(-16, 16) / 8, "uniform": lambda: self.rng.uniform(-2, 2),
                  "counts": lambda: float(self.rng.randint(0, 4)), "signs": lambda: self.rng.choice([-1.0, 0.0, 1.0])}
        data = [values[style]() for _ in range(size)]
        if self.dirty:
            data = [self.rng.choice(DIRTY) if self.rng.random() < 0.15 else x for x in data]
        return np.array(data, dtype=np.float64).reshape(shape)


class Indices(list):
    """Numbers of elements, in the place of an argument."""


def generate(seed, index, precision):
    return Maker(seed, index, precision).program()
