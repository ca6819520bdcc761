"""Runs a program in NumPy notation with NumPy, several times, and says how well its values are determined.

One run computes as NumPy does. The others disturb every result that another correct implementation may
round differently, by random amounts of a few units in the last place: Monte Carlo arithmetic (Parker, 1997).
What stays the same in all runs must be met exactly; what varies may differ by a small multiple of how much
it varies. That is the tolerance: it follows the rounding errors through cancellations, and a comparison or an
argmax that rounding decides shows itself as one.

Correctly rounded operations (+ - * / sqrt, copies, comparisons) are disturbed only at 32 bits, where the
reference computes in float64, and there only where float32 cannot hold the result.
"""

import ast
import importlib
import operator
import warnings
from fractions import Fraction

import numpy as np

import op_table

warnings.filterwarnings("ignore")  # division by zero and overflow are part of the programs
warnings.filterwarnings("error", message="invalid value encountered in cast")  # NaN as an integer
warnings.filterwarnings("error", message="Out of bound index found")  # of no elements: an error in later NumPy


class Reject(Exception):
    """NumPy can run the step, but it is outside of the notation, or rounding decides its result."""


# What a step that is no good raises.
REFUSALS = (Reject, ValueError, TypeError, ZeroDivisionError, IndexError, AttributeError, OverflowError, MemoryError,
            RuntimeWarning, DeprecationWarning, np.linalg.LinAlgError)
MAX_SIZE = 4000
MAX_ITERATIONS = 1000  # of a while
_CLOSE_TO_OVERFLOW = {32: 1e37, 64: 1e300, 128: 1e300}
UNIT = {32: 2.0**-24, 64: 2.0**-53, 128: np.longdouble(2) ** -64}
# Disturbances in units of the rounding error: twice the permitted error of a transcendental function (4 ulp
# are 8 units; pow has 16 ulp).
NOISE = {"rounded": 2, "approximate": 8, "pow": 32, "sum": 8, "dot": 8, "contraction": 8, "mean": 8, "prod": 8, "norm": 8, "var": 16,
         "modulo": 2}

KIND = {name: row.kind for row in op_table.UNARY + op_table.BINARY if row.kind
        for name in row.spelled("np.", "gpu.", op_table.SCIPY)}
KIND |= {name: "rounded" for name in "square negative full full_like array round around outer".split()}
KIND |= {"dot": "dot", "matmul": "dot", "inner": "dot", "tensordot": "dot", "einsum": "contraction", "logaddexp": "approximate"}
KIND |= {"sum": "sum", "mean": "mean", "prod": "prod", "var": "var", "std": "var", "norm": "norm",
         "euclid_norm": "norm"}
KIND |= {name: "modulo" for name in "mod remainder fmod".split()}
KIND |= {name: "extremum" for name in "maximum minimum max min amax amin clip".split()}

_BINARY = {
    "+": (operator.add, operator.iadd, "add"), "-": (operator.sub, operator.isub, "subtract"),
    "*": (operator.mul, operator.imul, "multiply"), "/": (operator.truediv, operator.itruediv, "divide"),
    "**": (operator.pow, operator.ipow, "power"), "@": (operator.matmul, operator.imatmul, "dot"),
    "<": (operator.lt, None, ""), "<=": (operator.le, None, ""), ">": (operator.gt, None, ""),
    ">=": (operator.ge, None, ""), "==": (operator.eq, None, ""), "!=": (operator.ne, None, ""),
    "//": (operator.floordiv, operator.ifloordiv, "floor_divide"), "%": (operator.mod, operator.imod, "mod"),
    "&": (operator.and_, operator.iand, ""), "|": (operator.or_, operator.ior, ""),
    "^": (operator.xor, operator.ixor, ""), "<<": (operator.lshift, operator.ilshift, ""),
    ">>": (operator.rshift, operator.irshift, ""), "is": (operator.is_, None, ""), "is not": (operator.is_not, None, ""),
    "in": (lambda a, b: a in b, None, ""), "not in": (lambda a, b: a not in b, None, ""),
}
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_SPELLING = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**", ast.MatMult: "@", ast.Lt: "<",
    ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=", ast.FloorDiv: "//", ast.Mod: "%",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^",
    ast.LShift: "<<", ast.RShift: ">>", ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}


