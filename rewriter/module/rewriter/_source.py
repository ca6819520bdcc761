"""The source of a function and of what it needs, as one text that the reader reads.

The function and helpers of its file stand in their own lines of that text, so that statements and errors name the
right ones; what comes from elsewhere stands behind them, and a map leads back.
"""
import ast
import builtins
import dis
import functools
import inspect
import linecache
import re
import sys
import textwrap
import types
import warnings

import numpy as np

from . import _rewriter
from ._errors import NotationWarning, notation_error
from ._values import is_data, is_too_deep

LIBRARIES = {"numpy", "scipy", "math", "itertools", "functools", "collections", "gnumpy", "copy", "time", "timeit",
             "sys", "os", "matplotlib", "typing", "warnings", "logging", "tqdm", "operator"}
"""Whose functions the reader knows by name, or leaves out."""

CHANGES = {"append", "update", "pop", "extend", "insert", "setdefault", "clear", "remove", "sort", "reverse", "popitem"}
"""Methods that change a list or a dictionary."""


class Part:
    """A function's text in its file."""

    def __init__(self, function):
        code = function.__code__
        self.function = function
        self.name = code.co_name
        self.file = code.co_filename
        if self.name == "<lambda>":
            self._read_lambda(function)
        else:
            self._read_def(function)

    def _read_def(self, function):
        try:
            lines, first = inspect.getsourcelines(function.__code__)
        except (OSError, TypeError, IndexError):
            raise notation_error(no_source(function)) from None
        text = "".join(lines).expandtabs(8)
        dedented = textwrap.dedent(text)
        if dedented[:1].isspace():  # a text or a comment further left than the function
            indent = len(dedented) - len(dedented.lstrip())
            dedented = "\n".join(line[min(indent, len(line) - len(line.lstrip())):] for line in dedented.split("\n"))
        self.indent = len(lines[0].expandtabs(8)) - len(dedented.split("\n", 1)[0].rstrip("\n")) - 1
        self.indent = max(self.indent, 0)
        try:
            self.tree = ast.parse(dedented).body[0]
        except (SyntaxError, IndexError):
            raise notation_error(no_source(function)) from None
        if isinstance(self.tree, ast.AsyncFunctionDef):
            raise notation_error("async is outside of this notation", self.file, first, 1, lines[0].rstrip())
        self.lines = dedented.rstrip("\n").split("\n")
        for i in range(self.tree.lineno - 1):  # decorators
            self.lines[i] = ""
        self.first = first

    def _read_lambda(self, function):
        code = function.__code__
        lines = linecache.getlines(self.file, function.__globals__)
        try:
            tree = ast.parse("".join(lines))
        except (SyntaxError, ValueError):
            tree = ast.Module([], [])
        text = "".join(lines)
        found = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Lambda) and node.lineno == code.co_firstlineno and is_code_of(code, node):
                found[ast.get_source_segment(text, node)] = node
        if len(found) != 1:
            raise notation_error(
                "the source of this lambda is not known" if not found else
                "several lambdas stand in this line; give the one to convert a name: def f(...)",
                self.file, code.co_firstlineno, 1, linecache.getline(self.file, code.co_firstlineno).rstrip())
        (source, node), = found.items()
        self.name = f"lambda_{node.lineno}_{node.col_offset}"
        head = ast.unparse(node.args)
        body = ast.get_source_segment(text, node.body)
        self.lines = f"def {self.name}({head}): return ({body})".split("\n")
        self.tree = ast.parse("\n".join(self.lines)).body[0]
        self.first, self.indent = node.lineno, 0

    def defaults(self):
        """[(node, value)], the last one first."""
        arguments = self.tree.args
        named = self.function.__kwdefaults__ or {}
        pairs = [*zip(reversed(arguments.defaults), reversed(self.function.__defaults__ or ())),
                 *((node, named[argument.arg]) for argument, node in zip(arguments.kwonlyargs, arguments.kw_defaults)
                   if argument.arg in named)]
        return sorted(pairs, key=lambda pair: (pair[0].lineno, pair[0].col_offset), reverse=True)

    def _write(self, node, text):
        """The text in the node's place, and blanks behind it."""
        for i in range(node.end_lineno - 1, node.lineno - 2, -1):
            line = self.lines[i].encode()
            first = node.col_offset if i == node.lineno - 1 else 0
            last = node.end_col_offset if i == node.end_lineno - 1 else len(line)
            made = (text.encode() if i == node.lineno - 1 else b"").ljust(last - first)
            self.lines[i] = (line[:first] + made + line[last:]).decode()

    def call_it(self, name):
        """Gives the function another name."""
        at = self.tree.lineno - 1
        self.lines[at] = re.sub(rf"\bdef {self.name}\b", f"def {name}", self.lines[at], count=1)
        self.name = name
        self.tree = ast.parse("\n".join(self.lines)).body[0]

    def rename(self, old, new):
        """Gives a name that it finds outside another one; False where the text does not allow that."""
        nodes = [node for node in ast.walk(self.tree) if isinstance(node, ast.Name) and node.id == old]
        bound = {node.arg for node in ast.walk(self.tree) if isinstance(node, ast.arg)}
        if old in bound or any(not isinstance(node.ctx, ast.Load) for node in nodes):
            return False
        in_texts = [part for node in ast.walk(self.tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)]
        if any(node in in_texts for node in nodes):  # of which only Python 3.12 knows the places
            return False
        for node in sorted(nodes, key=lambda node: (node.lineno, node.col_offset), reverse=True):
            line = self.lines[node.lineno - 1].encode()
            made = line[:node.col_offset] + new.encode() + line[node.end_col_offset:]
            self.lines[node.lineno - 1] = made.decode()
        self.tree = ast.parse("\n".join(self.lines)).body[0]
        return True

    def members(self):
        """[(node, value, module)] of what the text takes from modules that are no library's, where its place is known."""
        in_texts = {id(part) for node in ast.walk(self.tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and id(node) not in in_texts:
                module = value_of(node.value, self.function)
                if isinstance(module, types.ModuleType) and module.__name__.split(".")[0] not in LIBRARIES:
                    value = getattr(module, node.attr, None)
                    if not isinstance(value, types.ModuleType) and hasattr(module, node.attr):
                        yield node, value, module

    def call_members(self, names):
        """Puts a name in the place of each such node: {node: name}."""
        for node in sorted(names, key=lambda node: (node.lineno, node.col_offset), reverse=True):
            line = self.lines[node.lineno - 1].encode()
            if node.end_lineno == node.lineno:
                made = names[node].encode().ljust(node.end_col_offset - node.col_offset)
                self.lines[node.lineno - 1] = (line[:node.col_offset] + made + line[node.end_col_offset:]).decode()
        self.tree = ast.parse("\n".join(self.lines)).body[0]

    def blank_defaults(self):
        """Each becomes 0: a call has a value for every parameter."""
        for node, _ in self.defaults():
            self._write(node, "0")

    def settle_defaults(self, new_name):
        """Each is what it was when Python met the function: its text, or the names in it that still stand for it, which
        are given; else a new name for the value."""
        names, values = {}, {}
        for node, value in self.defaults():
            if isinstance(node, ast.Constant):
                continue
            if value is None or type(value) in (bool, int, float, str):
                finite = type(value) is not float or np.isfinite(value)
                self._write(node, repr(value) if finite else f"float('{value}')")
            elif value_of(node, self.function) is value:
                names.update((part.id, None) for part in ast.walk(node) if isinstance(part, ast.Name))
            elif not is_too_deep(value) and is_data(value):
                name = new_name(f"{self.name}_default")
                values[name] = value
                self._write(node, name)
        if values:
            self.tree = ast.parse("\n".join(self.lines)).body[0]
        return names, values

    def changes_containers(self):
        """Whether it may change a list or a dictionary that it is given."""
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.Subscript, ast.Name)) and isinstance(node.ctx, ast.Del):
                return True
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
                return True
            if isinstance(node, ast.AugAssign):
                return True
            if isinstance(node, ast.Attribute) and node.attr in CHANGES:
                return True
        return False


