"""The methods of Python's own types, its module math and the texts of its exceptions: of what is known when a program is
read they give what Python gives.

    everyday_test.py SYMDUMP SYMDUMP_BATCH
"""

import math
import sys

import numpy as np

from cli import main
from same_programs import SamePrograms

A = np.array([[1.0, 5.0, 3.0], [4.0, 0.5, -6.0]])

TEXTS = ["", "abc", "Hello, World", "  two  words ", "a-b-c", "they're BILL's", "12", "x1", "-5", "\t\n ", "a\tb\tc\n\td", "aXbXc", "ABC", "Title Case",
         "one\ntwo\r\nthree\n", "{} and {}", "aaa", "_id9", "--x--"]
NONE = [()]
PLACES = [("a",), ("b", 1), ("c", 0, 3), ("", 2), ("X", -3), ("zz",), ("a", 1, 2), ("", 20), ("bc", -2, None)]
WIDTHS = [(0,), (8,), (9, "*"), (14, ".")]
ENDS = [("a",), (("x", "ab", "-"),), ("",), ("c", 1), ("X", 0, 2)]
CUTS = [(), (None, 1), ("-",), ("a", 1), (" ",), ("X", 0), ("",), (", ", 5)]
STRIPS = [(), ("-",), ("ab ",), ("xyz-",)]
METHODS = {
    **dict.fromkeys(["capitalize", "casefold", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric",
                     "isprintable", "isspace", "istitle", "isupper", "lower", "swapcase", "title", "upper"], NONE),
    **dict.fromkeys(["find", "rfind", "index", "rindex", "count"], PLACES),
    **dict.fromkeys(["ljust", "rjust", "center"], WIDTHS),
    **dict.fromkeys(["startswith", "endswith"], ENDS),
    **dict.fromkeys(["split", "rsplit"], CUTS),
    **dict.fromkeys(["strip", "lstrip", "rstrip"], STRIPS),
    **dict.fromkeys(["partition", "rpartition"], [("-",), (" ",), ("X",), ("",), ("aa",)]),
    **dict.fromkeys(["removeprefix", "removesuffix"], [("a",), ("c",), ("",), ("--",)]),
    "expandtabs": [(), (4,), (0,), (1,)],
    "format": [(1, "two"), ("x",)],
    "format_map": [({"a": 1},)],
    "join": [(["x", "y", "z"],), ([],), (("p",),)],
    "replace": [("a", "b"), ("X", ""), ("", "."), ("aa", "b", 1), ("b", "bb", -1), ("", "_", 2)],
    "splitlines": [(), (True,)],
    "translate": [({97: "z", 98: None, 32: 95},)],
    "zfill": [(0,), (5,), (12,)],
}
VALUES = {  # Python's own types, and for each method arguments
    list: (["[1, 2, 3, 2]", "[]", "['a', 'bb']", "[(1, 2), (0, 5)]"], {
        "append": [(7,)], "clear": NONE, "copy": NONE, "count": [(2,), ("a",)], "extend": [([4, 5],), ("xy",), ((),)],
        "index": [(2,), ("bb",), (2, 2), (9,), (2, 0, 1)], "insert": [(0, 9), (-1, 8), (50, 7)], "pop": [(), (0,), (-1,), (9,)], "remove": [(2,), ("a",), (77,)],
        "reverse": NONE, "sort": [()]}),
    tuple: (["(1, 2, 3, 2)", "()", "('a', 'bb')"], {"count": [(2,), ("a",)], "index": [(2,), ("bb",), (9,), (2, 2)]}),
    dict: (["{'a': 1, 'b': 2}", "{}", "{1: 'x', (2, 3): 'y'}"], {
        "clear": NONE, "copy": NONE, "fromkeys": [(("p", "q"),), ("ab", 0)], "get": [("a",), ("z",), ("z", 5), ((2, 3),)], "items": NONE, "keys": NONE,
        "pop": [("a",), ("z", 9), ("z",)], "popitem": NONE, "setdefault": [("a", 5), ("z", 7), ("q",)], "update": [({"a": 9, "c": 3},), ((("k", 4),),)],
        "values": NONE}),
    set: (["{1, 2, 3}", "set()", "{'a', 'b'}"], {
        "add": [(2,), ("c",)], "clear": NONE, "copy": NONE, "difference": [({1, 9},), ([1], [2])], "difference_update": [({1, 9},)], "discard": [(1,), (50,)],
        "intersection": [({1, 2, 9},), ([1, 2], [2])], "intersection_update": [({2, 3},)], "isdisjoint": [({1},), ({77},)], "issubset": [({1, 2, 3, 4},), ([],)],
        "issuperset": [({1},), ([],)], "pop": [], "remove": [(1,), (50,)], "symmetric_difference": [({1, 9},)], "symmetric_difference_update": [({1, 9},)],
        "union": [({7},), ([7], [8])], "update": [({7},), ([7], [8])]}),
    int: (["0", "5", "(-12)", "255"], {"bit_count": NONE, "bit_length": NONE, "conjugate": NONE}),
    float: (["0.5", "(-3.0)", "2.0", "1e300"], {"conjugate": NONE, "is_integer": NONE}),
}
LEFT_OUT = {str: {"encode", "maketrans"}, int: {"as_integer_ratio", "from_bytes", "to_bytes", "is_integer"}, float: {"as_integer_ratio", "fromhex", "hex"},
            list: set(), tuple: set(), dict: set(), set: set()}