def _exact(symbol, a, b, result):
    """Whether this is the result of Python's numbers in any precision."""
    if not np.isfinite([a, b, result]).all():
        return True
    if symbol not in "+-*/":
        return False
    a, b, result = Fraction(a), Fraction(b), Fraction(result)
    return result == {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}[symbol](a, b)


_NO_ARGUMENTS = ast.parse("lambda: 0", mode="eval").body.args


class _Instrument(ast.NodeTransformer):
    """Operators and calls become calls of the tracer."""

    @staticmethod
    def _tracer(method, *args):
        function = ast.Attribute(ast.Name("__tracer__", ast.Load()), method, ast.Load())
        return ast.Call(function, list(args), [])

    def visit_BinOp(self, node):
        self.generic_visit(node)
        return self._tracer("binary", ast.Constant(_SPELLING[type(node.op)]), node.left, node.right)

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) != 1:
            return node
        return self._tracer("binary", ast.Constant(_SPELLING[type(node.ops[0])]), node.left, node.comparators[0])

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute):
            call = self._tracer("call", node.func.value, ast.Constant(node.func.attr), *node.args)
        else:
            call = self._tracer("bare_call", node.func, *node.args)
        call.keywords = node.keywords
        return call

    def visit_Subscript(self, node):
        self.generic_visit(node)
        return self._tracer("checked", node) if isinstance(node.ctx, ast.Load) else node

    def visit_Assign(self, node):
        """A part that is written to must be one that the notation has."""
        parts = [ast.Expr(self._tracer("part", ast.Lambda(_NO_ARGUMENTS, self.visit(
                     ast.parse(ast.unparse(target), mode="eval").body))))
                 for target in node.targets if isinstance(target, ast.Subscript)]
        self.generic_visit(node)
        return parts + [node]

    def visit_While(self, node):
        """Counted from its start on, so that a loop that does not end is refused."""
        self.generic_visit(node)
        node.test = ast.BoolOp(ast.And(), [self._tracer("goes_on", ast.Constant(id(node))), node.test])
        return [ast.Expr(self._tracer("starts", ast.Constant(id(node)))), node]

    def visit_AugAssign(self, node):
        self.generic_visit(node)
        target = self.visit(ast.parse(ast.unparse(node.target), mode="eval").body)
        value = self._tracer("augmented", ast.Constant(_SPELLING[type(node.op)]), target, node.value)
        return ast.Assign([node.target], value)


_code = {}


def instrumented(text, mode):
    """The code object of the text, its operations traced."""
    key = (text, mode)
    if key not in _code:
        tree = ast.fix_missing_locations(_Instrument().visit(ast.parse(text, mode=mode)))
        if len(_code) > 20000:
            _code.clear()
        _code[key] = compile(tree, "<program>", mode)
    return _code[key]


class Gnumpy:
    """The names of gnumpy that NumPy lacks, and those that it has."""

    newaxis = None

    def __getattr__(self, name):
        return getattr(np, name) if hasattr(np, name) else op_table.oracle(op_table.IN_GNUMPY[name])

    @staticmethod
    def logistic(x):
        x = np.asarray(x) * 1.0
        if (np.isfinite(x) & (np.abs(x) > 700)).any():
            raise Reject("logistic at the border of underflow")
        return np.where(x >= 0, 1 / (1 + np.exp(-x)), np.exp(x) / (1 + np.exp(x)))[()]

    sigmoid = logistic

    @staticmethod
    def log_1_plus_exp(x):
        return np.logaddexp(0, np.asarray(x) * 1.0)[()]

    @staticmethod
    def euclid_norm(x):
        return np.linalg.norm(np.ravel(x))

    @staticmethod
    def as_garray(x):
        return np.asarray(x)

    @staticmethod
    def garray(x):
        return np.array(x)


