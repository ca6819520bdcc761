"""Runs a program in NumPy notation with NumPy itself. symdump has this text in its binary, for --verify=numpy.

    numpy_check.py FOLDER

FOLDER/program.py is the program, FOLDER/task.json what else symdump knows of it:

    precision   "float32", "float64" or "longdouble": the precision of the run
    name        the program's file, for messages
    function    the function of it that is run; "" for the program itself
    values      numbers by name, as texts: from --set
    inputs      .npy files of FOLDER by name
    complex     names of which they hold NAME_real and NAME_imag
    outputs     the names to be compared
    left_out    the lines whose prints the list does not have
    known       names whose values are known, each with the kind of its value and its text
    folders     where the program's imports are looked for, before Python's own folders
    files       those that the list has statements of: their lines as in left_out, by path

Standard input is a socket to symdump. There the script says "numpy VERSION" once NumPy is there; then it asks for
the numbers of symdump's run with lines: "rand ROWS COLUMNS" and "randn ROWS COLUMNS", answered by the numbers as
they are in memory, column by column; "seed NUMBER", not answered; "done" in the end.

Output k is left as FOLDER/output-k.npy, or said not to be an array in FOLDER/output-k.txt; what the program printed is
left in FOLDER/printed.txt, what it raised in FOLDER/raised.txt. Unless it raised something, the script then reads a line of JSON:

    differences   how far symdump's outputs are from these; null: not at all, or infinitely
    printed       what symdump's run printed

and answers with another, of whether these are only other roundings (numpy_roundings.py):

    agree         for each output
    printed       the first line that differs, in words; null
    known         the known values that are others here: their names, and what they are

Exit status: 0; 3 where there is no NumPy; another one where the script itself fails.
"""

import ast
import collections
import contextlib
import copy
import enum
import functools
import importlib
import importlib.abc
import importlib.machinery
import io
import json
import math
import os
import sys
import time
import traceback
import types
import unicodedata
import warnings
from pathlib import Path

NO_NUMPY = 3
try:
    import numpy as np
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(NO_NUMPY)


# ---- random numbers: those that symdump drew ----


def number_of_python(function):
    """NumPy draws one number of Python's where no size is asked for."""
    @functools.wraps(function)
    def drawn(*args, **kwargs):
        result = function(*args, **kwargs)
        return result if np.ndim(result) else result.item() if isinstance(result, np.generic) else result
    return drawn


