"""The texts of functions and classes, as Python's files have them."""
import ast
import builtins
import dis
import functools
import importlib
import inspect
import linecache
import re
import sys
import textwrap
import types

import numpy as np

from ._errors import notation_error
from ._outside import READ_ELSEWHERE, is_constant_of, is_known, is_of_system, is_outside
from ._values import LIBRARIES, is_data, is_module_of_program, is_of_program, is_too_deep

CHANGES = {"append", "update", "pop", "extend", "insert", "setdefault", "clear", "remove", "sort", "reverse", "popitem",
           "appendleft", "popleft", "extendleft", "rotate", "subtract", "move_to_end", "add", "discard", "difference_update",
           "intersection_update", "symmetric_difference_update"}
"""Methods that change a list, a dictionary or a set."""


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
        self._take_imports(function.__globals__)

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
            raise notation_error("async is not supported", self.file, first, 1, lines[0].rstrip())
        self.lines = dedented.rstrip("\n").split("\n")
        for i in range(self.tree.lineno - 1):  # decorators
            self.lines[i] = ""
        self.first = first

    def keep_results(self):
        """The text has functools.cache in place of its decorators."""
        if self.tree.lineno > 1 and isinstance(self.tree, ast.FunctionDef):
            self.lines[0] = "@cache"

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

    def _take_imports(self, names):
        """What its statements import of modules that are no library's: `modules` and other values, by name. They become
        names of the module."""
        self.modules, self.imported = {}, {}
        package = names.get("__package__") or names.get("__name__", "").rpartition(".")[0]
        found = False
        for node in ast.walk(self.tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)) and (values := imported_by(node, package)):
                found = True
                for name, value in values.items():
                    (self.modules if isinstance(value, types.ModuleType) else self.imported)[name] = value
                self._write(node, "pass")
        if found:
            self.tree = ast.parse("\n".join(self.lines)).body[0]

    def defaults(self):
        """[(node, value)], the last one first."""
        arguments = self.tree.args
        named = self.function.__kwdefaults__ or {}
        pairs = [*zip(reversed(arguments.defaults), reversed(self.function.__defaults__ or ())),
                 *((node, named[argument.arg]) for argument, node in zip(arguments.kwonlyargs, arguments.kw_defaults)
                   if argument.arg in named)]
        return sorted(pairs, key=lambda pair: (pair[0].lineno, pair[0].col_offset), reverse=True)

    def _write(self, node, text):
        """The text in the node's place, and blanks after it."""
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
                module = value_of(node.value, self.function, self.modules)
                if isinstance(module, types.ModuleType) and hasattr(module, node.attr):
                    value = getattr(module, node.attr)
                    of_library = module.__name__.split(".")[0] in LIBRARIES
                    if not isinstance(value, types.ModuleType) and (
                            not of_library or is_constant_of(module, value) or is_of_system(value) or
                            is_outside(value) and not is_known(module.__name__, node.attr)):
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
        """Each is what it was when Python met the function: its text, or the names in it that still refer to it, which
        are given; else a new name for the value."""
        names, values = {}, {}
        for node, value in self.defaults():
            if isinstance(node, ast.Constant):
                continue
            if value is None or type(value) in (bool, int, float, str):
                finite = type(value) is not float or np.isfinite(value)
                self._write(node, repr(value) if finite else f"float('{value}')")
            elif value_of(node, self.function) is not value and not is_too_deep(value) and is_data(value):
                name = new_name(f"{self.name}_default")
                values[name] = value
                self._write(node, name)
            elif is_still(node, value, self.function):
                names.update((part.id, None) for part in ast.walk(node) if isinstance(part, ast.Name))
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


def unwrapped(value):
    """The function in a decorated or converted one, a staticmethod, a classmethod or a property."""
    if isinstance(value, property):
        value = value.fget
    elif isinstance(value, functools.cached_property):
        value = value.func
    elif isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    return value if isinstance(value, (types.FunctionType, type)) else getattr(value, "__wrapped__", value)


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


def contents(cells):
    """What those of the cells that are not empty hold."""
    found = {}
    for name, cell in cells.items():
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return found


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


def imported_by(node, package):
    """{name: value} of what a statement imports, where that is no library's; {} of other statements."""
    def module_of(name):
        root = name.split(".")[0]
        if root == "__future__" or (root in LIBRARIES and not {root, name} & READ_ELSEWHERE):
            raise ImportError
        return importlib.import_module(name, package or None)

    try:
        if isinstance(node, ast.Import):
            modules = {alias: module_of(alias.name) for alias in node.names}
            return {alias.asname or alias.name.split(".")[0]: module if alias.asname else sys.modules[alias.name.split(".")[0]]
                    for alias, module in modules.items()}
        module = module_of("." * node.level + (node.module or ""))
        return {alias.asname or alias.name: getattr(module, alias.name) for alias in node.names}
    except (ImportError, AttributeError, TypeError, ValueError):
        return {}


def value_of(node, function, modules={}):
    """What a name with its attributes refers to in the text of the function, if that is bound outside of it, or one of
    the modules that it imports itself."""
    if isinstance(node, ast.Attribute):
        return getattr(value_of(node.value, function, modules), node.attr, None)
    if not isinstance(node, ast.Name):
        return None
    if node.id in modules:
        return modules[node.id]
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    try:
        return cells[node.id].cell_contents
    except (KeyError, ValueError):  # none, or an empty one
        return function.__globals__.get(node.id, getattr(builtins, node.id, None))


def is_still(node, value, function):
    """Whether the text, or each item of it, still refers to the value."""
    if isinstance(node, (ast.Tuple, ast.List)):
        return type(value) in (tuple, list) and len(node.elts) == len(value) and \
            all(is_still(part, each, function) for part, each in zip(node.elts, value))
    if isinstance(node, ast.Constant):
        return node.value is value or type(node.value) is type(value) and node.value == value
    return value_of(node, function) is value