class Scipy:
    """As much of SciPy as the notation has; in op_table.py is what its functions are where SciPy is not there."""

    special = op_table.SPECIAL


GNUMPY = Gnumpy()
_MODULES = (np, np.random, np.linalg, GNUMPY, Scipy.special)


def is_array(value):
    return isinstance(value, (np.ndarray, np.generic))


def representable(x):
    """Whether float32 holds each element exactly."""
    x = np.asarray(x)
    if x.dtype.kind in "ib":
        return np.abs(x.astype(np.int64)) <= 2**24
    return (x == x.astype(np.float32)) | np.isnan(x)


def _finite(x):
    x = np.asarray(x)
    x = x.astype(np.float64) if x.dtype.kind in "ib" else x
    return np.where(np.isfinite(x), np.abs(x), 0)


def _on_grid(x):
    """Multiples of 2^-12: sums of few of them are exact in float64."""
    x = np.asarray(x) * 4096.0
    return bool((np.isfinite(x) & (x == np.round(x))).all())


class Tracer:
    """One run of a program. `noise`: None for NumPy's own values, or the seed of the disturbances."""

    def __init__(self, precision, noise=None):
        self.precision = precision
        self.real = np.longdouble if precision == 128 else np.float64
        self.unit = UNIT[precision]
        # In the wide types there is room to amplify: a later sum must not round the disturbance away.
        self.amplitude = self.unit if precision == 32 else 16 * self.unit
        self.noise = None if noise is None else np.random.default_rng(noise)
        self.run_number = 0 if noise is None else noise % 16
        self.opens_signs = False  # of the zeros of arithmetic, too, as passes that round leave them
        self.opened = 0  # operations whose zeros have an open sign
        self.snaps = noise is not None and noise % 2 == 1
        self.draws = np.random.default_rng(999 if noise is None else noise + 1)
        self.names = {}
        self.iterations = {}  # of each while, by the number of its node
        self.numbers_are_known = False  # else what rounds in 64 bits only is refused at 128
        self.integers_have_zeros = False  # else what could show a -0 is refused

    # ---- running

    def bind(self, names):
        self.names = {"__tracer__": self, "__builtins__": {"len": len, "abs": abs, "float": float, "int": int,
                                                           "range": range, "print": self._print, "str": str,
                                                           "sum": sum, "max": max, "min": min,
                                                           "list": lambda *of: list(*of), "dict": lambda *of, **more: dict(*of, **more),
                                                           "tuple": lambda *of: tuple(*of), "zip": zip,
                                                           "enumerate": enumerate, "reversed": reversed,
                                                           "map": map, "sorted": sorted, "round": round, "bool": bool,
                                                           "any": any, "all": all, "divmod": divmod,
                                                           "__import__": self._import}}
        self.names |= {"__name__": "__main__"} | names

    @staticmethod
    def _print(*_, **__):
        """The values are compared, not their texts."""

    @staticmethod
    def _import(name, _globals=None, _locals=None, fromlist=(), _level=0):
        if name == "gnumpy":
            return GNUMPY
        if name == "numpy":
            return np
        if name in ("scipy", "scipy.special"):
            return op_table.SPECIAL if "scipy.special" == name and fromlist else Scipy
        if name in ("math", "time", "typing"):
            return importlib.import_module(name)
        raise Reject("import of " + name)

    def run(self, text):
        exec(instrumented(text, "exec"), self.names)

    def evaluate(self, text):
        return eval(instrumented(text, "eval"), self.names)

    def arrays(self):
        return {n: v for n, v in self.names.items() if is_array(v)}

    def numbers(self):
        """Python's own; a loop may make 0-d arrays of them."""
        return {n: v for n, v in self.names.items() if type(v) in (bool, int, float)}

    def snapshot(self):
        """Everything that a statement can change; restore() takes it back."""
        owners = {}
        for value in self.arrays().values():
            if isinstance(value, np.ndarray):
                owner = value if value.base is None else value.base
                owners[id(owner)] = (owner, owner.copy(order="K"))
        return dict(self.names), owners

    def restore(self, snapshot):
        self.names, owners = dict(snapshot[0]), snapshot[1]
        for owner, copy in owners.values():
            np.copyto(owner, copy)

    # ---- operations (called by the instrumented program)

    def binary(self, symbol, a, b):
        function, _, name = _BINARY[symbol]
        if not is_array(a) and not is_array(b):
            result = function(a, b)
            rounds = self.precision == 128 and type(result) is float and not self.numbers_are_known
            if rounds and not _exact(symbol, a, b, result):
                raise Reject("Python's numbers have 64 bits")
            return result
        if callable(a) or callable(b):
            raise Reject("a function, after the statement that gave its name to an array was left out")
        result = self._apply(self._power_name(symbol, name, a, b), function, (a, b), {})
        if not is_array(result):
            raise Reject("NumPy 1.24 compares what does not broadcast, and says False")
        if symbol in "&|^" and result.dtype != bool:
            raise Reject(symbol + " of integers")
        if symbol in _COMPARISONS and self.noise is None and self._almost_equal(a, b):
            raise Reject("rounding decides what is equal")
        return result

    def _almost_equal(self, a, b):
        """Whether numbers differ by what rounding may have made of equal ones."""
        a, b = np.broadcast_arrays(np.asarray(a, self.real), np.asarray(b, self.real))
        finite = np.isfinite(a) & np.isfinite(b) & (a != b)
        size = np.maximum(np.abs(a[finite]), np.abs(b[finite]))
        return bool((np.abs(a[finite] - b[finite]) <= 16 * self.unit * size).any())

    def augmented(self, symbol, a, b):
        function, in_place, name = _BINARY[symbol]
        if isinstance(a, list):
            return in_place(a, b)
        if not isinstance(a, np.ndarray):
            return self.binary(symbol, a, b)
        if not name:
            raise Reject(symbol + "= of arrays")
        name = self._power_name(symbol, name, a, b)
        self._check_arguments(name, (a, b))
        before = a.copy()
        result = in_place(a, self._constant(b))
        self._refuse_negative_zero(name, result, (before, b))
        if result is not a:
            raise Reject("not in place")
        self._disturb(name, a, (before, b))
        return self._admitted(a)

    @staticmethod
    def _power_name(symbol, name, a, b):
        exact = (2, 1, 0.5, -1, 0) if isinstance(a, np.ndarray) and a.dtype.kind == "f" else (2, 1, 0)
        if symbol == "**" and isinstance(a, np.ndarray) and not is_array(b) and b in exact:
            return "square"
        return name

    @staticmethod
    def part(evaluate):
        try:
            evaluate()
        except KeyError:
            pass  # a new one of a dictionary

    def starts(self, loop):
        self.iterations[loop] = 0

    def goes_on(self, loop):
        self.iterations[loop] += 1
        if self.iterations[loop] > MAX_ITERATIONS:
            raise Reject("a loop that may never end")
        return True

    def checked(self, value):
        return self._admitted(value) if is_array(value) else value

    def bare_call(self, function, *args, **kwargs):
        if function is abs and is_array(args[0]):
            return self._apply("abs", np.abs, args, kwargs)
        return function(*args, **kwargs)

    def call(self, owner, name, *args, **kwargs):
        if owner is np.random or (owner is GNUMPY and name in ("rand", "randn")):
            return self._draw(name, args)
        if any(owner is module for module in _MODULES):
            return self._apply(name, getattr(owner, name), args, kwargs)
        if not is_array(owner):
            return getattr(owner, name)(*args, **kwargs)
        if name in ("rand", "randn"):
            return self._draw(name, owner.shape)
        if hasattr(owner, name):
            method = getattr(np.ndarray if isinstance(owner, np.ndarray) else type(owner), name)
            return self._apply(name, method, (owner,) + args, kwargs)
        return self._apply(name, getattr(GNUMPY, name), (owner,) + args, kwargs)

    def _draw(self, name, args):
        if name == "seed":
            return None
        draw = self.draws.random if name == "rand" else self.draws.standard_normal
        return np.asarray(draw(args)).astype(self.real)

    # ---- results

    def _constant(self, value):
        if self.noise is not None and self.precision == 32 and isinstance(value, float) and not representable(value):
            return value * (1 + self.noise.uniform(-1, 1) * self.unit)
        return value

    def _apply(self, name, function, args, kwargs):
        if name in op_table.IS_NARROW and self.precision == 128:
            raise Reject(f"no {name} of more than 64 bits to compare with")
        if name in op_table.IS_NARROW and getattr(args[0], "dtype", None) == bool:
            raise Reject("SciPy computes this of truth values in 32 bits")
        if any(isinstance(a, type) or callable(a) for a in args[:1]):
            raise Reject("a function, after the statement that gave its name to an array was left out")
        self._check_arguments(name, args)
        if name == "astype":
            args = (args[0], self.real)
        result = function(*[self._constant(a) for a in args], **kwargs)
        if not is_array(result):
            return result
        if self.precision == 128 and not self.numbers_are_known and name in KIND and result.dtype == np.float64 and \
                all(type(a) in (int, float) for a in args):
            raise Reject("NumPy's functions of Python's numbers have 64 bits")
        if name in ("round", "around") and result is args[0]:
            raise Reject("NumPy's rounded integers are no copy")
        if self.precision == 128 and result.dtype == np.float64:
            wide = [np.asarray(a, np.longdouble)[()] if is_array(a) else a for a in args]
            result = function(*wide, **kwargs)
            if result.dtype == np.float64:
                result = result.astype(np.longdouble)
        if self.noise is not None and result.dtype.kind == "f" and name in KIND:
            fresh = np.array(result, order="K") if np.ndim(result) == 0 else result
            self._disturb(name, fresh, args)
            result = result if fresh is result else (fresh if isinstance(result, np.ndarray) else fresh[()])
        self._refuse_negative_zero(name, result, args)
        return self._admitted(result)

    def _refuse_negative_zero(self, name, result, args):
        """symdump holds integers as floating-point numbers: 0 * -3 is -0 there."""
        if not self.integers_have_zeros and name in ("multiply", "prod") and result.dtype == np.int64 and (result == 0).any() and \
                any(np.min(a, initial=0) < 0 for a in args[:2] if a is not None):
            raise Reject("an integer that could be -0")

    def _admitted(self, result):
        if result.dtype not in (self.real, np.int64, bool):
            raise Reject(f"a result of type {result.dtype}")
        if result.ndim > 6 or result.size > MAX_SIZE:
            raise Reject(f"a result of shape {result.shape}")
        if result.dtype == np.int64 and (np.abs(result) > (2**24 if self.precision == 32 else 2**52)).any():
            raise Reject("large integers")
        if self.precision == 32 and result.dtype.kind == "f":
            size = _finite(result)
            if (size > 1e37).any() or ((size > 0) & (size < 1e-36)).any():
                raise Reject("beyond the range of float32")
        return result

    def _check_arguments(self, name, args):
        """Refuses what overflows or underflows in one order of operations and not in another."""
        kind, border = KIND.get(name), _CLOSE_TO_OVERFLOW[self.precision]
        if name == "clip" and any(a is not None and np.isnan(a).any() for a in args[1:]):
            raise Reject("NumPy 1.24 takes some NaN for no bound, and deprecates that")
        if kind == "pow" and isinstance(args[1], (np.ndarray, np.generic)) and np.ndim(args[1]) == 0 and args[1] == 0.5 and \
                (np.signbit(args[0]) & ((args[0] == 0) | np.isinf(args[0]))).any():
            raise Reject("NumPy looks at the exponent and takes the square root, which is another number here")
        values = [a for a in args if is_array(a) and a.dtype.kind in "fib"]
        if not values:
            return
        largest = max((_finite(v).max() if v.size else 0) for v in values)
        if kind == "sum" or kind == "mean":
            bad = _finite(values[0]).sum() > border
        elif kind == "dot":
            bad = len(values) == 2 and largest * largest * 1e4 > border
            # Libraries of linear algebra may leave out what is multiplied by 0, even NaN.
            bad = bad or any((v == 0).any() for v in values) and any(not np.isfinite(v).all() for v in values)
            # Of a known number symdump refuses that; it does not ask which arrays are finite.
            bad = bad or any(np.ndim(a) == 0 and a == 0 for a in args[:2])
        elif kind == "contraction":
            bad = largest * largest * 1e4 > border
        elif kind == "prod":
            size = _finite(values[0])
            bad = np.maximum(size, 1).prod() > (border if values[0].dtype.kind == "f" else 2.0**52) or \
                np.where(size > 0, np.minimum(size, 1), 1).prod() < 1 / border
        elif kind in ("var", "norm"):
            size = _finite(values[0])
            bad = largest > border**0.4 or ((size > 0) & (size < border**-0.4)).any()
        elif kind == "pow" and all(np.asarray(a).dtype.kind in "ib" for a in args[:2]):
            with np.errstate(all="ignore"):
                bad = (np.abs(np.power(*[np.asarray(a, dtype=np.float64) for a in args[:2]])) > 2.0**52).any()
        elif name in ("multiply", "square", "outer") and all(v.dtype.kind in "ib" for v in values):
            bad = (len(values) == 2 or name == "square") and largest * largest > 2.0**52  # which may wrap to 0
        elif kind == "modulo":  # by what rounding has made of a zero
            size = _finite(np.asarray(args[1]))
            bad = ((size > 0) & (size < 1e-9)).any()
        elif kind == "pow" or name in ("exp", "expm1"):
            bad = name in ("exp", "expm1") and (_finite(values[0]) > 690).any()
            bad = bad or largest > border**0.2 and kind == "pow"
        elif name in ("multiply", "square", "outer") and all(v.dtype.kind in "ib" for v in values):
            bad = largest * (largest if name == "square" or len(values) == 2 else
                             max(np.abs(a) for a in args if not is_array(a))) > 2.0**52
        elif kind == "approximate":
            bad = largest > 1e15 and name in ("sin", "cos")
        else:
            bad = False
        if bad:
            raise Reject(name + " at the border of overflow")

    def _disturb(self, name, result, args):
        """Adds what rounding may add, in place."""
        kind = KIND.get(name)
        if self.noise is None or result.dtype.kind != "f" or result.size == 0:
            return
        self.opened += 1
        if self.opens_signs and name in ("add", "subtract", "negative", "multiply"):
            np.copyto(result, self._open_signs(result.shape) * 0.0, where=result == 0)
        if kind is None:
            return
        self._add_noise(kind, result, args)
        if kind in ("extremum", "sum", "dot", "contraction", "prod", "mean", "norm"):
            np.copyto(result, self._open_signs(result.shape) * 0.0, where=result == 0)

    def _add_noise(self, kind, result, args):
        exact = kind in ("rounded", "modulo")  # but for one rounding
        if kind == "extremum" or (exact and self.precision != 32):
            return
        if kind in ("sum", "dot") and self._exact_sum(kind, args):
            return
        scale = self._scale(kind, result, args)
        size = self.noise.uniform(0.5, 1, result.shape)  # never so small that it is rounded away
        delta = np.where(self.noise.random(result.shape) < 0.5, -size, size)
        # A zero goes one way in one run, and the other way in the next: its sign shows as open.
        delta = np.where(result == 0, self._open_signs(result.shape) * size, delta)
        if self.run_number % 4 > 1:  # zeros whose sign alone is open
            delta = np.where(result == 0, 0, delta)
        delta = delta * (NOISE[kind] * self.amplitude * scale)
        if kind in ("approximate", "pow"):  # among the smallest numbers one more or less
            least = np.finfo(result.dtype).smallest_subnormal
            delta = np.where((result != 0) & (np.abs(delta) < least), np.copysign(least, delta), delta)
        if exact and all(representable(a).all() for a in args if is_array(a) or isinstance(a, float)):
            delta = np.where(representable(result), 0, delta)
        whole, limit = np.rint(result), NOISE[kind] * self.amplitude * scale
        np.add(result, delta, out=result, where=np.isfinite(result) & np.isfinite(delta) & (delta != 0))
        if kind == "var" and self.run_number % 2:  # equal numbers are as far from their mean as that is rounded, or 0
            np.copyto(result, 0.0, where=np.abs(result) <= 64 * limit)
        if kind == "mean" and self.snaps and np.size(args[0]):  # of equal numbers it is that number, or almost
            given = np.ravel(args[0])
            nearest = given[np.abs(given - np.expand_dims(result, -1)).argmin(-1)]
            np.copyto(result, nearest, where=np.abs(result - nearest) <= 2 * limit)
        if kind == "approximate" and self.snaps:  # a tanh or an erf may be 1, or almost
            np.copyto(result, whole, where=np.abs(result - whole) <= 2 * limit)

    def _open_signs(self, shape):
        """1 and -1 for zeros whose sign is open: all 1 in the first run, all -1 in the second; since signs that always
        go together may cancel, then those of every second operation, and as it comes."""
        if self.run_number < 2:
            return np.full(shape, 1.0 - 2 * self.run_number)
        if self.run_number < 4:
            return np.full(shape, 1.0 - 2 * ((self.opened + self.run_number) % 2))
        return np.where(self.noise.random(shape) < 0.5, 1.0, -1.0)

    def _exact_sum(self, kind, args):
        values = [a for a in args if is_array(a)]
        if not all(_on_grid(v) for v in values):
            return False
        size = np.sum(_finite(values[0]))
        if kind == "dot" and len(values) == 2:
            size = size * np.sum(_finite(values[1]))
        return size < (2**6 if self.precision == 32 else 2**26) and \
            (self.precision != 32 or all(_on_grid(np.asarray(v) / 64) for v in values))

    @staticmethod
    def _scale(kind, result, args):
        """The magnitude that the rounding errors of the result are relative to."""
        size = np.abs(result)
        values = [a for a in args if is_array(a)]
        if kind in ("rounded", "approximate", "pow") or not values:
            return size
        if kind == "modulo":  # the divisor's error counts as often as it goes into the dividend
            return np.maximum(size, _finite(args[0]))
        if kind in ("sum", "mean", "prod", "norm"):
            return np.maximum(size, _finite(values[0]).sum()) if kind == "sum" else \
                np.maximum(size, _finite(values[0]).max(initial=0)) if kind == "mean" else size * 4
        if kind == "contraction":
            return np.maximum(size, np.prod([_finite(v).max(initial=0) for v in values]) * max(v.size for v in values))
        if kind == "dot" and len(values) == 2:
            if values[0].ndim == 0 or values[1].ndim == 0:
                return size
            a, b = (_finite(v) for v in values)
            if max(a.ndim, b.ndim) < 3:
                return np.maximum(size, np.dot(a, b))
            for product in (np.matmul, np.dot):  # `@` or np.dot: whichever has that shape
                try:
                    if (magnitude := product(a, b)).shape == size.shape:
                        return np.maximum(size, magnitude)
                except ValueError:
                    pass
            return np.maximum(size, a.sum() * b.max(initial=0))
        return size + 2 * _finite(values[0]).max(initial=0)
