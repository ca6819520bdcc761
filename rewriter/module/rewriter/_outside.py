"""What is not the program's: CPython computes with it, while the program is read.

Functions of the modules below depend on their arguments alone and change nothing, and objects of their types do not
change. A program may call them with arguments that are known when it is read; what they give is known as well. All
other functions of other modules raise an error where they are called: a conversion is kept, and what they read (files, the
time, random numbers) or write would be of its first call alone.
"""
import builtins
import collections.abc
import enum
import operator
import sys
import types

import numpy as np

from . import _rewriter

PURE = {"_json", "_sre", "_struct", "ast", "base64", "binascii", "calendar", "cmath", "collections.abc", "colorsys",
        "datetime", "_datetime", "decimal", "_decimal", "difflib", "fnmatch", "fractions", "html", "ipaddress",
        "json", "keyword", "numbers", "pathlib", "posixpath", "ntpath", "genericpath", "pprint", "re",
        "reprlib", "shlex", "string", "_string", "struct", "textwrap", "unicodedata", "urllib.parse", "uuid",
        "zlib", "numpy.linalg", "numpy.polynomial", "numpy.roots", "numpy.poly", "scipy.cluster",
        "scipy.constants", "scipy.fft", "scipy.fftpack", "scipy.integrate", "scipy.interpolate", "scipy.linalg",
        "scipy.ndimage", "scipy.optimize", "scipy.signal", "scipy.spatial.distance", "scipy.special",
        "scipy.stats"}
"""Modules whose functions depend on their arguments alone, but for those of IMPURE."""

IMPURE = {"absolute", "abspath", "abs_path", "astimezone", "chdir", "chmod", "cwd", "dump", "exists", "expanduser", "expandvars",
          "fit", "fromtimestamp", "getatime", "getcontext", "getctime", "getmtime", "getnode", "getsize", "glob", "group_by",
          "hardlink_to", "home", "is_block_device", "is_char_device", "is_dir", "is_fifo", "is_file", "is_junction",
          "is_mount", "is_socket", "is_symlink", "isdir", "isfile", "islink", "iterdir", "lchmod", "lexists", "link_to",
          "load", "lstat", "mkdir", "now", "open", "owner", "pprint", "purge", "read_bytes", "read_text", "readlink",
          "realpath", "relpath", "rename", "replace_file", "resolve", "rglob", "rmdir", "rvs", "samefile", "sameopenfile",
          "samestat", "setcontext", "localcontext", "stat", "symlink_to", "timestamp", "today", "touch", "unlink",
          "utcnow", "uuid1", "uuid4", "walk", "write_bytes", "write_text"}
"""Names of functions and methods of these modules that read or change something else."""

UNCHANGING = {"re.Pattern", "re.Match", "decimal.Decimal", "fractions.Fraction", "datetime.date", "datetime.time",
              "datetime.datetime", "datetime.timedelta", "datetime.timezone", "pathlib.PosixPath", "pathlib.WindowsPath",
              "pathlib.PurePosixPath", "pathlib.PureWindowsPath", "uuid.UUID", "struct.Struct", "string.Template",
              "ipaddress.IPv4Address", "ipaddress.IPv6Address", "ipaddress.IPv4Network", "ipaddress.IPv6Network",
              "builtins.bytes", "builtins.complex", "builtins.int", "builtins.frozenset", "builtins.range",
              "builtins.slice", "builtins.NotImplementedType", "sys.float_info", "sys.int_info", "sys.version_info"}
"""Types whose objects do not change."""

OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
             "%": operator.mod, "**": operator.pow, "@": operator.matmul, "&": operator.and_, "|": operator.or_,
             "^": operator.xor, "<<": operator.lshift, ">>": operator.rshift, "<": operator.lt, "<=": operator.le,
             ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
             "in": lambda a, b: a in b, "not in": lambda a, b: a not in b,
             "unary -": operator.neg, "unary +": operator.pos, "unary ~": operator.invert,
             "index": lambda value, *index: value[index[0] if len(index) == 1 else index], "attribute": getattr,
             "items": list, "format": lambda value, how, change: format(CHANGES[change](value), how)}