REALS = [0.0, 0.5, -0.25, 3.0, -2.5, 40.0, 1e-9]
OF_MATH = {  # more than one argument, or others than REALS
    "atan2": [(1.0, 2.0), (-1.0, 0.0)], "comb": [(5, 2), (3, 7), (10, 0)], "copysign": [(3.0, -0.0), (-2.0, 1.0)], "dist": [((0.0, 3.0), (4.0, 0.0)), ([1], [1, 2])],
    "factorial": [(0,), (5,), (12,)], "fmod": [(7.5, 2.0), (-7.5, 2.0), (1.0, 0.0)], "frexp": [(8.0,), (-0.3,), (0.0,)], "fsum": [([0.1] * 10,), ([1e16, 1.0, -1e16],), ([],)],
    "gcd": [(12, 18), (0, 5), (6, 10, 15)], "hypot": [(3.0, 4.0)], "isclose": [(1.0, 1.0 + 1e-10), (1.0, 1.1), (0.0, 1e-10), (math.inf, math.inf), (math.nan, math.nan)],
    "isqrt": [(0,), (17,), (144,), (-1,)], "lcm": [(4, 6), (0, 3)], "ldexp": [(0.75, 4), (1.0, -3)], "modf": [(3.25,), (-0.5,)], "nextafter": [(1.0, 2.0), (0.0, -1.0)],
    "perm": [(5, 2), (4,), (2, 3)], "pow": [(2.0, 0.5), (-8.0, 1 / 3), (0.0, -1.0)], "prod": [([1, 2, 3],), ([],), ([0.5, 4],)], "remainder": [(7.5, 2.0), (-5.0, 3.0)],
    "ulp": [(1.0,), (0.0,)],
}
NUMBERS = [f"{call}({text!r})" for call in ("int", "float") for text in
           ("12", " -7 ", "x", "", "1_000", "_1", "1__0", "1.5", "0x10", "1e3", "inf", "-Infinity", "nan", "1 2", "+3", "--1", "nan(1)", "\u0663"[:0])]
NUMBERS += ["int('ff', 16)", "int('-101', 2)", "int('9', 8)", "int(2.9)", "float(3)", "int(-2.9)"]

RAISED = {  # expressions that raise, as a program catches them
    "[].pop()": "IndexError", "[1, 2].pop(5)": "IndexError", "[1, 2][5]": "IndexError", "(1, 2)[-3]": "IndexError", "{}['k']": "KeyError", "{'a': 1}[(1, 2)]": "KeyError",
    "[1].index(3)": "ValueError", "[1].remove(3)": "ValueError", "{}.popitem()": "KeyError", "next(iter([]))": "StopIteration", "1 / 0": "ZeroDivisionError",
    "1 // 0": "ZeroDivisionError", "5 % 0": "ZeroDivisionError", "math.log(0)": "ValueError", "math.sqrt(-1)": "ValueError", "math.exp(1000.0)": "OverflowError",
    "max([])": "ValueError", "min(())": "ValueError", "{1, 2}.remove(5)": "KeyError", "'a'.index('b')": "ValueError", "'a'.split('')": "ValueError",
    "collections.deque().popleft()": "IndexError", "d.q": "AttributeError", "int('q')": "ValueError", "float('q')": "ValueError",
}
OF_NUMPY = ["np.ones(2) + np.ones(3)", "np.ones((2, 3)) @ np.ones(2)", "np.ones(6).reshape(4, 2)", "np.concatenate([])", "np.ones(3)[5]", "np.ones(3)[1, 1]",
            "np.linalg.inv(np.ones((2, 3)))", "np.hstack([np.ones((2, 2)), np.ones((3, 2))])", "np.dot(np.ones(2), np.ones(3))", "np.zeros(0).max()", "np.zeros(0).argmin()"]

