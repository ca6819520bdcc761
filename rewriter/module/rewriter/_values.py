"""Arguments of a call as Python has them, and what they are to a program."""
import builtins
import collections
import enum
import keyword
import re
import sys
import types

import numpy as np

from . import _rewriter
from ._draws import GENERATORS
from ._errors import NotationError
from ._outside import is_outside

LIBRARIES = {"numpy", "scipy", "math", "itertools", "functools", "collections", "gnumpy", "copy", "time", "timeit",
             "sys", "os", "matplotlib", "typing", "warnings", "logging", "tqdm", "operator", "abc", "argparse", "contextlib",
             "bisect", "dataclasses", "datetime", "enum", "heapq", "pathlib", "pprint", "statistics", "string", "types"}
"""Whose functions the reader knows by name, or ignores."""

OUTSIDE = LIBRARIES | {"builtins", "cudamat", "rewriter", "nanobind", "sklearn", "pandas", "torch", "jax", "jaxlib", "cupy",
                       "tensorflow", "keras", "xarray", "polars", "PIL", "sympy", "networkx", "numba", "pytest", "IPython"}
"""Top-level modules whose classes are not read."""

HEAP_TYPE = 1 << 9
"""Of type.__flags__: Python code made it."""


def is_of_program(kind):
    """Whether it is a class whose source is part of the program."""
    return isinstance(kind, type) and bool(kind.__flags__ & HEAP_TYPE) and is_module_of_program(kind.__module__)


def is_module_of_program(name):
    """Whether the module of that name is one whose classes are read."""
    root = str(name).split(".")[0]
    return root == "__main__" or not (root in OUTSIDE or root in sys.stdlib_module_names)


COLLECTIONS = {collections.deque, collections.defaultdict, collections.OrderedDict, collections.Counter}


def slots_of(kind):
    """The names of the slots of a class whose objects are described by their attributes; "collection" of a deque and the
    dictionaries of collections; None of other types. Objects of a named tuple have no names here, but items."""
    if kind is types.SimpleNamespace:
        return ()
    if kind in COLLECTIONS:
        return "collection"
    if not is_of_program(kind) or issubclass(kind, (enum.Enum, BaseException, type, garray_type())):
        return None
    if issubclass(kind, tuple):
        return () if hasattr(kind, "_fields") and (kind.__base__ is tuple or kind.__base__.__base__ is tuple) else None
    if any(base.__new__ is not object.__new__ or not (base.__flags__ & HEAP_TYPE or base is object) for base in kind.__mro__):
        return None
    names = []
    for base in kind.__mro__:
        for name, member in vars(base).items():
            if isinstance(member, types.MemberDescriptorType) and name not in names:
                names.append(name)
    return tuple(names)


def is_object(value):
    """Whether it is described by its attributes, or by the items of a named tuple."""
    return isinstance(slots_of(type(value)), tuple)


def attributes_of(value):
    """[(name, value)] in the order in which dispatch.cpp has them."""
    held = list(getattr(value, "__dict__", {}).items())
    return held + [(name, getattr(value, name)) for name in slots_of(type(value)) if hasattr(value, name)]


class OutsideValue(Exception):
    """A value that a program cannot have; its text says which."""


class Leaf:
    """An array or a number among the arguments, as an input of the program."""

    __slots__ = ("name", "value", "is_array", "code")

    def __init__(self, name, value, is_array):
        self.name = name
        self.value = value
        self.is_array = is_array
        self.code = _rewriter.code_of(value) if is_array else ""

    def may_be_known(self, by_contents=1):
        """Whether the statements may be made for what it holds; by_contents: as in dispatch.cpp."""
        if not self.is_array or by_contents == 0:
            return False
        if by_contents > 1 and self.code in _rewriter.KNOWN_FLOATS:
            return self.value.size <= _rewriter.MOST_KNOWN_FLOATS
        return self.code in _rewriter.KNOWN_CODES and self.value.size <= _rewriter.MOST_KNOWN

    def described(self, read_by_run, by_contents):
        """For _rewriter.convert."""
        if self.is_array:
            contents = [self.value.ravel().astype(float).tolist()] if self.may_be_known(by_contents) else []
            kind = "scalar" if not isinstance(self.value, np.ndarray) else \
                "array" if self.value.flags.c_contiguous and self.value.flags.aligned else "scattered"
            return (self.name, kind, self.code, list(self.value.shape), *contents)
        return (self.name, "run" if read_by_run else "known", self.value)


