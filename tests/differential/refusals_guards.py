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
    "for i in 5: r = V": "a loop must run over range(...), an array, a list or another",
    "s = {1, 2}; s.add(V)": "the items of a set must be known when the program is read",
    "from collections import namedtuple; P = namedtuple('P', 'x y'); r = P(1, 2, 3)": "arguments; got",
    "r = V[W]": "arrays used as indices must be of integer (or boolean) type; got floats. An input of",
    "r = np.result_type()": "at least one array or dtype is required",
    "(5).foo = 3": "cannot be assigned",
    "r = V(3)": "cannot be called",
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
    "r = min(V[0], V[1], foo=1)": "is for Python numbers; for arrays use np.min or np.minimum; got an",
    "import heapq; r = heapq.heappop([])": "index out of range: the heap is empty",
    "def g():\n    yield 1\nr = next(V)": "an array of shape (5,) is not an iterator; iter(...) makes one",
    "r = 1 if V else 2": "the truth of an array of shape (5,) is known only at run time;",
    "with 5:\n    r = V": "is not supported",
    "del V[0]": "del of a part of an array of shape (5,) is not supported",
    "from collections import namedtuple; P = namedtuple(5, 'x y'); r = P(1, 2).x": "namedtuple",
    "a, b = 1, 2, 3": "names for",
    "r = np.clip()": "needs the argument '",
    "r = V.reshape()": "needs the new shape",
    "r = super().foo": "super() must be called in a method of a class",
    "V += np.ones((2, 5))": "non-broadcastable output operand with shape",
    "r = np.searchsorted(X[X[:, 0] > 0], V)": "object too deep for desired array",
    "a, b = 5": "only tuples, lists, arrays and other iterables can be unpacked; got",
    "r = np.exp(V, out=5)": "out must be an array; got",
    "x = V[B].sum(*[1, 2, 3, 4, 5, 6, 7])": "out of bounds for",
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
}
# Python computes these.
NOT_SUPPORTED = {
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
# Without an end, or without the memory for it: not run by Python.
TOO_MANY = {
    "from itertools import count; r = [x for x in count()]": "a comprehension of more than",
    "np.maximum.at(V, np.zeros(10**8, int), 1)":
        "this needs an element for each pair of an index and an element of the",
    "from itertools import count; r = list(count())": "an iterator yields more than 100000 items and may never end",
    "r = len([i for i in range(2000001)])": "elements are too many for a list",
    "r = \"ab\" * 10**9": "the string is too long",
}
