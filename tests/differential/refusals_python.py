"""Programs of Python's own that are errors, and a piece of each message: RAISES where Python raises an error as
well, NOT_SUPPORTED where it does not."""

RAISES = {
    "r = V * ord('ab')": "expected a character",
    "r = V * ord('')": "expected a character",
    "r = V * len(chr(-1))": "arg not in range(0x110000)",
    "import heapq\nr = V * heapq.heappop([])": "index out of range",
    "import heapq\nh = (1, 2)\nheapq.heappush(h, 1)\nr = V": "takes a list",
    "r = range(3) + 1": "unsupported operand types for +: a range and an int",
    "r = V * (2 * range(5))": "unsupported operand types for *: an int and a range",
    "r = range(3) + [1]": "unsupported operand types for +: a range and a list",
    "r = range(3) < range(4)": "unsupported operand types for <",
    "r = -range(3)": "bad operand type for unary -: 'range'",
    "assert V > 0\nr = V": "the truth value of an array of shape (5,) is ambiguous",
    # Python's own functions
    "r = set([1], [2])": "takes at most 1 argument; got 2",
    "r = list(3, 4)": "takes at most 1 argument; got 2",
    "s = set([k, V[0]])\nr = V": "items must be known when the program is read",
    "for a in zip(V, 3):\n    r = V": "'int' object is not iterable",
    "for i, a in enumerate(3):\n    r = V": "'int' object is not iterable",
    # no argument is ignored
    "from collections import OrderedDict\nr = V * len(OrderedDict([(1, 2)], [(3, 4)]))": "takes at most 1 argument; got 2",
    "r = V * len(dict([(1, 2)], [(3, 4)]))": "takes at most 1 argument; got 2",
    "d = {}\nd.update({1: 2}, {3: 4})\nr = V * len(d)": "takes at most 1 argument; got 2",
    "from collections import defaultdict\nr = V * len(defaultdict(list, {}, {}))": "takes at most 2 arguments; got 3",
    "from collections import Counter\nr = V * len(Counter('ab', 'c'))": "takes at most 1 argument; got 2",
    "from functools import reduce\nr = V * reduce(max, [1, 2], 3, 4)": "takes at most 3 arguments; got 4",
    "import math\nr = V * math.log(2.0, 2.0, 3.0)": "takes at most 2 arguments; got 3",
    "import math\nr = V * math.gcd(4, 6, base=2)": "got an unexpected keyword argument 'base'",
    "import itertools\nr = V * len(list(itertools.chain([1], [2], strict=True)))": "got an unexpected keyword argument 'strict'",
    "r = V * len(list([1], reverse=True))": "got an unexpected keyword argument 'reverse'",
    "r = V[slice(1, 2, 3, 4)]": "takes one to three arguments",
    "r = V[slice()]": "takes one to three arguments",
    "for a in reversed(3):\n    r = V": "an int cannot be reversed",
    "for a in reversed(zip([1], [2])):\n    r = V": "a zip cannot be reversed",
    "r = any(X)": "iterates over the rows of an array; np.",
    "r = all(X > 0)": "iterates over the rows of an array; np.",
    "r = any([V, W])": "the truth of an array of shape (5,) is ambiguous",
    "r = V if isinstance(V, 3) else W": "an int is not a type",
    "r = V if isinstance(V) else W": "takes a value and its types",
    "r = round(V)": "rounds a number",
    "r = round('a')": "rounds a number",
    "r = divmod(3)": "takes two numbers",
    "r = divmod(3, 4, 5)": "takes at most 2 arguments; got 3",
    "r = pow(3)": "takes two numbers, or three ints",
    "r = V * pow(3, 2, 0)": "the modulus must not be 0",
    "import math\nr = V * math.sqrt(-1)": "math domain error",
    "import math\nr = V * math.exp(1000)": "math range error",
    "import math\nr = math.exp(V)": "takes a number",
    "import math\nr = V * math.log(0)": "math domain error",
    "import math\nr = V * math.log(-1, 2)": "math domain error",
    "import math\nr = V * math.atan2(1)": "takes two numbers",
    "import math\nr = V * math.factorial(-1)": "not defined for negative values",
    "import math\nr = V * math.comb(3)": "takes two ints",
    "import math\nr = V * math.comb(-3, 2)": "takes non-negative ints",
    "r = np.piecewise(V, [], [])": "needs a condition",
    "r = np.apply_along_axis(np.sum)": "takes a function, an axis, a matrix, and more",
    "r = np.apply_along_axis(np.sum, 2, X)": "axis 2 is out of bounds for a matrix",
    "r = np.apply_along_axis(np.sum, 0, np.ones((3, 0)))": "the array is empty; the function needs at least one row or column",
    "r = V * sum(map(abs))": "takes a function and iterables",
    "r = list(filter(None))": "takes a function and iterables",
    "import functools\nf = functools.partial()\nr = V": "takes a function and its arguments",
    "import functools\nr = functools.reduce(max)": "takes a function, an iterable and optionally an initial",
    "import functools\nr = functools.reduce(lambda a, b: a + b, [])": "of an empty sequence needs an initial value",
    "r = V * sorted([2, 1], reversed=True)[0]": "got an unexpected keyword argument 'reversed'",
    "r = V * sorted()[0]": "needs the argument 'iterable'",
    "r = max(key=abs)": "needs an iterable",
    "r = V * max([], key=abs)": "arg is an empty sequence",
    "r = max([V, W], key=lambda a: a)": "the values compared must be known when the program is read",
    # numbers and ranges
    "r = V * max([1, 2], kex=abs)": "got an unexpected keyword argument 'kex'",
    "r = max()": "expects two numbers or more, or a tuple of them",
    "r = V * int(np.nan)": "cannot convert float NaN to integer",
    "r = sum(3)": "'int' object is not iterable",
    "r = sum(k)": "iteration over a 0-d array",
    "for i in range(stop=3):\n    r = V": "got an unexpected keyword argument 'stop'",
    "for i in range():\n    r = V": "takes one to three ints",
    "for i in range(1, 2, 3, 4):\n    r = V": "takes one to three ints",
    "for i in range(1, 2, 0):\n    r = V": "the step must not be zero",
    # lists, dictionaries and sets
    "r = V * [1, V].index(2)": "the truth of an array of shape (5,) is ambiguous",
    "r = V * [V, W].count(W)": "the truth of an array of shape (5,) is ambiguous",
    "r = V * sum(list(3))": "'int' object is not iterable",
    "l = [3, 1]\nl[7] = 1\nr = V": "index 7 is out of range for a list of 2",
    "l = [3, 1]\nl[-7] = 1\nr = V": "index -7 is out of range for a list of 2",
    "l = [1]\nl[0, 0] = 2\nr = V": "a list takes one index",
    "l = [1]\ndel l[0, 0]\nr = V": "a list takes one index",
    "d = {}\ndel d[0]\nr = V": "the dictionary has no key 0",
    "d = {1: 2}\ndel d[1, 2]\nr = V": "the dictionary has no key",
    "s = 'a'.startswith(3)\nr = V": "expects a string that is known when the program is read",
    "s = 'a'.ljust()\nr = V": "needs the argument 'width'",
    "s = 'a'.split('')\nr = V": "empty separator",
    "s = ','.join('a', 'b')\nr = V": "takes at most 1 argument; got 2",
    "l = [1]\nl.insert(0)\nr = V": "needs the argument 'object'",
    "l = [1]\nl.append()\nr = V": "needs the argument 'object'",
    "l = []\nl.pop()\nr = V": "the list is empty",
    "d = {}\nr = V * d.pop('a')": "the dictionary has no key 'a'",
    "d = {}\nd.get()\nr = V": "needs the argument 'key'",
    "d = {}\nd.pop()\nr = V": "needs the argument 'key'",
    "d = dict([[1, 2, 3]])\nr = V": "expects pairs; got",
    "d = dict([3])\nr = V": "'int' object is not iterable",
    "l = [1]\nr = V + (l.append(2) if V[0] > 0 else 0)": "which value is chosen is known only at run time, so",
    # itertools and functools
    "import itertools\nr = V * len(list(itertools.product([1], times=2)))":
        "got an unexpected keyword argument 'times'",
    "import itertools\nr = V * len(list(itertools.product([1], repeat=-1)))": "repeat argument cannot be negative",
    "import itertools\nr = V * len(list(itertools.combinations([1, 2], -1)))": "r must be non-negative",
    "import itertools\nr = V * len(list(itertools.islice([1, 2])))": "takes an iterable and its end",
    "import itertools\nr = V * len(list(itertools.chain.from_iterable([1], [2])))": "takes at most 1 argument; got 2",
    # names
    "if V[0] > 100:\n    q = {'a': 1}\nr = V * q['a']": "name 'q' has no value: the statement that assigns it is",
    # expressions
    "r = V[0.5:2]": "a bound of a slice must be an int known when",
    "r = np.exp.name": "the function np.exp has no attribute name",
    "l = [1, 2]\nr = V * sum(l[0.5:])": "a bound of a slice must be an int known when",
    "it = np.nditer(V, flags=['multi_index'])\nwhile not it.finished:\n    it.iternext()\nr = V[it.multi_index]":
        "the iterator is past the end",
    # texts and formats
    's = f"{\'a\':=5}"\nr = V': "'=' alignment not allowed",
    "print(1, sep=3)\nr = V": "takes strings as sep and end",
    "print(1, file=3)\nr = V": "sys.stdout or sys.stderr as file",
    "s = 'a' + 1\nr = V": "'+' joins strings; got",
    "s = 1 + 'a'\nr = V": "'+' joins strings; got",
    "s = '%d %d' % 3\nr = V": "not enough values for the format",
    "s = '%d' % (3, 4)\nr = V": "not all values are used by the format",
    "s = 'no' % 3\nr = V": "not all values are used by the format",
    "s = f'{3:.}'\nr = V": "format specifier missing precision: ",
    "s = f'{3:.2fz}'\nr = V": "the format .2fz",
    "s = f\"{'a':d}\"\nr = V": "Unknown format code 'd' for a string",
    "s = 'a}'.format(1)\nr = V": "Single '}' encountered in format string",
    "s = '{0'.format(1)\nr = V": "expected '}' before end of string",
    "s = '{0.a}'.format(1)\nr = V": "has no attribute a",
    "s = '{1}'.format(1)\nr = V": "the field {1} has no value",
    "s = '{a}'.format(1)\nr = V": "the field {a} has no value",
    # numbers
    "r = np.array([[1], 2])": "the lists are not nested evenly: every row",
    "r = np.array([1, [2]])": "the lists are not nested evenly: every row",
    "r = V * (1e300 ** 2)": "the power exceeds the range of a float",
    "r = V * (2.5 | 1)": "'|' expects ints",
    "r = V * (2.5 & 1)": "'&' expects ints",
    "r = 3 @ 4": "'@' expects arrays",
    "r = V * np.int64(2) ** np.int64(-1)": "Integers to negative integer powers are not",
    # calls of functions
    "def f(a):\n    return a\nr = f(**{1: V})": "keywords must be strings",
    "def f(a):\n    return a\nr = f(V, W)": "takes 1 arguments",
    "def f(a, *, b):\n    return a\nr = f(V, W, b=1)": "takes 1 arguments",
    "def f(a):\n    return a\nr = f(V, b=2)": "got an unexpected keyword argument 'b'",
    "def f(a):\n    return a\nr = f(V, a=2)": "got multiple values for argument 'a'",
    "def f(a):\n    return sum(a)\nr = f(zip([V, W]))": "of an int and a tuple",
    "import copy\nr = copy.replace(V)": "copy.replace",
    "import sys\nr = V\nsys.exit(1)": "sys.exit() ends the program with the status 1",
    "r = np.fromfunction(3, (2, 2))": "expects a function that the program defines",
    "r = np.fromfunction('a', (2, 2))": "expects a function that the program defines",
    # comprehensions
    "r = V * sum([a for a.b in [1]])": "a comprehension must assign names",
    "r = V * sum([a for a, b in [(1, 2, 3)]])": "2 names for 3 values",
    "r = V * sum([a for (a, b) in [V]])": "2 names for 5 values",
    # arguments
    "r = np.logical_not(V, W, V)": "takes at most 2 arguments",
    # statements
    "s = V\nfor i in range(100000):\n    s = s + i\n    del s\nr = V":
        "name 's' has no value: the statement that assigns it is",
    # ranges of the run
    "for i in range(1, 2, 3, k):\n    r = V": "takes one to three ints",
    "for i in range(0, k, 0):\n    r = V": "the step must not be zero",
    "n = np.argmax(V)\ns = 0\nfor i, a in zip(range(n), 3):\n    s += a\nr = V * s": "'int' object is not iterable",
    "n = np.argmax(V)\ns = 0\nfor a, i in zip(np.exp, range(n)):\n    s += i\nr = V * s":
        "the function np.exp is not iterable",
    "n = np.argmax(V)\nfor i in range(1, 2, 3, n):\n    r = V": "takes one to three ints",
    # slices of the run
    "n = np.argmax(V)\nX[:n, n] = 1\nr = X": "in an assignment to a slice with run-time bounds",
    "n = np.argmax(V)\nV[:n] = V\nr = V": "this array is read while it is written to",
    "n = np.argmax(V)\nr = np.roll(V, n, axis=V)": "with a shift that is known only at run time, axis must be one axis",
    # places of the run
    "n = np.argmax(V)\nl = [V, W]\nl[n] = V\nr = l[0]": "at an index that is known only at run time only a list",
    "n = np.argmax(V)\nl = [1, 2.5, 3]\nl[n] = 2\nr = V * l[0]": "at an index that is known only at run time only a list",
    "def f(a):\n    return a\nf = np.vectorize(f)\nr = f(V, excluded=3)": "keyword arguments are not supported",
    "r = np.vectorize(lambda a: a)()": "needs an array",
    "r = np.vectorize(lambda a, b: a)(V, X)": "the arguments do not broadcast",
    "r = np.vectorize(lambda a: a)(np.zeros(0))": "cannot call `vectorize` on size 0 inputs unless",
    "r = np.vectorize(lambda a: V)(V)": "the function must return numbers",
    # lists that grow in the run
    "l = []\nfor a in V:\n    if a > 0:\n        l.append(a)\nr = l['a']":
        "a list whose length is known only at run time takes one",
    "l = []\nfor a in V:\n    if a > 0:\n        l.append(a)\nr = l[V]":
        "a list whose length is known only at run time takes one",
}

