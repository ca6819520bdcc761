"""The source of a function and of what it needs, as one text that the reader reads.

The function and helpers of its file stand in their own lines of that text, so that statements and errors name the
right ones; what comes from elsewhere follows them, and a map leads back.
"""
import ast
import builtins
import collections
import contextlib
import enum
import functools
import inspect
import linecache
import logging
import sys
import types
import warnings

import numpy as np

from . import _rewriter
from ._draws import GENERATORS
from ._errors import NotationError, NotationWarning, notation_error
from ._objects import filled, new_object
from ._outside import Outside, description, is_known, is_of_system, is_outside
from ._parts import (ClassPart, MethodPart, Part, contents, global_names, is_made_alike, is_one_value, method_name,
                     owner_of, source_class, unwrapped, value_of)
from ._values import LIBRARIES, is_data, is_of_program, is_too_deep


def name_in_class(owner, function):
    """What the text of a class's program calls the function itself, whatever its decorator has made of it."""
    name = method_name(owner, function)
    member = vars(owner)[name]
    ends = {property: ".fget", functools.cached_property: ".func", classmethod: ".__func__"}
    return name + ends.get(type(member), "")


def origin(value):
    """(module, name) of something of a library; None of others."""
    name = getattr(value, "__name__", None)
    if name is None:
        return None
    if value is np.bool_:  # whose name has changed
        return ("numpy", "bool_")
    named = getattr(value, "__module__", None)
    plain = named.lstrip("_") if isinstance(named, str) else None  # reduce says that it is _functools'
    for module in (named, plain, "numpy", "numpy.random", "numpy.linalg", "numpy.fft", "scipy.special"):
        held = sys.modules.get(module) if isinstance(module, str) else None
        if held is None or module.split(".")[0] not in LIBRARIES:
            continue
        if getattr(held, name, None) is value:
            return (module, name)
    return None


SINGLE_DISPATCH = functools.singledispatch(lambda: None).__code__
"""Of all functions that functools.singledispatch makes."""

MANAGER_MAKER = contextlib.contextmanager(lambda: None).__code__
"""Of all functions that contextlib.contextmanager makes."""


def is_of_pythons(function):
    """Whether the code of the function is of a module of Python itself, whatever a decorator has made of its names."""
    modules = {str(function.__module__), str(function.__globals__.get("__name__"))} - {"__main__"}
    return any(module.split(".")[0] in sys.stdlib_module_names for module in modules)


NOTHING = "nothing has that name"