class Draws:
    """symdump's stream of random numbers, under NumPy's and gnumpy's names."""

    def __init__(self, real):
        self.real = real
        self.requests = open(0, "wb", buffering=0, closefd=False)
        self.answers = open(0, "rb", closefd=False)
        self.given = []  # the answers

    def say(self, line):
        self.requests.write(f"{line}\n".encode())

    def take(self, kind, shape):
        if len(shape) > 2:  # in symdump's memory as in NumPy's
            return np.reshape(self.take(kind, (math.prod(shape),)), shape)
        rows, columns = shape if len(shape) == 2 else (1, shape[0] if shape else 1)
        self.say(f"{kind} {rows} {columns}")
        size = rows * columns * self.real.itemsize
        data = self.answers.read(size)
        if len(data) < size:
            raise SystemExit("symdump has gone")
        self.given.append((kind, np.frombuffer(data, self.real)))
        return self.given[-1][1].reshape(shape, order="F").copy(order="C")[()]

    def of_extents(self, kind):
        """rand(3, 4); gnumpy's also rand((3, 4))."""
        @number_of_python
        def draw(*extents):
            if len(extents) == 1 and isinstance(extents[0], (tuple, list)):
                extents = extents[0]
            return self.take(kind, tuple(int(n) for n in extents))
        return draw

    @staticmethod
    def shape(size):
        """Of an argument `size`."""
        return () if size is None else tuple(map(int, size)) if isinstance(size, (tuple, list)) else (int(size),)

    def of_size(self, kind):
        """random_sample(size=(3, 4))"""
        return number_of_python(lambda size=None, **_: self.take(kind, self.shape(size)))

    def of_array(self, kind):
        """x.rand()"""
        return lambda x: self.take(kind, np.shape(x))

    def seed(self, seed):
        self.say(f"seed {int(seed)}")

    # What is made of them, with the formulas of rewriter/reader/functions/draws.cpp.

    def drawn(self, kind, size, *parameters):
        shape = np.broadcast_shapes(*map(np.shape, parameters)) if size is None else size
        return self.take(kind, self.shape(shape))

    @number_of_python
    def normal(self, loc=0.0, scale=1.0, size=None):
        return self.drawn("randn", size, loc, scale) * scale + loc

    def multivariate_normal(self, mean, cov, size=None, **_):
        root = cholesky(np.asarray(cov, self.real))
        return np.dot(self.take("randn", self.shape(size) + (len(mean),)), root.T) + np.asarray(mean)

    @number_of_python
    def lognormal(self, mean=0.0, sigma=1.0, size=None):
        return np.exp(self.drawn("randn", size, mean, sigma) * sigma + mean)

    @number_of_python
    def uniform(self, low=0.0, high=1.0, size=None):
        return self.drawn("rand", size, low, high) * np.subtract(high, low) + low

    @number_of_python
    def exponential(self, scale=1.0, size=None):
        return np.log(self.drawn("rand", size, scale)) * np.negative(scale)

    def standard_exponential(self, size=None):
        return self.exponential(1.0, size)

    def whole_numbers(self, count, size):
        """0 to count - 1: the draws are above 0, up to 1."""
        return np.ceil(self.drawn("rand", size, count) * count).astype(int) - 1

    def randint(self, low, high=None, size=None, dtype=int):
        low, high = (0, low) if high is None else (low, high)
        numbers = self.whole_numbers(np.subtract(high, low), np.broadcast_shapes(np.shape(low), np.shape(high))
                                     if size is None else size)
        result = np.add(numbers, low).astype(dtype)[()]
        return int(result) if dtype is int and not np.ndim(result) else result

    def integers(self, low, high=None, size=None, dtype=int, endpoint=False):
        low, high = (0, low) if high is None else (low, high)
        return np.asarray(self.randint(low, np.add(high, bool(endpoint)), size, dtype))[()]

    @number_of_python
    def binomial(self, n, p, size=None):
        if n == 1:
            return (self.drawn("rand", size, p) <= p).astype(int)
        return (self.take("rand", (n, *(np.shape(p) if size is None else self.shape(size)))) <= p).sum(axis=0)

    def permutation(self, x):
        count = len(x) if np.ndim(x) else int(x)
        places = np.argsort(self.take("rand", (count,)), kind="stable")
        return np.asarray(x)[places] if np.ndim(x) else places

    def shuffle(self, x):
        x[:] = self.permutation(x)

    def choice(self, a, size=None, replace=True, p=None):
        count = len(a) if np.ndim(a) else int(a)
        shape = () if size is None else tuple(size) if isinstance(size, (tuple, list)) else (size,)
        if not replace:
            places = self.permutation(count)[:math.prod(shape)].reshape(shape)
        elif p is None:
            places = self.whole_numbers(count, shape)
        else:
            below = np.cumsum(np.asarray(p, self.real)) < self.take("rand", shape)[..., None]
            places = np.minimum(below.sum(axis=-1), count - 1)
        return np.asarray(a)[places] if np.ndim(a) else places if np.ndim(places) else int(places)

    def generator(self, is_legacy):
        """RandomState(seed), or default_rng(seed), which starts another stream than np.random.seed of that number."""
        def made(seed=None):
            if seed is not None:
                self.seed(seed if is_legacy else (int(seed) ^ 0x5DEECE66) & 0xffffffff)
            return self
        return made

    random = property(lambda self: self.of_size("rand"))
    standard_normal = property(lambda self: self.of_size("randn"))
    random_sample = random
    rand = property(lambda self: self.of_extents("rand"))
    randn = property(lambda self: self.of_extents("randn"))


# ---- NumPy at the precision of the run ----


DOUBLE = np.dtype("float64")  # adapt_numpy() makes np.float64 another


def cholesky(matrix):
    """In the matrix's precision, which NumPy's may not have."""
    root = np.zeros_like(matrix)
    for j, row in enumerate(root):
        row[j] = np.sqrt(matrix[j, j] - row[:j] @ row[:j])
        root[j + 1:, j] = (matrix[j + 1:, j] - root[j + 1:, :j] @ row[:j]) / row[j]
    return root