EXCEPTIONS = {
    "own __init__": "class E(Exception):\n    def __init__(self, a, b):\n        self.a = a\n        self.b = b\ntry:\n    raise E(1, 'x')\n"
                    "except E as e:\n    o = str(e) + repr(e) + str(e.args) + str(e.a)",
    "super().__init__": "class E(ValueError):\n    def __init__(self, a):\n        super().__init__(f'bad {a}')\n        self.a = a\ntry:\n    raise E(3)\n"
                        "except ValueError as e:\n    o = f'{e}|{e!r}|{e.a}'",
    "Exception.__init__": "class E(Exception):\n    def __init__(self, a):\n        Exception.__init__(self, 'got', a)\ntry:\n    raise E(3)\n"
                          "except E as e:\n    o = '%s %r' % (e, e) + '{} {!r}'.format(e, e)",
    "own __str__": "class E(Exception):\n    def __str__(self):\n        return 'own'\ntry:\n    raise E(1)\nexcept E as e:\n    o = str(e) + repr(e) + f'{e}'",
    "no arguments": "try:\n    raise ValueError\nexcept ValueError as e:\n    o = str(e) + repr(e) + str(e.args)",
    "several arguments": "try:\n    raise ValueError('a', 2)\nexcept ValueError as e:\n    o = str(e) + repr(e)",
    "a number": "try:\n    raise ValueError(2.5)\nexcept ValueError as e:\n    o = str(e) + repr(e)",
    "keys": "try:\n    {}['k']\nexcept KeyError as e:\n    o = str(e) + repr(e) + e.args[0]",
    "bare raise": "o = ''\ntry:\n    try:\n        raise KeyError('k')\n    except KeyError as e:\n        o += 'inner'\n        raise\nexcept LookupError as e:\n    o += str(e)",
    "from": "try:\n    try:\n        1 / 0\n    except ZeroDivisionError as e:\n        raise ValueError('from') from e\nexcept ValueError as e:\n    o = str(e)",
    "else and finally": "o = ''\nfor k in (0, 1):\n    try:\n        o += str(1 / k)\n    except ZeroDivisionError as e:\n        o += str(e)\n    else:\n        o += 'else'\n"
                        "    finally:\n        o += 'finally'",
    "finally with return": "o = ''\ndef f(k):\n    global o\n    try:\n        if k:\n            raise ValueError('v')\n        return 'try'\n    except ValueError:\n"
                           "        return 'except'\n    finally:\n        o += 'f'\no += f(0) + f(1)",
    "return in finally": "def f():\n    try:\n        raise ValueError('v')\n    finally:\n        return 'kept'\no = f()",
    "in a loop": "o = ''\nfor t in ['1', 'b', '3']:\n    try:\n        n = int(t)\n    except ValueError as e:\n        o += str(e)\n        continue\n    o += str(n)",
    "types": "o = ''\nfor e in (KeyError, ValueError('q')):\n    o += str(isinstance(e, Exception)) + str(isinstance(e, ValueError))\no += str(issubclass(KeyError, LookupError)) + KeyError.__name__",
    "abstract": "from abc import ABC, abstractmethod\nclass B(ABC):\n    @abstractmethod\n    def f(self):\n        ...\nclass C(B):\n    def f(self):\n        return 'f'\nclass P:\n    @abstractmethod\n"
                "    def f(self):\n        ...\no = C().f()\nfor K in (B, P):\n    try:\n        K()\n        o += 'made'\n    except TypeError:\n        o += 'abstract'",
    "contextmanager": "from contextlib import contextmanager\no = ''\n@contextmanager\ndef saved(d):\n    global o\n    old = dict(d)\n    try:\n        yield d\n    except KeyError as e:\n        o += 'back' + str(e)\n"
                      "        d.update(old)\n        raise\n    except ValueError:\n        o += 'taken'\n    finally:\n        o += 'end'\nd = {'a': 1}\nfor e in (KeyError('k'), ValueError('v'), TypeError('t'), None):\n"
                      "    try:\n        with saved(d) as s:\n            s['a'] = s['a'] + 1\n            if e is not None:\n                raise e\n    except Exception as found:\n        o += repr(found)\n    o += str(d)",
    "in a generator": "o = ''\ndef g(n):\n    global o\n    for i in range(n):\n        try:\n            yield 'a'\n            if i == 1:\n                raise ValueError('v' + str(i))\n            yield 'b'\n"
                      "        except ValueError as e:\n            yield str(e)\n        else:\n            yield 'else'\n        finally:\n            o += ';'\n            yield 'f'\no += ''.join(g(3))",
    "finally only": "from contextlib import contextmanager\no = ''\n@contextmanager\ndef named(n):\n    global o\n    o += '<' + n\n    try:\n        yield\n    finally:\n        o += '>'\ntry:\n    with named('a'):\n        int('q')\n"
                    "except ValueError:\n    o += 'caught'\nwith named('b'):\n    pass",
    "context manager": "class M:\n    def __enter__(self):\n        return self\n    def __exit__(self, kind, e, trace):\n        self.o = kind.__name__ + str(e)\n        return True\n"
                       "with M() as m:\n    raise KeyError('k')\no = m.o",
}

