"""Objects of the program's classes: what a run makes of them, and their converted methods."""
import contextlib
import enum
import functools
import inspect
import types

from ._values import is_of_program


ITEMS = "(items)"
"""What the reader calls that in an object which is a dictionary or a list."""


def new_object(kind):
    """An object without attributes; None of a class whose objects cannot be without."""
    if kind is types.SimpleNamespace:
        return kind()
    return None if issubclass(kind, (tuple, enum.Enum)) else kind.__new__(kind) if issubclass(kind, (dict, list)) else \
        object.__new__(kind)


def filled(value, kind, names, values):
    """new_object's, with its attributes."""
    if value is not None:
        for name, each in zip(names, values):
            if name != ITEMS:
                object.__setattr__(value, name, each)
            elif isinstance(value, dict):
                dict.update(value, each)
            else:
                list.extend(value, each)
        return value
    if issubclass(kind, enum.Enum):
        return kind[values[list(names).index("name")]]
    return kind(**dict(zip(names, values)))


class Bound:
    """A converted method of an object."""

    __slots__ = ("__func__", "__self__")

    def __init__(self, converted, instance):
        self.__func__, self.__self__ = converted, instance

    def __call__(self, *args, **kwargs):
        return self.__func__(self.__self__, *args, **kwargs)

    def __getattr__(self, name):
        if name.startswith("__") and name not in ("__name__", "__qualname__", "__doc__", "__module__"):
            raise AttributeError(name)
        value = getattr(self.__func__, name)
        return functools.partial(value, self.__self__) if name in REPORTS else value

    def __dir__(self):
        return dir(self.__func__)

    @property
    def __signature__(self):
        return inspect.signature(types.MethodType(self.__func__.__wrapped__, self.__self__))

    @property
    def __wrapped__(self):
        return types.MethodType(self.__func__.__wrapped__, self.__self__)

    @property
    def seed(self):
        """The seed of the next call that draws random numbers."""
        return self.__func__.seed

    @seed.setter
    def seed(self, value):
        self.__func__.seed = value

    def __reduce__(self):
        return Bound, (self.__func__, self.__self__)

    def __eq__(self, other):
        return isinstance(other, Bound) and self.__func__ is other.__func__ and self.__self__ is other.__self__

    def __hash__(self):
        return hash((id(self.__func__), id(self.__self__)))

    def __repr__(self):
        return f"<converted method {self.__func__.__qualname__} of {self.__self__!r}>"


REPORTS = {"statements", "remarks", "memory", "time", "verify"}
"""Methods of Converted that take the arguments of the function."""


def converted_class(kind, convert):
    """A class like it, whose public methods are converted. Generators stay Python's; a class without other public methods
    stays as it is."""
    def is_public(name):
        return name == "__call__" or not name.startswith("_")

    def is_read(function):
        return isinstance(function, types.FunctionType) and not inspect.isgeneratorfunction(inspect.unwrap(function))

    members = {}
    for base in reversed(kind.__mro__):
        if is_of_program(base):
            for name, member in vars(base).items():
                if is_public(name) and is_read(member):
                    members[name] = convert(member)
                elif is_public(name) and isinstance(member, staticmethod) and is_read(member.__func__):
                    members[name] = staticmethod(convert(member.__func__))
                else:
                    members.pop(name, None)
    if not members:
        return kind
    if issubclass(kind, enum.Enum):
        raise TypeError(f"convert cannot make a class like the enum {kind.__name__}; decorate its methods with @convert")
    members |= {"__wrapped__": kind, "__doc__": kind.__doc__, "__module__": kind.__module__,
                "__qualname__": kind.__qualname__}
    if "__dict__" not in dir(kind):
        members["__slots__"] = ()
    with is_registered(kind):
        return type(kind)(kind.__name__, (kind,), members)


@contextlib.contextmanager
def is_registered(kind):
    """What __init_subclass__ of the program does for a class has been done."""
    own = vars(kind).get("__init_subclass__")
    kind.__init_subclass__ = classmethod(lambda cls, **options: None)
    try:
        yield
    finally:
        del kind.__init_subclass__
        if own is not None:
            kind.__init_subclass__ = own
