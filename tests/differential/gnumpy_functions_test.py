"""gnumpy's functions, one by one, against NumPy.

    gnumpy_functions_test.py GNUMPY_SCRIPT

Every function with options is called with arrays of 0 to 4 dimensions, empty ones among them, with negative axes,
lists of axes and axes that are not there, as a function and as a method. What NumPy refuses must be refused, in a
line with the operation and a place. What rounds no more than NumPy does must have its bits. With GNUMPY_USE_GPU=yes
in the environment it runs at 32 bits, on the GPU; else at 32, 64 and 128 on the CPU.
"""

import re
import sys
import warnings
from dataclasses import dataclass

import numpy as np

import op_table
from gnumpy_numpy import REAL, line_of
from gnumpy_test import USE_GPU, run

warnings.simplefilter("ignore")
ERRORS = (ValueError, IndexError, TypeError, ZeroDivisionError)
MAX_REPORTED = 12
CASES_IN_PROGRAM = 250  # the execution on the CPU looks at every array after every kernel
PLACE = re.compile(r"^\[\w+\] \S*gnumpy_script\S*:\d+: .")

SHAPES = [(), (0,), (1,), (5,), (0, 3), (3, 0), (2, 3), (3, 1), (1, 3), (4, 4), (2, 3, 4), (2, 0, 3), (1, 3, 1),
          (2, 1, 3, 2), (3, 2, 2, 1)]
DIRTY = [np.nan, np.inf, -np.inf, 0.0, -0.0, 0.5, 1.5, -2.5, -0.4, 7.0, -3.0, 1e-30, 1e9]


@dataclass
class Case:
    expr: tuple
    numpy: object  # without arguments: what NumPy makes of it
    ulps: float = 0  # permitted, of the largest element


def data(shape, kind, seed=0):
    """kind: "whole" (sums of them are exact), "dirty", or "positive"."""
    rng = np.random.default_rng(seed + 7)
    size = int(np.prod(shape))
    if kind == "whole":
        values = rng.integers(-4, 5, size)
    elif kind == "dirty":
        values = rng.choice(DIRTY, size)
    else:
        values = rng.integers(1, 64, size) / 16
    return np.asarray(values, np.float64).reshape(shape)