def is_code_of(code, node):
    """Whether the code may be that of the lambda; Python 3.11 knows."""
    names = [argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)]
    if set(names) != set(code.co_varnames[:len(names)]):
        return False
    if not hasattr(code, "co_positions"):
        return True
    arguments = ast.arguments(**{**vars(node.args), "defaults": [], "kw_defaults": [None] * len(node.args.kwonlyargs)})
    plain = ast.copy_location(ast.Lambda(arguments, node.body), node)
    compiled = compile(ast.Expression(plain), "<lambda>", "eval")
    alone, = (const for const in compiled.co_consts if isinstance(const, types.CodeType))
    return places_of(alone) == places_of(code)


def places_of(code):
    """Where the text of each instruction stands, but of those that are of no text: of closures, and the first."""
    return {place for place in code.co_positions() if None not in place and place[2:] != (0, 0)}


def no_source(function):
    return (f"the source of {function.__qualname__} is not known: it must be in a file, a notebook or a doctest"
            if function.__code__.co_filename.startswith("<") else
            f"{function.__code__.co_filename} does not hold the source of {function.__qualname__} any more")


def is_one_value(x, y):
    """Whether both are one object, or equal numbers or texts of one type."""
    return x is y or (type(x) is type(y) and isinstance(x, (int, float, str)) and x == y)