class SameDraws(Draws):
    """The numbers of an earlier run, changed by a function."""

    def __init__(self, real, given, change):  # pylint: disable=super-init-not-called
        self.real, self.answers, self.change = np.dtype(real), iter(given), change

    def say(self, line):
        pass

    def take(self, kind, shape):
        asked, numbers = next(self.answers, ("", ()))
        if asked != kind or len(numbers) != math.prod(shape):
            raise ValueError("the run has drawn others")
        order = "F" if len(shape) == 2 else "C"
        return self.change(numbers).astype(self.real).reshape(shape, order=order).copy(order="C")[()]


def makes(function, real):
    """The function, with arrays of `real` where NumPy would make them of its own 64 bits."""
    def made(*args, **kwargs):
        result = function(*args, **kwargs)
        given = args and isinstance(args[0], np.ndarray)
        return result if given else tuple(map(converted, result)) if isinstance(result, tuple) else converted(result)

    def converted(result):
        if getattr(result, "dtype", None) != DOUBLE:
            return result
        MADE.add(real)
        return result.astype(real)
    return made


MADE = set()  # the types of which programs made arrays
MAKERS = {name: getattr(np, name) for name in
          "zeros ones full eye identity array asarray arange linspace logspace geomspace tri".split()}
MAKERS |= {"empty": np.zeros, "empty_like": np.zeros_like}  # what memory held, of which zeros are as good as any


def adapt_numpy(real, draws):
    for name, function in MAKERS.items():
        setattr(np, name, function if name == "empty_like" else makes(function, np.dtype(real)))
    for name in "float32 float64 float_ longdouble".split():
        setattr(np, name, real)
    adapt_random(draws)


def adapt_random(draws):
    np.random.rand, np.random.randn = draws.of_extents("rand"), draws.of_extents("randn")
    for name in ("random random_sample standard_normal normal lognormal multivariate_normal uniform exponential "
                 "standard_exponential randint binomial permutation shuffle choice").split():
        setattr(np.random, name, getattr(draws, name))
    np.random.random_integers = lambda low, high=None, size=None: draws.integers(low, high, size, endpoint=True)
    np.random.sample = np.random.ranf = draws.random
    np.random.seed = draws.seed
    np.random.default_rng, np.random.RandomState = draws.generator(False), draws.generator(True)


def logistic(x):
    x = np.asarray(x) * 1.0
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))[()]


def gnumpy_module(draws):
    """gnumpy as the notation has it, on NumPy's arrays."""
    own = {"logistic": logistic, "sigmoid": logistic, "as_garray": np.asarray, "garray": np.array,
           "log_1_plus_exp": lambda x: np.logaddexp(0, np.asarray(x) * 1.0),
           "euclid_norm": lambda x: np.linalg.norm(np.ravel(x)),
           "zeros": lambda *shape: np.zeros(extents_of(shape)), "ones": lambda *shape: np.ones(extents_of(shape)),
           "rand": draws.of_extents("rand"), "randn": draws.of_extents("randn"), "seed_rand": draws.seed}
    module = types.ModuleType("gnumpy")
    for public in (vars(sys.modules["scipy.special"]), vars(np)):
        vars(module).update({name: value for name, value in public.items() if name[0] != "_"})
    vars(module).update(own)
    return module


def scipy_module():
    """SciPy where it is installed; else of its module special what Python's module math has."""
    try:
        import scipy.special  # pylint: disable=import-outside-toplevel
        return scipy
    except ImportError:
        scipy, special = types.ModuleType("scipy"), types.ModuleType("scipy.special")

        def elementwise(function):
            vector = np.vectorize(function, otypes=[float])
            return lambda x: vector(x)[()]  # of a 0-d array a scalar, as a ufunc

        functions = {name: elementwise(f) for name, f in vars(math).items() if callable(f)}
        vars(special).update(functions | {"gammaln": functions["lgamma"]} | special_functions())
        scipy.special = special
        return scipy