class Cases:
    """The cases of one precision, and the inputs that they name."""

    def __init__(self, precision):
        self.real = REAL[precision]
        self.arrays = {}
        self.cases = []
        self.elementwise()
        self.reductions()
        self.shapes()
        self.joins()
        self.products()
        self.making()
        self.choices()

    def array(self, shape, kind, seed=0):
        """(name, NumPy's array)"""
        name = f"x{len(self.arrays)}"
        self.arrays[name] = data(shape, kind, seed)
        return name, self.arrays[name].astype(self.real)

    def add(self, expr, numpy, ulps=0):
        self.cases.append(Case(expr, numpy, ulps))

    def pairs(self, name, options, args, numpy, ulps=0, spellings=("", ".")):
        for spelling in spellings:
            self.add((spelling + name, options, *args), numpy, ulps)

    # ---- element-wise

    def elementwise(self):
        exact = {name: op_table.oracle(row) for name, row in op_table.IN_GNUMPY.items()}
        close = {name: exact.pop(name) for name, row in op_table.IN_GNUMPY.items() if row.kind not in (None, "rounded")}
        if self.real is np.longdouble:
            close = {name: function for name, function in close.items() if name not in op_table.IS_NARROW}
        binary = {row.name: exact.pop(row.name) for row in op_table.BINARY_FUNCTIONS if row.name in exact}
        close_binary = {row.name: close.pop(row.name) for row in op_table.BINARY_FUNCTIONS if row.name in close}
        exact |= {"square": np.square, "negative": np.negative, "as_bool": lambda a: a != 0}
        names = {"remainder": np.remainder, "operator%": np.mod, "logical_xor": np.logical_xor,
                 "operator^": np.logical_xor, "add": np.add, "subtract": np.subtract, "multiply": np.multiply,
                 "divide": np.divide, "less": np.less, "greater": np.greater, "equal": np.equal}
        for shape in SHAPES:
            x, a = self.array(shape, "dirty")
            for name, function in exact.items():
                self.pairs(name, {}, [x], lambda f=function, a=a: f(a))
            for name, function in close.items():
                self.pairs(name, {}, [x], lambda f=function, a=a: f(a), 8)
            for decimals in (0, 1, -1, 3):
                self.pairs("round", {"decimals": decimals}, [x], lambda a=a, d=decimals: np.round(a, d),
                           spellings=("f:", "m:"))
            for other, seed in ((shape, 1), (shape[-1:], 2), ((), 3), ((2, 1), 4)):
                y, b = self.array(other, "dirty", seed)
                for name, function in binary.items():
                    self.pairs(name, {}, [x, y], lambda f=function, a=a, b=b: f(a, b))
                for name, function in close_binary.items():
                    self.pairs(name, {}, [x, y], lambda f=function, a=a, b=b: f(a, b), 8)
                for name, function in names.items():
                    self.add((name, {}, x, y), lambda f=function, a=a, b=b: f(a, b))
                for name, function in (("power", np.power), ("pow", np.power), (".pow", np.power)):
                    self.add((name, {}, x, y), lambda f=function, a=a, b=b: f(a, b), 40)
                z, c = self.array(shape, "dirty", 5)
                self.add(("f:clip", {"least": 1, "greatest": 1}, x, y, z), lambda a=a, b=b, c=c: np.clip(a, b, c))
                self.add(("m:clip", {}, x, y, z), lambda a=a, b=b, c=c: np.clip(a, b, c))
            for number in (3.0, -0.75, 0.0, np.inf):
                self.pairs("mod", {}, [x, number], lambda a=a, n=number: np.mod(a, self.real(n)))
                self.pairs("floor_divide", {}, [x, number], lambda a=a, n=number: np.floor_divide(a, self.real(n)))
                self.add(("mod", {}, number, x), lambda a=a, n=number: np.mod(self.real(n), a))
            self.add(("f:clip", {"least": 1}, x, -0.5), lambda a=a: np.clip(a, -0.5, None))
            self.add(("f:clip", {"greatest": 1}, x, 1.0), lambda a=a: np.clip(a, None, 1.0))
            self.add(("f:clip", {}, x), lambda a=a: np.clip(a, None, None))
            self.add(("f:clip", {"least": 1, "greatest": 1}, x, 1.0, -1.0), lambda a=a: np.clip(a, 1.0, -1.0))

    # ---- reductions

    @staticmethod
    def axes(ndim):
        yield {}
        for axis in range(-ndim - 1 if ndim else -3, ndim + 1):
            if ndim or axis not in (-1, 0):  # NumPy takes some reductions of a number over these
                yield {"axis": axis}
        yield {"axis": []}
        for k in range(-1, ndim):
            for l in range(ndim):
                yield {"axis": [k, l]}
        yield {"axis": list(range(ndim))}
        yield {"axis": [0, ndim]}
        if ndim > 2:
            yield {"axis": [2, -3, 1]}

    @staticmethod
    def keywords(options):
        options = dict(options)
        if isinstance(options.get("axis"), list):
            options["axis"] = tuple(options["axis"])
        return {k: bool(v) if k == "keepdims" else v for k, v in options.items()}

    def reductions(self):
        exact = {row.name: op_table.oracle(row) for row in op_table.REDUCTIONS
                 if row.family == "Reduction" and row.name != "mean"}
        positions = {row.name: op_table.oracle(row) for row in op_table.REDUCTIONS if row.family == "ArgReduction"}
        unrounded = [name for name in exact if name not in ("sum", "prod")]
        for shape in SHAPES:
            x, a = self.array(shape, "whole")
            d, dirty = self.array(shape, "dirty")
            p, positive = self.array(shape, "positive")
            for options in self.axes(len(shape)):
                for keep in ({}, {"keepdims": 1}):
                    now = {**options, **keep}
                    words = self.keywords(now)
                    call = lambda f, b, w: lambda: f(b, **w)
                    for name, f in exact.items():
                        self.pairs(name, now, [x], call(f, a, words), spellings=("f:", "m:"))
                    for name in unrounded:
                        self.pairs(name, now, [d], call(exact[name], dirty, words), spellings=("f:", "m:"))
                    self.pairs("mean", now, [p], call(np.mean, positive, words), 4, ("f:", "m:"))
                    for ddof in (0, 1, 40):
                        for name, f in (("var", np.var), ("std", np.std)):
                            self.pairs(name, {**now, "ddof": ddof}, [p], call(f, positive, {**words, "ddof": ddof}), 16,
                                       ("f:", "m:"))
                    if not isinstance(options.get("axis"), list):
                        for name, f in positions.items():
                            self.pairs(name, now, [d], call(f, dirty, words), spellings=("f:", "m:"))
                    if len(shape) > 0 and options.get("axis") != [] and (options or keep or len(shape) < 3):
                        self.add(("norm", now, p), call(np.linalg.norm, positive, words), 8)
            for options in self.axes(len(shape)):
                if not isinstance(options.get("axis"), list) and (shape or options):
                    flat = {"flat": 1} if not options else options
                    axis = None if not options else options["axis"]
                    self.pairs("argsort", flat, [d], lambda b=dirty, k=axis: np.argsort(b, k, kind="stable"))

    # ---- shapes

    def shapes(self):
        for shape in SHAPES:
            x, a = self.array(shape, "dirty")
            n = len(shape)
            for options in self.axes(n):
                if n or not isinstance(options.get("axis"), int):
                    axis = self.keywords(options).get("axis")
                    self.pairs("squeeze", options, [x], lambda a=a, k=axis: np.squeeze(a, k))
            for axes in (0, -1, n, -n - 1, n + 1, -n - 2, [0, 1], [-1, 0], [0, 0], [0, n + 1], [0, 5]):
                many = tuple(axes) if isinstance(axes, list) else axes
                self.pairs("expand_dims", {"axis": axes}, [x], lambda a=a, k=many: np.expand_dims(a, k))
            for k in range(-n - 1, n + 1):
                for l in range(n + 1):
                    self.pairs("swapaxes", {"axis1": k, "axis2": l}, [x], lambda a=a, k=k, l=l: np.swapaxes(a, k, l))
                    self.pairs("moveaxis", {"source": k, "destination": l}, [x],
                               lambda a=a, k=k, l=l: np.moveaxis(a, k, l))
            for source, destination in (([0, 1], [-1, 0]), ([0, -1], [1, 0]), ([0, 0], [0, 1]), ([0], [0, 1]),
                                        ([2, 0, 1], [0, 1, 2]), ([], [])):
                self.pairs("moveaxis", {"source": source, "destination": destination}, [x],
                           lambda a=a, s=source, d=destination: np.moveaxis(a, s, d))
            self.parts(x, a)
            for offset in (0, 1, -1, 2, -2, 3, -9, 9):
                for axis1, axis2 in ((0, 1), (1, 0), (-1, 0), (0, 0), (1, 2), (2, 0), (0, 5)):
                    options = {"offset": offset, "axis1": axis1, "axis2": axis2}
                    for name, f in (("diagonal", np.diagonal), ("trace", np.trace)):
                        if name == "trace" and a.size and not np.isfinite(a).all():
                            continue
                        self.pairs(name, options, [x], lambda f=f, a=a, o=(offset, axis1, axis2): f(a, *o))
                if a.size < 20 and abs(offset) < 9:
                    self.pairs("diag", {"offset": offset}, [x], lambda a=a, o=offset: np.diag(a, o))
                    self.pairs("diagflat", {"offset": offset}, [x], lambda a=a, o=offset: np.diagflat(a, o))
            w, whole = self.array(shape, "whole")
            for offset in (0, 1, -1):
                self.pairs("trace", {"offset": offset}, [w], lambda a=whole, o=offset: np.trace(a, o))
            self.pairs("copy", {}, [x], lambda a=a: a.copy())
            self.pairs("ravel", {}, [x], lambda a=a: a.ravel())
            self.add(("flatten", {}, x), lambda a=a: a.flatten())
            self.add(("transpose", {"axes": list(range(1, n)) + [0] * (n > 0)}, x),
                     lambda a=a, n=n: np.transpose(a, list(range(1, n)) + [0] * (n > 0)))

    def parts(self, x, a):
        for axis in [None] + list(range(-a.ndim - 1, a.ndim + 1)):
            if a.ndim == 0 and axis is not None:
                continue
            words = {} if axis is None else {"axis": axis}
            for indices in ([0], [0, -1, 0], [], [1, 0], [9], [-9]):
                if a.size == 0 and (not indices or abs(indices[0]) == 9):  # NumPy looks at no index here
                    continue
                self.pairs("take", {**words, "indices": indices}, [x],
                           lambda a=a, i=indices, k=axis: np.take(a, np.array(i, int), k))
            for indices in (np.zeros(()), np.zeros((2, 3)), np.array([[0.0], [-1.0]]), np.array([0.5])):
                name = f"x{len(self.arrays)}"
                self.arrays[name] = indices
                self.add(("take_array", words, x, name), lambda a=a, i=indices, k=axis: self.taken(a, i, k))

    @staticmethod
    def taken(a, indices, axis):
        if (indices != np.floor(indices)).any():
            raise IndexError("not a whole number")
        return np.take(a, indices.astype(int), axis)

    # ---- several arrays

    def joins(self):
        groups = [[(2,), (2,)], [(2, 3), (2, 3)], [(), ()], [(2,), (3,)], [(2, 3), (1, 3)], [(2, 3), (2, 1)],
                  [(0,), (2,)], [(2, 3, 2), (2, 3, 2), (2, 3, 2)], [(2,), (2, 2)], [(3,), (2, 3)], [(0, 3), (2, 3)],
                  [(1,)], [(2, 2, 1), (2, 2)]]
        functions = {"vstack": np.vstack, "hstack": np.hstack, "dstack": np.dstack, "column_stack": np.column_stack,
                     "row_stack": np.vstack}
        for group in groups:
            names, arrays = zip(*[self.array(shape, "dirty", k) for k, shape in enumerate(group)])
            for name, f in functions.items():
                self.add((name, {}, *names), lambda f=f, a=arrays: f(a))
            for axis in (0, 1, -1, -2, 3, -5):
                self.add(("stack", {"axis": axis}, *names), lambda a=arrays, k=axis: np.stack(a, k))
        for name, f in list(functions.items()) + [("stack", np.stack)]:
            self.add((name, {}), lambda f=f: f([]))

    def products(self):
        shapes = [(), (3,), (2,), (2, 3), (3, 2), (3, 3), (4, 2, 3), (4, 3, 2), (1, 3, 2), (2, 1, 2, 3), (2, 4, 3, 1),
                  (0, 2, 3), (2, 0), (0, 2), (5, 2, 0), (5, 0, 2)]
        for left in shapes:
            x, a = self.array(left, "whole", 1)
            for right in shapes:
                y, b = self.array(right, "whole", 2)
                self.pairs("matmul", {}, [x, y], lambda a=a, b=b: np.matmul(a, b))
                if len(left) < 3 and len(right) < 3:
                    self.pairs("outer", {}, [x, y], lambda a=a, b=b: np.outer(a, b))

    # ---- making arrays

    def making(self):
        real = self.real
        for shape in SHAPES:
            x, a = self.array(shape, "dirty")
            self.add(("zeros_like", {}, x), lambda a=a: np.zeros_like(a))
            self.add(("ones_like", {}, x), lambda a=a: np.ones_like(a))
            self.add(("full_like", {"value": 2.5}, x), lambda a=a: np.full_like(a, 2.5))
        for stop in (0, 5, 3.5, -2, 1e-9):
            self.add(("arange", {"stop": float(stop)}), lambda s=stop: np.arange(s, dtype=self.wide()))
        for start, stop, step in ((1, 2, 0.3), (0, -1, -0.25), (5, 1, 1), (0, 1, 0.1), (0, 1, 0), (-3, 3, 2),
                                  (0, np.inf, 1), (np.nan, 1, 1), (0, 1, np.nan), (0, 10, 1e-19)):
            self.add(("arange", {"start": float(start), "stop": float(stop), "step": float(step)}),
                     lambda s=(start, stop, step): np.arange(*map(self.wide(), s)))
        for start, stop in ((0, 1), (2, 2), (5, -5), (0.1, 0.7), (-1e-3, 1e9)):
            for num in (0, 1, 2, 5, 50, -1):
                for endpoint in (1, 0):
                    options = {"start": float(start), "stop": float(stop), "num": num, "endpoint": endpoint}
                    self.add(("linspace", options), lambda s=start, e=stop, n=num, p=endpoint:
                             np.linspace(self.wide()(s), self.wide()(e), n, bool(p), dtype=self.wide()))
        for n in (0, 1, 3):
            for m in (0, 2, 3, 5):
                for k in (0, 1, -1, 2, 5, -3, -9):
                    self.add(("f:eye", {"n": n, "m": m, "k": k}), lambda o=(n, m, k): np.eye(*o, dtype=real))

    # ---- what values choose

    def choices(self):
        for shape in SHAPES + [(40, 50)]:
            x, a = self.array(shape, "dirty")
            w, whole = self.array(shape, "whole")
            for along in range(len(shape)):
                for name, array in ((x, a), (w, whole)):
                    self.add(("nonzero", {"along": along}, name), lambda b=array, k=along: np.nonzero(b)[k])
            for name, array in ((x, a), (w, whole)):
                self.add(("unique", {}, name), lambda b=array: np.unique(b))
                self.add(("unique_counts", {}, name), lambda b=array: np.unique(b))
                self.add(("unique_counts", {"counts": 1}, name), lambda b=array: np.unique(b, return_counts=True)[1])
            self.counts(shape, w, whole)
            self.histograms(shape, x, a, w, whole)

    def counts(self, shape, w, whole):
        name, weights = self.array(shape, "positive")
        distant, _ = self.array((3,), "positive", 1)
        places = f"x{len(self.arrays)}"
        self.arrays[places] = np.abs(whole).astype(np.float64)
        for minlength in (0, 3, 9, -1):
            words = {"minlength": minlength}
            for places_name, array in ((places, np.abs(whole)), (w, whole), (name, weights)):
                self.add(("bincount", words, places_name), lambda b=array, m=minlength: self.counted(b, None, m))
                self.add(("bincount", words, places_name, name),
                         lambda b=array, v=weights, m=minlength: self.counted(b, v, m))
            if len(shape) == 1 and shape != (3,):
                self.add(("bincount", words, places, distant), lambda b=whole, m=minlength: np.bincount([1], [1, 2]))

    @staticmethod
    def counted(a, weights, minlength):
        if (a != np.floor(a)).any():
            raise TypeError("not whole numbers")
        return np.bincount(a.astype(int), weights if weights is None else weights.astype(np.float64), minlength)

    def histograms(self, shape, x, a, w, whole):
        name, weights = self.array(shape, "positive")
        edges = [[-3, -1, 0, 0, 2.5], [0.0], [-4, 4], [1, 0], [-np.inf, -1, np.inf], [0, 0]]
        options = [{"bins": n} for n in (1, 2, 7, 10, 0, -1)]
        options += [{"bins": 5, "low": low, "high": high} for low, high in ((-3, 3), (0.1, 0.7), (2, 2), (3, -3),
                                                                            (-np.inf, 0), (-40.0, -30.0), (np.nan, 1))]
        for words in options + edges:
            given = isinstance(words, list)
            bins, where = (np.array(words, self.real), None) if given else (words["bins"], None)
            extra, now = [], dict(words) if not given else {}
            if given:
                extra = [f"x{len(self.arrays)}"]
                self.arrays[extra[0]] = np.array(words, np.float64)
            elif "low" in words:
                where = (words["low"], words["high"])
            for array_name, array in ((x, a), (w, whole), (name, weights)):
                if array.size and np.isfinite(array).all() and np.ptp(array) == 0 and array.flat[0] > 1e8:
                    continue  # half to either side is less than float32 has
                for weighed in (0, 1):
                    arguments = [array_name] + [name] * weighed + extra
                    of = weights if weighed else None
                    for density in (0, 1):
                        self.add(("histogram", {**now, "weights": weighed, "density": density}, *arguments),
                                 lambda b=array, n=bins, r=where, v=of, d=density:
                                 self.in_bins(b, n, r, v, d), 4 * density)
                self.add(("histogram", {**now, "edges": 1}, array_name, *extra),
                         lambda b=array, n=bins, r=where: np.histogram(b, n, r)[1])

    def in_bins(self, a, bins, where, weights, density):
        """NumPy's density is computed in float64, whatever the array."""
        counts, edges = np.histogram(a, bins, where, weights=weights)
        return counts.astype(self.real) / np.diff(edges.astype(self.real)) / counts.sum() if density else counts

    def wide(self):
        """What garray computes steps in."""
        return np.longdouble if self.real is np.longdouble else np.float64


