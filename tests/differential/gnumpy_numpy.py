"""What NumPy makes of the programs of gnumpy_test.py, with the aliases and the copies of garray.

A program is a list of statements, tuples as in tests/gnumpy_script.cpp. As in tracing.py the first run computes as
NumPy does, and the others disturb what another correct implementation may round differently.
"""

import warnings

import numpy as np

import op_table
from tracing import NOISE, UNIT

warnings.filterwarnings("error", message="out of bound index found")  # a warning where the result is empty
ERRORS = (ValueError, IndexError, TypeError, DeprecationWarning)
REAL = {32: np.float32, 64: np.float64, 128: np.longdouble}


class Truths:
    """The subscript that an expression of truth values is."""

    def __init__(self, expr):
        self.expr = expr


class New:
    """The subscript newaxis."""

    def __repr__(self):
        return "new"


NEW = New()

# By the names in gnumpy_script: rows of the op table, and others.
EXACT = {name: op_table.oracle(row) for name, row in op_table.IN_GNUMPY.items() if row.kind in (None, "rounded")}
EXACT |= {row.name: op_table.oracle(row) for row in op_table.REDUCTIONS}
EXACT |= {
    "neg": np.negative, "negative": np.negative, "not": np.logical_not, "add": np.add, "sub": np.subtract,
    "mul": np.multiply, "div": np.divide, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "eq": np.equal, "ne": np.not_equal, "and": np.logical_and, "or": np.logical_or, "outer": np.outer,
    "diagflat": np.diagflat,
    "where": lambda c, a, b: np.where(c != 0, a, b),
    "isreal": np.isfinite, "isnumber": lambda a: ~np.isnan(a), "square": np.square,
    "clip": lambda a, low, high: np.minimum(np.maximum(a, low), high), "diag": np.diag,
}
APPROXIMATE = {name: op_table.oracle(row) for name, row in op_table.IN_GNUMPY.items() if name not in EXACT}
APPROXIMATE["pow"] = np.power
SUMS = {"sum", "mean", "prod", "std", "var", "var1"}
REDUCTIONS = SUMS | {row.name for row in op_table.REDUCTIONS} | {"cumsum", "sort"}


def numpy_index(items):
    """As NumPy has it; the ellipsis keeps 0-d results arrays."""
    index = tuple(np.newaxis if item is NEW else item for item in items)
    return index if any(item is Ellipsis for item in items) else index + (Ellipsis,)