PROGRAMS = {
    "str.maketrans": "t = str.maketrans('abc', 'xyz', '!')\no = 'aabbcc!'.translate(t) + 'abc'.translate(str.maketrans({'a': 'long', 'b': None}))",
    "formats": "o = format(3.14159, '.2f') + format('a', '>4') + format(12, '05d') + format(7) + repr('q\"') + repr([1, 'a']) + '{:>6}|{:<4}|{!r}'.format('a', 2, 'b')",
    "objects in containers": "class P:\n    def __init__(self, x):\n        self.x = x\n    def __repr__(self):\n        return f'P({self.x})'\np = P(1)\n"
                             "o = str([p, 'a', 2]) + f'{(p,)}' + repr({'k': p}) + '{}'.format([p]) + '%s' % [p]",
    "__format__": "class P:\n    def __format__(self, how):\n        return '<' + how + '>'\np = P()\no = f'{p:abc}' + format(p, 'x') + f'{p}' + '{:q}'.format(p)",
    "dataclasses in each other": "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n@dataclass\nclass Q:\n    p: P\n    name: str\no = str(Q(P(1), 'n')) + repr([P(2)])",
    "property": "class P:\n    def __init__(self):\n        self._x = 1\n        self.log = ''\n    @property\n    def x(self):\n        return self._x\n    @x.setter\n    def x(self, v):\n"
                "        self._x = v\n    @x.deleter\n    def x(self):\n        self.log = 'deleted'\np = P()\np.x = 4\na = p.x\ndel p.x\no = p.log + str(a)\n"
                "class R:\n    @property\n    def x(self):\n        return 1\ntry:\n    R().x = 2\nexcept AttributeError as e:\n    o += 'no setter'",
    "hash": "class P:\n    def __init__(self, x):\n        self.x = x\n    def __eq__(self, other):\n        return self.x == other.x\n    def __hash__(self):\n        return self.x * 2\no = str(hash(P(4)))",
    "del item": "class P:\n    def __init__(self):\n        self.d = {'a': 1, 'b': 2}\n    def __delitem__(self, k):\n        del self.d[k]\n    def __reversed__(self):\n"
                "        return iter(['r', 's'])\np = P()\ndel p['a']\no = str(p.d) + ''.join(reversed(p))",
    "__missing__": "class D(dict):\n    def __missing__(self, k):\n        return 'm' + k\nd = D(a='b')\no = d['a'] + d['z'] + str(len(d))\nclass E(dict):\n    def __getattr__(self, k):\n"
                   "        try:\n            return self[k]\n        except KeyError:\n            raise AttributeError(k)\ne = E(q=3)\no += str(e.q) + str(hasattr(e, 'w'))",
    "NotImplemented": "class Q:\n    def __init__(self, v):\n        self.v = v\n    def f(self, other):\n        if not isinstance(other, Q):\n            return NotImplemented\n    def __add__(self, other):\n"
                      "        if self.f(other) is NotImplemented:\n            return NotImplemented\n        return Q(self.v + other.v)\no = str((Q(1) + Q(2)).v)\ntry:\n    Q(1) + 5\nexcept TypeError:\n    o += 'type'",
    "named tuples": "from collections import namedtuple\nP = namedtuple('P', 'x y z', defaults=(7, 8))\np = P(1, z=2)\no = str(p) + str(P._fields) + str(p._replace(x=5)) + str(P._make([1, 2, 3])) + str(p._asdict()) + str(p.y)",
    "enums": "from enum import Enum\nclass C(Enum):\n    RED = 1\n    BLUE = 2\no = C['RED'].name\ntry:\n    C['GREEN']\nexcept KeyError as e:\n    o += str(e)",
    "functions in lists": "class P:\n    def __init__(self):\n        self.l = []\n    def f(self):\n        pass\np = P()\np.l.append(p.f)\ng = lambda: 1\nh = lambda: 2\np.l += [g, h]\np.l.remove(h)\np.l.remove(p.f)\n"
                          "o = str(len(p.l)) + str(p.l[0] == g) + str(g == h) + str(p.f == p.f) + str(g in p.l)",
    "sets of objects": "class P:\n    def __init__(self, x):\n        self.x = x\n    def __eq__(self, other):\n        return self.x == other.x\n    def __hash__(self):\n        return hash(self.x)\n"
                       "s = {P(1), P(2), P(1)}\no = str(len(s)) + str(P(2) in s) + str(P(3) in s) + str(len(set([P(4), P(4)])))",
    "sets of strings": "s = {'b', 'a', 'c'}\nd = {}\nfor x in s:\n    d[x] = len(s)\nfor x in s - {'a'}:\n    d[x] += 1\no = ''.join(sorted(s)) + str(d['a']) + str(d['b']) + str(sum(d[x] for x in s))",
    "in place": "x = [1, 2]\ny = x\nx *= 2\ns = {1, 2}\nt = s\ns |= {5}\ns -= {1}\ns &= {2, 5}\ns ^= {7}\no = str(y) + str(sorted(t)) + str(len(s))",
    "ordered": "from collections import OrderedDict\nd = OrderedDict(a=1, b=2, c=3)\nd.move_to_end('a')\nk, v = d.popitem(last=False)\no = k + str(v) + ''.join(d)",
    "deques": "from collections import deque\nd = deque([1, 2, 3, 4], maxlen=4)\nd.rotate(1)\nd.extendleft([8, 9])\nd.append(5)\no = ' '.join(str(x) for x in d)",
    "counters": "from collections import Counter\nc = Counter('abracadabra')\nc.subtract('aab')\nc.update('zz')\no = ''.join(sorted(c.elements())) + str(c['a'])",
    "send": "def g():\n    t = 0\n    while True:\n        x = yield t\n        if x is None:\n            break\n        t += x\n    yield 'end'\na = g()\no = str(next(a)) + str(a.send(3)) + str(a.send(4)) + a.send(None)\n"
            "b = g()\nnext(b)\nb.close()\ntry:\n    next(b)\nexcept StopIteration:\n    o += 'closed'",
    "itertools": "import itertools as it\nw = ['apple', 'avocado', 'bean', 'beet', 'corn', 'ash']\no = ''\nfor k, g in it.groupby(w, key=lambda s: s[0]):\n"
                 "    o += k + '-'.join(g) + ';'\no += str([*it.takewhile(lambda v: v < 3, [1, 2, 5, 1])]) + str([*it.dropwhile(lambda v: v < 3, [1, 2, 5, 1])])\n"
                 "o += ''.join(it.compress('abcd', [1, 0, 1, 1])) + str(list(it.starmap(pow, [(2, 3), (3, 2)]))) + str(list(it.zip_longest([1, 2], 'a', fillvalue='-')))\n"
                 "o += ''.join(it.filterfalse(str.isdigit, '12x3y')) + str([list(x) for x in it.tee('ab', 3)]) + str(list(it.groupby([1, 1, 2]))[1][0])",
    "chain": "import itertools\nclass P:\n    def __iter__(self):\n        yield 'a'\n        yield 'b'\no = ''.join(itertools.chain.from_iterable([P(), 'cd', ['e']]))",
}


