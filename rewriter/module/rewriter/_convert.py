"""convert: runs a NumPy function as Cudamat statements."""
import collections
import contextlib
import copy
import functools
import inspect
import io
import itertools
import sys
import time
import types
import typing
import warnings
import weakref

import numpy as np

from . import _draws, _numpy_roundings, _report, _rewriter, _trace, sym
from ._errors import NotationError, NotationWarning, notation_error
from ._objects import Bound, converted_class
from ._source import NOTHING, Environment
from ._values import (Garrays, Leaves, OutsideValue, attributes_of, is_changeable, is_object, is_of_program, is_same_in_run,
                      map_arrays, set_attributes, store)

DIFFERENT_VALUES = 3
"""So many values of a number make it a number that the run reads, where the reader allows that."""
NEW_CONTENTS = 8
"""After the statements of so many contents of arrays, a call with others is left to NumPy, if that takes less time than to
convert it, the first times that it has these."""
CALLS_IN_NUMPY = 3
MOST_REFUSALS = 16
"""A method that so many calls in a row could not convert, each with arguments of another kind, stays on NumPy."""


class Way(typing.NamedTuple):
    """How a function is read; others are tried where one fails."""

    by_contents: int = 0  # for what arrays hold: 1: those of ints, 2: those of floats as well
    run_lengths: bool = False  # ranges and new arrays may have data-dependent lengths
    decides: bool = False  # what runs may follow from the values of what is known, which are computed then
    ends: bool = False  # an exception that a `try` catches at run time ends the run, and the call is left to Python


WAYS = [Way(), Way(by_contents=1), Way(run_lengths=True), Way(ends=True), Way(decides=True), Way(by_contents=1, decides=True),
        Way(by_contents=2, decides=True)]
"""The first that is right. Sizes may follow from what arrays of ints hold, and then each such content has its statements.
Where that does not do either, they may be data-dependent. In the end the program is unrolled along the way
that it takes with these numbers, and at last with these arrays."""

_environments = itertools.count(1)


def convert(function=None, *, passes="default", precision=None, engine="auto", seed=0, fallback=None, trace=False):
    """Converts a NumPy function, a method or a class to Cudamat statements and runs these when it is called.

    The source of the function is converted to a list of statements once for each combination of shapes and types of its
    arguments; later calls run the list. The results are those of NumPy: arrays, numbers, objects, and tuples, lists and
    dictionaries of these. Writes to arguments and their attributes are visible to the caller. For a class, a class with
    converted public methods is returned. `convert` is a decorator, with or without options:

        @convert
        def step(X, W, b): ...

        fast = convert(step, passes="fast", precision=32)

    passes      the passes to run (docs/passes.md): "none", "default" (may change the order of sums), "default,layout"
                (keeps every bit), "all", "fast" (change rounding), or names separated by commas
    precision   32, 64 or 128 bits; None: 32 if all arrays of floats are float32 and NumPy returns no float64 array,
                otherwise 64
    engine      "auto" (follows GNUMPY_USE_GPU; by default a GPU if there is one), "npmat" (the CPU) or "cudamat"
    seed        the seed of the random numbers: call number k of a function that draws uses seed + k. The distributions
                are NumPy's, but not the numbers.
    fallback    whether a function that is not supported runs on NumPy, with a NotationWarning that gives the place;
                otherwise it raises a NotationError. None: only methods of a class that is converted as a whole run on NumPy
    trace       whether to run the function once on symbolic arrays instead of reading its source. This supports any
                Python code whose control flow does not depend on data; loops are unrolled.

    Numbers among the arguments are static at first. After three different values a number becomes a run-time value,
    unless it is a size.

    The result is a Converted, whose methods statements(...), verify(...), time(...), memory(...) and remarks(...) take
    the arguments of the function.
    """
    options = dict(passes=passes, precision=precision, engine=engine, seed=seed, fallback=fallback, trace=trace)
    if function is None:
        return lambda given: convert(given, **options)
    if isinstance(function, type) and is_of_program(function):
        return converted_class(function, lambda method: Converted(method, owner=function, **options))
    options["fallback"] = bool(fallback)
    if isinstance(function, types.MethodType) and not isinstance(function.__self__, type):
        return Bound(Converted(function.__func__, owner=type(function.__self__), **options), function.__self__)
    if isinstance(function, Bound):
        return Bound(convert(function.__func__, **options), function.__self__)
    return Converted(function, **options)


