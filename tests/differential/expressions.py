"""Random expressions of the notation over the arrays that a run of a program holds."""

from dataclasses import dataclass

import numpy as np

import op_table
from tracing import REFUSALS, Reject, is_array

# How tightly an expression binds.
COMPARE, SUM, TERM, NEGATIVE, POWER, ATOM = range(6)
_LEVEL = {"+": SUM, "-": SUM, "*": TERM, "/": TERM, "@": TERM, "**": POWER}



def _forms(row, operands):
    """Calls of the functions that the row is."""
    for module in ("np.", "gpu.", op_table.SCIPY):
        for name in row.spelled(module):
            yield f"{module}{name}({operands})"


_UNARY = [form for row in op_table.UNARY for form in _forms(row, "{}")]
_UNARY += ["abs({})", "np.square({})", "np.round({})", "np.around({}, 1)", "np.round({} * 1.0, -1)", "np.negative({})",
           "np.logical_not({})", "+{}"]
_POSITIVE = {form.partition("(")[0] for row in op_table.UNARY + op_table.BINARY if "kPositive" in row.facts
             for form in _forms(row, "")}
_UNARY_METHODS = [f"{name}()" for row in op_table.UNARY if "kTruth" not in row.facts for name in row.spelled(".")]
# Of integers that could be 0 there is no mod.
_BINARY = [form for row in op_table.BINARY if row.name not in op_table.OF_SIGNS
           for form in _forms(row, "{} * 1.0, {}" if row.name in ("mod", "floor_divide") else "{}, {}")]
_BINARY += ["np.less_equal({}, {})", "np.greater_equal({}, {})", "np.not_equal({}, {})", "np.logical_and({}, {})",
            "np.logical_or({}, {})", "(({}) * 1.0 % ({}))", "(({}) * 1.0 // ({}))", "(({}) % 3 + ({}))",
            "(({}) // 2 - 1.0 * ({}))"]
_REDUCTIONS = [name for row in op_table.REDUCTIONS for name in row.spelled("np.")] + ["std", "var"]


@dataclass
class Expression:
    text: str
    value: object
    level: int = ATOM

    @property
    def shape(self):
        return np.shape(self.value)

    def at(self, level):
        """The text, in parentheses where something binding as tightly as `level` stands around it."""
        return self.text if self.level >= level else f"({self.text})"