def special_functions():
    """Functions of scipy.special that NumPy's make."""
    def logsumexp(a, axis=None, b=1, keepdims=False):
        most = np.max(a, axis=axis, keepdims=True)
        most = np.where(np.isfinite(most), most, 0.0)
        result = np.log(np.sum(b * np.exp(a - most), axis=axis, keepdims=True)) + most
        return result if keepdims else np.squeeze(result, axis=axis)[()]

    def softmax(x, axis=None):
        terms = np.exp(x - np.max(x, axis=axis, keepdims=True))
        return terms / np.sum(terms, axis=axis, keepdims=True)

    def xlogy(x, y):
        return np.where((np.equal(x, 0)) & ~np.isnan(y), 0.0, x * np.log(y))[()]

    return {"expit": logistic, "logit": lambda x: np.log(x / (1 - np.asarray(x))), "logsumexp": logsumexp,
            "softmax": softmax, "log_softmax": lambda x, axis=None: x - logsumexp(x, axis, keepdims=True), "xlogy": xlogy}


def extents_of(arguments):
    return arguments[0] if len(arguments) == 1 else arguments


class Absent(types.ModuleType):
    """Represents a module that is not installed and whose calls symdump ignores, and for all that is in it."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(name)

    def __call__(self, *args, **_):
        if self.__name__ == "subplots":
            return Absent("figure"), Absent("axes")
        if self.__name__ == "trange":
            return Bar(range(*args))
        if args and self.__name__ == "tqdm":
            return Bar(args[0])
        decorates = len(args) == 1 and callable(args[0])
        return args[0] if decorates else Absent("result")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def __getitem__(self, _):
        return Absent("item")


class Bar(Absent):
    """What tqdm makes of items."""

    def __init__(self, items):
        super().__init__("bar")
        self.items = items

    def __iter__(self):
        return iter(self.items)

    def __len__(self):
        return len(self.items)


class AbsentModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds those that Python itself does not find."""

    def find_spec(self, fullname, path, target=None):  # pylint: disable=unused-argument
        if fullname.partition(".")[0] not in ("matplotlib", "numba", "pylab", "seaborn", "tqdm"):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


class ProgramFiles(importlib.abc.MetaPathFinder):
    """Finds modules as Python does; files of the program are prepared like the program. Other files in its folder are
    unknown to symdump, and not found."""

    def __init__(self, task, methods, names):
        self.folders, self.files = task["folders"], task["files"]
        self.methods, self.names = methods, names
        sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, ProgramFiles)]
        stems = {path.parent.name if path.name == "__init__.py" else path.stem for path in map(Path, self.files)}
        for name, module in list(sys.modules.items()):  # symdump's own imports and earlier runs are not these
            file = getattr(module, "__file__", None)
            if file is not None and (name in stems or os.path.abspath(file) in self.files):
                del sys.modules[name]

    def find_spec(self, fullname, path, target=None):
        if fullname in sys.builtin_module_names:
            return None
        places = self.folders + sys.path if path is None else path
        spec = importlib.machinery.PathFinder.find_spec(fullname, places, target)
        if spec is None or spec.origin is None:  # a folder without __init__.py
            return spec
        if os.path.abspath(spec.origin) not in self.files:
            return None
        OWN_MODULES.add(fullname)
        spec.loader = ProgramFile(self, fullname, spec.origin)
        return spec


class ProgramFile(importlib.machinery.SourceFileLoader):
    def __init__(self, program, fullname, path):
        super().__init__(fullname, path)
        self.program = program

    def get_code(self, fullname):
        left_out = self.program.files[os.path.abspath(self.path)]
        tree = Prepared(self.program.methods, left_out).visit(ast.parse(self.get_data(self.path)))
        return compile(ast.fix_missing_locations(tree), self.path, "exec")

    def exec_module(self, module):
        vars(module).update(self.program.names)
        super().exec_module(module)


def gnumpy_methods(draws):
    """What gnumpy's arrays can and NumPy's cannot: functions of the array."""
    gnumpy = sys.modules["gnumpy"]
    names = "logistic sigmoid log_1_plus_exp euclid_norm exp log sqrt tanh abs sign isnan isinf".split()
    methods = {name: getattr(gnumpy, name) for name in names}
    methods |= {"rand": draws.of_array("rand"), "randn": draws.of_array("randn"), "as_numpy_array": np.array,
                "asarray": np.array}
    return methods