class Leaves(list):
    """The leaves of a call, in the order in which dispatch.cpp finds them, with names of their own."""

    def __init__(self, taken=(), callable_name=None):
        super().__init__()
        self.taken = set(taken)
        self.reserved = set()  # names that refer to something else, but for the value that has the name
        self.callable_name = callable_name
        self.has_containers = False
        self.objects = []  # names of variables
        self.lines = []  # that make these
        self.inside = 0  # of how many objects the value is part
        self.seen = {}  # id: the text of what several objects may hold
        self.kept = []  # with these ids
        self.unknown = {}  # the name of what has no text: (module, type)

    def add(self, name, value, is_array):
        name = re.sub(r"\W", "_", name)
        if keyword.iskeyword(name):
            name += "_"
        unique, number = name, 2
        while unique in self.taken or unique in self.reserved:
            unique, number = f"{name}_{number}", number + 1
        self.taken.add(unique)
        self.append(Leaf(unique, value, is_array))
        return unique

    def variable(self, name):
        """A name for what is no leaf."""
        self.add(name, None, False)
        return self.pop().name

    def expression(self, value, name):
        """Adds the leaves of a value, and gives the Python text that makes it of them."""
        is_array = isinstance(value, (np.ndarray, np.generic)) and not isinstance(value, (np.integer, np.bool_))
        if not is_array and not (self.inside and isinstance(value, (list, dict, collections.deque, set))):
            return self._expression(value, name)
        if id(value) in self.seen:
            return self.seen[id(value)]
        self.kept.append(value)
        if is_array:
            text = self._expression(value, name)
        else:
            self.seen[id(value)] = variable = self.variable(name)
            items = self._expression(value, name)
            self.lines.append(f"{variable} = {items}")
            text = variable
        self.seen[id(value)] = text
        return text

    def of_collection(self, value, name):
        """The text of a deque or a dictionary of module collections."""
        self.has_containers = True
        kind = self.callable_name(type(value), name)
        if type(value) is collections.deque:
            return f"{kind}({self._expression(list(value), name)}, {value.maxlen!r})"
        factory = ""
        if type(value) is collections.defaultdict:
            factory = f"{self.expression(value.default_factory, f'{name}_factory')}, "
        return f"{kind}({factory}{self._expression(dict(value), name)})"

    def of_object(self, value, name):
        """The variable of an object of the program, whose attributes the lines give it."""
        if isinstance(value, tuple):
            items = [self.expression(item, f"{name}_{field}") for field, item in zip(value._fields, value)]
            return f"{self.callable_name(type(value), name)}({', '.join(items)})"
        if id(value) in self.seen:
            return self.seen[id(value)]
        self.kept.append(value)
        self.seen[id(value)] = variable = self.variable(name)
        self.objects.append(variable)
        made = "object.__new__({})" if type(value) is not types.SimpleNamespace else "{}()"
        self.lines.append(f"{variable} = {made.format(self.callable_name(type(value), name))}")
        self.inside += 1
        for attribute, item in attributes_of(value):
            text = self.expression(item, f"{variable}_{attribute}")
            self.lines.append(f"object.__setattr__({variable}, {attribute!r}, {text})")
        self.inside -= 1
        return variable

    def of_other(self, value, name, wrong):
        """The text of what is no data; in an object it may be what has none, until the function uses it."""
        try:
            if self.callable_name is None:
                raise OutsideValue(wrong)
            return self.callable_name(value, name)
        except (NotationError, OutsideValue):
            if not self.inside:
                raise
        variable = self.variable(name)
        self.unknown[variable] = (f"an object of {type(value).__module__}", type(value).__qualname__)
        return variable

    def _expression(self, value, name):
        if isinstance(value, enum.Enum) and self.callable_name is not None:
            return self.of_other(value, name, "")
        if value is None or isinstance(value, (bool, str)):
            return repr(value)
        if isinstance(value, np.bool_):
            return self.of_type(value, name, repr(bool(value)))
        if type(value) is float:
            return self.add(name, value, False)
        if isinstance(value, (int, np.integer)):
            if self.inside and not -2**63 <= value < 2**63:
                return self.of_other(value, name, "")
            text = self.add(name, int(value), False) if abs(int(value)) < _rewriter.EXACT else repr(int(value))
            return text if isinstance(value, int) else self.of_type(value, name, text)
        if type(value) is np.ndarray or isinstance(value, np.generic):
            if not _rewriter.code_of(value):
                wrong = (f"{name} is an array of {value.dtype}; arrays are of float32, float64, longdouble, complex numbers, "
                         "bools and ints of 8 to 64 bits in this machine's byte order")
                if not self.inside:
                    raise OutsideValue(wrong)
                return self.of_other(value, name, wrong)
            return self.add(name, value, True)
        if type(value) is tuple:
            self.has_containers = True
            parts = [self.expression(item, f"{name}_{i + 1}") for i, item in enumerate(value)]
            return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"
        if type(value) is list:
            self.has_containers = True
            return f"[{', '.join(self.expression(item, f'{name}_{i}') for i, item in enumerate(value))}]"
        if type(value) is dict:
            self.has_containers = True
            return "{" + ", ".join(f"{self.key(key, name)}: {self.expression(item, f'{name}_{key}')}"
                                   for key, item in value.items()) + "}"
        if type(value) in (set, frozenset) and all(map(is_key, value)):
            self.has_containers = True
            return f"{type(value).__name__}([{', '.join(map(repr, value))}])"
        wrong = (f"{name} is a {type(value).__module__}.{type(value).__qualname__}; arguments are arrays, numbers, texts, "
                 "None, functions, objects of the program's classes, and tuples, lists and dictionaries of these")
        if self.callable_name is not None and type(value) in COLLECTIONS:
            return self.of_collection(value, name)
        if self.callable_name is not None and slots_of(type(value)) is not None:
            return self.of_object(value, name)
        if isinstance(value, types.MethodType):
            owner, called = self.expression(value.__self__, f"{name}_self"), getattr(value.__func__, "__name__", "")
            if getattr(value.__self__, called, None) == value:
                return f"{owner}.{called}"
            return self.of_other(value, name, wrong)
        if not self.inside and not (callable(value) or is_outside(value) or
                                    isinstance(value, (np.dtype, *GENERATORS))):
            raise OutsideValue(wrong)
        return self.of_other(value, name, wrong)

    def of_type(self, value, name, number):
        """The text of a NumPy scalar: its type, called with the number."""
        return f"{self.callable_name(type(value), name)}({number})" if self.callable_name else number

    @staticmethod
    def key(key, name):
        if isinstance(key, (int, float, str, tuple, bool)):
            return repr(key)
        raise OutsideValue(f"the dictionary {name} has a key that is a {type(key).__qualname__}; keys must be strings, "
                           "numbers or tuples of these")