class Machine:
    """One run of a program."""

    def __init__(self, precision, seed=None):
        self.real = REAL[precision]
        self.unit = self.real(UNIT[precision])
        self.rng = None if seed is None else np.random.default_rng(seed)
        run = 0 if seed is None else seed % 4
        self.amplitude = (1, 1, 8, 16)[run]  # small disturbances may vanish in a sum
        self.snaps = run == 0  # to integers, which another implementation may meet
        self.zeros = self.real([(0.0,), (-0.0,), (0.0, -0.0), (-0.0, 0.0)][run])
        self.names = {}

    # ---- disturbances ----

    def blur(self, value, kind, size=None):
        """`value`, off by some of the rounding errors that results of this size may have."""
        if self.rng is None:
            return value
        value = np.asarray(value)
        size = np.abs(value) if size is None else size
        off = self.rng.uniform(0.5, 1, value.shape) * self.rng.choice([-1, 1], value.shape)
        limit = self.real(NOISE[kind] * self.amplitude) * self.unit * size
        noise = off.astype(self.real) * limit
        result = np.where(np.isfinite(value) & np.isfinite(noise) & (noise != 0), value + noise, value)
        if self.snaps:
            result = np.where(np.abs(value - np.rint(value)) <= limit, np.rint(value), result)
        return result

    def either_zero(self, value):
        """The result of a maximum, which may be either of two zeros, or of a sum, which may start with one."""
        if self.rng is None:
            return value
        value = np.asarray(value)
        return np.where(value == 0, self.rng.choice(self.zeros, value.shape), value)

    def shuffled(self, extent):
        return np.arange(extent) if self.rng is None else self.rng.permutation(extent)

    def sum(self, a, axis, kind, function):
        if self.rng is None:
            return function(a, axis=axis)
        if axis is None:
            a, axis = a.reshape(-1), 0
        value = function(np.take(a, self.shuffled(a.shape[axis]), axis), axis=axis)
        if a.shape[axis] < 2:
            return self.either_zero(value)
        if kind == "prod":
            return self.blur(value, kind, np.abs(value) * a.shape[axis])
        return self.either_zero(self.blur(value, kind, function(np.abs(a), axis=axis)))

    def over(self, name, a, axis, keep):
        """A sum, mean or product, or what is made of them, over axes."""
        if isinstance(axis, list):  # as one axis in front
            np.sum(a, axis=tuple(axis))  # refuses
            chosen = [k % a.ndim for k in axis]
            others = [k for k in range(a.ndim) if k not in chosen]
            dims = [1 if k in chosen else n for k, n in enumerate(a.shape)]
            count = int(np.prod([a.shape[k] for k in chosen]))
            rest = [a.shape[k] for k in others]
            value = self.over(name, a.transpose(chosen + others).reshape([count] + rest), 0, False)
            return value.reshape(dims) if keep else value
        value = self.moment(name, a, axis) if name in ("std", "var", "var1") else \
            self.sum(a, axis, name, getattr(np, name))
        if keep:
            value = np.reshape(value, [1] * a.ndim) if axis is None else np.expand_dims(value, axis)
        return value

    def moment(self, name, a, axis):
        function, ddof = (np.std, 0) if name == "std" else (np.var, int(name == "var1"))
        if self.rng is None:
            return function(a, axis, ddof=ddof)
        mean = self.sum(a, axis, "mean", np.mean)
        if axis is not None:
            mean = np.expand_dims(mean, axis)
        squares = (a - mean) ** 2
        if ddof == 0:
            value = self.sum(squares, axis, "mean", np.mean)
        else:
            count = a.size if axis is None else a.shape[axis]
            value = self.sum(squares, axis, "sum", np.sum) / self.real(max(count - 1, 0))
        return self.blur(np.sqrt(value) if name == "std" else value, "var")

    def dot(self, a, b):
        if a.ndim == 0 or b.ndim == 0:
            return a * b
        if self.rng is not None and a.shape[-1] == b.shape[-2 if b.ndim > 1 else 0]:
            order = self.shuffled(a.shape[-1])
            a, b = a[..., order], b[order] if b.ndim == 1 else b[..., order, :]
        value = np.dot(a, b)
        if not (np.isfinite(a).all() and np.isfinite(b).all()):  # a BLAS may take 0 * nan for 0
            flat = b if b.ndim == 1 else np.moveaxis(b, -2, 0).reshape(a.shape[-1], -1)
            value = np.einsum("...k,k->...", a, flat) if b.ndim == 1 else np.einsum("...k,kn->...n", a, flat)
            value = value.reshape(a.shape[:-1] + b.shape[:-2] + b.shape[-1:] if b.ndim > 1 else a.shape[:-1])
        if self.rng is None:
            return value
        if a.shape[-1] < 2:
            return self.either_zero(value)
        return self.either_zero(self.blur(value, "dot", np.dot(np.abs(a), np.abs(b))))

    def matmul(self, a, b):
        value = np.matmul(a, b)
        if self.rng is None or a.shape[-1] < 2:
            return self.either_zero(value)
        return self.either_zero(self.blur(value, "dot", np.matmul(np.abs(a), np.abs(b))))

    def tensordot(self, a, b, axes):
        value = np.tensordot(a, b, axes)
        inner = int(np.prod(b.shape[:axes]))
        rows, cols = int(np.prod(a.shape[:a.ndim - axes])), int(np.prod(b.shape[axes:]))
        return self.dot(a.reshape(rows, inner), b.reshape(inner, cols)).reshape(value.shape)

    def norm(self, a):
        scale = np.abs(a).max(initial=0)
        if self.rng is not None and np.isfinite(scale) and not 1e-15 < scale < 1e15:
            return self.real(np.nan)  # squares leave the range: not compared
        value = np.sqrt(np.sum(a.astype(np.longdouble) ** 2))
        unit = self.real(2.0**-53) / self.unit if self.real is np.longdouble else 1  # it is a double
        return self.blur(self.real(value), "norm", np.abs(value) * max(unit, 1))

    # ---- expressions ----

    def evaluate(self, expr):
        """The value; of a name its array."""
        if isinstance(expr, str):
            return self.names[expr]
        if not isinstance(expr, tuple):
            return self.real(expr)
        name, *args = expr
        name = name.lstrip(".")
        if name == "move":
            return self.names[args[0]]
        if name in ("at", "reshape", "ravel"):
            return self.fresh(self.place(expr))
        return self.fresh(self.call(name, args))

    def place(self, target):
        """The elements that are written to where the expression is a target, as NumPy's view."""
        if not isinstance(target, tuple) or target[0].lstrip(".") not in ("at", "reshape", "ravel"):
            return np.asarray(self.evaluate(target))
        a = self.place(target[1])
        if target[0] == "at":
            return np.asarray(a[self.index(target[2])])
        return a.reshape(target[2] if target[0] == "reshape" else -1)

    def index(self, items):
        return numpy_index([np.asarray(self.evaluate(item.expr)) != 0 if isinstance(item, Truths) else item
                            for item in items])

    def fresh(self, value):
        return np.array(value, dtype=self.real, order="C")

    def call(self, name, args):
        if name in ("zeros", "ones", "full", "eye"):
            return getattr(np, name)(*args)
        if name in ("arange", "linspace"):
            numbers = [np.longdouble(arg) if self.real is np.longdouble else float(arg) for arg in args[:2]]
            return getattr(np, name)(*numbers, args[2])
        if name in ("concatenate", "stack"):
            return getattr(np, name)([self.evaluate(part) for part in args[1]], axis=args[0])
        if name in ("vstack", "hstack", "dstack", "column_stack"):
            return getattr(np, name)([self.evaluate(part) for part in args[0]])
        if name in ("squeeze", "expand_dims", "swapaxes"):
            axes = [tuple(arg) if isinstance(arg, list) else arg for arg in args[1:] if arg != "-"]
            return getattr(np, name)(np.asarray(self.evaluate(args[0])), *axes)
        if name == "take":
            return np.take(self.evaluate(args[0]), *args[1:])
        if name == "trace":
            a = np.asarray(self.evaluate(args[0]))
            return self.sum(np.diagonal(a), -1, "sum", np.sum)
        if name == "argsort":
            a = np.asarray(self.evaluate(args[0]))
            return np.argsort(a, args[1], kind="stable")
        if name == "matmul":
            return self.matmul(np.asarray(self.evaluate(args[0])), np.asarray(self.evaluate(args[1])))
        if name == "tile":
            return np.tile(self.evaluate(args[0]), args[1])
        if name == "T":
            return np.asarray(self.evaluate(args[0])).T
        if name == "tensordot":
            return self.tensordot(self.evaluate(args[0]), self.evaluate(args[1]), args[2])
        if name in REDUCTIONS:
            a, axis, keep = np.asarray(self.evaluate(args[0])), args[1], len(args) > 2
            axis = None if axis == "-" else axis
            if name == "sort":
                return self.either_zero(np.sort(a, -1 if axis is None else axis))
            if name == "cumsum":
                return self.either_zero(self.blur(np.cumsum(a, axis), "sum", np.cumsum(np.abs(a), axis)))
            if name in SUMS:
                return self.over(name, a, axis, keep)
            value = EXACT[name](a, axis=tuple(axis) if isinstance(axis, list) else axis)
            if keep:
                axes = list(range(a.ndim)) if axis is None else np.atleast_1d(axis) % a.ndim
                value = np.reshape(value, [1 if k in axes else n for k, n in enumerate(a.shape)])
            return self.either_zero(value) if name in ("max", "min") else value
        if name == "pow" and isinstance(args[1], float):  # ** takes the square root, and so on
            return self.blur(np.asarray(self.evaluate(args[0])) ** args[1], "pow")
        values = [self.evaluate(arg) for arg in args]
        if name == "dot":
            return self.dot(*map(np.asarray, values))
        if name == "euclid_norm":
            return self.norm(values[0])
        if name == "diag":
            return np.diag(values[0])
        if name in ("maximum", "minimum", "clip"):
            return self.either_zero(EXACT[name](*values))
        if name in EXACT:
            return EXACT[name](*values)
        return self.blur(APPROXIMATE[name](*values), "pow" if name == "pow" else "approximate")

    # ---- statements ----

    def run(self, statement):
        """Raises one of ERRORS, and has no effect, where NumPy refuses it."""
        verb, target, expr = statement
        try:
            self.execute(verb, target, expr)
        finally:
            for name in moved_names(expr):
                self.names.pop(name, None)

    def execute(self, verb, target, expr):
        with np.errstate(all="ignore"):
            if verb == "input":
                self.names[target] = self.fresh(expr)
            elif verb in ("new", "let"):
                if verb == "let" and target == expr:
                    return
                self.names[target] = self.fresh(self.evaluate(expr))
            elif verb == "view":
                self.names[target] = self.place(expr)
            elif verb != "settle":
                self.write(verb, target, self.evaluate(expr))

    def write(self, verb, target, value):
        if isinstance(target, tuple) and target[0] == "at":
            base, index = self.place(target[1]), self.index(target[2])
        else:
            base, index = self.place(target), (Ellipsis,)
        if verb == "set":
            value = np.copy(value)  # with index arrays NumPy may read what it has written
            shape = np.shape(base[index])
            while value.ndim > len(shape) and value.shape[0] == 1:
                value = value[0]
            base[index] = np.broadcast_to(value, shape)  # NumPy lets index arrays without elements take any shape
            return
        part = base[index]
        if verb == "+=":
            part += value
        elif verb == "-=":
            part -= value
        elif verb == "*=":
            part *= value
        elif verb == "/=":
            part /= value
        else:
            part %= value
        base[index] = part