# ---- the program ----


class Prepared(ast.NodeTransformer):
    """The program, but that its arrays have gnumpy's methods, that the shape of an input which is declared in a function
    (`X: (3, 4)`) does not make its name local there, and that these lines print nothing."""

    def __init__(self, methods, left_out):
        self.methods, self.left_out, self.in_function = methods, left_out, False

    def visit_Call(self, node):
        self.generic_visit(node)
        if node.lineno in self.left_out and isinstance(node.func, ast.Name) and node.func.id == "print":
            node.func = ast.copy_location(ast.Name("__left_out__", ast.Load()), node.func)
        return node

    def visit_Attribute(self, node):
        self.generic_visit(node)
        if node.attr not in self.methods or not isinstance(node.ctx, ast.Load):
            return node
        call = ast.Call(ast.Name("__attribute__", ast.Load()), [node.value, ast.Constant(node.attr)], [])
        return ast.copy_location(call, node)

    def visit_FunctionDef(self, node):
        self.in_function = True
        self.generic_visit(node)
        self.in_function = False
        return node

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        return ast.copy_location(ast.Pass(), node) if self.in_function and node.value is None else node


class NamedReturns(ast.NodeTransformer):
    """`return a, 2 * b` becomes `return [("a", "result_2"), ("result_1", "result_2"), others], (a, 2 * b)`: what is
    returned, under symdump's names, without those of the program, and the names of the function's other returns: where
    the choice is made at run time, symdump has one of them."""

    def __init__(self):
        self.all = []

    def visit_Return(self, node):
        if node.value is None:
            return node
        own = self.names(node.value, "result")
        self.all.append(own)
        named = ast.List([ast.Constant(own), ast.Constant(self.names(node.value, "result", False)),
                          ast.Name(OTHERS, ast.Load())], ast.Load())
        named = ast.Tuple([named, node.value], ast.Load())
        return ast.copy_location(ast.Return(named), node)

    def visit_FunctionDef(self, node):
        return node  # one in the function returns to that

    visit_Lambda = visit_FunctionDef

    def names(self, node, other, given=True):
        if isinstance(node, ast.Tuple) and not any(isinstance(item, ast.Starred) for item in node.elts):
            return tuple(self.names(item, f"{other}_{i}", given) for i, item in enumerate(node.elts, 1))
        return node.id if isinstance(node, ast.Name) and given else other


def part_of_name(key):
    if isinstance(key, tuple):
        return "_".join(part_of_name(item) for item in key)
    text = key if isinstance(key, str) else f"{float(key):g}"
    return "".join(c if c.isalnum() or ord(c) > 127 else "_" for c in text)


def has_object(key):
    """Whether a key is a member of an enum or an object, or a tuple with one."""
    return any(map(has_object, key)) if isinstance(key, tuple) else not isinstance(key, (str, int, float)) or isinstance(key, enum.Enum)


OWN_MODULES = {"__main__", "program", "types", "argparse"}  # of whose classes objects are the program's


def attributes(value):
    """The attributes of an object of the program's own classes; None of other values."""
    is_own = type(value).__module__ in OWN_MODULES
    if not is_own or isinstance(value, (type, types.ModuleType)):
        return None
    if isinstance(value, enum.Enum):
        return {"name": value.name, "value": value.value}
    if isinstance(value, tuple):
        return value._asdict()
    slots = {name: getattr(value, name) for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())
             if hasattr(value, name)}
    held = slots | getattr(value, "__dict__", {})
    return held or None


def parts(name, value, around=()):
    """What a list, a tuple, a dictionary or an object holds, under symdump's names."""
    held = attributes(value)
    if held is not None:
        if any(value is each for each in around):
            return
        around += (value,)
        items = [(f"{name}_{key}", item) for key, item in held.items()]
    elif isinstance(value, dict):
        items = [(f"{name}_{part_of_name(key)}", item) for key, item in value.items()
                 if isinstance(key, (str, int, float, tuple)) and not has_object(key)]
    elif isinstance(value, (list, tuple, collections.deque)):
        items = [(f"{name}_{i}", item) for i, item in enumerate(value, isinstance(value, tuple))]
    elif isinstance(value, (complex, np.ndarray, np.generic)) and np.iscomplexobj(value):
        items = [(f"{name}_real", np.real(value)), (f"{name}_imag", np.imag(value))]
    else:
        return
    taken = set()  # of keys with one name the first
    for part, item in items:
        if part not in taken:
            taken.add(part)
            yield part, item
            yield from parts(part, item, around)