class Expressions:
    def __init__(self, rng, run, flavour):
        self.rng, self.run, self.flavour = rng, run, flavour
        self.loops = {}  # the variables of the loops around: name -> (least, greatest) value

    # ---- helpers

    def _pick(self, items):
        return items[self.rng.integers(len(items))]

    def _chance(self, p):
        return self.rng.random() < p

    def _made(self, text, level=ATOM):
        value = self.run.evaluate(text)
        if not is_array(value):
            return Expression(text, value, level)
        return Expression(text, value, level)

    def _retry(self, *makers):
        for _ in range(4):
            try:
                return self._pick(makers)()
            except REFUSALS:
                continue
        return self.leaf()

    # ---- numbers

    def number_names(self):
        return [n for n, v in self.run.names.items()
                if type(v) in (int, float) and n[:2] != "__" and n not in self.loops]

    def number(self):
        choices = ["0", "1", "2", "3", "0.5", "2.", ".25", "1e-3", "0.1", "1.5", "-1", "-0.5", "10", "1e2", "3.0"]
        if self.flavour == "dirty" and self._chance(0.1):
            choices = ["np.inf", "np.nan", "-np.inf", "-0.0", "1e30"]
        names = self.number_names()
        if names and self._chance(0.3) and not self.loops:
            return self._pick(names)
        if self._chance(0.1):
            return self._extent()
        return self._pick(choices)

    def loop_number(self):
        """An int that depends on a loop."""
        name = self._pick(list(self.loops))
        return self._pick([name, f"({name} + 1)", f"(2 * {name} - 1)", f"(1 - {name})"])

    def loop_part(self, names):
        """A part of an array at a place that depends on a loop."""
        name, variable = self._pick(names), self._pick(list(self.loops))
        shape, (least, greatest) = np.shape(self.run.names[name]), self.loops[variable]
        axis = int(self.rng.integers(len(shape)))
        size = int(self.rng.integers(1, 4))
        if shape[axis] < greatest - least + size:
            raise Reject("the loop is longer than the axis")
        offset = int(self.rng.integers(-least, shape[axis] - greatest - size + 1))
        sign = "" if offset == 0 else f" {'-' if offset < 0 else '+'} {abs(offset)}"
        index = f"{variable}{sign}"
        if size > 1 or self._chance(0.4):
            index = f"{variable}{sign}:{variable} + {offset + size}"
        elif self._chance(0.15) and offset + greatest < shape[axis]:
            index = f"{variable} - {shape[axis] - offset}"
        return self._made(f"{name}[{', '.join([':'] * axis + [index])}]")

    def _extent(self):
        name = self._pick(list(self.run.arrays()))
        shape = self.run.names[name].shape
        texts = [f"{name}.size"]
        if shape:
            axis = self.rng.integers(len(shape))
            texts += [f"{name}.shape[{axis}]", f"{name}.shape[{axis - len(shape)}]"]
            if isinstance(self.run.names[name], np.ndarray):
                texts.append(f"len({name})")
        return self._pick(texts)

    def number_expression(self, depth):
        if depth == 0 or self._chance(0.3):
            return self._pick([self.number, self._extent])()
        a, b = self.number_expression(depth - 1), self.number_expression(depth - 1)
        operator = self._pick(["+", "-", "*", "/", "//", "%", "**"])
        if operator == "**":
            b = self._pick(["2", "0.5", "3", "-1", "0"])
        text = self._pick([f"({a}) {operator} ({b})", f"float({a}) * ({b})"])
        value = self.run.evaluate(text)
        if isinstance(value, complex) or abs(value) > 1e6 and self.flavour == "plain" or \
                isinstance(value, int) and abs(value) > 10**6:
            raise Reject("number")
        return text

    # ---- leaves

    def leaf(self):
        names = list(self.run.arrays())
        if self.loops and self._chance(0.3):
            indexable = [n for n in names if np.ndim(self.run.names[n]) > 0]
            if indexable:
                return self.loop_part(indexable)
        name = self._pick(names[-6:] if self._chance(0.6) else names)
        if self._chance(0.2):
            return self.view(name)
        return Expression(name, self.run.names[name])

    def some_shape(self):
        shape = self.leaf().shape
        return tuple(int(n) for n in shape)

    def shape_text(self):
        if self._chance(0.5):
            return f"{self._pick(list(self.run.arrays()))}.shape"
        return str(self.some_shape())

    def creation(self):
        shape = self.shape_text()
        tuple_shape = self.some_shape()
        inner = ", ".join(map(str, tuple_shape))
        row = ", ".join(self._pick(["1.0", "-2.5", "0.5", "3.0", "0.125"]) for _ in range(3))
        name = self._pick(list(self.run.arrays()))
        n = int(self.rng.integers(0, 5))
        texts = [f"np.zeros({shape})", f"np.ones({shape})", f"np.full({shape}, {self.number()})", f"np.eye({n})",
                 f"np.eye({n}, {self.rng.integers(1, 5)}, {self.rng.integers(-1, 3)})", f"np.eye({n}, k=1)",
                 f"gpu.zeros({tuple_shape})", f"gpu.ones({tuple_shape})", f"np.array([{row}])",
                 f"np.array([[{row}], [{row}]])", f"np.zeros_like({name})", f"np.ones_like({name})",
                 "np.array([1, 2, 3])", f"np.array({self._pick(['2.5', '[]', '[[1.0]]', '[True, False]'])})",
                 f"np.identity({n})", f"np.zeros({n})", f"np.ones(({n}, 2), dtype=float)"]
        if tuple_shape:
            texts += [f"gpu.zeros({inner})", f"gpu.ones({inner})"]
        return self._made(self._pick(texts))

    # ---- views

    def _bound(self, extent):
        if self._chance(0.1):
            return self._pick(["100", "-100", "0", str(extent)])
        bound = int(self.rng.integers(-extent, extent + 1))
        return f"{extent} - {extent - bound}" if self._chance(0.05) else str(bound)

    def _axis_index(self, extent, allow_integer=True):
        chance = self.rng.random()
        if self._chance(0.1):
            step = self._pick(["2", "-1", "-1", "3", "-2"])
            return f"{self._pick(['', '', self._bound(extent)])}:{self._pick(['', '', self._bound(extent)])}:{step}"
        if chance < 0.25:
            return ":"
        if chance < 0.45 and allow_integer and extent > 0:
            return str(self.rng.integers(-extent, extent))
        if chance < 0.6:
            near = extent > 1 and self._chance(0.7)
            return f"{self._pick([0, 1, -1, 1 - extent]) if near else self._bound(extent)}:"
        if chance < 0.75:
            near = extent > 1 and self._chance(0.7)
            return f":{self._pick([1, -1, extent]) if near else self._bound(extent)}"
        if extent > 1 and self._chance(0.7):
            start = int(self.rng.integers(0, extent - 1))
            stop = int(self.rng.integers(start + 1, extent + 1))
            return f"{start if self._chance(0.6) else start - extent}:{stop}"
        return f"{self._bound(extent)}:{self._bound(extent)}" if self._chance(0.3) else ":"

    def index_text(self, shape, new_axes=True):
        parts = [self._axis_index(extent) for extent in shape]
        if len(parts) > 1 and self._chance(0.4):
            parts = parts[:int(self.rng.integers(1, len(parts)))]
        if new_axes and self._chance(0.15):
            parts.insert(int(self.rng.integers(len(parts) + 1)), self._pick(["None", "np.newaxis"]))
        if self._chance(0.05):
            last = self._axis_index(shape[-1]) if shape else ":"
            parts = self._pick([["..."], ["...", last] if len(shape) >= 2 else ["..."], [":"], [":", ":"]])
        return ", ".join(parts)

    def mask(self, name, axes):
        """A condition for the first axes of an array."""
        value = self.run.names[name]
        rest = ", ".join([":"] * axes + ["0"] * (value.ndim - axes))
        part = name if axes == value.ndim else f"{name}[{rest}]"
        number = self._pick(["0", "0.5", "-0.25", "1"])
        return self._pick(["{0} > {1}", "{0} < {1}", "({0} > {1}) | ({0} < -{1} - 1)", "{0} != {1}"]).format(
            part, number)

    def picked(self, name):
        """Elements by lists of integers."""
        shape = self.run.names[name].shape
        def some(extent, count):
            if extent == 0:
                raise Reject("an axis without elements")
            return "[" + ", ".join(str(self.rng.integers(-extent, extent)) for _ in range(count)) + "]"
        axis, count = int(self.rng.integers(len(shape))), int(self.rng.integers(1, 5))
        texts = [", ".join([":"] * axis + [some(shape[axis], count)])]
        if len(shape) > 1:
            texts.append(f"{some(shape[0], count)}, {some(shape[1], count)}")
            other = 0 if axis else 1
            texts.append(f"np.argmax({name}{'' if len(shape) == 2 else '[' + ', '.join([':', ':'] + ['0'] * (len(shape) - 2)) + ']'}, axis=1), 0"
                         if shape[0] >= shape[1] > 0 and other else texts[0])
        if len(shape) > 2:
            texts.append(f"{some(shape[0], count)}, :, {some(shape[2], count)}")
            texts.append(f"0, :, {some(shape[2], count)}" if shape[0] else texts[0])
        return self._made(f"{name}[{self._pick(texts)}]")

    def _selected(self, depth):
        """A reduction of what a mask selects."""
        names = [n for n, v in self.run.arrays().items() if isinstance(v, np.ndarray) and v.ndim > 0]
        name = self._pick(names)
        axes = 1 if self._chance(0.4) else self.run.names[name].ndim
        part = f"{name}[{self.mask(name, axes)}]"
        form = self._pick(["np.sum({})", "{}.sum()", "{}.mean()", "np.mean({}, axis=0)", "{}.std()", "np.sum({} * 2 - 1)",
                           "{}.sum(axis=0)", "np.sum(np.abs({}))", "({}.size * 1.0 + np.sum({}))", "{}.any()",
                           "np.linalg.norm({})", "({}.max() * 1)", "np.min({})"])
        if form in ("({}.max() * 1)", "np.min({})") and not np.size(self.run.evaluate(part)):
            raise Reject("nothing is selected")
        return self._made(form.format(part, part))

    def _pick_elements(self, depth):
        names = [n for n, v in self.run.arrays().items() if isinstance(v, np.ndarray) and v.ndim > 0]
        return self.picked(self._pick(names))

    def _einsum(self, depth):
        a = self.leaf()
        letters = "ijklm"[:len(a.shape)]
        if not a.shape:
            raise Reject("0-d")
        b = self.leaf()
        shared = [(p, q) for p in range(len(a.shape)) for q in range(len(b.shape)) if a.shape[p] == b.shape[q]]
        result = "".join(c for c in letters if self._chance(0.6))
        if not shared or self._chance(0.3):
            return self._made(f"np.einsum('{letters}->{result}', {a.text})")
        p, q = self._pick(shared)
        other = ["npqrs"[k] for k in range(len(b.shape))]
        other[q] = letters[p]
        other = "".join(other)
        # What one of them alone is summed over is summed before the product here: infinities show that.
        result = "".join(c for c in letters if c in result or c != letters[p])
        result += "".join(c for c in other if c not in letters)
        return self._made(f"np.einsum('{letters},{other}->{result}', {a.text}, {b.text})")

    def indexed(self, name):
        value = self.run.names[name]
        return self._made(f"{name}[{self.index_text(value.shape)}]")

    def reshaped(self, name):
        size = self.run.names[name].size
        shapes = ["-1", "(-1,)", "(1, -1)", "-1, 1", "(-1, 1)"]
        shapes += [f"({d}, {size // d})" for d in range(1, 9) if size and size % d == 0]
        shapes += [f"{size}", "1, -1"]
        shapes += [f"({d}, {e}, {size // (d * e)})" for d in range(1, 5) for e in range(1, 4) if size and size % (d * e) == 0][:6]
        shape = self._pick(shapes[:-6] if len(shapes) > 6 and self._chance(0.6) else shapes)
        texts = [f"{name}.reshape({shape})"]
        if shape[0] == "(" or "," not in shape:
            texts.append(f"np.reshape({name}, {shape})")
        return self._made(self._pick(texts + [f"{name}.ravel()", f"np.ravel({name})"]))

    def view(self, name):
        value = self.run.names[name]
        if not isinstance(value, np.ndarray):  # what looks like a view of a NumPy scalar is an array of its own
            return self._made(self._pick(["{}", "{}.T", "{}[None]", "{}.reshape(1)", "{}.ravel()", "np.transpose({})",
                                          "{}.reshape(())", "{}[None, None]", "{}.copy()"]).format(name))
        makers = [lambda: self._made(f"{name}.T"), lambda: self.reshaped(name),
                  lambda: self._made(self._pick([f"{name}.transpose()", f"np.transpose({name})"]))]
        if value.ndim > 1:
            axes = ", ".join(map(str, self.rng.permutation(value.ndim)))
            last = int(self.rng.integers(-value.ndim, value.ndim))
            texts = [f"np.transpose({name}, ({axes}))", f"{name}.transpose({axes})", f"np.swapaxes({name}, 0, {last})",
                     f"np.moveaxis({name}, {last}, 0)", f"np.expand_dims({name}, {last})", f"np.squeeze({name})",
                     f"{name}.swapaxes({last}, -1)", f"np.rollaxis({name}, {last})"]
            makers.append(lambda: self._made(self._pick(texts)))
        if value.ndim > 0:
            makers += [lambda: self.indexed(name)] * 4
        else:
            makers.append(lambda: self._made(f"{name}[None]"))
        try:
            return self._pick(makers)()
        except (Reject, ValueError, IndexError):
            return Expression(name, value)

    # ---- operands that fit

    def fitting(self, shape, depth):
        """An expression that broadcasts to `shape`."""
        for _ in range(6):
            made = self.make(depth) if self._chance(0.4) else self.leaf()
            if self._broadcasts(made.shape, shape):
                return made
        return Expression(self.number(), 0, ATOM if self._chance(0.5) else NEGATIVE)

    @staticmethod
    def _broadcasts(shape, target):
        try:
            return np.broadcast_shapes(shape, target) == tuple(target)
        except ValueError:
            return False

    def partner(self, a, depth):
        """An operand for an element-wise operation with `a`."""
        chance = self.rng.random()
        if chance < 0.25:
            return Expression(self.number(), 0.0, NEGATIVE)
        if chance < 0.4 and len(a.shape) >= 2 and a.level == ATOM and len(a.text) < 60:
            reduction = self._pick(["sum", "mean", "max", "min"])
            axis = int(self.rng.integers(len(a.shape)))
            return self._made(f"np.{reduction}({a.text}, axis={axis}, keepdims=True)")
        candidates = []
        for name, value in self.run.arrays().items():
            try:
                np.broadcast_shapes(a.shape, np.shape(value))
                candidates.append(name)
            except ValueError:
                if np.ndim(value) == 1 and isinstance(value, np.ndarray) and len(a.shape) == 2:
                    if value.shape[0] == a.shape[0]:
                        candidates.append(f"{name}[:, None]")
        if candidates and self._chance(0.7):
            text = self._pick(candidates)
            return self._made(text)
        return self.make(depth)

    # ---- expressions

    def make(self, depth):
        if depth <= 0:
            return self.leaf()
        makers = [self._binary] * 8 + [self._unary] * 4 + [self._reduction] * 4 + [self._product] * 3
        makers += [self._selected, self._pick_elements, self._einsum]
        makers += [self._binary_function, self._where, self._clip, self._power, self._negative, self._comparison,
                   self._outer, self._concatenate, self.creation, self._moved, self._copied]
        return self._retry(*[lambda m=m: m(depth) if m != self.creation else m() for m in makers])

    def _binary(self, depth):
        a = self.make(depth - 1)
        b = self.partner(a, depth - 1)
        if self._chance(0.3):
            a, b = b, a
        operator = self._pick(["+", "-", "*", "/"] if self._chance(0.97) else ["&", "|"])
        if operator in "&|":
            return self._made(f"({a.text}) {operator} ({b.text})", COMPARE)
        level = _LEVEL[operator]
        return self._made(f"{a.at(level)} {operator} {b.at(level + 1)}", level)

    def _unary(self, depth):
        a = self.make(depth - 1)
        if self._chance(0.2) and isinstance(a.value, np.ndarray):
            return self._made(f"{a.at(ATOM)}.{self._pick(_UNARY_METHODS)}")
        form = self._pick(_UNARY)
        text = a.text
        if form.startswith("+"):
            return self._made("+" + a.at(NEGATIVE), NEGATIVE)
        if form.partition("(")[0] in _POSITIVE and self._chance(0.8):
            text = f"np.abs({text}) + {self._pick(['1', '0.5', '1e-3'])}"
        return self._made(form.format(text))

    def _binary_function(self, depth):
        a = self.make(depth - 1)
        b = self.partner(a, 0)
        form = self._pick(_BINARY)
        if form.partition("(")[0] in _POSITIVE:
            return self._made(form.format(f"np.abs({a.text}) + 0.5", b.text))
        return self._made(form.format(a.text, b.text))

    def _where(self, depth):
        a = self.make(depth - 1)
        b = self.partner(a, 0)
        c = self._comparison(depth - 1) if self._chance(0.4) else \
            self._made(f"{a.at(SUM)} {self._pick(['<', '>', '>=', '!='])} {b.at(SUM)}")
        module = self._pick(["np", "np", "gpu"])
        if self._chance(0.2):
            c = self.leaf()
        return self._made(f"{module}.where({c.text}, {a.text}, {b.text})")

    def _clip(self, depth):
        a = self.make(depth - 1)
        low, high = self._pick([("-1", "1"), ("0.0", "None"), ("None", "0.5"), ("0", "2"), ("1.0", "-1.0")])
        if self._chance(0.2):
            low = self.partner(a, 0).text
        texts = [f"np.clip({a.text}, {low}, {high})"]
        if isinstance(a.value, np.ndarray):
            texts.append(f"{a.at(ATOM)}.clip({low}, {high})")
        return self._made(self._pick(texts))

    def _power(self, depth):
        a = self.make(depth - 1)
        exponent = self._pick(["2", "2", "3", "0.5", "-1", "1", "0", "2.0", "1.5", "-2.0", "-0.5"])
        if self._chance(0.15):
            base = self._pick(["2.0", "0.5", "3", "10.0"])
            return self._made(f"{base} ** {a.at(NEGATIVE)}", POWER)
        if exponent in ("0.5", "1.5", "-0.5") and self._chance(0.8):
            return self._made(f"np.abs({a.text}) ** {exponent}", POWER)
        if self._chance(0.1):
            other = self.partner(a, 0)
            return self._made(f"(np.abs({a.text}) + 0.5) ** {other.at(NEGATIVE)}", POWER)
        return self._made(f"{a.at(ATOM)} ** {exponent}", POWER)

    def _negative(self, depth):
        a = self.make(depth - 1)
        return self._made("-" + a.at(NEGATIVE), NEGATIVE)

    def _comparison(self, depth):
        a = self.make(depth - 1)
        b = self.partner(a, 0)
        operator = self._pick(["<", "<=", ">", ">=", "==", "!="])
        made = self._made(f"{a.at(SUM)} {operator} {b.at(SUM)}", COMPARE)
        if not is_array(made.value):
            raise Reject("a Python truth value")
        return made

    def _reduction(self, depth):
        a = self.make(depth - 1)
        name = self._pick(_REDUCTIONS)
        arguments = []
        ndim = len(a.shape)
        if ndim and self._chance(0.7):
            axis = int(self.rng.integers(-ndim, ndim))
            if name[:3] != "arg" and self._chance(0.3 if ndim > 2 else 0.05):
                count = int(self.rng.integers(1, ndim + 1))
                axis = tuple(int(k) for k in self.rng.permutation(ndim)[:count])
            arguments.append(f"axis={axis}" if self._chance(0.7) or name[:3] == "arg" else str(axis))
        elif self._chance(0.1):
            arguments.append("axis=None")
        if self._chance(0.25):
            arguments.append("keepdims=True")
        if name in ("std", "var") and self._chance(0.4):
            arguments.append(f"ddof={self._pick(['0', '1', '1', '2'])}")
        chance = self.rng.random()
        if chance < 0.35 and is_array(a.value) and not name.startswith("am"):
            return self._made(f"{a.at(ATOM)}.{name}({', '.join(arguments)})")
        if chance < 0.4 and not name.startswith("am") and name != "var":
            return self._made(f"gpu.{name}({', '.join([a.text] + arguments)})")
        if chance < 0.46:
            return self._made(self._pick([f"np.linalg.norm({a.text})", f"gpu.euclid_norm({a.text})"]))
        if chance < 0.49 and isinstance(a.value, np.ndarray):
            return self._made(f"{a.at(ATOM)}.euclid_norm()")
        return self._made(f"np.{name}({', '.join([a.text] + arguments)})")

    def _product(self, depth):
        a = self.make(depth - 1)
        candidates = []
        for name, value in self.run.arrays().items():
            shape = np.shape(value)
            if a.shape and shape and shape[-2 if len(shape) > 1 else 0] == a.shape[-1]:
                candidates.append(name)
            if a.shape and len(shape) == 2 and shape[1] == a.shape[-1]:
                candidates.append(name + ".T")
        if not candidates:
            candidates = [f"{a.at(ATOM)}.T"] if is_array(a.value) else [self.leaf().text]
        b = self._made(self._pick(candidates))
        if self._chance(0.2) and b.level == ATOM:
            a, b = self._made(f"{b.text}.T") if is_array(b.value) else b, self._made(f"{a.at(ATOM)}.T")
        if self._chance(0.4):
            return self._made(f"{a.at(TERM)} @ {b.at(NEGATIVE)}", TERM)
        texts = [f"np.dot({a.text}, {b.text})", f"gpu.dot({a.text}, {b.text})", f"np.matmul({a.text}, {b.text})"]
        if isinstance(a.value, np.ndarray):
            texts.append(f"{a.at(ATOM)}.dot({b.text})")
        return self._made(self._pick(texts))

    def _outer(self, depth):
        a, b = self.make(depth - 1), self.leaf()
        if np.size(a.value) * np.size(b.value) > 400:
            raise Reject("large")
        return self._made(f"{self._pick(['np', 'gpu'])}.outer({a.text}, {b.text})")

    def _concatenate(self, depth):
        a = self.make(depth - 1)
        if not a.shape:
            raise Reject("0-d")
        axis = int(self.rng.integers(-len(a.shape), len(a.shape)))
        parts = [a.text]
        for name, value in self.run.arrays().items():
            fits = np.ndim(value) == len(a.shape) and all(
                value.shape[k] == a.shape[k] for k in range(len(a.shape)) if k != axis % len(a.shape))
            if fits and len(parts) < 4 and self._chance(0.6):
                parts.append(name)
        left, right = self._pick(["()", "[]"])
        comma = "," if len(parts) == 1 else ""
        axis_text = self._pick([f", axis={axis}", f", {axis}"]) if axis != 0 or self._chance(0.3) else ""
        module = self._pick(["np", "np", "gpu"])
        return self._made(f"{module}.concatenate({left}{', '.join(parts)}{comma}{right}{axis_text})")

    def _moved(self, depth):
        a = self.make(depth - 1)
        if not isinstance(a.value, np.ndarray):
            raise Reject("a scalar")
        texts = [f"{a.at(ATOM)}.T", f"{a.at(ATOM)}.reshape(-1)", f"{a.at(ATOM)}.ravel()", f"{a.at(ATOM)}.transpose()"]
        if a.shape:
            texts += [f"{a.at(ATOM)}[{self.index_text(a.shape)}]"] * 3
        return self._made(self._pick(texts))

    def _copied(self, depth):
        a = self.make(depth - 1)
        texts = [f"np.array({a.text})", f"np.copy({a.text})", f"np.asarray({a.text})", f"gpu.garray({a.text})",
                 f"gpu.as_garray({a.text})"]
        if isinstance(a.value, np.ndarray):
            texts += [f"{a.at(ATOM)}.copy()", f"{a.at(ATOM)}.flatten()", f"{a.at(ATOM)}.astype(float)"]
        return self._made(self._pick(texts))
