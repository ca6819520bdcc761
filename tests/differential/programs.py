"""Random programs in the notation, valid for NumPy, made from a seed.

Each statement is run while it is made (tracing.py) and dropped where NumPy refuses it, where it leaves the
notation, or where rounding decides its value. A program has a precision (32, 64 or 128 bits) and a flavour:
plain (finite numbers of moderate size), dirty (NaN, infinities, -0.0, huge and tiny numbers) or random (draws
from np.random, whose values are not compared).
"""

import ast
import unicodedata
from dataclasses import dataclass, field, replace

import numpy as np

from expected import expectation, expectations
from expressions import Expressions
from tracing import REFUSALS, Reject, Tracer

NOISY_RUNS = {32: 5, 64: 3, 128: 3}
CAREFUL = 15  # runs, for what has failed: fewer may agree by chance on a sign that is open

# Names that are ordinary, that the statement list also uses, and that C++, Python or Cudamat know.
ORDINARY = ("x y z w v u X Y Z W w_vh w_v grad_W delta_h h0 mu var_ eps lr n_cases total score A B C D E F G "
            "acc momentum err_1 Data out_put").split()
DIFFICULT = ("t1 t2 t3 t4 t10 T1 delete_ template double float_ cm result results program inputs outputs main std "
             "NULL auto new char this operator empty dot sum exp self target M T M_PI rewriter cudamat npmat true "
             "false nullptr t i l O I np_ _ __x _1 switch case default using namespace int64_t size_t errno shape "
             "slice type id list dict print vars unsigned const struct asarray where concatenate assert_ x_y "
             "λ Ω_1 é µ naïve 数据 numpy_array EOF INT_MAX stdin t1_ typename xor and_ bitand").split()
OPERATORS = ["+", "-", "*", "/", "**"]