def is_made_alike(a, b):
    """Whether two functions of one text have the same defaults and find the same outside."""
    def held(function):
        cells = []
        for cell in function.__closure__ or ():
            try:
                cells.append(cell.cell_contents)
            except ValueError:  # it is empty
                cells.append(None)
        return [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *cells]

    return a is b or all(map(is_one_value, held(a), held(b)))


def global_names(code):
    """The names that the code, and what is defined in it, finds outside."""
    names = {}
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            names[instruction.argval] = None
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            names.update(global_names(const))
    return names


def value_of(node, function):
    """What a name with its attributes stands for in the text of the function, if that is bound outside of it."""
    if isinstance(node, ast.Attribute):
        return getattr(value_of(node.value, function), node.attr, None)
    if not isinstance(node, ast.Name):
        return None
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    try:
        return cells[node.id].cell_contents
    except (KeyError, ValueError):  # none, or an empty one
        return function.__globals__.get(node.id, getattr(builtins, node.id, None))


def origin(value):
    """(module, name) of something of a library; None of others."""
    name = getattr(value, "__name__", None)
    if name is None:
        return None
    named = getattr(value, "__module__", None)
    plain = named.lstrip("_") if isinstance(named, str) else None  # reduce says that it is _functools'
    for module in (named, plain, "numpy", "numpy.random", "numpy.linalg", "numpy.fft", "scipy.special"):
        held = sys.modules.get(module) if isinstance(module, str) else None
        if held is None or module.split(".")[0] not in LIBRARIES:
            continue
        if getattr(held, name, None) is value:
            return (module, name)
    return None


