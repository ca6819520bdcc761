"""Random programs of other habits than programs.py's: booleans and integers, also as inputs; names that change their
type in a loop, and swap; arrays whose layout in memory decides what a reshape shares; comparisons of loops' variables;
sums that start as the number 0; loops' variables that are called like symdump's temporaries."""

import numpy as np

from expressions import Expressions
from programs import Generator
from tracing import Reject

COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]


def kind_of(value):
    return np.asarray(value).dtype.kind


class HabitualExpressions(Expressions):
    def loop_number(self):
        """An int, a bool or a float that depends on a loop."""
        name = self._pick(list(self.loops))
        truth, other = (f"({name} {self._pick(COMPARISONS)} {self._pick(['0', '1', '2'])})" for _ in range(2))
        if self._chance(0.5):
            return super().loop_number()
        return self._pick([truth, truth, f"({truth} + {other})", f"({name} * 0.5)", f"float({name})",
                           f"(-{name})", f"{truth} * 1.0", f"(3 - {name}) * {truth}"])

    def creation(self):
        if self._chance(0.6):
            return super().creation()
        name = self._pick(list(self.run.arrays()))
        other = self._pick(list(self.run.arrays()))
        size = self.run.names[name].shape[-1] if np.ndim(self.run.names[name]) else 2
        texts = [f"np.array({[int(n) for n in self.rng.integers(-2, 4, size)]})",
                 f"np.array({[bool(n) for n in self.rng.integers(0, 2, size)]})",
                 f"np.full({name}.shape, {self._pick(['2', 'True', '-1', '0.5'])})", f"np.zeros_like({name} > 0)",
                 f"({name} > {self._pick(['0', '0.5', '-1', '1'])})", f"np.sum({name} > 0, axis=-1)",
                 f"np.ones_like({name}.T)", f"(0 * {name})", f"np.full_like({name}, {self._pick(['1', '0.5'])})",
                 f"({name}.T + {other}.T)", f"({name} + {name}.T)", f"np.exp({name}.T)", f"{name}.T.copy()",
                 f"np.where({name} > 0, {name}, {self._pick(['0', '1', 'True', '0.5', other])})"]
        return self._made(self._pick(texts))