# <a>: an array of floats; <b>: another array, or that; <c>: an array or a number; <new>: a name; <value>: an expression;
# <n>: the length of <a>; <k>: a small number.
PYTHON_FORMS = [
    "for i7 in range(<n>):\n    <a>[:i7] *= 0.5\n    <new> = <a>[i7:].sum()",
    "for i7 in range(<n> - 1, -1, -1):\n    <a>[i7] = <a>[i7:].sum(axis=0) * 0.25",
    "for i7 in range(<n>):\n    if i7 % 2 == 0:\n        <a>[i7] = <a>[i7] * 0.5\n    else:\n        <a>[i7] += 0.25",
    "for i7 in range(<n>):\n    if i7 == <k>:\n        break\n    <a>[i7] *= 2\nelse:\n    <a> += 1",
    "for i7 in range(<n>):\n    if i7 == <k>:\n        continue\n    <new> = <a>[:i7 + 1] * 2",
    "for i7 in range(0, <n>, 2):\n    <new> = <a>[i7:i7 + 2]\n    <new> += 0.5",
    "for i7 in range(<n>):\n    for i8 in range(i7 + 1, <n>):\n        <a>[i8] -= <a>[i7] * 0.125",
    "for i7, row in enumerate(<a>):\n    <new> = row * i7\n    <a>[i7] = <new> + 1",
    "for row, other in zip(<a>, <b>):\n    <new> = row * 0.5 + np.sum(other)",
    "for row in reversed(<a>):\n    <new> = row * 0.5",
    "box = [<a>, <b>, <value>]\nbox[0] = box[0] * 0.5\nbox[1] += 1\nbox.append(box[0])\nbox[-1] *= 2\n"
    "<new> = box[0] + 1",
    "box = [<a>, <b>]\nbag = box\nbag[0] = bag[0] * 0.5\nbag += [<value>]\n<new> = [np.sum(v7) for v7 in box][<k> % 3]",
    "box = [<value>] * <k>\nfor i7 in range(<k>):\n    box[i7] = box[i7] * 0.5 + i7\n<new> = sum([np.sum(v7) for v7 in box])",
    "bag = {'p': <a>, 'q': <value>}\nfor key in bag:\n    bag[key] = bag[key] * 0.5\nbag['p'] += 1\n<new> = bag['q'] * 1",
    "bag = {'p': <a>, 'q': <b>, 7: <c>}\nfor i7 in range(<k>):\n    bag['p'] *= 0.5\n<new> = bag['p'] - bag[7]",
    "bag = {'p': <a> * 1, 'n': 0}\nfor i7 in range(<k>):\n    bag['p'] = bag['p'] * 0.5 + i7\n    bag['n'] += i7\n"
    "<new> = bag['p'] * bag['n']",
    "bag = {k7: v7 * 0.5 for k7, v7 in {'p': <a>, 'q': <c>}.items()}\n<new> = bag['p'] + 1\nbag.update(p=<new>, r=<new>)\n"
    "bag['r'] += 1",
    "first, *rest = [<a>, <b>, <c>]\nfirst *= 0.5\nrest[0] = rest[1]\n<new> = rest[0] * 1",
    "half = lambda v, by=0.5: v * by\n<new> = half(<a>) if len(<a>) > <k> else half(<a>, by=0.25)",
    "def f7(v, *more, scale=0.5):\n    def inner(w):\n        return w * scale\n    v += 1\n    return [inner(w) for w in more], v\n"
    "(<new>, same), last_v = f7(<a>, <b>, <c>, scale=<k>)\nlast_v *= 0.5",
    "i7 = <k>\nwhile i7 > 0:\n    <a>[:i7] *= 0.5\n    i7 -= 1",
    "box = []\nfor i7 in range(<n>):\n    box.append(<a>[i7])\nbox[0] = box[-1]\n<new> = box[0] * 1",
    "box = []\nfor i7 in range(<k>):\n    box.append(<a>)\n    <a> = <a> * 0.5\nbox[0] += 1\n<new> = box[-1] + <a>",
]
PYTHON_FORMS_2D = [
    "for i7 in range(min(<a>.shape)):\n    <a>[i7, :i7] -= 0.5\n    <a>[i7, i7] = 1",
    "for i7 in range(<n>):\n    for i8 in range(i7 % <a>.shape[1] + 1):\n        <a>[i7, i8] *= 0.5",
    "for row in <a>:\n    row *= 0.5",
    "for i7, row in enumerate(<a>):\n    row += i7",
    "for row, other in zip(<a>, <b>):\n    row[:1] = np.sum(other)",
    "e8 = np.exp(<a> - <a>.max(1, keepdims=True))\n<new> = e8 / e8.sum(1, keepdims=True)",
    "e8 = np.exp(<a> - <a>.max(0))\n<a> = e8 / e8.sum(0)",
    "e8 = <a> - <a>.mean(1, keepdims=True)\n<new> = e8 / np.sqrt((e8 * e8).mean(1, keepdims=True) + 1e-3) * 2 + <a>[0]",
    "<a> -= <a>.mean(axis=0)\n<a> /= np.sqrt((<a> ** 2).sum(axis=0) + 1e-3)\n<new> = np.abs(<a>).max(axis=0)",
    "e8 = (<a> - <b>) ** 2\n<new> = (e8 == e8.min(axis=1, keepdims=True)) / (1 + e8.sum(axis=1, keepdims=True))",
]


@dataclass
class Program:
    """A program with its data. `statements` are texts, some of several lines; `source`, if there is one, is the
    text that they come from."""

    seed: int
    index: int
    precision: int
    flavour: str
    inputs: dict = field(default_factory=dict)
    annotated: list = field(default_factory=list)
    statements: list = field(default_factory=list)
    source: str = ""
    integers_have_zeros: bool = False  # it may depend on the sign of an integer that is 0, of which there is one
    numbers_are_known: bool = False  # Python's: symdump computes with them as Python does, at any precision

    @property
    def text(self):
        if self.source:
            return self.source
        head = ["import numpy as np", "import gnumpy as gpu", "import scipy.special"]
        head += [f"{name}: {_shape_text(self.inputs[name].shape)}" for name in self.annotated]
        return "\n".join(head + self.statements) + "\n"

    def without(self, begin, end):
        """The same without statements [begin, end)."""
        return replace(self, statements=self.statements[:begin] + self.statements[end:])


def _shape_text(shape):
    return str(tuple(int(n) for n in shape))