class Environment:
    """The text of a function with all that it calls, and what must stay as it is for the text to hold."""

    def __init__(self, function, kind=None, is_cached=False):
        self.function = function
        self.parts = {}
        self.classes = {"SimpleNamespace": types.SimpleNamespace}  # by name in the text
        self.imports = {}  # alias: (module, name)
        self.aliases = {}  # name: the function's own name
        self.fixed = []  # (holder, name, object)
        self.missing = []  # (holder, name): names that nothing has, until the program defines them
        self.data = []  # (holder, name)
        self.data_names = []  # in the text, of these
        self.texts = {}  # name: text that makes it
        self.unknown = {}  # name: what it is
        self.globals = {}  # name that a `global` statement names: the names of its module
        self.bound = {}  # name: what it refers to
        self.new_names = set()
        self.calls = {}  # by id: what functools.partial and np.vectorize have made, and its text
        self.calls_itself = False
        self.outside = Outside(self.classes)
        owner = owner_of(function, kind)
        self.is_method = owner is not None
        if self.is_method:
            self.main = MethodPart(function)
            self.main.name = f"{self.add_class(owner)}.{name_in_class(owner, function)}"
            self.own_parts = len(self.parts)
            return
        self.main = Part(function)
        if is_cached:
            self.main.keep_results()
        self._add_part(self.main, function.__globals__)
        self._add_function(function, self.main)
        if not self.calls_itself:
            self.main.blank_defaults()
        self.own_parts = len(self.parts)

    def _add_part(self, part, names):
        """`names`: of its module."""
        self.parts[id(part)] = part
        for node in ast.walk(part.tree):
            if isinstance(node, ast.Global):
                self.globals.update(dict.fromkeys(node.names, names))

    def _new_name(self, name):
        number = 2
        while f"{name}_{number}" in self.new_names or f"{name}_{number}" in self.bound or any(part.name == f"{name}_{number}" or
                                                      f"{name}_{number}" in part.function.__code__.co_varnames
                                                      for part in self.parts.values()):
            number += 1
        self.new_names.add(f"{name}_{number}")
        return f"{name}_{number}"

    def _add_function(self, function, part):
        code = function.__code__
        cells = dict(zip(code.co_freevars, function.__closure__ or ()))
        for name, value in contents(cells).items():
            self._add(name, value, cells[name], part)
        self._add_members(part)
        names = global_names(code)
        if function is not self.function:
            names.update(self._settled_defaults(part))
        self._add_globals(names, function, part)

    def _add_members(self, part):
        """`utils.f` is utils_f in the text, which takes as much room."""
        for name, value in part.imported.items():
            self._add(name, value, types.CellType(value), part)
        made = {}
        for node, value, module in part.members():
            name = ast.unparse(node).replace(".", "_")
            if name in part.function.__code__.co_varnames or not is_one_value(self.bound.get(name, value), value):
                name = self._new_name(name)
            made[node] = name
            if name not in self.bound:
                self._add(name, value, module.__dict__, key=node.attr)
        if made:
            part.call_members(made)

    def _settled_defaults(self, part):
        names, values = part.settle_defaults(self._new_name)
        for name, value in values.items():
            self._add(name, value, types.CellType(value), part)
        return names

    def _add_missing(self, name, holder):
        self.missing.append((holder, name))
        self.unknown[name] = NOTHING

    def watched(self):
        return [*self.fixed, *self.missing], self.data

    def _add_globals(self, names, function, part):
        for name in names:
            if name in function.__code__.co_freevars:
                continue
            if name in function.__globals__:
                self._add(name, function.__globals__[name], function.__globals__, part)
            elif not hasattr(builtins, name):
                self._add_missing(name, function.__globals__)

    def _add(self, name, value, holder, part=None, key=None):
        """What a name refers to in a part, where it gets another name if it has referred to something else. key: what
        its holder calls it."""
        key = name if key is None else key
        if name in self.bound:
            if is_one_value(self.bound[name], value):
                return
            new = self._new_name(name)
            if part is None or not part.rename(name, new):
                raise notation_error(f"the name {name} refers to two different objects in the functions that "
                                     f"{self.function.__name__} calls; give one of them another name", self.main.file, self.main.first, 1,
                                     linecache.getline(self.main.file, self.main.first).rstrip())
            name = new
        self.bound[name] = value
        if is_too_deep(value):
            self.fixed.append((holder, key, value))
            self.unknown[name] = f"its lists, tuples and dictionaries are nested more than {_rewriter.DEEPEST} deep"
            return
        if is_data(value):
            self.data.append((holder, key))
            self.data_names.append(name)
            return
        self.fixed.append((holder, key, value))
        text = self.expression_of(value, name)
        if text is None:
            self.unknown[name] = f"it is a {type(value).__module__}.{type(value).__qualname__}"
        elif text != name:
            self.texts[name] = text

    def expression_of(self, value, name):
        """The text for something that is no data; None where there is none."""
        if isinstance(value, types.ModuleType):
            self.imports[name] = (value.__name__, "")
            return name
        if isinstance(value, GENERATORS[0]):
            self.imports["numpy_"] = ("numpy", "")
            return "numpy_.random.default_rng()"
        if isinstance(value, GENERATORS[1]):
            self.imports["numpy_"] = ("numpy", "")
            return "numpy_.random.RandomState()"
        if isinstance(value, np.dtype) and value.kind in "biufc" and value.isnative:
            self.imports["numpy_"] = ("numpy", "")
            return f"numpy_.dtype('{value.name}')"
        if (found := origin(value)) is not None and not (
                is_of_system(value) or is_outside(value) and not is_known(*found)):
            self.imports[name] = found
            return name
        if is_outside(value) or is_of_system(value):
            return self.outside_text(value, name)
        if type(value) in (tuple, list, dict):
            return self._table(value, name)
        if str(type(value).__module__).startswith("numpy.lib") and \
                (found := [name for name, held in vars(np).items() if held is value]):
            self.imports["numpy_"] = ("numpy", "")
            return f"numpy_.{found[0]}"
        if isinstance(value, (np.vectorize, functools.partial)):
            if id(value) not in self.calls:
                self.calls[id(value)] = value, self._call_that_makes(value, name)
            return self.calls[id(value)][1]
        if isinstance(value, types.FunctionType) and value.__code__ is MANAGER_MAKER:
            self.imports["contextlib_"] = ("contextlib", "")
            return self._call_of("contextlib_.contextmanager", [value.__wrapped__], {}, name)
        if isinstance(value, types.FunctionType) and value.__code__ is SINGLE_DISPATCH:
            return self._dispatching(value, name)
        if str(getattr(value, "__module__", "")).split(".")[0] == __package__ and isinstance(value, types.FunctionType):
            return None  # convert itself, as a decorator
        function = getattr(value, "__wrapped__", value) if not isinstance(value, types.FunctionType) else value
        if isinstance(function, types.FunctionType) and (owner := owner_of(function)) is not None:
            return f"{self.add_class(owner)}.{method_name(owner, function)}"
        if isinstance(function, types.FunctionType) and not is_of_pythons(function):
            return self.add_helper(function, isinstance(value, functools._lru_cache_wrapper))
        if isinstance(value, type) and is_of_program(value):
            return self.add_class(value)
        if isinstance(value, enum.Enum) and is_of_program(type(value)):
            return f"{self.add_class(type(value))}.{value.name}"
        if getattr(builtins, getattr(value, "__name__", ""), None) is value:
            return value.__name__
        if isinstance(value, logging.Logger):
            self.imports[name] = (value.__module__, type(value).__name__)
            return name
        if isinstance(value, type) or callable(value):
            return self.outside_text(value, name)
        return None

    def outside_text(self, value, name):
        """The name of an object of Python's."""
        self.imports[name] = ("<python>", f"{self.outside.number(value)} {description(value)}")
        return name

    def _dispatching(self, function, name):
        """The text of a call of functools.singledispatch with all that is registered."""
        self.imports["functools_"] = ("functools", "")
        self.fixed.append((function.registry, None, len(function.registry)))
        text = f"functools_.singledispatch({self.expression_of(function.registry[object], f'{name}_0')})"
        for i, (kind, each) in enumerate(function.registry.items()):
            if kind is not object:
                self.fixed.append((function.registry, kind, each))
                text += f".with_type({self.expression_of(kind, f'{name}_type_{i}')}, {self.expression_of(each, f'{name}_{i}')})"
        return text

    def _call_that_makes(self, value, name):
        if isinstance(value, np.vectorize):
            self.imports["numpy_"] = ("numpy", "")
            return self._call_of("numpy_.vectorize", [value.pyfunc], {}, name)
        self.imports["functools_"] = ("functools", "")
        return self._call_of("functools_.partial", [value.func, *value.args], value.keywords, name)

    def _call_of(self, function, args, keywords, name):
        """The text of a call with these arguments, which it had before; None where one is not supported."""
        def text(key, value):
            held = self._new_name(f"{name}_{key}")
            if is_too_deep(value) or not is_data(value):
                return self.expression_of(value, held)
            self._add(held, value, types.CellType(value))
            return held

        made = [("", text(i, value)) for i, value in enumerate(args)]
        made += [(f"{key}=", text(key, value)) for key, value in keywords.items()]
        if any(part is None for _, part in made):
            return None
        return f"{function}({', '.join(head + part for head, part in made)})"

    def _table(self, value, name):
        """The text of a container that holds functions; of what else is in it only what a text can say."""
        def text(item, key):
            if isinstance(item, tuple) and type(item) is tuple and key is None:
                parts = [text(each, None) for each in item]
                return None if None in parts else f"({', '.join(parts)},)"
            if not isinstance(item, enum.Enum) and is_data(item) and not isinstance(item, (np.ndarray, np.generic, tuple, list, dict)):
                return repr(item)
            return self.expression_of(item, f"{name}_{key}" if str(key).isidentifier() else f"{name}_{len(self.imports)}")

        keys = list(value) if type(value) is dict else range(len(value))
        items = [text(value[key], key) for key in keys]
        if None in items:
            return None
        if type(value) is dict:
            names = [text(key, None) for key in keys]
            return None if None in names else "{" + ", ".join(map(": ".join, zip(names, items))) + "}"
        return f"[{', '.join(items)}]" if type(value) is list else f"({', '.join(items)},)"

    def add_helper(self, function, is_cached=False):
        """A function of the program, by its own name; of several that were made of one text with other values in them,
        each has a name. is_cached: it keeps its results, as functools.cache has it."""
        code = function.__code__
        if not self.is_method and code is self.function.__code__ and is_made_alike(self.function, function):
            if not self.calls_itself:
                self.calls_itself = True
                self._add_globals(self._settled_defaults(self.main), function, self.main)
            return self.main.name
        for part in self.parts.values():
            if part.function.__code__ is code and part is not self.main and is_made_alike(part.function, function):
                return part.name
        part = Part(function)
        if is_cached:
            part.keep_results()
        if any(part.name == other.name for other in self.parts.values()):
            part.call_it(self._new_name(part.name))
        self._add_part(part, function.__globals__)
        self._add_function(function, part)
        return part.name

    def add_class(self, kind):
        """A class of the program, by its own name."""
        given, kind = kind, source_class(kind)
        part = next((part for part in self.parts.values() if isinstance(part, ClassPart) and part.kind is kind), None)
        if part is not None:
            if given is not kind and self.classes[part.name] is not given:
                self.classes[part.name] = given  # objects that the program makes are of the converted class
                self._add_class_data(given, part)
            return part.name
        outer, _, inner = kind.__qualname__.rpartition(".")
        if outer and not outer.endswith("<locals>"):
            around = functools.reduce(lambda held, name: getattr(held, name, None), outer.split("."),
                                      sys.modules.get(kind.__module__))
            if is_of_program(around):
                text = f"{self.add_class(around)}.{inner}"
                self.classes[inner] = given
                return text
        try:
            part = ClassPart(kind)
        except NotationError:
            if not issubclass(kind, tuple):
                raise
            self.imports["collections_"] = ("collections", "")  # it was made by namedtuple(...)
            self.classes[kind.__name__] = given
            self.texts[kind.__name__] = f"collections_.namedtuple({kind.__name__!r}, {list(kind._fields)!r})"
            return kind.__name__
        if any(part.name == other.name for other in self.parts.values()):
            raise notation_error(f"two functions or classes are called {part.name}; give one of them another name",
                                 part.file, part.first, 1, linecache.getline(part.file, part.first).rstrip())
        self._add_part(part, part.names)
        self.classes[part.name] = given
        self.bound.setdefault(part.name, given)
        self._add_class_data(kind, part)
        for name, value in contents(part.cells).items():
            self._add(name, value, part.cells[name], part)
        self._add_members(part)
        for name in part.outside_names():
            if name in part.names:
                self._add(name, part.names[name], part.names, part)
            elif not hasattr(builtins, name):
                self._add_missing(name, part.names)
        for name, function in part.assigned.items():
            self.texts[f"{part.name}.{name}"] = self.add_helper(function)
        if given is not kind:
            self._add_class_data(given, part)
        return part.name

    def _add_class_data(self, kind, part):
        """What the class holds must stay as it is, but for data that its text does not say, which calls read."""
        constants = part.constants()
        fields = {*getattr(kind, "__dataclass_fields__", ()), *getattr(kind, "_fields", ())}
        for name, value in list(vars(kind).items()):
            if name.startswith("__") and name.endswith("__") or name in fields or issubclass(kind, enum.Enum):
                continue
            is_function = isinstance(unwrapped(value), types.FunctionType)
            if is_function and kind is not part.kind and \
                    unwrapped(inspect.getattr_static(part.kind, name, None)) is not unwrapped(value):
                self.texts[f"{part.name}.{name}"] = self.add_helper(unwrapped(value))
            if is_function or (name in constants and is_one_value(constants[name], value)):
                self.fixed.append((vars(kind), name, value))
            elif not is_too_deep(value) and is_data(value) and not hasattr(value, "__get__"):
                self.data.append((vars(kind), name))
                self.data_names.append(f"{part.name}.{name}")
            elif type(value) in (tuple, list, dict) and not is_too_deep(value):  # of classes or functions
                self.fixed.append((vars(kind), name, value))
                text = self._table(value, f"{part.name}_{name}")
                if text is not None:
                    self.texts[f"{part.name}.{name}"] = text
        self.fixed.append((vars(kind), None, len(vars(kind))))

    def set_global(self, name, value):
        self.globals[name][name] = value

    def outside_object(self, number, name):
        """Python's object of that number, or the function or type that the reader calls so."""
        return self.outside.builtin(name) if name else self.outside.objects[number]

    def new_object(self, name):
        """Of the class that the text calls so, without attributes."""
        if name.startswith("namedtuple "):
            return None
        if name not in self.classes:
            raise NotationError(f"a function cannot return an object of a class that it defines itself; got class {name}")
        return new_object(self.classes[name])

    def fill_object(self, made, name, names, values):
        if name.startswith("namedtuple "):  # the function may have made it
            name = name.removeprefix("namedtuple ")
            kind = self.classes.get(name) or collections.namedtuple(name, list(names))
            return kind(**dict(zip(names, values)))
        return filled(made, self.classes[name], names, values)

    def assemble(self, data, extra):
        """The text, with data's statements before it, in one line, since defaults of parameters may need them, and extra
        lines after it; fills the map of its lines."""
        lines = ["; ".join(data)] if data else []
        self.places = {}  # line: (part, line of its file)

        def put(part, at):
            if len(lines) < at - 1:
                lines.extend([""] * (at - 1 - len(lines)))
            for i, line in enumerate(part.lines):
                self.places[at + i] = (part, part.first + i)
                lines.append(line)

        parts = sorted(self.parts.values(), key=lambda part: part.first)
        near = [part for part in parts if part.file == self.main.file]
        far = [part for part in parts if part.file != self.main.file]
        for part in near:
            if len(lines) < part.first:
                put(part, part.first)
            else:
                far.append(part)
        for part in far:
            put(part, len(lines) + 2)
        lines.append("")
        lines += [f"{name} = {text}" for name, text in self.texts.items()]
        lines += extra
        return "\n".join(lines) + "\n"

    def error(self, message, line, column, length):
        """The reader's error, at its place in Python's files."""
        name = message.split("'")[1] if message.startswith("name '") else ""
        if name in self.unknown:
            message = f"{name} is not supported: {self.unknown[name]}"
        if line not in self.places:
            return notation_error(message, self.main.file, self.main.first, 1,
                                  linecache.getline(self.main.file, self.main.first).rstrip())
        part, line = self.places[line]
        text = linecache.getline(part.file, line).rstrip("\n").expandtabs(8)
        return notation_error(message, part.file, line, column + part.indent, text, length)

    def warn(self, text, line):
        """A warning at a line of the text, which is one of a file."""
        part, line = self.places.get(line, (self.main, self.main.first))
        warnings.warn_explicit(text, NotationWarning, part.file, line)

    def _has_arguments(self, part, line):
        """Whether the line raises something of several arguments, which the text has as a tuple then."""
        at = self.places[line][1] - part.first + 1 if line in self.places else 0
        return any(isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.lineno == at and
                   len(node.exc.args) > 1 for node in ast.walk(part.tree))

    def is_overgrown(self):
        """Whether arguments have brought more functions than a program has."""
        return len(self.parts) > 4 * self.own_parts + 64

    def catches(self):
        """Whether the program may catch an exception."""
        catchers = (ast.Try, ast.With)
        return any(isinstance(node, catchers) for part in self.parts.values() for node in ast.walk(part.tree))

    def exception(self, name, text, line):
        """Of the type that the program calls so in that line."""
        if (name, text) in self.outside.raised:
            return self.outside.raised.pop((name, text)).with_traceback(None)
        part = self.places[line][0] if line in self.places else self.main
        kind = value_of(ast.parse(name, mode="eval").body, part.function)
        try:
            if isinstance(kind, type) and issubclass(kind, Exception):
                if self._has_arguments(part, line):
                    return kind(*ast.literal_eval(text))
                return kind(text) if text else kind()
        except (TypeError, ValueError, SyntaxError):  # it wants other arguments
            pass
        return RuntimeError(f"{name}: {text}" if text else name)