def is_too_deep(value):
    """Whether its lists, tuples and dictionaries are nested deeper than a program's may be."""
    level = {id(value): value}
    for _ in range(_rewriter.DEEPEST + 1):
        containers = [each for each in level.values() if type(each) in (tuple, list, dict)]
        level = {id(item): item for each in containers for item in (each.values() if type(each) is dict else each)}
    return bool(level)


def is_key(value):
    """Whether dispatch.cpp knows the item of a set by its value."""
    return all(map(is_key, value)) if type(value) is tuple else type(value) in (str, int, float, bool)


def is_data(value):
    """Whether it is data, read anew at each call, and not a part of the program; of what is not too deep."""
    if isinstance(value, enum.Enum) and isinstance(value, str):
        return False  # a member of a class of the program
    if value is None or isinstance(value, (bool, int, float, str, np.ndarray, np.generic)):
        return True
    if type(value) in (tuple, list):
        return all(map(is_data, value))
    if type(value) in (set, frozenset):
        return all(map(is_key, value))
    if type(value) in COLLECTIONS:
        return all(map(is_data, value.values() if isinstance(value, dict) else value))
    if slots_of(type(value)) is not None:
        return True
    return type(value) is dict and all(map(is_data, value.values())) and not any(map(_has_member, value))


def _has_member(key):
    """Whether a key is a member of an enum, or a tuple with one."""
    return any(map(_has_member, key)) if isinstance(key, tuple) else isinstance(key, enum.Enum)


def complex_of(real, imaginary):
    """What conversion.cpp makes of the two parts."""
    if not isinstance(real, (np.ndarray, np.generic)) and not isinstance(imaginary, (np.ndarray, np.generic)):
        return complex(real, imaginary)
    real, imaginary = np.broadcast_arrays(real, imaginary)
    made = np.empty(real.shape, np.result_type(real.dtype, np.complex64))
    made.real, made.imag = real, imaginary
    return made if made.ndim else made[()]


def collection_of(text, items):
    """What conversion.cpp makes of a dictionary of module collections."""
    kind, _, factory = text.partition(" ")
    if kind == "defaultdict":
        module, _, name = factory.rpartition(".")
        made = getattr(collections if module == "collections" else builtins, name, None)
        return collections.defaultdict(made if isinstance(made, type) else _unknown_factory, items)
    return getattr(collections, kind)(items) if hasattr(collections, kind) else items


def _unknown_factory():
    """Of a dictionary that a converted function has made; one that it was given keeps its own."""
    raise NotationError("a converted function has made this defaultdict, whose default_factory is a function of the program's; "
                        "make it outside, or set default_factory")


def list_of(array, types, kind):
    """What conversion.cpp makes of a list whose length the run decided."""
    numbers = {"float": (np.float64, float), "int": (np.int64, int), "bool": (np.bool_, bool)}

    def number(value, named):
        name, is_python = named
        if is_python:
            return numbers[name][1](value)
        return value if name == "float" and isinstance(value, np.floating) else numbers[name][0](value)

    if kind:
        make = tuple if kind == "tuple" else list
        return [make(map(number, row, types)) for row in array]
    return list(array) if not types[0][0] else [number(value, types[0]) for value in array]