CHANGES = {"": lambda value: value, "s": str, "r": repr, "a": ascii}
MOST_ELEMENTS = 1 << 16
"""Of an array that is known when the program is read."""


READ_ELSEWHERE = {"collections.abc", "datetime", "os", "pathlib", "posixpath", "pprint", "string", "sys"}
"""Modules of LIBRARIES of which the notation has nothing, and which symdump ignores."""


def is_known(module, name):
    """Whether the reader has it in the notation, or ignores it."""
    root = module.split(".")[0]
    return root not in {"numpy", "scipy"} and not {root, module} & READ_ELSEWHERE or \
        _rewriter.sym_knows(f"{module}.{name}".replace("numpy.", "np."))


class Refused(Exception):
    """Why the program may not do that; its text says it."""


def type_name(kind):
    return f"{kind.__module__}.{kind.__qualname__}"


def public_module(value):
    """The module whose function or type it is, without its private parts; None of other values."""
    name = getattr(value, "__module__", None)
    if not isinstance(name, str) and isinstance(getattr(value, "__self__", None), types.ModuleType):
        name = value.__self__.__name__
    if not isinstance(name, str):
        return None
    parts = name.split(".")
    while len(parts) > 1 and parts[-1].startswith("_"):
        parts.pop()
    return ".".join(parts)


def is_of_pure_module(value):
    if getattr(np, getattr(value, "__name__", ""), None) is value and f"numpy.{value.__name__}" in PURE:
        return True
    if isinstance(value, np.ufunc):
        return getattr(sys.modules.get("scipy.special"), value.__name__, None) is value
    module = public_module(value)
    while module:
        if module in PURE:
            return True
        module = module.rpartition(".")[0]
    return False


def is_unchanging(value):
    """Whether it is an object, not a function, that never changes."""
    return type_name(type(value)) in UNCHANGING or \
        isinstance(value, enum.Enum) and type(value).__module__ in sys.stdlib_module_names or \
        str(type(value).__module__).startswith("scipy.stats") and hasattr(type(value), "ppf")


def is_pure(function):
    """Whether a call of it depends on its arguments alone, and changes nothing."""
    if getattr(function, "__name__", "") in IMPURE:
        return False
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):
        return is_pure(owner) if isinstance(owner, type) else \
            is_unchanging(owner) or isinstance(owner, (str, tuple)) or \
            type(owner).__module__ == "json.encoder"
    if is_unchanging(function):  # scipy.stats.norm(loc, scale)
        return True
    return callable(function) and is_of_pure_module(function)


def is_outside(value):
    """Whether a program may hold it as an object of Python's: a function or a type that is not the program's, or what
    does not change."""
    if isinstance(value, (bool, int, float, str, tuple, types.ModuleType)) and not hasattr(value, "n_fields"):
        return False
    if isinstance(value, (np.ndarray, np.generic)) or isinstance(value, type) and issubclass(value, BaseException):
        return False
    return is_unchanging(value) or is_pure(value)


def is_of_system(value):
    """Whether it is a function that asks or changes the system: none that may be ignored."""
    return callable(value) and not is_pure(value) and not isinstance(value, type) and \
        public_module(value) in {"os", "posix", "nt", "posixpath", "ntpath", "genericpath", "shutil"}


def is_constant_of(module, value):
    """Whether it is a number or a text of a library's module that stays what it is."""
    root = module.__name__.split(".")[0]
    return type(value) in (int, float, str) and (root == "scipy" or module.__name__ in ("os", "posixpath", "sys"))


def fits(value):
    """Whether it is data that a program has itself, or does not change."""
    if value is None or type(value) in (bool, int, float, str):
        return True
    if type(value) in (tuple, list, set, frozenset):
        return all(map(fits, value))
    if type(value) is dict:
        return all(map(fits, value)) and all(map(fits, value.values()))
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.char in "?bBhHiIlLqQfdFD" and value.size <= MOST_ELEMENTS
    if isinstance(value, tuple):  # with names
        return all(map(fits, value))
    return is_outside(value) or isinstance(value, type) or callable(value)