class Contents:
    """The time of a function's conversions for contents of its arrays, and of its last calls in NumPy."""

    def __init__(self):
        self.count, self.seconds, self.by_contents, self.is_fixed = 0, 0.0, 0, False
        self.calls = collections.deque(maxlen=CALLS_IN_NUMPY)

    def note(self, conversion, by_contents, seconds):
        self.is_fixed = self.is_fixed or conversion.draws or not conversion.engine.startswith("npmat")
        if by_contents > 0:
            self.count += 1
            self.seconds += seconds
        self.by_contents = max(self.by_contents, by_contents)

    def in_convert(self):
        return self.seconds / self.count

    def in_numpy(self):
        """One call may have waited for another process: the fastest of them."""
        return min(self.calls)

    def are_left_to_numpy(self):
        if self.is_fixed or self.count < NEW_CONTENTS:
            return False
        return len(self.calls) < CALLS_IN_NUMPY or self.in_numpy() < self.in_convert()


class Converted(_rewriter.Dispatch):
    """A function that runs as Cudamat statements, returned by `convert`."""

    def __init__(self, function, *, passes, precision, engine, seed, fallback, trace, owner=None):
        super().__init__()
        while isinstance(function, Converted):
            owner = owner or function._owner
            function = function.__wrapped__
        self._owner = owner
        self._is_cached = isinstance(function, functools._lru_cache_wrapper)
        if self._is_cached:
            function = function.__wrapped__
        if not isinstance(function, types.FunctionType):
            raise TypeError(f"convert takes functions, methods and classes written in Python; got {function!r}")
        if precision not in (None, 32, 64, 128):
            raise ValueError(f"precision= is None, 32, 64 or 128; got {precision!r}")
        if engine not in ("auto", "npmat", "cudamat"):
            raise ValueError(f"engine= is 'auto', 'npmat' or 'cudamat'; got {engine!r}")
        functools.update_wrapper(self, function, updated=())
        self.passes, self.precision, self.engine = passes, precision, engine
        self.fallback, self.trace = fallback, trace
        self._seed = seed
        self._families = {}
        self._environment = None
        self._has_caught = self._has_left = False
        self._contents = Contents()
        self._refusals = 0
        self._read_signature()

    def _read_signature(self):
        try:
            inspect.signature(self.__wrapped__)  # also of what a wrapper wraps
            self._signature = inspect.signature(self.__wrapped__, follow_wrapped=False)
        except ValueError:
            raise TypeError(f"convert takes functions written in Python; got {self.__wrapped__!r}") from None
        parameters = list(self._signature.parameters.values())
        simple = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)
        self._parameters = parameters
        if simple:
            self._set_parameters([p.name for p in parameters], self.__wrapped__.__defaults__ or ())
        else:
            self._set_signature_in_python()

    # ---- what a Dispatch asks for, once

    def _bind(self, args, kwargs):
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return tuple(bound.arguments.values())

    def _refresh(self):
        try:
            self._environment = (_trace.Environment() if self.trace else
                                 Environment(self.__wrapped__, self._owner, self._is_cached))
        except NotationError as error:
            if self.fallback is False:
                raise
            self._warn(error)
            self._environment = _trace.Environment()
            self._environment.refused = True
        self._families = {}
        self._clear()
        self._watch(*self._environment.watched(), str(next(_environments)))

    def _convert(self, values, family, may_wait):
        known = self._families.setdefault(family, {"seen": [], "never": set(), "way": WAYS[0], "failures": {}})
        try:
            if getattr(self._environment, "refused", False):
                return None, _Nothing(), False, 0
            if self.fallback is not False and self._environment.is_overgrown():
                raise NotationError("its arguments hold ever new functions, for each of which it would be converted")
            if self.trace:
                return *_trace.conversion(self, values), 0
            if may_wait and self._contents.are_left_to_numpy() and self.precision is None:
                return None, known.get("flags", _Nothing()), False, self._contents.by_contents, CALLS_IN_NUMPY - 1
            began = time.perf_counter()
            conversion, flags, stores = self._read(values, known)
            known["flags"] = flags
            self._refusals = 0
            self._contents.note(conversion, known["way"].by_contents, time.perf_counter() - began)
            return conversion, flags, stores, known["way"].by_contents
        except _Again:
            return "again", _Nothing(), False, 0
        except _Raises as raises:  # which Python does as it should be done
            return None, raises.flags, False, known["way"].by_contents
        except (NotationError, OutsideValue) as error:
            if isinstance(error, OutsideValue):
                main = self._environment.main if not self.trace else None
                error = (notation_error(str(error), main.file, main.first, 1, self._line_of(main.first))
                         if main else NotationError(str(error)))
            if self.fallback is False:
                raise error from None
            self._warn(error)
            self._refusals += 1
            if not self.trace and (self._environment.is_overgrown() or self._refusals >= MOST_REFUSALS):
                self._environment.refused = True
                self._clear()
            return None, _Nothing(), False, 0

    def _line_of(self, line):
        import linecache
        return linecache.getline(self._environment.main.file, line).rstrip()

    def _warn(self, error):
        where = f" ({error.filename}, line {error.lineno}: {(error.text or '').strip()})" if error.filename else ""
        self._warn_caller(f"{self.__name__} runs on NumPy: {error.msg}{where}")

    @staticmethod
    def _warn_caller(text):
        caller = sym._caller()
        warnings.warn_explicit(text, NotationWarning,
                               caller.f_code.co_filename, caller.f_lineno,
                               registry=caller.f_globals.setdefault("__warningregistry__", {}))

    def _python(self, *args, **kwargs):
        return self.__wrapped__(*args, **kwargs)

    def _first_in_python(self, args, kwargs):
        """A call with contents that may not come again."""
        began = time.perf_counter()
        result = self._python(*args, **kwargs)
        self._contents.calls.append(time.perf_counter() - began)
        if not self._has_left:
            self._has_left = True
            self._warn_caller(
                f"{self.__name__} runs on NumPy for new contents of its arrays, on which its statements depend: to convert it "
                f"takes {self._contents.in_convert():.2g} s, to run it on NumPy {self._contents.in_numpy():.2g} s")
        return result

    def _again(self, conversion, seed, printed, args, kwargs):
        """The call in Python from its beginning, where a run of it has ended with an exception: the arguments are as they
        were, and what the run has printed is not printed again."""
        with contextlib.ExitStack() as stack:
            if conversion.draws:
                stack.enter_context(_draws.given(self._environment.fixed, seed, conversion.engine))
            if printed:
                stack.enter_context(_without(printed))
            result = self.__wrapped__(*args, **kwargs)
        if not self._has_caught:
            self._has_caught = True
            self._warn_caller(f"{self.__name__} ran in Python after its statements raised an exception that NumPy does not "
                              "raise, or that a `try` in it catches; test the condition before the `try`")
        return result

    def _on_garrays(self, *args, **kwargs):
        garrays = Garrays()
        try:
            result = self(*map_arrays(args, garrays.to_numpy), **map_arrays(kwargs, garrays.to_numpy))
        finally:
            garrays.write_back()
        return map_arrays(result, garrays.from_numpy)

    def _stored(self, values, result):
        value, containers = result
        held = [container if container is not None else value for value, container in zip(values, containers)]
        store(list(values), held, is_same_in_run)
        return value

    def _read(self, values, known):
        environment = self._environment
        before = len(environment.fixed), len(environment.data)
        program = _Program(self, values)
        if before != (len(environment.fixed), len(environment.data)):  # a function among the arguments needs more
            self._watch(*environment.watched(), str(next(_environments)))
            raise _Again
        numbers = [leaf.value for leaf in program.leaves if not leaf.is_array]
        known["seen"].append(numbers)
        flags = [i not in known["never"] and len({seen[i] for seen in known["seen"]}) >= DIFFERENT_VALUES
                 for i in range(len(numbers))]
        if any(flags):
            try:
                return program.read(flags, known["way"]), flags, program.stores
            except _Raises:
                raise _Raises(flags) from None
            except NotationError:
                known["never"].update(i for i, flag in enumerate(flags) if flag)
                flags = [False] * len(numbers)
        contents = tuple(leaf.value.tobytes() for leaf in program.leaves if leaf.may_be_known(2))
        failures, key = known["failures"], (*numbers, *contents)
        if key in failures:
            raise failures[key].with_traceback(None)
        failure = last = None
        for way in self._ways(program.leaves, known["way"]):
            try:
                conversion = program.read(flags, way)
            except _Raises:
                known["way"] = way
                raise _Raises(flags) from None
            except NotationError as error:
                last = error
                if failure is None or way == WAYS[1] or (way.run_lengths and (error.lineno or 0) > (failure.lineno or 0)):
                    failure = error
            else:
                known["way"] = way
                return conversion, flags, program.stores
        if last.lineno and last.lineno != failure.lineno:
            failure.msg += f"; decided by the values of what is static, it fails in line {last.lineno}: {last.msg}"
        if len(failures) < MOST_REFUSALS:
            failures[key] = failure
        raise failure

    def _ways(self, leaves, first):
        """The ways to read a function of these, from the one that was right for others."""
        ints = any(leaf.may_be_known(1) for leaf in leaves)
        floats = any(leaf.may_be_known(2) and not leaf.may_be_known(1) for leaf in leaves)
        is_possible = {0: True, 1: ints, 2: floats and self.fallback is not True}
        catches = self._environment.catches()
        return [way for way in WAYS[WAYS.index(first):] if is_possible[way.by_contents] and (catches or not way.ends)]

    # ---- looking at it

    def _conversion(self, args, kwargs):
        to_numpy = Garrays().to_numpy
        conversion = self._find(*map_arrays(args, to_numpy), **map_arrays(kwargs, to_numpy))
        if conversion is None:
            raise NotationError(f"{self.__name__} runs on NumPy for these arguments: it raises an exception, or is not "
                                "supported and has fallback=True, without which the error says why")
        return conversion

    def statements(self, *args, **kwargs):
        """Returns the statements for these arguments as a Listing. str() of it is the text; a notebook shows it with
        the lines of the source and the memory over time."""
        return _report.Listing(self._conversion(args, kwargs))

    def remarks(self, *args, **kwargs):
        """Returns the rewrites that each pass made and rejected, with the reasons."""
        return _report.Remarks(self._conversion(args, kwargs))

    def memory(self, *args, **kwargs):
        """Returns the memory plan for these arguments: each buffer with its live range and offset, and the peak."""
        return _report.Memory(self._conversion(args, kwargs))

    def time(self, *args, repeat=3, **kwargs):
        """Runs the statements `repeat` times and returns the time of each. The arguments are not changed."""
        self._conversion(args, kwargs)
        return _report.Times(*self._times(repeat, *args, **kwargs), repeat)

    def verify(self, *args, **kwargs):
        """Runs the statements, and the original function on NumPy, with copies of these arguments, and compares what
        they return and write. If the function draws random numbers, NumPy gets those that the statements drew."""
        conversion = self._conversion(args, kwargs)
        given = self._signature.bind(*args, **kwargs)
        given.apply_defaults()
        ours, theirs = copy.deepcopy(given), copy.deepcopy(given)
        outside = self._data_copies()
        seed = self.seed
        with self._kept_data():
            got = self(*ours.args, **ours.kwargs)
            data = self._data_copies()
        self.seed = seed

        def on_numpy(bound, change=None):
            same_numbers = contextlib.nullcontext()
            if conversion.draws:
                same_numbers = _draws.given(self._environment.fixed, seed, conversion.engine, change)
            with self._kept_data(), same_numbers as draws, np.errstate(all="ignore"):
                if draws is not None:
                    copies = {}
                    bound.arguments = {
                        name: map_arrays(value, lambda each: draws if isinstance(each, _draws.GENERATORS) else each, copies)
                        for name, value in bound.arguments.items()}
                result = self.__wrapped__(*bound.args, **bound.kwargs)
                return result, bound.arguments, self._data_copies()

        return _report.Verification.of_numpy(conversion, (got, ours.arguments, data), on_numpy(theirs), given.arguments,
                                             outside,
                                             lambda: self._other_roundings(given, conversion, on_numpy))

    @staticmethod
    def _other_roundings(given, conversion, on_numpy):
        """(result, what it may have written to) of the call on NumPy in wider floats, and with floats that are one
        rounding of the run off; nothing where there are no floats to change."""
        eps, others, floats = _report.rounding(conversion.engine), [], [conversion.draws]
        for value in given.arguments.values():
            map_arrays(value, lambda each: floats.append(_numpy_roundings.can_change(each)), {})
        if not any(floats):
            return others
        for kind in _numpy_roundings.CHANGES:
            change = functools.partial(_numpy_roundings.changed, change=kind, eps=eps)
            other = copy.copy(given)
            other.arguments = {name: map_arrays(value, change, {}) for name, value in given.arguments.items()}
            # Where NumPy fails with these, that says nothing of rounding.
            with contextlib.suppress(Exception), contextlib.redirect_stdout(io.StringIO()):
                result, arguments, data = on_numpy(other, change if kind != _numpy_roundings.IN_WIDER else None)
                others.append((result, data | arguments))
        return others

    def _data_copies(self):
        return {name: copy.deepcopy(_found(holder, key))
                for (holder, key), name in zip(self._environment.data, self._environment.data_names)}

    def _kept_data(self):
        return _Kept(self._environment.data)

    @property
    def seed(self):
        """The seed of the next call that draws random numbers."""
        return self._seed

    @seed.setter
    def seed(self, value):
        self._seed = value

    def __get__(self, instance, owner=None):
        return self if instance is None else Bound(self, instance)

    def __set_name__(self, owner, name):
        self._owner = owner

    def __getattr__(self, name):
        """An attribute that the program has given the function."""
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.__wrapped__, name)

    def __repr__(self):
        return f"<converted function {self.__qualname__}, {self._size} conversions>"

    def __reduce__(self):
        return self.__qualname__  # as functions are, by name

    def __deepcopy__(self, memo):
        return self