def named_results(names, value):
    if isinstance(names, tuple):
        for each, item in zip(names, value):
            yield from named_results(each, item)
        return
    yield names, value
    yield from parts(names, value)


TARGET, OTHERS = "__target__", "__other_returns__"


def of_function(tree, function):
    """The module without the calls that it makes of its own functions as statements, and with a second def of
    `function`, which says the names of what it returns."""
    defined, body = set(), []
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef):
            defined.add(statement.name)
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) and \
                isinstance(statement.value.func, ast.Name) and statement.value.func.id in defined:
            continue
        body.append(statement)
        if isinstance(statement, ast.FunctionDef) and statement.name == function:
            target = copy.deepcopy(statement)
            target.name = TARGET
            returns = NamedReturns()
            body.append(returns.generic_visit(target))
            others = ast.Assign([ast.Name(OTHERS, ast.Store())], ast.Constant(tuple(returns.all)))
            body.append(ast.fix_missing_locations(ast.copy_location(others, statement)))
    return ast.Module(body, [])


def call_target(function, inputs, values):
    """What the function returns by name, and its arrays, into which it may have written."""
    names = function.__code__.co_varnames[:function.__code__.co_argcount]
    arguments = {name: values[name] if name in values else inputs[name]
                 for name in names if name in values or name in inputs}
    before = {name: value.copy() for name, value in arguments.items() if isinstance(value, np.ndarray)}
    returned = function(**arguments)
    results = {name: arguments[name] for name in before}
    results |= {part: item for name in before for part, item in parts(name, arguments[name])}
    if not returned:
        return results
    (own, plain, others), value = returned
    written = {name: arguments[name] for name, old in before.items() if old.tobytes() != results[name].tobytes()}
    both = zip(named_results(own, value), named_results(plain, value))
    for (name, part), (other, _) in reversed(list(both)):  # of equal names the first counts
        results[other if name in written and part is not written[name] else name] = part
    for names in others:
        if not isinstance(names, tuple) or isinstance(value, tuple) and len(names) == len(value):
            for name, part in named_results(names, value):
                results.setdefault(name, part)
    return results


def run(text, task, inputs, methods):
    """The values of the names after the program, or of its function's results."""
    def attribute(value, name):
        if hasattr(value, name):
            return getattr(value, name)
        return lambda *args, **kwargs: methods[name](value, *args, **kwargs)

    values = {name: number(value) for name, value in task["values"].items()}
    helpers = {"__attribute__": attribute, "__left_out__": lambda *_, **__: None}
    names = {"__name__": "program" if task["function"] else "__main__", "mean": np.mean} | helpers
    names |= {"__file__": task["name"]} | values | inputs
    sys.argv = [task["name"]]
    sys.meta_path.insert(0, ProgramFiles(task, methods, helpers))
    tree = Prepared(methods, task["left_out"]).visit(ast.parse(text))
    if task["function"]:
        tree = of_function(tree, task["function"])
    try:
        exec(compile(ast.fix_missing_locations(tree), task["name"], "exec"), names)
    except SystemExit:  # the program ends itself
        pass
    if task["function"]:
        return call_target(names[TARGET], inputs, values)
    return dict(part for name, value in names.items() for part in parts(name, value)) | names