def source_class(kind):
    """The class that the source defines; convert makes classes of such."""
    return vars(kind).get("__wrapped__", kind)


def methods_of(kind):
    """{name: function} of what its body defines as functions, in whatever they are wrapped."""
    found = {}
    for name, member in vars(kind).items():
        member = unwrapped(member)
        if isinstance(member, types.FunctionType):
            found[name] = member
    return found


def method_name(kind, function):
    """What the class calls the function."""
    return next(name for name, each in methods_of(kind).items() if each is function)


def owner_of(function, kind=None):
    """The class whose body defines the function: of the bases of `kind`, or as the function's name says; None where there
    is none."""
    if kind is None:
        path = function.__qualname__.split(".")[:-1]
        if not path or "<locals>" in path:
            return None
        kind = function.__globals__.get(path[0])
        for name in path[1:]:
            kind = getattr(kind, name, None)
    for base in getattr(kind, "__mro__", ()):
        base = source_class(base)
        if is_of_program(base) and any(each is function for each in methods_of(base).values()):
            return base
    return None


@functools.lru_cache(maxsize=64)
def _classes_in(text):
    try:
        return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef)]
    except (SyntaxError, ValueError):
        return []


class ClassPart(Part):
    """A class's text in its file."""

    def __init__(self, kind):
        self.kind = kind
        self.name = kind.__name__
        self.methods = methods_of(kind)
        lines, node = self._found()
        self.first = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        self._take([line.rstrip("\n") for line in lines[self.first - 1:node.end_lineno]])
        self._sort_methods(node.end_lineno)
        self._take_imports(self.names)
        self.cells = {name: cell for function in map(inspect.unwrap, self.methods.values())
                      for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()) if name != "__class__"}
        code = compile(ast.Module([self.tree], []), self.file, "exec")
        self.function = types.FunctionType(code, self.names | contents(self.cells) if self.cells else self.names, self.name)
        self._leave_out_convert()

    def _sort_methods(self, last):
        """`methods` are those of its text, which ends in line `last`; `assigned` it was given from outside."""
        known, self.methods, self.assigned = self.methods, {}, {}
        for name, function in known.items():
            code = inspect.unwrap(function).__code__  # of a decorated one
            if code.co_filename == self.file and self.first <= code.co_firstlineno <= last:
                self.methods[name] = function
            elif is_module_of_program(function.__globals__.get("__name__")) and \
                    linecache.getlines(code.co_filename, function.__globals__):
                self.assigned[name] = function

    def _found(self):
        """The lines of its file and the class in them: the one around its methods, else the last one of its name."""
        module = sys.modules.get(self.kind.__module__)
        names = getattr(module, "__dict__", {})
        last = None
        for file, names in {**{function.__code__.co_filename: function.__globals__ for function in self.methods.values()},
                            getattr(module, "__file__", None) or f"<{self.kind.__module__}>": names}.items():
            lines = linecache.getlines(file, names)
            for node in _classes_in("".join(lines)):
                if node.name == self.kind.__name__:
                    last = lines, node, file, names
                    if any(function.__code__.co_filename == file and
                           node.lineno < function.__code__.co_firstlineno <= node.end_lineno
                           for function in self.methods.values()):
                        self.file, self.names = file, names
                        return lines, node
        if last is None:
            raise notation_error(f"the source of the class {self.kind.__qualname__} is not known: it must be in a file, a "
                                 "notebook or a doctest")
        lines, node, self.file, self.names = last
        return lines, node

    def _take(self, lines):
        indent = len(lines[0]) - len(lines[0].lstrip())
        self.indent = indent
        self.lines = [line.expandtabs(8)[min(indent, len(line) - len(line.lstrip())):] for line in lines]
        self.tree = ast.parse("\n".join(self.lines)).body[0]

    def _leave_out_convert(self):
        from ._convert import convert  # which needs this module
        for node in ast.walk(self.tree):
            for decorator in getattr(node, "decorator_list", ()):
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                value = value_of(called, self.function)
                # What a decorator of a class has done is done.
                if value is convert or (node is self.tree and is_module_of_program(getattr(value, "__module__", None))):
                    for i in range(decorator.lineno - 1, decorator.end_lineno):
                        self.lines[i] = ""
        self.tree = ast.parse("\n".join(self.lines)).body[0]

    def outside_names(self):
        """The names that the class, with what is defined in it, finds outside."""
        code = self.function.__code__
        names = dict.fromkeys(global_names(code))
        bodies = [const for const in code.co_consts if isinstance(const, types.CodeType)]
        if len(bodies) == 1:
            bound = {each.argval for each in dis.get_instructions(bodies[0]) if each.opname == "STORE_NAME"}
            inner = dict.fromkeys(name for const in bodies[0].co_consts if isinstance(const, types.CodeType)
                                  for name in global_names(const))
            names = {name: None for name in names if name not in bound or name in inner}
        return [name for name in names if name not in self.cells and name != self.name and
                not (name.startswith("__") and name.endswith("__"))]

    def constants(self):
        """{name: value} of what its body binds to a number, a text or the like."""
        found = {}
        for node in self.tree.body:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
            for target in targets:
                if isinstance(target, ast.Name) and isinstance(node.value, ast.Constant):
                    found[target.id] = node.value.value
        return found


class MethodPart:
    """The place of a method, whose text is that of its class."""

    def __init__(self, function):
        code = inspect.unwrap(function).__code__
        self.function = function
        self.file, self.first, self.name = code.co_filename, code.co_firstlineno, function.__name__
