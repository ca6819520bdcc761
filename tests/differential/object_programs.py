"""Random programs with classes, generators, exceptions and loops, against CPython: values, or a refusal; no wrong value
and no internal error.

    object_programs.py SYMDUMP SYMDUMP_BATCH [--programs N] [--seed S] [--first K] [--save FOLDER]

Program K of seed S is always the same.
"""

import argparse
import pathlib
import random
import signal
import sys
import traceback

import numpy as np

import cli  # pylint: disable=unused-import

A = np.array([[1.0, 5.0, 3.0], [4.0, 0.5, -6.0]])
V = np.array([1.5, -2.0, 0.25, 3.0, -0.5])
ERRORS = ["ValueError", "KeyError", "RuntimeError", "Odd", "IndexError"]


class Writer:
    """Writes one program. `scope`: the expressions that are vectors of 3, numbers and ints there."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.count = 0
        self.generators = []

    def pick(self, items):
        return items[self.rng.randrange(len(items))]

    def chance(self, p):
        return self.rng.random() < p

    def new(self, stem):
        self.count += 1
        return f"{stem}{self.count}"

    def add(self, depth, text):
        self.lines.append("    " * depth + text)

    # ---- expressions

    def number(self, scope, deep=2):
        if deep == 0 or self.chance(0.25):
            return self.pick(scope["s"] + scope["i"] + ["0.5", "2", "-1.5", "A[0, 1]", "V[2]"])
        a, b = self.number(scope, deep - 1), self.number(scope, deep - 1)
        v = self.vector(scope, deep - 1)
        return self.pick([f"({a} + {b})", f"({a} - {b})", f"({a} * 0.5)", f"np.tanh({a})", f"{v}.sum()", f"{v}[{self.pick('012')}]",
                          f"max({a}, {b})", f"abs({a})", f"float({a})", f"({a} if {a} > {b} else {b})", f"{v}.mean()"])

    def vector(self, scope, deep=2):
        if deep == 0 or self.chance(0.25):
            return self.pick(scope["v"] + ["A[0]", "A[1]", "V[:3]", "np.zeros(3)", "np.ones(3)"])
        a, b = self.vector(scope, deep - 1), self.vector(scope, deep - 1)
        n = self.number(scope, deep - 1)
        return self.pick([f"({a} + {b})", f"({a} * 0.5)", f"({a} - {n})", f"np.tanh({a})", f"({a} * np.tanh({n}))",
                          f"np.where({a} > {b}, {a}, {b})", f"{a}.copy()", f"{a}[::-1]", f"np.maximum({a}, {n})"])

    def condition(self, scope):
        if scope["i"] and self.chance(0.3):
            return f"{self.pick(scope['i'])} % {self.pick('23')} == {self.pick('01')}"
        if scope["none"] and self.chance(0.3):
            name = self.pick(scope["none"])
            return self.pick([f"{name} is None or {self.number(scope, 1)} > {name}", f"{name} is None", f"{name} is not None"])
        return f"{self.number(scope, 1)} {self.pick(['>', '<', '<=', '>='])} {self.number(scope, 1)}"

    # ---- statements

    def body(self, depth, scope, count, loops=0, inside=""):
        start = len(self.lines)
        scope = {k: list(v) if isinstance(v, list) else v for k, v in scope.items()}
        for _ in range(count):
            self.statement(depth, scope, loops, inside)
        if len(self.lines) == start:
            self.add(depth, "pass")
        return scope

    def statement(self, depth, scope, loops, inside):
        kinds = ["v", "s", "v", "s", "aug", "item", "append", "list", "dict", "none", "call", "swap", "dictaug"]
        if depth < 5:
            kinds += ["if", "if", "for", "over", "over", "try", "while"]
        if loops:
            kinds += ["break", "continue"]
        if inside:
            kinds += ["return"]
        kind = self.pick(kinds)
        getattr(self, "_" + kind)(depth, scope, loops, inside)

    def _v(self, depth, scope, *_):
        value = self.vector(scope)
        if self.chance(0.5) and scope["v"]:
            return self.add(depth, f"{self.pick(scope['v'])} = {value}")
        name = self.new("v")
        self.add(depth, f"{name} = {value}")
        scope["v"].append(name)

    def _s(self, depth, scope, *_):
        value = self.number(scope)
        if self.chance(0.6) and scope["s"]:
            return self.add(depth, f"{self.pick(scope['s'])} = {value}")
        name = self.new("s")
        self.add(depth, f"{name} = {value}")
        scope["s"].append(name)

    def _aug(self, depth, scope, *_):
        if scope["v"] and self.chance(0.5):
            return self.add(depth, f"{self.pick(scope['v'])} {self.pick(['+=', '*=', '-='])} {self.pick(['0.5', self.number(scope, 1), self.vector(scope, 1)])}")
        if scope["s"]:
            self.add(depth, f"{self.pick(scope['s'])} {self.pick(['+=', '-='])} {self.number(scope, 1)}")

    def _item(self, depth, scope, *_):
        if scope["v"]:
            self.add(depth, f"{self.pick(scope['v'])}[{self.pick(['0', '1', '-1', '1:'])}] = {self.number(scope, 1)}")

    def _append(self, depth, scope, *_):
        if scope["hist"]:
            self.add(depth, f"{self.pick(scope['hist'])}.append({self.number(scope, 1)})")

    def _list(self, depth, scope, *_):
        if scope["list"]:
            name = self.pick(scope["list"])
            self.add(depth, f"{name}[{self.pick('01')}] = {self.vector(scope, 1)}")

    def _dict(self, depth, scope, *_):
        if scope["dict"]:
            name = self.pick(scope["dict"])
            self.add(depth, self.pick([f"{name}['w'] = {self.vector(scope)}", f"{name}['b'] = {self.number(scope)}"]))

    def _dictaug(self, depth, scope, *_):
        if scope["dict"]:
            name = self.pick(scope["dict"])
            self.add(depth, self.pick([f"{name}['w'] += {self.vector(scope, 1)}", f"{name}['b'] += {self.number(scope, 1)}",
                                       f"{name}['w'] = {name}['w'] * 0.5 + {self.vector(scope, 1)}"]))

    def _none(self, depth, scope, *_):
        if scope["none"]:
            self.add(depth, f"{self.pick(scope['none'])} = {self.pick(['None', self.number(scope, 1), self.number(scope, 1)])}")

    def _swap(self, depth, scope, *_):
        if len(scope["v"]) > 1:
            a, b = self.rng.sample(scope["v"], 2)  # CPython 3.11 exchanges the assignments of `a, a = ...`
            self.add(depth, f"{a}, {b} = {b}, {a} * 0.5")

    def _call(self, depth, scope, *_):
        if not scope["objects"]:
            return
        o = self.pick(scope["objects"])
        self.add(depth, self.pick([f"{o}.step({self.vector(scope, 1)})", f"{o}.see({self.vector(scope, 1)}, {self.number(scope, 1)})",
                                   f"{o}.b = {o}({self.vector(scope, 1)})", f"{o}.w = {o}.twice", f"{o}.level = {self.number(scope, 1)}"]))

    def _if(self, depth, scope, loops, inside):
        self.add(depth, f"if {self.condition(scope)}:")
        self.body(depth + 1, scope, self.rng.randint(1, 2), loops, inside)
        if self.chance(0.4):
            self.add(depth, "else:")
            self.body(depth + 1, scope, self.rng.randint(1, 2), loops, inside)

    def _for(self, depth, scope, loops, inside):
        if loops > 1:
            return
        name = self.new("i")
        self.add(depth, f"for {name} in range({self.pick(['3', '4', '1, 5', '0, 6, 2'])}):")
        self.body(depth + 1, {**scope, "i": scope["i"] + [name]}, self.rng.randint(1, 3), loops + 1, inside)
        if self.chance(0.15):
            self.add(depth, "else:")
            self.body(depth + 1, scope, 1, loops, inside)

    def _while(self, depth, scope, loops, inside):
        if loops > 1:
            return
        name = self.new("k")
        self.add(depth, f"{name} = 0")
        self.add(depth, f"while {name} < 4 and {self.condition({**scope, 'none': []})}:")
        self.add(depth + 1, f"{name} += 1")
        self.body(depth + 1, scope, self.rng.randint(1, 2), loops + 1, inside)

    def _over(self, depth, scope, loops, inside):
        if loops > 1 or not self.generators:
            return
        name, how = self.new("x"), self.pick(self.generators)
        over = how.format(n=self.pick("123"), v=self.vector(scope, 1), s=self.number(scope, 1), o=self.pick(scope["objects"] or ["None"]))
        if "None" in over:
            return
        numbered = self.chance(0.3)
        index = self.new("i")
        self.add(depth, f"for {index}, {name} in enumerate({over}):" if numbered else f"for {name} in {over}:")
        inner = {**scope, "v": scope["v"] + [name], "i": scope["i"] + ([index] if numbered else [])}
        self.body(depth + 1, inner, self.rng.randint(1, 3), loops + 1, inside)
        if self.chance(0.15):
            self.add(depth, "else:")
            self.body(depth + 1, scope, 1, loops, inside)

    def _try(self, depth, scope, loops, inside):
        error = self.pick(ERRORS)
        self.add(depth, "try:")
        self.body(depth + 1, scope, 1, loops, inside)
        how = self.rng.random()
        if how < 0.4:
            self.add(depth + 1, f"if {self.condition({**scope, 'none': []})}:")
            self.add(depth + 2, f"raise {error}('a')")
            self.body(depth + 1, scope, 1, loops, inside)
        elif how < 0.6:
            self.add(depth + 1, f"check({self.number(scope, 1)})")
            self.body(depth + 1, scope, 1, loops, inside)
        elif how < 0.8:
            self.add(depth + 1, self.pick(["{'a': 1}['b']", "[1, 2][3]", f"raise {error}", "int('x')"]))
        self.add(depth, f"except {self.pick([error, error, 'Exception', '(KeyError, ValueError)'])}:")
        self.body(depth + 1, scope, self.rng.randint(1, 2), loops, inside)
        if self.chance(0.3):
            self.add(depth, "else:")
            self.body(depth + 1, scope, 1, loops, inside)
        if self.chance(0.3):
            self.add(depth, "finally:")
            self.body(depth + 1, scope, 1)

    def _break(self, depth, scope, *_):
        self.add(depth, f"if {self.condition(scope)}:")
        self.add(depth + 1, "break")

    def _continue(self, depth, scope, *_):
        self.add(depth, f"if {self.condition(scope)}:")
        self.add(depth + 1, "continue")

    def _return(self, depth, scope, loops, inside):
        if inside == "generator":
            self.add(depth, f"if {self.condition({**scope, 'none': []})}:")
            return self.add(depth + 1, "return")
        value = self.vector(scope, 1) if inside == "vector" else self.number(scope, 1)
        self.add(depth, f"if {self.condition({**scope, 'none': []})}:")
        self.add(depth + 1, f"return {value}")

    # ---- definitions

    def generator(self, name, depth, parameters, scope):
        self.add(depth, f"def {name}({parameters}):")
        scope = self.body(depth + 1, scope, self.rng.randint(0, 2))
        form = self.rng.randrange(4)
        if form == 0:
            for _ in range(self.rng.randint(1, 2)):
                self.add(depth + 1, f"yield {self.vector(scope)}")
                self.body(depth + 1, scope, self.rng.randint(0, 1), 0, "generator")
            return
        index = self.new("i")
        self.add(depth + 1, f"for {index} in range({'n' if 'n' in parameters else '3'}):")
        inner = {**scope, "i": scope["i"] + [index]}
        inner = self.body(depth + 2, inner, self.rng.randint(0, 2), 1, "generator")
        if form == 1:
            self.add(depth + 2, f"if {self.condition({**inner, 'none': []})}:")
            self.add(depth + 3, f"yield {self.vector(inner)}")
        else:
            self.add(depth + 2, f"yield {self.vector(inner)}")
        self.body(depth + 2, inner, self.rng.randint(0, 1), 1, "generator")
        if form == 3:
            self.add(depth + 1, f"yield {self.vector(scope, 1)}")

    def write(self):
        nothing = {"v": [], "s": [], "i": [], "none": [], "hist": [], "list": [], "dict": [], "objects": []}
        own = {**nothing, "v": ["self.w", "self.u"], "s": ["self.b", "self.rate"], "i": [], "none": ["self.best"],
               "hist": ["self.hist"], "dict": ["self.p"]}
        self.add(0, "import numpy as np\nclass Odd(Exception):\n    pass")
        self.add(0, "def check(x):\n    if x > 2:\n        raise ValueError('large')\n    return x")
        self.add(0, "class C:\n    rate = 0.5\n    def __init__(self, w):\n        self.w, self.u = w, w * 0.5\n        self.b = 0.0\n        self.best = None\n"
                    "        self.hist = []\n        self.p = {'w': w * 2, 'b': 1.0}\n    @property\n    def twice(self):\n        return self.w * 2\n"
                    "    @property\n    def level(self):\n        return self.b\n    @level.setter\n    def level(self, x):\n        self.b = np.tanh(x)")
        argument = {**own, "v": own["v"] + ["x"]}
        self.add(1, "def step(self, x):")
        self.body(2, argument, self.rng.randint(1, 3))
        self.add(1, "def see(self, x, y):")
        self.body(2, {**argument, "s": argument["s"] + ["y"]}, self.rng.randint(1, 3), 0, "")
        self.add(1, "def __call__(self, x):")
        inner = self.body(2, argument, self.rng.randint(0, 2), 0, "number")
        self.add(2, f"return {self.number(inner)}")
        self.generator("__iter__", 1, "self", own)
        self.generator("items", 1, "self, n", own)
        self.generators += ["{o}", "{o}.items({n})"]
        if self.chance(0.6):
            self.add(0, "class E(C):\n    rate = 0.25\n    def step(self, x):\n        super().step(x * 0.5)")
            self.body(2, argument, self.rng.randint(0, 2))
        else:
            self.add(0, "E = C")
        self.generator("gen", 0, "n, z", {**nothing, "v": ["z"]})
        self.generators.append("gen({n}, {v})")
        if self.chance(0.5):
            self.add(0, "def chain(n, z):\n    yield from gen(n, z)")
            self.add(1, f"yield {self.vector({**nothing, 'v': ['z']}, 1)}")
            self.generators.append("chain({n}, {v})")
        self.add(0, "a = C(A[0] * 1)\nb = E(A[1] * 0.5)\nd = a.p\nl = [np.zeros(3), A[0] * 1]\nh = []\nnone = None\nx = np.ones(3)\ny = 0.5")
        scope = {**nothing, "v": ["x", "a.w"], "s": ["y", "b.b"], "none": ["none"], "hist": ["h"], "list": ["l"], "dict": ["d", "b.p"],
                 "objects": ["a", "b"]}
        if self.chance(0.5):
            self.add(0, "def work(z, a, b):")
            inner = self.body(1, {**nothing, "v": ["z"], "objects": ["a", "b"]}, self.rng.randint(2, 4), 0, "vector")
            self.add(1, f"return {self.vector(inner)}")
            self.add(0, "x = work(x, a, b)")
        self.body(0, scope, self.rng.randint(3, 6))
        self.add(0, "o1 = a.w * 1\no2 = b.w + b.u\no3 = a.b + b.b\no4 = x * 1\no5 = d['w'] * 1\no6 = b.p['b'] * 1\no7 = l[0] + l[1]\no8 = len(h) + len(a.hist) * 10")
        return "\n".join(self.lines) + "\n"


class TooLong(Exception):
    pass


def program(seed, number):
    return Writer(random.Random(f"{seed} {number}")).write()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("symdump")
    parser.add_argument("batch")
    parser.add_argument("--programs", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--save", type=pathlib.Path)
    options = parser.parse_args()
    sys.argv[1:] = [options.symdump, options.batch]
    from parts import with_parts  # pylint: disable=import-outside-toplevel
    from same_programs import SamePrograms  # pylint: disable=import-outside-toplevel

    class Same(SamePrograms):
        inputs = {"A": A, "V": V}
        rtol, atol, zeros = 1e-9, 1e-12, False

        def runTest(self):
            pass

    same = Same()
    tally = {"agree": 0, "refused": 0, "raise": 0}
    failures, reasons = 0, {}

    def stop(*_):
        raise TooLong

    signal.signal(signal.SIGALRM, stop)
    for number in range(options.first, options.first + options.programs):
        text = program(options.seed, number)
        signal.alarm(10)
        try:
            expected = with_parts(same.numpy(text))
        except Exception:  # pylint: disable=broad-except
            tally["raise"] += 1
            continue
        finally:
            signal.alarm(0)
        try:
            replies = same.ask(text, ("none", "default"))
            if replies[0].failure == "refused" and "internal" not in replies[0].detail:
                tally["refused"] += 1
                reason = replies[0].detail.split("\n")[0].split(": ", 1)[-1]
                reasons[reason] = reasons.get(reason, 0) + 1
                continue
            for passes, reply in zip(("none", "default"), replies):
                same.compare(text, passes, reply, expected)
            tally["agree"] += 1
        except Exception:  # pylint: disable=broad-except
            failures += 1
            print(f"FAILED: program {number} of seed {options.seed}\n{traceback.format_exc()[-1500:]}", flush=True)
            if options.save:
                options.save.mkdir(parents=True, exist_ok=True)
                (options.save / f"{options.seed}_{number}.py").write_text(text)
            if failures >= 20:
                break
    print(f"{tally['agree']} programs agree, {tally['refused']} are refused, {tally['raise']} raise in Python; {failures} failed")
    for reason in sorted(reasons, key=reasons.get, reverse=True)[:12]:
        print(f"    {reasons[reason]} times: {reason[:150]}")
    return 1 if failures or tally["agree"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