def import_others(texts, files):
    """Imports the modules of the program that are not its own, which may need NumPy as it is."""
    own = {path.parent.name if path.name == "__init__.py" else path.stem for path in map(Path, files)} | {"gnumpy"}
    for node in (node for text in texts for node in ast.walk(ast.parse(text))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else \
            [node.module] if isinstance(node, ast.ImportFrom) and not node.level else []
        for name in names:
            if name.partition(".")[0] not in own:
                with contextlib.suppress(Exception):  # the program's own import says what is wrong
                    importlib.import_module(name)


def number(text):
    try:
        return int(text)
    except ValueError:
        return float(text)


def load(path, real):
    """An input in C order; booleans and integers stay what they are."""
    data = np.load(path)
    return np.array(data if data.dtype.kind in "biu" else data.astype(real), order="C")


# ---- what it leaves ----


def description(error, name, files):
    """prog.py:5: ValueError: what NumPy says"""
    line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else None
    where = name
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == name or os.path.abspath(frame.filename) in files:
            where, line = frame.filename, frame.lineno
    return f"{where}:{line or 1}: {type(error).__name__}: {error}"


IS_SET = "_is_set"


def save(folder, k, results, name):
    name = unicodedata.normalize("NFKC", name)  # as Python reads it
    if name.endswith(IS_SET) and name not in results:  # whether a function returns it, or None
        results[name] = results.get(name[:-len(IS_SET)]) is not None
    if name not in results:
        return (folder / f"output-{k}.txt").write_text("no such name", encoding="utf-8")
    try:
        array = np.asarray(results[name])
    except ValueError:
        array = np.asarray(None)
    if array.dtype.kind not in "biuf" or array.dtype == np.float16:
        what = type(results[name]).__name__
        what = f"{array.dtype}" if array.dtype.kind in "fc" else what
        what = "an integer beyond 64 bits" if isinstance(results[name], int) else what
        return (folder / f"output-{k}.txt").write_text(what, encoding="utf-8")
    return np.save(folder / f"output-{k}.npy", array)


class Check:
    """The program, and what it is run with."""

    def __init__(self, folder):
        self.folder = folder
        self.task = json.loads((folder / "task.json").read_text(encoding="utf-8"))
        self.text = (folder / "program.py").read_bytes()
        self.real = getattr(np, self.task["precision"])
        self.draws = Draws(np.dtype(self.real))
        inputs = {unicodedata.normalize("NFKC", name): load(folder / file, self.real)
                  for name, file in self.task["inputs"].items()}
        inputs |= {name: inputs.pop(name + "_real") + 1j * inputs.pop(name + "_imag") for name in self.task["complex"]}
        self.inputs, self.seconds = inputs, 0.0

    @property
    def made(self):
        """Whether the program made arrays of this precision by itself."""
        return np.dtype(self.real) in MADE

    def results(self, real, draws, change):
        """What the program leaves by name, and what it prints."""
        adapt_numpy(real, draws)
        sys.modules["gnumpy"] = gnumpy_module(draws)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            results = run(self.text, self.task, {name: change(value) for name, value in self.inputs.items()},
                          gnumpy_methods(draws))
        return results, printed.getvalue()

    def first(self):
        """The run that counts."""
        with contextlib.suppress(SyntaxError), contextlib.redirect_stdout(io.StringIO()):
            import_others([self.text, *(Path(file).read_bytes() for file in self.task["files"])], self.task["files"])
        begin = time.monotonic()
        results = self.results(self.real, self.draws, np.copy)
        self.seconds = time.monotonic() - begin
        return results

    def other(self, real, change):
        """One in another precision, and with inputs and random numbers that are changed."""
        return self.results(real, SameDraws(real, self.draws.given, change), change)


def main():
    folder = Path(sys.argv[1])
    sys.path.insert(0, os.path.dirname(__file__))
    import numpy_roundings  # pylint: disable=import-outside-toplevel
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    check = Check(folder)
    draws = check.draws
    draws.say(f"numpy {np.__version__}")
    sys.modules["scipy"] = scipy_module()
    sys.modules["scipy.special"] = sys.modules["scipy"].special
    sys.meta_path.append(AbsentModules())
    try:
        results, printed = check.first()
    except Exception as error:  # whatever the program runs into
        raised = description(error, check.task["name"], check.task["files"])
        (folder / "raised.txt").write_text(raised, encoding="utf-8")
        return draws.say("done")
    (folder / "printed.txt").write_text(printed, encoding="utf-8")
    for k, name in enumerate(check.task["outputs"]):
        save(folder, k, results, name)
    draws.say("done")
    asked = draws.answers.readline()
    if asked:
        draws.say(json.dumps(numpy_roundings.judged(check, json.loads(asked), results, printed)))


if __name__ == "__main__":
    main()