class Environment:
    """The text of a function with all that it calls, and what must stay as it is for the text to hold."""

    def __init__(self, function):
        self.function = function
        self.main = Part(function)
        self.parts = {0: self.main}
        self.imports = {}  # alias: (module, name)
        self.aliases = {}  # name: the function's own name
        self.fixed = []  # (holder, name, object)
        self.data = []  # (holder, name)
        self.data_names = []  # in the text, of these
        self.texts = {}  # name: text that makes it
        self.unknown = {}  # name: what it is
        self.bound = {}  # name: what it stands for
        self.new_names = set()
        self.calls_itself = False
        self._add_function(function, self.main)
        if not self.calls_itself:
            self.main.blank_defaults()

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
        for name, cell in zip(code.co_freevars, function.__closure__ or ()):
            try:
                self._add(name, cell.cell_contents, cell, part)
            except ValueError:  # it is empty
                continue
        self._add_members(part)
        names = global_names(code)
        if function is not self.function:
            names.update(self._settled_defaults(part))
        self._add_globals(names, function, part)

    def _add_members(self, part):
        """`utils.f` is utils_f in the text, which takes as much room."""
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

    def _add_globals(self, names, function, part):
        for name in names:
            if name in function.__code__.co_freevars:
                continue
            if name in function.__globals__:
                self._add(name, function.__globals__[name], function.__globals__, part)
            elif not hasattr(builtins, name):
                self.unknown[name] = "nothing has that name"

    def _add(self, name, value, holder, part=None, key=None):
        """What a name stands for in a part, where it gets another name if it has stood for something else. key: what
        its holder calls it."""
        key = name if key is None else key
        if name in self.bound:
            if is_one_value(self.bound[name], value):
                return
            new = self._new_name(name)
            if part is None or not part.rename(name, new):
                raise notation_error(f"the name {name} stands for two things in what {self.function.__name__} calls; "
                                     "give one of them another name", self.main.file, self.main.first, 1,
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
        """The text that stands for something that is no data; None where there is none."""
        if isinstance(value, types.ModuleType):
            self.imports[name] = (value.__name__, "")
            return name
        if isinstance(value, np.random.Generator):
            self.imports["numpy_"] = ("numpy", "")
            return "numpy_.random.default_rng()"
        if isinstance(value, np.random.RandomState):
            self.imports["numpy_"] = ("numpy", "")
            return "numpy_.random.RandomState()"
        if isinstance(value, np.dtype) and value.kind in "biufc" and value.isnative:
            self.imports["numpy_"] = ("numpy", "")
            return f"numpy_.dtype('{value.name}')"
        if (found := origin(value)) is not None:
            self.imports[name] = found
            return name
        if type(value) in (tuple, list, dict):
            return self._table(value, name)
        if type(value).__module__.startswith("numpy.lib") and \
                (found := [name for name, held in vars(np).items() if held is value]):
            self.imports["numpy_"] = ("numpy", "")
            return f"numpy_.{found[0]}"
        if isinstance(value, np.vectorize):
            self.imports["numpy_"] = ("numpy", "")
            return self._call_of("numpy_.vectorize", [value.pyfunc], {}, name)
        if isinstance(value, functools.partial):
            self.imports["functools_"] = ("functools", "")
            return self._call_of("functools_.partial", [value.func, *value.args], value.keywords, name)
        function = getattr(value, "__wrapped__", value) if not isinstance(value, types.FunctionType) else value
        if isinstance(function, types.FunctionType):
            return self.add_helper(function)
        if isinstance(value, types.BuiltinFunctionType) and getattr(builtins, value.__name__, None) is value:
            return value.__name__
        return None

    def _call_of(self, function, args, keywords, name):
        """The text of a call with these arguments, which it had before; None where one is outside of the notation."""
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
            if is_data(item) and not isinstance(item, (np.ndarray, np.generic, tuple, list, dict)):
                return repr(item)
            return self.expression_of(item, f"{name}_{key}" if str(key).isidentifier() else f"{name}_{len(self.imports)}")

        keys = list(value) if type(value) is dict else range(len(value))
        items = [text(value[key], key) for key in keys]
        if None in items:
            return None
        if type(value) is dict:
            return "{" + ", ".join(f"{key!r}: {item}" for key, item in zip(keys, items)) + "}"
        return f"[{', '.join(items)}]" if type(value) is list else f"({', '.join(items)},)"

    def add_helper(self, function):
        """A function of the program, by its own name; of several that were made of one text with other values in them,
        each has a name."""
        code = function.__code__
        if code is self.function.__code__ and is_made_alike(self.function, function):
            if not self.calls_itself:
                self.calls_itself = True
                self._add_globals(self._settled_defaults(self.main), function, self.main)
            return self.main.name
        for part in self.parts.values():
            if part.function.__code__ is code and part is not self.main and is_made_alike(part.function, function):
                return part.name
        part = Part(function)
        if any(part.name == other.name for other in self.parts.values()):
            if not any(part.function.__code__ is code for part in self.parts.values()):
                raise notation_error(f"two functions are called {part.name}; give one of them another name",
                                     part.file, part.first, 1, linecache.getline(part.file, part.first).rstrip())
            part.call_it(self._new_name(part.name))
        self.parts[len(self.parts)] = part
        self._add_function(function, part)
        return part.name

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
            message = f"{name} is outside of this notation: {self.unknown[name]}"
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

    def exception(self, name, text, line):
        """Of the type that the program calls so in that line."""
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