def moved_names(expr):
    """The names that an expression gives away."""
    if isinstance(expr, (tuple, list)):
        if expr and expr[0] == "move":
            return [expr[1]]
        return [name for part in expr for name in moved_names(part)]
    return []


# ---- as gnumpy_script reads them ----


def _list(numbers, brackets):
    return brackets[0] + ",".join(map(str, numbers)) + brackets[1]


def item_text(item):
    if isinstance(item, slice):
        text = ":".join("" if bound is None else str(bound) for bound in (item.start, item.stop))
        return text if item.step is None else f"{text}:{item.step}"
    if item is Ellipsis:
        return "..."
    if isinstance(item, Truths):
        return f"(mask {text_of(item.expr)})"
    return _list(item, "{}") if isinstance(item, list) else str(item)


def options_text(options):
    """What gnumpy_script_functions.hpp reads."""
    pairs = [f"{key}={_list(value, '[]') if isinstance(value, list) else value}" for key, value in options.items()]
    return ";".join(pairs) if pairs else "-"


def text_of(expr):
    if isinstance(expr, str):
        return expr
    if not isinstance(expr, tuple):
        return repr(float(expr))
    name, *args = expr
    if name == "at":
        return f"(at {text_of(args[0])} {' '.join(map(item_text, args[1]))})"
    has_options = bool(args) and isinstance(args[0], dict)
    if name in ("concatenate", "stack") and not has_options:
        return f"({name} {args[0]} {' '.join(map(text_of, args[1]))})"
    if name in ("vstack", "hstack", "dstack", "column_stack") and not has_options:
        return f"({name} {' '.join(map(text_of, args[0]))})"
    texts = []
    for arg in args:
        if isinstance(arg, dict):
            texts.append(options_text(arg))
        elif isinstance(arg, list):
            texts.append(_list(arg, "[]"))
        elif arg in ("-", "keep"):
            texts.append(arg)
        elif isinstance(arg, int):
            texts.append(str(arg))
        elif arg is not None:
            texts.append(text_of(arg))
    return f"({' '.join([name] + texts)})"


def line_of(statement):
    verb, target, expr = statement
    if verb == "input":
        dims = "".join(f" {extent}" for extent in expr.shape)
        return f"input {target}{dims} : {' '.join(repr(float(x)) for x in expr.reshape(-1))}"
    return f"{verb} {text_of(target)}" + ("" if expr is None else f" {text_of(expr)}")