class Outside:
    """The objects of Python's that a function uses, by number."""

    def __init__(self, class_of=None):
        self.objects = []
        self.numbers = {}  # by id
        self.raised = {}  # by the name of a class of Python's that they are of, and text
        self.class_of = class_of or {}

    def number(self, value):
        if id(value) not in self.numbers:
            self.numbers[id(value)] = len(self.objects)
            self.objects.append(value)
        return self.numbers[id(value)]

    def builtin(self, name):
        """The function or type that the reader calls so."""
        if name.startswith("np."):
            held = np
            for part in name.split(".")[1:]:
                held = getattr(held, part)
            return held
        return getattr(builtins, name)

    @staticmethod
    def array(numbers, shape, code):
        """An array of these."""
        return np.array(numbers, code).reshape(shape)

    def example(self, name):
        """Something of the type that the reader calls so."""
        if name.startswith("class "):
            kind = self.class_of.get(name.removeprefix("class "))
            if kind is None:
                raise Refused("isinstance() of a class that the function defines, and of a type that is not the program's")
            return object.__new__(kind)
        if name == "np.ndarray":
            return np.empty(0)
        if name == "NoneType":
            return None
        kind = self.builtin(name)
        return kind() if kind not in (slice, range) else kind(0)

    def described(self, value):
        """What python.cpp makes a value of the program's of."""
        if isinstance(value, np.generic) and value.dtype.char in "?dlq":
            return "number", value.item()
        if isinstance(value, (np.ndarray, np.generic)):
            array = np.asarray(value)
            if array.dtype.kind == "c":
                return "complex", array.real.copy()[()], array.imag.copy()[()]
            return "array", array.dtype.char, list(array.shape), array.astype(float).ravel().tolist()
        try:
            truth = bool(value)
        except Exception:  # of what has none
            truth = True
        return "object", self.number(value), description(value), truth

    def ask(self, what, arguments, keywords):
        """What the program does with objects of Python's: ("value", it), ("unsupported", why) or ("raises", type, text)."""
        try:
            value = self._asked(what, arguments, keywords)
        except Refused as refused:
            return "unsupported", str(refused)
        except Exception as error:
            kind = next(each for each in type(error).__mro__ if each.__module__ == "builtins")
            text = str(error.args[0]) if kind is KeyError and error.args else str(error)
            self.raised[kind.__name__, text] = error
            return "raises", kind.__name__, text
        if isinstance(value, collections.abc.Iterator) and fits(items := list(value)):
            value = items
        if what != "attribute" and not fits(value):
            return "unsupported", f"{description(arguments[0])} gives a {type_name(type(value))}, which may change"
        return "value", value

    def _asked(self, what, arguments, keywords):
        if what == "isinstance":
            return isinstance(*arguments)
        if what == "attribute" and arguments[1] in IMPURE:
            raise Refused(why(getattr(*arguments)))
        if what == "call":
            function, *arguments = arguments
            if not is_pure(function) and not isinstance(function, np.ufunc):
                raise Refused(why(function))
            return function(*arguments, **keywords)
        return OPERATORS.get(what, getattr(builtins, what, None))(*arguments, **keywords)


def description(value):
    """For messages."""
    if isinstance(value, type):
        return f"the type {type_name(value)}"
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    owner = getattr(value, "__self__", None)
    if hasattr(owner, "ppf") and isinstance(getattr(owner, "name", None), str):  # a distribution
        return f"the function scipy.stats.{owner.name}.{value.__name__}"
    if isinstance(value, np.ufunc):
        return f"the function scipy.special.{name}"
    if callable(value) and isinstance(name, str):
        return f"the function {public_module(value) or getattr(owner, '__module__', type(owner).__module__)}.{name}"
    return f"an object of {type_name(type(value))}"


def why(function):
    """A function that is not supported, and why."""
    return (f"{description(function)} is not the program's, and is not known to depend on its arguments alone; call it "
            "outside of the converted function, and give it the result")