def tracers(program, noisy=None):
    """NumPy's own run and the disturbed ones, each with data of its own."""
    precision, seed, inputs = program.precision, program.seed + program.index, program.inputs
    runs = [Tracer(precision)] + [Tracer(precision, seed * 16 + k) for k in range(noisy or NOISY_RUNS[precision])]
    for run in runs:
        run.integers_have_zeros = program.integers_have_zeros
        run.numbers_are_known = program.numbers_are_known
        run.bind({name: np.array(data, dtype=run.real if data.dtype.kind == "f" else data.dtype)
                  for name, data in inputs.items()})
        run.run("import numpy as np\nimport gnumpy as gpu\nimport scipy.special")
    return runs


def judge(program, noisy=None, opens_signs=False):
    """Runs the whole program with NumPy, and so often disturbed: name -> Expectation. Raises what NumPy raises, or
    Reject. `opens_signs`: zeros of arithmetic may have any sign."""
    runs = tracers(program, noisy)
    for run in runs:
        run.opens_signs = opens_signs
    drawn = set()
    for statement in program.statements:
        for run in runs:
            run.run(statement)
        drawn = _drawn_after(statement, drawn, runs[0].arrays())
    return expectations(runs, drawn, program.precision)


def _drawn_after(statement, drawn, arrays):
    """The names whose values random draws may have decided, after the statement."""
    nodes = list(ast.walk(ast.parse(statement)))
    names = {n.id for n in nodes if isinstance(n, ast.Name)}
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for node in nodes:  # x[...] = value
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            stored |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    functions = {n.name for n in nodes if isinstance(n, ast.FunctionDef)}
    if functions:
        return drawn | (functions if "rand" in statement else set())
    if "rand" not in statement and not names & drawn:
        drawn = drawn - stored
    else:
        drawn = drawn | stored
    shared = {name for name, value in arrays.items() for other in drawn & set(arrays)
              if isinstance(value, np.ndarray) and np.may_share_memory(value, arrays[other])}
    return drawn | shared


# ---- inputs ----------------------------------------------------------------------------------------------


def make_data(rng, shape, flavour, precision):
    style = rng.choice(["grid", "grid", "normal", "uniform", "counts"])
    if style == "grid":
        data = rng.integers(-8, 9, shape) / 4.0
    elif style == "normal":
        data = rng.standard_normal(shape)
    elif style == "uniform":
        data = rng.random(shape)
    else:
        data = rng.integers(0, 4, shape) * 1.0
    data = np.asarray(data, dtype=float)
    if flavour == "dirty" and rng.random() < 0.7:
        special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0]
        if precision != 32:
            special += [1e300, -1e300, 1e-300, 5e-324, 1.5e154]
        mask = rng.random(shape) < rng.choice([0.1, 0.3, 0.6])
        data = np.where(mask, rng.choice(special, shape), data)
    return data.astype(np.float32).astype(float) if precision == 32 else np.asarray(data, dtype=float)


def _make_shapes(rng):
    """A few extents, used again and again so that operands fit."""
    extents = rng.choice([1, 2, 3, 4, 5, 7, 8], size=3)
    if rng.random() < 0.08:
        extents[rng.integers(3)] = 0
    if rng.random() < 0.08:
        extents[rng.integers(3)] = rng.choice([17, 31, 33, 64, 100])
    r, c, k = (int(e) for e in extents)
    shapes = [(), (r,), (c,), (r, c), (c, r), (r, k), (k, c), (1, c), (r, 1), (1, 1), (r, c), (r, r)]
    if rng.random() < 0.35:
        k = min(k, 3)
        shapes += [(k, r, c), (k, r, c), (r, c, k), (k, 1, c), (r, 1, 1), (k, c, r), (2, k, min(r, 4), min(c, 4)),
                   (2, 1, min(r, 4), 1)]
    return shapes