NOT_SUPPORTED = {
    "l = []\nfor i in range(30000):\n    l.append(i)\n    l.insert(0, i)\nr = V": "insert(0, x), pop(0) and popleft() have moved more",
    "l = list(range(30000))\nfor i in range(20000):\n    l.pop(0)\nr = V": "insert(0, x), pop(0) and popleft() have moved more",
    "from collections import deque\nl = deque(range(30000))\nfor i in range(20000):\n    l.popleft()\nr = V": "insert(0, x), pop(0) and popleft() have moved more",
    # Python's own functions
    "r = any([V[0] > 0, True])": "has both values known when the program is read and",
    "r = all([V[0] > 0, False])": "has both values known when the program is read and",
    "r = V * round(1e19)": "1e+19 does not fit 64 bits",
    "r = V * pow(3, -1, 7)": "takes a modulus from 1 to 3,000,000,000 and a",
    "import math\nr = V * math.hypot()": "takes two numbers",
    "import math\nr = V * math.fmod(k, 2)": "takes numbers that are known when the program is read",
    "import math\nr = math.fmod(V[0], 2)": "takes numbers that are known when the program is read",
    "import math\nr = V * math.floor(1e30)": "1e+30 does not fit 64 bits",
    "r = np.apply_along_axis(np.sum, 0, V)": "takes a matrix",
    "r = np.apply_along_axis(np.sum, 0, np.ones((2, 2, 2)))": "takes a matrix",
    "r = np.apply_along_axis(lambda a: np.outer(a, a), 0, X)": "the function must return numbers or vectors of one type",
    "r = V * len(list(filter(lambda a: a > 0, [V[0], V[1]])))": "which items are kept must be known when the program is read",
    "r = max([V[0], [1]], key=lambda a: a)": "the values compared must be known when the program is read",
    "r = sorted([[V[0]], [V[1]]])[0][0]": "the values compared must be known when the program is read",
    "r = sorted([V, W], key=lambda a: [a[0]])[0]": "the values compared must be known when the program is read",
    # itertools and functools
    "from collections import deque\nq = deque([1], 0)\nr = V": "maxlen must be at least 1; got",
    "import itertools\nr = V * len(list(itertools.product(range(400), range(400))))":
        "makes more than 100000 elements, each of which is",
    "import itertools\nr = V * len(list(itertools.product([1], repeat=200000)))":
        "makes more than 100000 elements, each of which is",
    "import itertools\nr = V * len(list(itertools.combinations([1, 2], 200000)))":
        "makes more than 100000 elements, each of which is",
    "import itertools\nr = V * len(list(itertools.repeat(1, 200000)))": "makes more than 100000 elements, each of which is",
    "import itertools\nfor a in itertools.repeat(1, 200000):\n    r = V": "makes more than 100000 elements, each of which is",
    # names
    "for i in range(2000):\n    Z: (3, 4)\nr = V": "Z has a value already",
    "if V[0] > 0:\n    q = [1, 'a']\nr = V * q[0]": "name 'q' has no value: the statement that assigns it is",
    "from os import *\nr = V": "import * from os, a module whose calls are ignored, is",
    # expressions
    "w = 3\nw = k\nr = f'{V[0]:{w}}'": "a format must be known when the program is read",
    "n = V[0]\nprint(f'{n:{n}}')\nr = V": "a format must be known when the program is read",
    "l = []\nfor i in range(100000):\n    l.append(i * 1.0)\nr = l.append(1)": "append() returns None; write it as",
    # texts and formats
    "print(f'{V[0]:10.2%}')\nr = V": "the format 10.2% of a run-time number is not supported",
    "print(f'{V[0]:.3}')\nr = V": "the format .3 of a run-time number needs a type: .3g",
    # numbers
    "r = V * 3 ** 60": "the integer exceeds 64 bits",
    "r = V * (2 ** 63)": "the integer exceeds 64 bits",
    "r = V * (10 ** 18 * 10)": "the integer exceeds 64 bits",
    "r = V * (9223372036854775807 + 1)": "the integer exceeds 64 bits",
    # lists, dictionaries and sets
    "s = {1, 2, 30}\nr = V * list(s)[0]": "the order of a set's elements is unspecified",
    "for a in {3, 40}:\n    r = V * a": "the order of a set's elements is unspecified",
    "l = [1, 2, 3]\nl[0:3:2] = [5, 6]\nr = V": "assigning to a slice of a list with a step is not supported",
    "l = [3, 1]\nm = sorted([l, [2, 3]], key=lambda a: V[a[0]])\nl.append(4)\nr = V":
        "this cannot be changed: it is an item of a list",
    "l = [1]\nr = V\nq = [l.pop() if V[0] > 0 else 0]": "which value is chosen is known only at run time, so",
    # choices
    "a = (V[0] > 0) and 'b'\nr = V": "a choice made at run time is",
    "r = V[0] and 'b'": "a choice made at run time is",
    # comprehensions
    "l = [0]\nr = V * sum([1 for l[0] in [1, 2]])": "a comprehension must assign names",
    # what functions return
    "def f():\n    if V[0] > 0:\n        return 'a'\n    return 'b'\nr = V if f() == 'a' else W":
        "a return under a run-time condition must return",
    "def f():\n    if V[0] > 0:\n        return [1]\n    return [2, 3]\nr = V * f()[0]":
        "a return under a run-time condition must return",
    "def f():\n    if V[0] > 0:\n        return (V,) * 100\n    return (W,) * 100\nr = f()[0]":
        "more than 16 values are returned under a run-time",
    # lists that hold themselves
    "l = []\nl.append(l)\nr = V": "a list or a dictionary that holds itself is not",
    "d = {}\nd[0] = d\nr = V": "a list or a dictionary that holds itself is not",
    # numbers and ranges
    "r = V * int(1e30)": "1e+30 does not fit 64 bits",
    # slices of the run
    "X[:k, k - k] = 1\nr = X": "in an assignment to a slice with run-time bounds",
    "i = X.shape[1] - k\nX[:k, i] = 1\nr = X": "in an assignment to a slice with run-time bounds",
    "X[k, :k] += 1\nr = X": "in an assignment to a slice with run-time bounds",
    "r = V[V > 0][1:2:3]": "a step of a slice of a masked selection is not supported",
    "n = np.argmax(V)\nr = X[:n, [0, 1]]": "a slice with run-time bounds can be combined",
    "n = np.argmax(V)\nr = X[:n, X[0] > 0]": "a slice with run-time bounds can be combined",
    "n = np.argmax(V)\nX[:n] = X[0]\nr = X": "this array is read while it is written to",
    "n = np.argmax(V)\nX[n][:n] = 1\nr = X": "this is a view at an index that is known only at run time",
    "n = np.argmax(V)\nY = X[:, X[0] > 0]\nr = Y[:n]": "only elements or rows of a masked selection can be sliced",
    "n = np.argmax(V)\nY = X[X > 0]\nr = Y[:n]": "only elements or rows of a masked selection can be sliced",
    "n = np.argmax(V)\nr = np.roll(X, n, axis=(0, 1))": "with a shift that is known only at run time, axis must be one axis",
    # loops
    "r = X[X > 0]\nfor a in X[:, X[0] > 0]:\n    r = a": "a loop can run over a masked selection of elements",
    "for a in X[X > 0]:\n    r = a": "a loop can run over a masked selection of elements",
    # None
    "r = (None if V[0] > 0 else V) == None": "NumPy compares each element with None",
    "q = None\nif V[0] > 0:\n    q = W\nr = q == None": "NumPy compares each element with None",
    # statements
    "def f():\n    def g():\n        nonlocal a\n        del a\n    a = 1\n    g()\n    return W\nr = f()":
        "'a' is a name of another function or of the",
    "i = 0\ns = V\nwhile s[0] < 1e9:\n    q = s * 2\n    s = q\n    del q\nr = s": "del in a loop that is not unrolled is not",
    # sorting by keys of the run
    "a = sorted([V, W[:2]], key=lambda a: a[0])[0]\nr = a": "which of these arrays is chosen is known only at run time",
    "r = sorted([V, K], key=lambda a: a[0])[0]": "of ints and floats together is not supported",
    "r = sorted([V[0], K[0]])[0]": "of ints and floats together is not supported",
    "r = sorted([V[0], 1.5])[0]": "of Python and NumPy numbers together is not",
    "r = max([V, W[:2]], key=lambda a: a[0])": "which of these arrays is chosen is known only at run time",
    # ranges of the run
    "n = np.argmax(V)\nfor i, a in zip(range(1, n), V):\n    r = V": "zip and enumerate take a range with a run-time end",
    "n = np.argmax(V)\ns = 0\nfor i, a in zip(range(n), range(1, n)):\n    s += a\nr = V * s":
        "zip and enumerate take a range with a run-time end",
    "n = np.argmax(V)\ns = 0\nfor i in range(n, 0, -2):\n    s += i\nr = V * s":
        "with a start that is known only at run time, the step",
    "n = np.argmax(V)\ns = 0\nfor i in range(n, 9, 2):\n    s += i\nr = V * s":
        "with a start that is known only at run time, the step",
    # lists that grow in the run
    "l = []\nfor a in V:\n    if a > 0:\n        l.append((a, True))\nr = np.array(l)":
        "tuples of booleans in a list that grows under a",
    "l = []\nfor a in V:\n    if a > 0:\n        l.append((a > 1, a < 1))\nr = np.array(l)":
        "tuples of booleans in a list that grows under a",
    "l = []\nfor a in V:\n    if a > 0:\n        l.append([a, 1])\nr = l[0]":
        "the index of a list of lists must be known when the",
    "l = []\nfor a in V:\n    if a > 0:\n        l.append([a, 1])\nr = l[0][1]":
        "the index of a list of lists must be known when the",
    # places of the run
    "r = np.vectorize(lambda a: a)(np.zeros(20000))": "calls the function for each of 20000 elements,",
    "r = np.vectorize(lambda a: 1 if a is V else 2)(a=V)": "keyword arguments are not supported",
    "c = [0]\ndef f(a):\n    c[0] += 1\n    return a if c[0] > 1 else K[0]\nr = np.vectorize(f)(V)":
        "the function returns numbers of several types, which",
}