def text_of(pieces):
    """What conversion.cpp makes of a text that holds numbers of the run: (text,) or (format, number), ..."""
    return "".join(format(*reversed(piece)) if len(piece) == 2 and piece[0] else str(piece[-1]) for piece in pieces)


def is_comparable(value):
    """Whether copies of it are equal to it; what else an object holds is not compared."""
    return value is None or isinstance(value, (bool, str, enum.Enum, set, frozenset)) or type(value).__eq__ is not object.__eq__


def is_changeable(value):
    """Whether it is a list or a dictionary, or has one."""
    return isinstance(value, (list, dict, collections.deque, set)) or (isinstance(value, tuple) and any(map(is_changeable, value)))


def is_same(old, new):
    """Whether it is the same object."""
    return old is new


def is_same_in_run(old, new):
    """Whether it is the same object, an equal text, or what a number of the caller's is in a run's precision."""
    if isinstance(old, str) and isinstance(new, str):
        return old == new
    if old is new or not isinstance(old, (int, float)) or not isinstance(new, (int, float)):
        return old is new
    if isinstance(old, int) != isinstance(new, int):
        return False
    with np.errstate(over="ignore"):
        seen = (float(old), float(np.float32(old)))
    return new in seen or (new != new and old != old)


def store(old, new, is_unchanged=is_same):
    """Changes a container to another's content; items that are unchanged stay what they were."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [key for key in old if key not in new]:
            del old[key]
        for key, item in new.items():
            if key not in old or not store(old[key], item, is_unchanged):
                old[key] = item
        if list(old) != list(new):
            items = {key: old[key] for key in new}
            old.clear()
            old.update(items)
        return True
    if type(old) in (set, frozenset) and isinstance(new, (set, frozenset)):
        if old != new and type(old) is set:
            old.clear()
            old.update(new)
        return old == new
    if type(old) is list and type(new) is list:
        old[:] = [before if i < len(old) and store(before := old[i], item, is_unchanged) else item
                  for i, item in enumerate(new)]
        return True
    if type(old) is collections.deque and isinstance(new, (list, collections.deque)):
        items = list(old)
        store(items, list(new), is_unchanged)
        old.clear()
        old.extend(items)
        return True
    if type(old) is tuple and type(new) is tuple and len(old) == len(new):
        return all([store(a, b, is_unchanged) for a, b in zip(old, new)])
    return is_unchanged(old, new)


def store_list(old, new):
    """The same of an attribute, whose old value is known at run time."""
    store(old, new, is_same_in_run)


def garray_type():
    """() where there is none."""
    return getattr(sys.modules.get("gnumpy"), "garray", ())


def is_garray(value):
    return isinstance(value, garray_type())


def set_attributes(value, held):
    """Gives an object these attributes, and no others."""
    for name, _ in attributes_of(value):
        if name not in held:
            object.__delattr__(value, name)
    for name, item in held.items():
        object.__setattr__(value, name, item)


def map_arrays(value, change, copies=None):
    """The value with `change` of everything that is no container; with `copies` objects are copied, which it then holds,
    and their attributes changed."""
    if type(value) in (tuple, list):
        return type(value)(map_arrays(item, change, copies) for item in value)
    if type(value) is dict:
        return {key: map_arrays(item, change, copies) for key, item in value.items()}
    if copies is None or not is_object(value):
        return change(value)
    if isinstance(value, tuple):
        return type(value)(*(map_arrays(item, change, copies) for item in value))
    if id(value) not in copies:
        made = copies[id(value)] = type(value)() if type(value) is types.SimpleNamespace else object.__new__(type(value))
        for name, item in attributes_of(value):
            object.__setattr__(made, name, map_arrays(item, change, copies))
    return copies[id(value)]


class Garrays:
    """A call's garrays as NumPy arrays, and back."""

    def __init__(self):
        self.pairs = []  # (garray, array, what that held)

    def to_numpy(self, value):
        if not is_garray(value):
            return value
        for garray, array, _ in self.pairs:
            if garray is value:
                return array
        array = np.array(value.as_numpy_array())
        self.pairs.append((value, array, array.copy()))
        return array

    def from_numpy(self, value):
        """A result: an array becomes a garray, one of the arguments itself."""
        for garray, array, _ in self.pairs:
            if array is value:
                return garray
        return sys.modules["gnumpy"].garray(value) if isinstance(value, np.ndarray) else value

    def write_back(self):
        for garray, array, held in self.pairs:
            if not np.array_equal(array, held, equal_nan=True):
                garray[...] = array
