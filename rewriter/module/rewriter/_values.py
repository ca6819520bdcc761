"""Arguments of a call as Python has them, and what they are to a program."""
import keyword
import re
import sys

import numpy as np

from . import _rewriter


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

    @property
    def may_be_known(self):
        """Whether the statements may be made for what it holds."""
        return self.is_array and self.code in _rewriter.KNOWN_CODES and self.value.size <= _rewriter.MOST_KNOWN

    def described(self, read_by_run, by_contents):
        """For _rewriter.convert."""
        if self.is_array:
            contents = [self.value.ravel().astype(float).tolist()] if by_contents and self.may_be_known else []
            return (self.name, "array", self.code, list(self.value.shape), *contents)
        return (self.name, "run" if read_by_run else "known", self.value)


class Leaves(list):
    """The leaves of a call, in the order in which dispatch.cpp finds them, with names of their own."""

    def __init__(self, taken=(), callable_name=None):
        super().__init__()
        self.taken = set(taken)
        self.callable_name = callable_name
        self.has_containers = False

    def add(self, name, value, is_array):
        name = re.sub(r"\W", "_", name)
        if keyword.iskeyword(name):
            name += "_"
        unique, number = name, 2
        while unique in self.taken:
            unique, number = f"{name}_{number}", number + 1
        self.taken.add(unique)
        self.append(Leaf(unique, value, is_array))
        return unique

    def expression(self, value, name):
        """Adds the leaves of a value, and gives the Python text that makes it of them."""
        if value is None or isinstance(value, (bool, str)):
            return repr(value)
        if isinstance(value, np.bool_):
            return self.of_type(value, name, repr(bool(value)))
        if type(value) is float:
            return self.add(name, value, False)
        if isinstance(value, (int, np.integer)):
            text = self.add(name, int(value), False) if abs(int(value)) < _rewriter.EXACT else repr(int(value))
            return text if isinstance(value, int) else self.of_type(value, name, text)
        if type(value) is np.ndarray or isinstance(value, np.generic):
            if not _rewriter.code_of(value):
                raise OutsideValue(f"{name} is an array of {value.dtype}; arrays are of float32, float64, longdouble, "
                                   "complex numbers, bools and ints of 8 to 64 bits in this machine's byte order")
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
        if self.callable_name is not None and (callable(value) or isinstance(value, np.dtype)):
            return self.callable_name(value, name)
        raise OutsideValue(f"{name} is a {type(value).__module__}.{type(value).__qualname__}; arguments are arrays, "
                           "numbers, texts, None, functions, and tuples, lists and dictionaries of these")

    def of_type(self, value, name, number):
        """The text of a NumPy scalar: its type, called with the number."""
        return f"{self.callable_name(type(value), name)}({number})" if self.callable_name else number

    @staticmethod
    def key(key, name):
        if isinstance(key, (int, float, str, tuple, bool)):
            return repr(key)
        raise OutsideValue(f"the dictionary {name} has a key that is a {type(key).__qualname__}; keys are texts, "
                           "numbers and tuples of these")


def is_too_deep(value):
    """Whether its lists, tuples and dictionaries are nested deeper than a program's may be."""
    level = {id(value): value}
    for _ in range(_rewriter.DEEPEST + 1):
        containers = [each for each in level.values() if type(each) in (tuple, list, dict)]
        level = {id(item): item for each in containers for item in (each.values() if type(each) is dict else each)}
    return bool(level)


def is_data(value):
    """Whether it is data, read anew at each call, and not a part of the program; of what is not too deep."""
    if value is None or isinstance(value, (bool, int, float, str, np.ndarray, np.generic)):
        return True
    if type(value) in (tuple, list):
        return all(map(is_data, value))
    return type(value) is dict and all(map(is_data, value.values()))


def complex_of(real, imaginary):
    """What conversion.cpp makes of the two parts."""
    if not isinstance(real, (np.ndarray, np.generic)) and not isinstance(imaginary, (np.ndarray, np.generic)):
        return complex(real, imaginary)
    real, imaginary = np.broadcast_arrays(real, imaginary)
    made = np.empty(real.shape, np.result_type(real.dtype, np.complex64))
    made.real, made.imag = real, imaginary
    return made if made.ndim else made[()]


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


def is_changeable(value):
    """Whether it is a list or a dictionary, or has one."""
    return isinstance(value, (list, dict)) or (isinstance(value, tuple) and any(map(is_changeable, value)))


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
    if type(old) is dict and type(new) is dict:
        for key in [key for key in old if key not in new]:
            del old[key]
        for key, item in new.items():
            if key not in old or not store(old[key], item, is_unchanged):
                old[key] = item
        return True
    if type(old) is list and type(new) is list:
        old[:] = [before if i < len(old) and store(before := old[i], item, is_unchanged) else item
                  for i, item in enumerate(new)]
        return True
    if type(old) is tuple and type(new) is tuple and len(old) == len(new):
        return all([store(a, b, is_unchanged) for a, b in zip(old, new)])
    return is_unchanged(old, new)


def is_garray(value):
    gnumpy = sys.modules.get("gnumpy")
    return gnumpy is not None and isinstance(value, getattr(gnumpy, "garray", ()))


def map_arrays(value, change):
    """The value with `change` of everything that is no container."""
    if type(value) in (tuple, list):
        return type(value)(map_arrays(item, change) for item in value)
    if type(value) is dict:
        return {key: map_arrays(item, change) for key, item in value.items()}
    return change(value)


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
