"""Programs that are errors, each of which a guard of rewriter/reader finds that no other test makes fire."""

# Python or NumPy raises an error, too.
RAISES = {
    "class A:\n    pass\nr = A.foo": "' has no attribute '",
    "r = logical_and(V, W)": "' is not defined; NumPy's is np.",
    "class A:\n    pass\nwith A() as a: r = V": "' object does not support the context manager protocol",
    "class A:\n    pass\na = A(); r = a(3)": "' object is not callable",
    "r = 3 @ 4": "'@' expects arrays; got two numbers",
    "return 5": "'return' outside function",
    "r = \"a\".ljust(4, \"ab\"); V = V + 1": "The fill character must be exactly one character long",
    "for i in 5: r = V": "'int' object is not iterable",
    "s = {1, 2}; s.add(V)": "the items of a set must be known when the program is read",
    "from collections import namedtuple; P = namedtuple('P', 'x y'); r = P(1, 2, 3)": "arguments; got",
    "r = V[W]": "arrays used as indices must be of integer (or boolean) type; got floats. An input of",
    "r = np.result_type()": "at least one array or dtype is required",
    "(5).foo = 3": "cannot be assigned",
    "r = V(3)": "'numpy.ndarray' object is not callable",
    "r = np.can_cast(int, float, casting='no such')":
        "casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe'",
    "r = sorted([V, W])": "the values compared must be known when the program is read",
    "r = np.repeat(V, [1, 2, -1, 0, 1])": "counts cannot be negative",
    "r = np.sum(X, axis=(0, 0))": "duplicate value in 'axis'",
    "r = np.einsum('ij,i->j', V[B], V[B])": "einstein sum subscripts string has another number of letters than operand",
    "r = sorted([3, 1], foo=2)": "got an unexpected keyword argument '",
    "from collections import namedtuple; P = namedtuple('P', 'x y'); r = P(1, x=2)":
        "got multiple values for argument '",
    "class A:\n    pass\na = A(); r = getattr(a, 'foo')": "has no attribute '",
    "class A:\n    @property\n    def x(self): return 1\na = A(); a.x = 3": "has no setter",
    "r = V.dtype.foo": "the attribute foo of a dtype is not supported; kind, name, itemsize,",
    "r = min(V[0], V[1], foo=1)": "got an unexpected keyword argument 'foo'",
    "import heapq; r = heapq.heappop([])": "index out of range: the heap is empty",
    "def g():\n    yield 1\nr = next(V)": "an array of shape (5,) is not an iterator; iter(...) makes one",
    "r = 1 if V else 2": "the truth of an array of shape (5,) is ambiguous;",
    "with 5:\n    r = V": "is not supported",
    "del V[0]": "del of a part of an array of shape (5,) is not supported",
    "from collections import namedtuple; P = namedtuple(5, 'x y'); r = P(1, 2).x": "namedtuple",
    "a, b = 1, 2, 3": "names for",
    "r = np.clip()": "needs the argument '",
    "r = V.reshape()": "needs the new shape",
    "r = super().foo": "super() must be called in a method of a class",
    "V += np.ones((2, 5))": "non-broadcastable output operand with shape",
    "r = np.searchsorted(X[X[:, 0] > 0], V)": "object too deep for desired array",
    "a, b = 5": "cannot unpack non-iterable int object",
    "r = np.exp(V, out=5)": "out must be an array; got",
    "x = V[B].sum(*[1, 2, 3, 4, 5, 6, 7])": "takes at most 6 arguments; got 7",
    "r = np.transpose(X, (0, 0))": "repeated axis",
    "r = [1, 2, 3][::0]": "slice step cannot be zero",
    "import bisect; r = bisect.bisect([1, 2])": "takes a sorted list and a number",
    "r = isinstance(V)": "takes a value and its types",
    "class A:\n    pass\na = A(); r = getattr(a, 5)": "takes an object and the name of an attribute, a string",
    "class A:\n    pass\na = A(); setattr(a, 'foo')": "takes an object, the name of an attribute and its value",
    "class A:\n    pass\nr = A(3)": "takes no arguments",
    "assert 1 > 2; r = V": "the assertion does not hold",
    "r = np.repeat(V, V)": "the counts must be ints that are known when the program is read",
    "r = [1, 2].index(5)": "the list holds no such element",
    "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\na = A()\nr = V": "needs the argument '",
    "r = set([[1]])": "an item of a set must be hashable; got",
    "r = list.append(3, 4)": "[list.append] is a method of lists; got",
    "from collections import deque\nd = deque([1, 2], maxlen=2)\nd.insert(1, 5)\nr = V":
        "deque already at its maximum size",
    "r = dict.get(3, 4)": "is a method of dictionaries; got",
    "r = np.clip(V)": "takes both a_min and a_max, of which one may be None",
    "r = np.linalg.inv(np.zeros((2, 2)))": "Singular matrix",
    "r = sorted([1, 2], keys=3)": "got an unexpected keyword argument '",
    "r = np.cumsum(V, 0.0)": "axis must be an integer; got",
    "def g():\n    x = yield 1\n    yield x\na = g()\nr = V * a.send(5)":
        "can't send non-None value to a just-started generator",
    "def g():\n    x = yield 1\na = g()\na.send()\nr = V": "takes one argument",
    "import heapq\nh = []\nr = V * heapq.heappop(h)": "index out of range: the heap is empty",
    "from collections import Counter\nd = Counter([1], [2])\nr = V": "takes at most 1 argument; got 2",
    "import math\nr = V * math.comb(-1, 2)": "takes non-negative ints",
    "r = V * int('11', 1)": "the base must be 0 or from 2 to 36; got",
    "r = V * int(5, 2)": "int() can't convert non-string with explicit base",
    "class A: pass\na = A()\ndel a[0]\nr = V": "' object does not support item deletion",
    "r = V * isinstance(3)": "takes a value and its types",
    "r = object.__setattr__(3)": "of these arguments is not supported",
    "class E(ValueError):\n    def __init__(self): ValueError.__init__()\ntry:\n    raise E()\nexcept ValueError: pass\nr = V":
        "__init__ of an exception needs the exception",
    "class A:\n    @property\n    def x(self): return 1\na = A()\ndel a.x\nr = V": "' object has no deleter",
    "class A(5): pass\na = A()\nr = V": "a class with the base",
    "r = 2 @ 3": "'@' expects arrays; got two numbers",
    "r = np.convolve(X, V)": "object too deep for desired array",
    "a = V.copy()\na[K[K > 0]] = 5\nr = a": "out of bounds for",
    "r = np.r_[()]": "needs an index",
    "V -= np.ones((3, 5))\nr = V": "non-broadcastable output operand with shape",
    "a = (1, 2, 3)\na[:K[0]] = 5\nr = V": "a bound of this slice is known only at run time; such a slice can be w",
    "r = V[V > 0][X[X > 0]]": "a masked selection used as an index must hold integers and be one-dime",
    "r = V * len(format(V[0], V))": "the format must be known when the program is read",
    "r = V * len(\",\".join([1, 2]))": "expects strings; got",
    "r = V * len(\"a\".translate(str.maketrans(5)))": "takes a dictionary or strings of the same length",
    "r = V * len(\"a\".translate(str.maketrans(\"ab\", \"c\")))":
        "the first two maketrans arguments must have equal length",
    "r = V * len(\"a\".translate(5))": "takes what str.maketrans makes",
    "r = V * len(\"a\".translate(str.maketrans({'ab': 1})))": "string keys in translate table must be of length 1",
    "r = np.choose(K, [])": "need at least one array",
    "d = {'a': 1}\nr = V * d['b']": "the dictionary has no key 'b'",
    "r = np.diag(X.reshape(2, 2, 3))": "Input must be 1- or 2-d.",
    "r = np.maximum.accumulate(X, None)": "accumulate does not allow multiple axes",
    "r = np.add.accumulate(V[0])": "cannot accumulate on a scalar",
    "r = np.add.reduceat(V, [-1, 2])": "index -1 out-of-bounds in",
    "def f():\n    raise\ntry:\n    f()\nexcept ValueError:\n    pass\nr = V": "there is no exception to raise again",
    "r = np.r_(V, V)": "is subscripted, not called: np.r_[...]",
    "r = np.lib.stride_tricks.sliding_window_view(X, 2)":
        "Must provide matching length window_shape and axis; got 1 and 2",
    "class A:\n    x = 5\n    @x.setter\n    def x(self, v): pass\na = A()\nr = V":
        "the class A is not supported: an int has no setter",
    "i = np.array([1, [2, 3]])\nr = V": "the lists are not nested evenly",
    "r = np.kron(3)": "needs the argument '",
    "r = np.dot(nope=3)": "got an unexpected keyword argument '",
    "class A: pass\na = A()\na.x = 5\ni = 0\nwhile i < K[0]:\n    del a.x\n    i += 1\nr = V":
        "del in a loop that is not unrolled is not supported",
    "from collections import namedtuple\nP = namedtuple('P', 'x y')\np = P(1, 2)\np.x = 5\nr = V":
        "can't set attribute",
    "def f(x):\n    return x\nr = f.foo": "has no attribute '",
    "class A(Exception): pass\na = A(y=3)\nr = V": "takes no keyword arguments; got",
    "r = V[V > 0] * W[:4][W[:4] > 0][[0, 1, 2, 3, 4, 5, 6]]": "out of bounds for",
    "a = [1, 2]\na /= 2\nr = V": "=' of a list is not supported; make it an array with np.array(list)",
    "r = 'abc'.join([1])": "expects strings; got",
}
# Python computes these.
NOT_SUPPORTED = {
    "Y = X.reshape(2, 2, 3)\nnp.add.at(Y, (np.array([0, 1]), slice(None), np.array([0, 1])), 1)\nr = Y":
        "takes slices before and after the arrays of indices, not between them",
    "from contextlib import contextmanager\n@contextmanager\ndef c():\n    try:\n        yield 1\n    except ValueError:\n        yield 2\ntry:\n    with c():\n        raise ValueError(\"a\")\nexcept RuntimeError:\n    pass\nr = V":
        "the generator of a context manager yields again after an exception",
    "class A: pass\na = A()\na.x = 1\ndef f():\n    a.x = 2\n    return 1\nx = f() if V[0] > 0 else 5\nr = V * a.x":
        "assigns an attribute",
    "a = []\ni = 0\nwhile i < 5 and V[i] > 0:\n    a.append(V)\n    i += 1\nr = (a + [W])[0]":
        "'+' of lists whose length is known only at run time is supported for l",
    "r = X[True]": "indexing by a boolean is not supported; an index must be an int",
    "a = [V[0], V[1]]\na.remove(V[1])\nr = V": "the values compared must be known when the program is read",
    "class P:\n    def __init__(self, n): self.n = n\n    def __eq__(self, other): return V[0] > 0\n    def __hash__(self): return 1\nd = {P(1): 1}\nr = d[P(2)]":
        "is not supported",
    "A = np.ones((5, 5), np.int32) * 2 ** 30\nr = np.einsum('ij,jk,kl->il', A, A, A)":
        ", which may wrap; write a.astype(int)",
    "a = V.copy()\nnp.fix(a, a)\nr = a": "NumPy 1 writes out= while it reads the same array; write np.trunc",
    "try:\n    if V[0] > 9: raise 5\nexcept ValueError: pass\nr = V":
        "what is raised under a run-time condition must be a class of exception",
    "r = next(iter(V[V > 0]))": "cannot be iterated over item by item",
    "def h():\n    x = yield 1\n    yield x\ndef g():\n    yield from h()\na = g()\nb = next(a)\nr = V * a.send(5)":
        "to a generator that waits in `yield from` is not supported",
    "def g(x):\n    for i in range(3):\n        if x[i] > 0: break\n        yield i\nr = V * len(list(g(V)))":
        "leaving a loop of a generator under a run-time condition is not suppor",
    "def g(x):\n    for v in x: yield v\nr = list(g(V[V > 0]))": "a generator cannot iterate over",
    "def g():\n    try:\n        raise ValueError(\"a\")\n    finally:\n        yield 1\ntry:\n    r = V * len(list(g()))\nexcept ValueError:\n    r = V":
        "a `yield` in a `finally` after an exception is not supported",
    "import itertools\nr = V * len(list(itertools.takewhile(lambda v: v > 0, V)))":
        "which items it takes must be known when the program is read",
    "import itertools\nr = V * len(list(itertools.groupby(V)))": "the keys must be known when the program is read",
    "r = np.indices((2, 3), sparse=True)": "sparse=True is not supported",
    "def f():\n    t = 1\n    def g():\n        nonlocal t\n        t = 2\n        return 1\n    x = g() if V[0] > 0 else 3\n    return t\nr = V * f()":
        "assigns to a name of another function",
    "t = 1\ndef g():\n    global t\n    t = 2\n    return 1\nx = g() if V[0] > 0 else 3\nr = V * t":
        "assigns to a name of the module",
    "def h():\n    yield 1\ndef g():\n    yield from h()\na = g()\nnext(a)\ntry:\n    a.throw(ValueError(\"a\"))\nexcept ValueError:\n    pass\nr = V":
        "has no attribute '",
    "r = sorted([V[0], 1])": "of ints and floats together is not supported: their order is known onl",
    "r = V[B[0]]": "indexing by a boolean is not supported; an index must be an int",
    "print(np.exp)\nr = V": "only strings and numbers can be printed; got",
    "print([f\"{V[0]}'\"])\nr = V": "a string with run-time numbers and '",
    "r = V * hash(\"a\")": "is supported of ints and objects with a method __hash__",
    "r = V * len(\"\u00e4\".upper())": "of letters that are not ASCII is not supported: '",
    "r = V * len(\"a\\u2003\".strip())": "of blanks that are not ASCII is not supported",
    "r = tuple(V[V > 0])": "[tuple] tuple of a masked selection is not supported",
    "r = X[X > 0].T": "[.T] .T of a masked selection is not supported",
    "r = X[:, ::-1].T.flat[0]": "of an array that is not in C order is not supported",
    "from functools import lru_cache\n@lru_cache\ndef f(x): return x * 2\nr = f(V[0])":
        "is cached: its arguments must be known when the program is read",
    "r = K & 2 ** 60": "integers are exact up to 2^53; got the bits of",
    "r = np.clip(V, np.nan, 1)": "the effect of a NaN bound depends on NumPy's version",
    "from itertools import *\nr = V": "the supported modules are numpy,",
    "r = np.array(1e300).astype(int)": "is not a 64-bit integer",
    "match {'a': 1, 'b': 2}:\n    case {'a': 1, **rest}: r = rest": "'**' in a pattern is not supported",
    "match V[0] > 1:\n    case True: r = 1\n    case _: r = 2":
        "'case True' needs a value that is known when the program is read",
    "x: 5": "an input is declared by its shape, a tuple: `",
    "r = 2 ** int(V[0])": "an int to a power whose sign is known only at run time is an int or a",
    "r = max(B[0], 3)": "compares numbers; one of these is a boolean",
    "r = np.round(V, 400)": "decimals must be from -300 to 300; got",
    "r = V[True]": "indexing by a boolean is not supported; an index must be an int",
    "class A(metaclass=type): pass\nr = A()": "metaclass",
    "r = sorted([V[0], 2, K[0]])": "of ints and floats together is not supported: their order is known",
    "r = np.flatnonzero(np.array(3)); r = np.nonzero(np.float64(3))": "takes an array of one dimension or more",
    "r = (10**10) ** 3": "the integer exceeds 64 bits; write a float",
    "l = [1, 2, 3]\nfor x in l: l.remove(x)": "the list changes while a loop runs over it; let it run over a copy",
    "r = {x for x in V if x > 0}":
        "a condition of a set or dictionary comprehension must be known when",
}
# Without an end, or without the memory for it, or with declarations of ours: not run by Python.
TOO_MANY = {
    "Y: (3,)\nY: (4,)\nr = Y": "is declared twice, as",
    "from itertools import count; r = [x for x in count()]": "a comprehension of more than",
    "np.maximum.at(V, np.zeros(10**8, int), 1)":
        "this needs an element for each pair of an index and an element of the",
    "from itertools import count; r = list(count())": "an iterator yields more than 100000 items and may never end",
    "r = len([i for i in range(2000001)])": "elements are too many for a list",
    "r = \"ab\" * 10**9": "the string is too long",
}