def recorded(expressions, before=""):
    """A program whose text `o` is what each of them gives, or the exception that it raises."""
    lines = ["import math, collections", "o = ''", before]
    for each in expressions:
        lines += ["try:", f"    v = {each}" if isinstance(each, str) else "\n".join(f"    {line}" for line in each), "    o += repr(v) + ';'",
                  "except Exception as e:", "    o += type(e).__name__ + str(e) + ';'"]
    return "\n".join(lines)


def as_numbers(program):
    return program + "\nr = np.array([ord(c) for c in o], dtype=float)\n"


class Everyday(SamePrograms):
    inputs = {"A": A}
    passes = ("none",)

    def each_text(self, programs):
        self.each({name: as_numbers(text) for name, text in programs.items()})

    def test_all_methods_are_here(self):
        for kind, methods in [(str, METHODS)] + [(kind, methods) for kind, (_, methods) in VALUES.items()]:
            known = {name for name in dir(kind) if not name.startswith("_") and callable(getattr(kind, name))}
            self.assertEqual(known - LEFT_OUT[kind], set(methods) & known, kind)

    def test_methods_of_strings(self):
        self.each_text({f"str.{name}": recorded([f"{text!r}.{name}({', '.join(map(repr, given))})" for text in TEXTS for given in arguments])
                        for name, arguments in METHODS.items()})

    def test_methods_of_other_types(self):
        for kind, (values, methods) in VALUES.items():
            shown = "sorted(x, key=str)" if kind is set else "x"
            result = "sorted(y, key=str) if isinstance(y, set) else y" if kind is set else "list(y)" if kind is dict else "y"
            for name, arguments in methods.items():
                makes_view = kind is dict and name in ("items", "keys", "values")
                given = [f"({', '.join(map(repr, each))})" for each in arguments]
                programs = [(f"x = {value}", f"y = x.{name}{each}", f"v = [{shown}, {result if makes_view or kind is not dict else 'y'}]")
                            for value in values for each in given]
                if programs:
                    self.each_text({f"{kind.__name__}.{name}": recorded(programs)})

    def test_math(self):
        functions = {name for name in dir(math) if not name.startswith("_") and callable(getattr(math, name))}
        programs = {}
        for name in sorted(functions):
            arguments = OF_MATH.get(name, [(x,) for x in REALS])
            calls = [f"math.{name}({', '.join(map(repr, each)).replace('inf', 'math.inf').replace('nan', 'math.nan')})" for each in arguments]
            programs[name] = "\n".join(["import math", "n = []"] + [line for call in calls for line in (
                "try:", f"    v = {call}", "    n += [float(x) for x in v] if isinstance(v, tuple) else [float(v)]",
                "except Exception as e:", "    n += [float(len(type(e).__name__))]")] + ["r = np.array(n)"])
        self.each(programs)

    def test_numbers_in_strings(self):
        self.each_text({"numbers": recorded(NUMBERS)})

    def test_what_python_raises(self):
        for expression, type_name in RAISED.items():
            program = recorded([expression], "class D:\n    pass\nd = D()")
            text = {}
            exec(program, text)  # pylint: disable=exec-used
            self.assertTrue(text["o"].startswith(type_name), text["o"])
            self.each_text({expression: program})

    def test_what_numpy_raises(self):
        self.each_text({each: f"o = ''\ntry:\n    v = {each}\nexcept np.linalg.LinAlgError:\n    o += 'LinAlgError'\nexcept (ValueError, IndexError) as e:\n    o += type(e).__name__"
                        for each in OF_NUMPY})

    def test_exceptions(self):
        self.each_text(EXCEPTIONS)

    def test_programs(self):
        self.each_text(PROGRAMS)


if __name__ == "__main__":
    sys.exit(main())