class _Raises(Exception):
    """The call raises an exception in any case."""

    def __init__(self, flags=()):
        super().__init__()
        self.flags = flags


@contextlib.contextmanager
def _without(printed):
    """While it lasts, lines that have been printed before are not printed."""
    stream = _Remaining(sys.stdout, printed)
    try:
        with contextlib.redirect_stdout(stream):
            yield
    finally:
        stream.end()


class _Remaining(io.TextIOBase):
    """A stream of lines, without those that are known, the last of which may have no end."""

    def __init__(self, stream, printed):
        super().__init__()
        self.stream, self.known, self.line = stream, printed.split("\n"), ""

    def write(self, text):
        *lines, self.line = (self.line + text).split("\n")
        for line in lines:
            self._pass(line, "\n")
        return len(text)

    def _pass(self, line, end):
        if self.known and self.known[0] == line:
            self.known.pop(0)
        elif len(self.known) == 1 and line.startswith(self.known[0]):
            self.stream.write(line[len(self.known.pop()):] + end)
        else:
            self.stream.write(line + end)

    def end(self):
        self._pass(self.line, "")


class _Again(Exception):
    """What the function finds outside is more than was known: the call begins anew."""


class _Nothing:
    """False at any place."""

    def __getitem__(self, i):
        return False