class Habitual(Generator):
    EXPRESSIONS = HabitualExpressions
    INTEGERS_HAVE_ZEROS = True
    KINDS = Generator.KINDS | {"truth": 8, "make": 10, "retype": 5, "written_view": 8, "element": 4, "negative": 4,
                               "swap": 3, "loop": 16, "truth_operation": 5}
    BODY_KINDS = Generator.BODY_KINDS | {"retype": 20, "truth": 5, "swap": 8, "hand_on": 8, "weigh": 20, "element": 4,
                                         "number": 6, "number_update": 8, "truth_operation": 6, "negative": 4,
                                         "view_written": 5}

    def _input(self, shape):
        chance = self.rng.random()
        if chance < 0.7:
            return super()._input(shape)
        if chance < 0.85:
            return self.rng.integers(0, 2, shape) > 0
        return self.rng.integers(-3, 4, shape)

    def _pick_where(self, condition):
        names = [n for n, v in self.runs[0].arrays().items() if condition(v)]
        if not names:
            raise Reject("no such array")
        return self._pick(names)

    # ---- types

    def _truth(self):
        name = self._pick(self._array_names())
        value = self.expressions.fitting(np.shape(self.runs[0].names[name]), 1).text
        return f"{self._new_name()} = {name} {self._pick(COMPARISONS)} ({value})"

    def _truth_operation(self):
        a = self._pick_where(lambda v: kind_of(v) == "b")
        shape = np.shape(self.runs[0].names[a])
        b = self._pick_where(lambda v: kind_of(v) == "b" and np.shape(v) == shape)
        forms = ["{0} = {1} + {2}", "{0} = {1} * {2}", "{0} = {1} & {2}", "{0} = ~{1}", "{0} = {1} | ~{2}",
                 "{1} += {2}", "{1} *= {2}", "{1} &= {2}", "{1} |= {2}", "{0} = {1} + True", "{0} = {1} * 2",
                 "{0} = -({1} * 1)", "{0} = {1} == {2}", "{0} = {1} < {2}", "{0} = np.maximum({1}, {2})",
                 "{0} = {1}.sum(axis=-1)", "{0} = {1} @ {2}.T", "{0} = np.dot({1}, {2}.T)", "{0} = {1}.mean()"]
        target = self._new_name() if not self.depth else a
        return self._pick(forms).format(target, a, b)

    def _make(self):
        return f"{self._new_name()} = {self.expressions.creation().text}"

    def _retype(self):
        """A name gets a value of its shape and, often, another type."""
        name = self._pick(self._array_names())
        forms = ["{0} = {0} * 1.0", "{0} = {0} > 0", "{0} = {0} + {0}", "{0} = {0} == 0", "{0} = np.sign({0})",
                 "{0} = {0} / 2", "{0} = {0} * {0}", "{0} = 1 - {0}", "{0} = ({0} > 0) * 2", "{0} = np.isnan({0})",
                 "{0} = {0} ** 2", "{0} = abs({0})", "{0} = {0} + True", "{0} = {0} * True", "{0} = {0} + 0.5",
                 "{0} = np.maximum({0}, 1)", "{0} = np.where({0} > 0, 1, 0)", "{0} = np.clip({0}, 0, 2)",
                 "{0} = np.logical_not({0})", "{0} = -{0}", "{0} = {0}.copy()"]
        return self._pick(forms).format(name)

    def _negative(self):
        name = self._pick_where(lambda v: kind_of(v) == "i")
        forms = ["{0} = -{1}", "{0} = 0 * -{1}", "{0} = 1 / ({1} * {1} + 1)", "{0} = {1} / 2", "{0} = -{1} * 0",
                 "{0} = np.negative({1})", "{0} = {1} - {1}", "{0} = np.reciprocal({1} * {1} + 1)", "{0} = {1} ** 2"]
        if self.program.flavour == "dirty":
            forms += ["{0} = 1 / (0 * -{1})", "{0} = 1.0 / -{1}", "{0} = np.abs(1 / (0 * {1}))"]
        return self._pick(forms).format(self._new_name(), name)

    def _element(self):
        name = self._pick_where(lambda v: isinstance(v, np.ndarray))
        shape = self.runs[0].names[name].shape
        index = ", ".join(str(self.rng.integers(-n, n)) if n else ":" for n in shape)
        texts = ["{1}[{2}]", "{1}[{2}]", "{1}[...]"] if shape else ["{1}[()]", "{1}[...]", "{1}.copy()"]
        return ("{0} = " + self._pick(texts)).format(self._new_name(), name, index)

    # ---- layouts

    def _written_view(self):
        """An array, a reshape of it, and what is written through it."""
        base, view = self._new_name(), self._new_name()
        if base == view:
            return None
        made = self.expressions.creation() if self.rng.random() < 0.6 else self.expressions.make(1)
        return f"{base} = {made.text}\n{view} = {self._view_of(base)}\n{self._write(view, made.value)}"

    def _view_written(self):
        name = self._pick_where(lambda v: isinstance(v, np.ndarray))
        view = self._new_name()
        return f"{view} = {self._view_of(name)}\n{self._write(view, self.runs[0].names[name])}"

    def _view_of(self, name):
        return self._pick(["{0}.reshape(-1)", "{0}.ravel()", "{0}.T.reshape(-1)", "{0}.T", "{0}.reshape(-1, 1)",
                           "np.ravel({0})", "{0}.T.ravel()", "{0}[...]", "{0}[:]", "{0}.T.T",
                           "{0}.reshape({0}.shape)"]).format(name)

    def _write(self, view, value):
        number = "0.5" if kind_of(value) == "f" else "3"
        return self._pick(["{0} += 1", "{0}[0] = 2", "{0}[:] = {1}", "{0} *= 2", "{0}[-1:] -= 1",
                           "{0}[...] = 1"]).format(view, number)

    def _store(self):
        """Rarely of floats into integers, which are truncated: near a whole number the roundings decide."""
        text = super()._store()
        target, value = text.split(" = ", 1)
        into, stored = (kind_of(self.runs[0].evaluate(part)) for part in (target, value))
        if into != "f" and stored == "f" and self.rng.random() < 0.9:
            raise Reject("the roundings decide")
        return text

    # ---- loops

    def _variable(self):
        if self.rng.random() < 0.8:
            return super()._variable()
        return f"t{self.depth + 1}"

    def _number_update(self):
        name = f"n{self.rng.integers(4)}"
        variable = self.expressions.loop_number()
        forms = ["{0} = {1}", "{0} = {1} * 2"]
        if name in self.runs[0].names:
            forms += ["{0} = {0} + {1}", "{0} += {1}", "{0} = {0} * 0.5", "{0} = -{0}", "{0} = {0} > {1}",
                      "{0} = {0} + " + self._pick(self._array_names())]
        return self._pick(forms).format(name, variable)

    def _weigh(self):
        if self.rng.random() < 0.4:
            return super()._weigh()
        name = self._pick(self._array_names())
        variable = self._pick(list(self.expressions.loops))
        truth = f"({variable} {self._pick(COMPARISONS)} {self._pick(['0', '1', '-1'])})"
        forms = ["{0} = {0} * {1}", "{0} = {0} + {1}", "{0} += {1}", "{0} = {0} * ({1} + ({2} > -1))",
                 "{0} = {0} * ~{1}", "{0} = {0} - ({1} * 2)", "{0} = {0} / (1 + {1})", "{0} = {0} > {2}",
                 "{0} = np.where({1}, {0}, {0})", "{0} = {0} * -{1}", "{0} = {0} ** ({2} > 0)",
                 "{0} = np.maximum({0}, {1})", "{0} = {0} + {1} * {1}", "{0} = {0} * (0.5 if {1} else 0.25)"]
        return self._pick(forms).format(name, truth, variable)

    def _around(self, lines, variable):
        before, after = super()._around(lines, variable)
        if self.depth > 0 or self.rng.random() > 0.4:
            return before, after
        name = self._pick(self._array_names())
        if self.rng.random() < 0.75:
            before.append(f"acc_ = {self._pick(['0', '0', '0.0', '1', 'False', 'np.zeros(())'])}")
            lines.append(self._pick(["acc_ = acc_ + {0}.T", "acc_ = acc_ + {0}", "acc_ += {0}.sum()", "acc_ += {0}",
                                     "acc_ = {0} * 2 + acc_", "acc_ = acc_ + {1}", "acc_ = acc_ * 2 + ({1} > 0)"])
                         .format(name, variable))
        else:
            before.append("list_ = []")
            element = self._pick([f"{name}.sum()", variable, f"{variable} > 0", "1", "0.5", f"{name}.max() > 0"])
            lines.append(f"list_.append({element})")
            after.append(f"acc_ = {self._pick(['np.array(list_)', 'sum(list_)', 'np.mean(list_)', 'list_[0]'])}")
        return before, after


def generate(seed, index):
    return Habitual(seed, index).make()