def difference(case, outcome, error, real):
    """What is wrong, or None."""
    with np.errstate(all="ignore"):
        try:
            wanted = np.asarray(case.numpy()).astype(real)
        except ERRORS as refusal:
            if error is None:
                return f"accepted; NumPy: {refusal}"
            return None if PLACE.match(error) else f"the error has no operation and place: {error}"
    if error is not None:
        return f"refused: {error}"
    if outcome.shape != wanted.shape:
        return f"shape {outcome.shape}; NumPy {wanted.shape}"
    same = (outcome == wanted) & (np.signbit(outcome) == np.signbit(wanted)) | np.isnan(outcome) & np.isnan(wanted)
    either_zero = case.expr[0].split(":")[-1].strip(".") in (
        "maximum", "minimum", "max", "min", "clip", "sum", "dot", "matmul", "prod", "trace", "unique", "unique_counts",
        "histogram")
    if either_zero:
        same |= (outcome == 0) & (wanted == 0)
    if case.ulps:
        with np.errstate(all="ignore"):
            same |= np.abs(outcome - wanted) <= case.ulps * np.finfo(real).eps * np.abs(wanted)
    return None if same.all() else f"{outcome.tolist()}\nNumPy {wanted.tolist()}"


def check(script, precision):
    """How many cases failed."""
    made = Cases(precision)
    programs = []
    for first in range(0, len(made.cases), CASES_IN_PROGRAM):
        cases = made.cases[first:first + CASES_IN_PROGRAM]
        used = {part for case in cases for part in case.expr if isinstance(part, str)}
        programs.append([("input", name, array) for name, array in made.arrays.items() if name in used] +
                        [("new", f"r{k}", case.expr) for k, case in enumerate(cases, first)])
    outcomes, errors = run(script, programs, precision)
    if len(outcomes) < len(programs):
        print(f"{precision} bits: {errors}")
        return 1
    got, refusals = {}, {}
    for program, outcome in zip(programs, outcomes):
        got |= outcome.names
        refusals |= {name: error for (_, name, _), error in zip(program, outcome.errors)}
    failed, refused = 0, 0
    for k, case in enumerate(made.cases):
        error = refusals[f"r{k}"]
        refused += error is not None
        problem = difference(case, got.get(f"r{k}"), error, made.real)
        if problem is None:
            continue
        failed += 1
        if failed <= MAX_REPORTED:
            print(f"FAILED at {precision} bits: {line_of(('new', 'r', case.expr))}")
            for name in made.arrays:
                if name in case.expr:
                    print(f"  {name} = {made.arrays[name].tolist()}")
            print(f"  {problem}")
    print(f"{precision} bits: {len(made.cases)} calls, {refused} of which are refused; {failed} failures")
    return failed


def main():
    script = sys.argv[1]
    return 1 if sum(check(script, precision) for precision in ((32,) if USE_GPU == "yes" else (32, 64, 128))) else 0


if __name__ == "__main__":
    sys.exit(main())