class Generator:
    """Makes one program. `index` numbers the programs of a seed."""

    EXPRESSIONS = Expressions
    INTEGERS_HAVE_ZEROS = False
    # How often the kinds of statements come, in a program and in a loop's body.
    KINDS = {"assign": 46, "augmented": 11, "alias": 4, "view": 8, "store": 9, "store_augmented": 5, "masked": 4, "picked": 2, "tuple": 3,
             "swap": 1, "chain": 3, "number": 6, "number_augmented": 2, "expression": 1, "loop": 9, "python": 6}
    # With tools/nightly --conditions: run-time conditions.
    CONDITIONS = False
    BODY_KINDS = {"update": 30, "assign": 18, "augmented": 16, "store": 14, "store_augmented": 8, "masked": 3, "view": 5, "swap": 3,
                  "hand_on": 4, "alias": 2, "loop": 12, "weigh": 8}

    def __init__(self, seed, index):
        self.rng = np.random.default_rng([seed, index])
        rng = self.rng
        precision = int(rng.choice([64, 32, 128], p=[0.78, 0.14, 0.08]))
        flavour = str(rng.choice(["plain", "dirty", "random"], p=[0.7, 0.22, 0.08]))
        self.program = Program(seed, index, precision, flavour, integers_have_zeros=self.INTEGERS_HAVE_ZEROS)
        difficult = rng.random() < 0.3
        pool = ORDINARY + (DIFFICULT if difficult else [])
        self.pool = [str(n) for n in rng.permutation(pool)]
        shapes = _make_shapes(rng)
        for _ in range(rng.integers(1, 5)):
            name = unicodedata.normalize("NFKC", self.pool.pop())  # as Python reads a name
            if name == "_":
                continue
            self.program.inputs[name] = self._input(shapes[rng.integers(len(shapes))])
        self.program.annotated = [n for n in self.program.inputs if rng.random() < 0.6]
        self.runs = tracers(self.program)
        self.expressions = self.EXPRESSIONS(rng, self.runs[0], flavour)

    def _input(self, shape):
        return make_data(self.rng, shape, self.program.flavour, self.program.precision)

    def make(self, length=None):
        rng = self.rng
        length = int(rng.integers(3, 16)) if length is None else length
        attempts = 0
        self.depth = 0
        while len(self.program.statements) < length and attempts < 12 * length:
            attempts += 1
            text = self._statement()
            if text is not None and self._accept(text):
                self.program.statements.append(self._decorate(text))
        return self.program

    def expected(self):
        """What judge() says of the program."""
        if self.program.flavour == "random":
            return judge(self.program)
        return expectations(self.runs, set(), self.program.precision)

    # ---- acceptance

    def _accept(self, text):
        """Runs the statement everywhere; takes it back and says no where it must not stay."""
        snapshots = [run.snapshot() for run in self.runs]
        try:
            for run in self.runs:
                run.run(text)
            if self.program.flavour != "random" and not self._well_conditioned():
                raise Reject("ill-conditioned")
            if any(np.any(np.abs(value.astype(float)) > 2**53) for value in self.runs[0].arrays().values()
                   if value.dtype.kind == "i"):
                raise Reject("NaN, or a large number, as an integer")
            if any(type(value) is int and abs(value) > 2**53 for value in self.runs[0].numbers().values()):
                raise Reject("a Python number that is not exact here")
            return True
        except (*REFUSALS, NameError):
            for run, snapshot in zip(self.runs, snapshots):
                run.restore(snapshot)
            return False

    def _well_conditioned(self):
        names = [run.arrays() for run in self.runs]
        for name, value in names[0].items():
            if self.program.flavour == "plain" and value.dtype.kind == "f":
                if not np.isfinite(value).all() or np.abs(value).max(initial=0) > 1e6:
                    return False
            if any(name not in n for n in names):  # a condition that held in some runs
                return False
            if not expectation([n[name] for n in names], self.program.precision).compared:
                return False
        return True

    # ---- statements

    def _kind(self, kinds):
        weights = np.array(list(kinds.values()), dtype=float)
        return str(self.rng.choice(list(kinds), p=weights / weights.sum()))

    def _new_name(self):
        again = 0.03 if self.depth else 0.35
        if self.rng.random() < again and self._array_names():  # assign again
            return self._pick(self._array_names())
        return self.pool.pop() if self.pool else "z9"

    def _array_names(self):
        return list(self.runs[0].arrays())

    def _pick(self, items):
        return items[self.rng.integers(len(items))]

    def _statement(self):
        kind = self._kind(self.KINDS | {"condition": 5, "while": 2} if self.CONDITIONS else self.KINDS)
        if self.program.flavour == "random" and self.rng.random() < 0.3:
            kind = "draw"
        try:
            return getattr(self, "_" + kind)()
        except REFUSALS:
            return None

    def _assign(self):
        text = self.expressions.make(int(self.rng.integers(1, 4))).text
        return f"{self._new_name()} = {text}"

    def _augmented(self):
        name = self._pick(self._array_names())
        operator = self._pick(OPERATORS[:4] * 4 + ["**", "@"])
        value = self.expressions.fitting(self.runs[0].names[name].shape, 1)
        return f"{name} {operator}= {value.text}"

    def _alias(self):
        return f"{self._new_name()} = {self._pick(self._array_names())}"

    def _view(self):
        return f"{self._new_name()} = {self.expressions.view(self._pick(self._array_names())).text}"

    def _part(self):
        """x[...] of an array that can be assigned to."""
        names = [n for n, v in self.runs[0].arrays().items() if isinstance(v, np.ndarray) and v.ndim > 0]
        if not names:
            raise Reject("no array to store into")
        if self.expressions.loops and self.rng.random() < 0.6:
            return self.expressions.loop_part(names)
        return self.expressions.indexed(self._pick(names))

    def _store(self):
        part = self._part()
        value = self.expressions.fitting(np.shape(part.value), 1)
        arrays = isinstance(value.value, np.ndarray) and part.value.ndim == 1
        if arrays and np.may_share_memory(part.value, value.value) and \
                part.value.strides != value.value.strides:
            raise Reject("NumPy 1.24 copies such a part onto itself in the wrong order")
        return f"{part.text} = {value.text}"

    def _arrays_of_floats(self):
        """Names; into integers, NumPy would truncate."""
        names = [n for n, v in self.runs[0].arrays().items()
                 if isinstance(v, np.ndarray) and v.ndim > 0 and v.dtype.kind == "f"]
        if not names:
            raise Reject("no array to store into")
        return names

    def _masked(self):
        """x[mask] = ..., x[mask] += ..., x[mask] = f(x[mask])."""
        names = self._arrays_of_floats()
        name = self._pick(names)
        shape = self.runs[0].names[name].shape
        axes = len(shape) if self.rng.random() < 0.7 else 1
        mask = self.expressions.mask(name, axes)
        value = self.expressions.fitting(shape[axes:], 1).text
        chance = self.rng.random()
        if chance < 0.4:
            return f"{name}[{mask}] = {value}"
        if chance < 0.75:
            return f"{name}[{mask}] {self._pick(OPERATORS[:3])}= {value}"
        return f"{name}[{mask}] = {self._pick(['np.abs({}) + 0.5', '{} * 0.5 - 1', '-{}', 'np.tanh({})'])}".format(
            f"{name}[{mask}]")

    def _picked(self):
        """x[list] = ..."""
        part = self.expressions.picked(self._pick(self._arrays_of_floats()))
        value = self.expressions.fitting(np.shape(part.value), 1)
        array = self.runs[0].names[part.text.split("[")[0]]
        if isinstance(value.value, np.ndarray) and np.may_share_memory(array, value.value):
            raise Reject("NumPy 1.24 copies such a part onto itself in the wrong order")
        return f"{part.text} {self._pick(['', '', '+', '*'])}= {value.text}"

    def _store_augmented(self):
        part = self._part()
        value = self.expressions.fitting(np.shape(part.value), 1)
        return f"{part.text} {self._pick(OPERATORS[:4])}= {value.text}"

    def _tuple(self):
        a, b = (self.expressions.make(2).text for _ in range(2))
        name = self._new_name()
        other = self._new_name()
        left, right = self._pick([("", ""), ("(", ")"), ("[", "]")])
        return None if name == other else f"{left}{name}, {other}{right} = {a}, {b}"

    def _swap(self):
        arrays = self.runs[0].arrays()
        a = self._pick(list(arrays))
        others = [n for n in arrays if not self.depth or arrays[n].shape == arrays[a].shape]
        b = self._pick(others)
        return f"{a}, {b} = {b}, {a}"

    def _hand_on(self):
        """A name gets what another one had, which gets a third one's."""
        arrays = self.runs[0].arrays()
        a = self._pick(list(arrays))
        same = [n for n in arrays if arrays[n].shape == arrays[a].shape]
        b, c = self._pick(same), self._pick(same)
        return f"{a} = {b}; {b} = {c}"

    def _chain(self):
        name = self._new_name()
        return f"{name} = {self._new_name()} = {self.expressions.make(2).text}"

    def _number(self):
        name = f"n{self.rng.integers(4)}"
        return f"{name} = {self.expressions.number_expression(2)}"

    def _number_augmented(self):
        names = self.expressions.number_names()
        if not names:
            raise Reject("no numbers")
        return f"{self._pick(names)} {self._pick(['+', '-', '*', '/'])}= {self.expressions.number_expression(1)}"

    def _expression(self):
        return self.expressions.make(1).text

    def _draw(self):
        rng = self.rng
        if rng.random() < 0.15:
            return f"np.random.seed({rng.integers(0, 99)})"
        shape = self.expressions.some_shape()
        inner = ", ".join(str(n) for n in shape)
        name = self._pick(self._array_names())
        draws = [f"np.random.rand({inner})", f"np.random.randn({inner})"] if shape else []
        draws += [f"{name}.rand()", f"gpu.rand({tuple(shape)})", f"gpu.randn({tuple(shape)})"]
        if isinstance(self.runs[0].names[name], np.generic):
            draws.remove(f"{name}.rand()")
        return f"{self._new_name()} = {self._pick(draws)}"

    # ---- loops

    def _loop(self):
        """A loop of statements that can be run for its first number; _accept() runs it whole."""
        rng = self.rng
        variable = self._variable()
        count, start = int(rng.integers(1, 5)), int(rng.integers(-2, 4))
        step = int(self._pick([1, 1, 1, 2, -1]))
        last = start + (count - 1) * step
        numbers = f"{count}" if start == 0 and step == 1 else f"{start}, {last + step}"
        if step != 1:
            numbers = f"{start}, {last + step}, {step}"
        if start == 0 and step == 1:
            last = count - 1
        snapshots = [run.snapshot() for run in self.runs]
        lines = []
        try:
            self.depth += 1
            self.expressions.loops[variable] = (min(start, last), max(start, last))
            for run in self.runs:
                run.names[variable] = start
            for _ in range(int(rng.integers(1, 5))):
                text = self._body_statement()
                if text is not None and self._accept(text):
                    lines += text.split("\n")
                if self.CONDITIONS and rng.random() < 0.06:
                    lines += [f"if {self._decision()}:", f"    {self._pick(['break', 'continue'])}"]
        finally:
            self.depth -= 1
            del self.expressions.loops[variable]
            for run, snapshot in zip(self.runs, snapshots):
                run.restore(snapshot)
        if not lines:
            return None
        before, after = self._around(lines, variable)
        return "\n".join(before + [f"for {variable} in range({numbers}):"] + ["    " + line for line in lines] + after)

    def _decision(self):
        """A condition on run-time values: sometimes true, sometimes false."""
        name = self._pick(self._arrays_of_floats() or self._array_names())
        value = self.runs[0].names[name]
        text = f"np.sum({name})" if value.size != 1 or self.rng.random() < 0.5 else name
        now = float(np.sum(value)) if np.isfinite(np.sum(value)) else 0.0
        bound = round(now + float(self.rng.choice([-1.5, -0.25, 0.25, 1.5])), 2)
        truth = f"{text} {self._pick(['<', '>', '<=', '>='])} {bound}"
        if self.rng.random() < 0.2:
            truth = f"{truth} {self._pick(['and', 'or'])} np.sum(np.abs({name})) > {round(abs(now), 1)}"
        return f"not ({truth})" if self.rng.random() < 0.1 else truth

    def _branch(self):
        """Statements that can be run here."""
        snapshots = [run.snapshot() for run in self.runs]
        lines = []
        try:
            self.depth += 1
            for _ in range(int(self.rng.integers(1, 4))):
                text = self._body_statement()
                if text is not None and self._accept(text):
                    lines += text.split("\n")
        finally:
            self.depth -= 1
            for run, snapshot in zip(self.runs, snapshots):
                run.restore(snapshot)
        return ["    " + line for line in lines]

    def _condition(self):
        truth, lines = self._decision(), self._branch()
        if not lines or self.depth > 3:
            return None
        text = [f"if {truth}:"] + lines
        if self.rng.random() < 0.5:
            other = self._branch()
            text += ["else:"] + other if other else []
        return "\n".join(text)

    def _while(self):
        count = f"count_{len(self.program.statements)}_{self.depth}"  # which nothing in the body assigns
        lines = self._branch()
        if not lines:
            return None
        more = self._pick(["{0} < {1}", "{0} < {1} and {2}", "{2} and {0} < {1}"])
        more = more.format(count, int(self.rng.integers(1, 5)), self._decision())
        return "\n".join([f"{count} = 0", f"while {more}:"] + lines + [f"    {count} += 1"])

    def _python(self):
        """Lists, dictionaries, comprehensions, and loops whose iterations differ."""
        if self.program.flavour == "random":
            raise Reject("what is drawn is followed by name")
        arrays = self.runs[0].arrays()
        whole = [n for n, v in arrays.items() if isinstance(v, np.ndarray) and v.ndim > 0 and len(v) > 1]
        floats = [n for n in whole if arrays[n].dtype.kind == "f"]
        if not floats:
            raise Reject("no array")
        a, b, c = self._pick(floats), self._pick(whole), self._pick(list(arrays))
        new = self._new_name()
        value = self.expressions.make(1).text
        forms = PYTHON_FORMS if arrays[a].ndim == 1 else PYTHON_FORMS + PYTHON_FORMS_2D
        text = self._pick(forms)
        for key, word in {"<a>": a, "<b>": b, "<c>": c, "<new>": new, "<value>": value, "<n>": len(arrays[a]),
                          "<k>": int(self.rng.integers(1, 4))}.items():
            text = text.replace(key, str(word))
        return text

    def _variable(self):
        return f"i{self.depth}"

    def _around(self, lines, variable):
        """At times a sum and a list that grow in the loop."""
        before, after = [], []
        if self.depth > 0 or self.rng.random() > 0.35:
            return before, after
        name = self._pick(self._array_names())
        element = f"np.sum({name}) * ({variable} + 1)"
        if self.rng.random() < 0.5:
            before.append("total = 0")
            lines.append(f"total += {element}")
        if self.rng.random() < 0.6:
            before.append("grown = []")
            lines.append(f"grown.append({element})")
            after.append(f"last_one = {self._pick(['grown[-1]', 'sum(grown)', 'np.mean(grown)', 'max(grown)'])}")
        return before, after

    def _body_statement(self):
        kinds = self.BODY_KINDS | {"condition": 8} if self.CONDITIONS else self.BODY_KINDS
        kind = self._kind(kinds if self.depth < 2 else kinds | {"loop": 0})
        if self.program.flavour == "random" and self.rng.random() < 0.2:
            kind = "draw"
        try:
            return getattr(self, "_" + kind)()
        except REFUSALS:
            return None

    def _update(self):
        """A name gets another value of its shape."""
        name = self._pick(self._array_names())
        return f"{name} = {self.expressions.fitting(self.runs[0].names[name].shape, 2).text}"

    def _weigh(self):
        name = self._pick(self._array_names())
        number = self.expressions.loop_number()
        forms = ["{0} = {0} * {1}", "{0} += {1}", "{0} = np.maximum({0}, {1})", "{0} = {0} * (0.5 if {1} > 1 else 0.25)",
                 "{0} = {0} + 1 / ({1} * {1} + 1)"]
        return self._pick(forms).format(name, number)

    # ---- the look of a line

    def _decorate(self, text):
        rng = self.rng
        if text.count("\n") > 0:
            return text
        chance = rng.random()
        if chance < 0.04:
            text += "  # " + self._pick(["a comment", "x = 1  # not code", "λ", "\"quotes\" 'here'", "{}%s\\"])
        elif chance < 0.07:
            text = "# before\n\n" + text
        elif chance < 0.10 and text.count(" = ") == 1 and " + " in text and "\n" not in text:
            target, value = text.split(" = ", 1)
            text = f"{target} = ({value.replace(' + ', ' +  # the rest follows' + chr(10) + '     ', 1)}\n)"
        elif chance < 0.13 and " * " in text:
            text = text.replace(" * ", " * \\\n    ", 1)
        elif chance < 0.15:
            text += ";"
        elif chance < 0.16:
            text = "pass; " + text
        return text


def generate(seed, index, length=None):
    return Generator(seed, index).make(length)


if __name__ == "__main__":
    import sys

    for k in range(int(sys.argv[1]), int(sys.argv[2])):
        made = generate(1, k)
        print(f"# ---- {k} {made.precision} {made.flavour}", {n: v.shape for n, v in made.inputs.items()})
        print(made.text)
        print({n: (e.value.shape, e.compared, e.worst()) for n, e in judge(made).items()})