def _found(holder, name):
    return holder.cell_contents if isinstance(holder, types.CellType) else holder[name]


class _Kept:
    """Arrays, containers and objects outside of a function, as they were."""

    def __init__(self, data):
        self.places = data

    def __enter__(self):
        self.contents = {}
        for holder, name in self.places:
            self._keep(_found(holder, name))

    def _keep(self, value):
        if id(value) in self.contents:
            return
        if isinstance(value, np.ndarray):
            held, inner = value.copy(), ()
        elif isinstance(value, dict):
            held = inner = dict(value)
            inner = inner.values()
        elif isinstance(value, (list, tuple)):
            held = inner = list(value)
        elif isinstance(value, set):
            held, inner = set(value), ()
        elif is_object(value):
            held = dict(attributes_of(value))
            inner = held.values()
        else:
            return
        self.contents[id(value)] = value, held
        for item in inner:
            self._keep(item)

    def __exit__(self, *error):
        for value, held in self.contents.values():
            if isinstance(value, np.ndarray):
                value[...] = held
            elif isinstance(value, list):
                value[:] = held
            elif isinstance(value, (dict, set)):
                value.clear()
                value.update(held)
            elif not isinstance(value, tuple):
                set_attributes(value, held)


class _Program:
    """The text for a call's arguments: the function, or one that calls it."""

    def __init__(self, converted, values):
        self.converted = converted
        self.environment = environment = converted._environment
        self.lines = []
        self.later = []  # lines after the functions and classes
        helper_names = {part.name for part in environment.parts.values()}
        self.leaves = Leaves(helper_names, self._callable)
        parameters = converted._parameters
        arguments, data = values[:len(parameters)], values[len(parameters):]
        # Data are described first, in dispatch.cpp, too.
        named_data = self._data(data)
        self.leaves.reserved = set()
        self.later += self.leaves.lines
        self.leaves.lines = []
        first = len(self.leaves)
        expressions = [self.leaves.expression(value, p.name) for p, value in zip(parameters, arguments)]
        self.argument_names = [leaf.name for leaf in self.leaves[first:]]
        is_plain = all(p.kind is p.POSITIONAL_OR_KEYWORD and text == p.name == name
                       for p, text, name in itertools.zip_longest(parameters, expressions, self.argument_names)
                       if p is not None and name is not None) and len(expressions) == len(self.argument_names)
        may_change = any(part.changes_containers() for part in environment.parts.values())
        # Of *args and **kwargs the function has containers of its own.
        self.held = [may_change and any(map(is_changeable, value)) if p.kind is p.VAR_POSITIONAL else
                     may_change and any(map(is_changeable, value.values())) if p.kind is p.VAR_KEYWORD else
                     may_change and is_changeable(value) for p, value in zip(parameters, arguments)]
        held_data = may_change and any(is_changeable(value) for value in data)
        self.stores = any(self.held) or held_data
        self.function = environment.main.name
        if not is_plain or self.stores or environment.is_method or self.leaves.objects:
            self._wrap(parameters, expressions, named_data)

    def _data(self, values):
        names, shared = [], set(self.environment.globals)
        for name, value in zip(self.environment.data_names, values):
            before = len(self.leaves)
            self.leaves.reserved = set(self.environment.bound) - ({name} - shared)
            text = self.leaves.expression(value, name)
            for leaf in self.leaves[before:]:
                self.lines.append((leaf, f"{leaf.name}: {tuple(leaf.value.shape) if leaf.is_array else ()}"))
            if self.leaves.lines or "." in name:
                self.leaves.lines.append(f"{name} = {text}")
            elif text != name:
                self.lines.append((None, f"{name} = {text}"))
            names.append(name)
        return names

    def _callable(self, value, name):
        """The expression of an argument that is a function or a type."""
        text = self.environment.expression_of(value, self.leaves.variable(f"{name}_given"))
        if text is None:
            raise OutsideValue(f"{name} is {value!r}, which is not supported")
        return text

    def _wrap(self, parameters, expressions, data):
        """A function of all leaves that calls the function."""
        arguments, made = [], []
        for i, (p, text) in enumerate(zip(parameters, expressions)):
            if self.held[i]:
                made.append(f"argument_{i} = {text}")
                text = f"argument_{i}"
            head = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**", p.KEYWORD_ONLY: f"{p.name}="}.get(p.kind, "")
            arguments.append(head + text)
        call = f"{self.function}({', '.join(arguments)})"
        name = "call_of_" + self.function.replace(".", "_")
        head = f"def {name}({', '.join(self.argument_names)}):"
        if self.stores:
            held = [f"argument_{i}" if held else "None" for i, held in enumerate(self.held)] + data
            body = [*made, f"returned = {call}", f"return (returned, ({', '.join(held)},))"]
        else:
            body = [f"return {call}"]
        self.wrapper = [head, *("    " + line for line in [*self.leaves.lines, *body])]
        self.function = name

    def read(self, flags, way):
        """The conversion; flags say which numbers the run reads."""
        converted = self.converted
        numbers = iter(flags)
        described, by_run = [], set()
        for leaf in self.leaves:
            run = not leaf.is_array and next(numbers)
            described.append(leaf.described(run, way.by_contents))
            if run:
                by_run.add(leaf)
        lines = [line for leaf, line in self.lines if leaf is None or leaf.is_array or leaf in by_run]
        text = self.environment.assemble(lines, [*self.later, *getattr(self, "wrapper", [])])
        undefined = {name: ("<undefined>", "") for name, why in self.environment.unknown.items() if why == NOTHING}
        names = undefined | self.environment.imports | self.leaves.unknown
        imports = [(module, name, alias) for alias, (module, name) in names.items()]
        for precision in (precision_of(converted, self.leaves), 64):
            result = _rewriter.convert(self.environment.main.file, text, self.function, imports, described,
                                       converted.passes, precision, converted.engine, converted.precision is None,
                                       way.run_lengths, way.decides, way.ends, self.leaves.objects,
                                       self.environment.outside)
            if isinstance(result, tuple) or not result.wants_doubles:
                break
        if isinstance(result, tuple) and result[0] == "raises":
            raise _Raises
        if isinstance(result, tuple):
            raise self.environment.error(*result[1:])
        for line, text in result.warnings:
            self.environment.warn(text, line)
        for line, text in result.left_out().items():
            if text.startswith(("print", "pprint")):
                self.environment.warn("this line prints nothing: a converted function prints numbers, texts and arrays, but no "
                                      "texts that are chosen at run time, and no arrays whose length is known only then; "
                                      "return them, and print them outside", line)
        result.set_catches(self.environment.catches())
        result.bind_environment(weakref.ref(self.environment))
        return result


def precision_of(converted, leaves):
    """In bits."""
    if converted.precision is not None:
        return converted.precision
    codes = {leaf.code for leaf in leaves if isinstance(leaf.value, np.ndarray)} & set("fdgFDG")
    if codes & set("gG"):
        return 128
    return 32 if codes and not codes & set("dD") else 64
