"""Objects of the program's classes: what a run makes of them, and their converted methods."""
import enum
import functools
import inspect
import types

from ._values import is_of_program


def new_object(kind):
    """An object without attributes; None of a class whose objects cannot be without."""
    if kind is types.SimpleNamespace:
        return kind()
    return None if issubclass(kind, (tuple, enum.Enum)) else object.__new__(kind)


def filled(value, kind, names, values):
    """new_object's, with its attributes."""
    if value is not None:
        for name, each in zip(names, values):
            object.__setattr__(value, name, each)
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
    """A class like it, whose public methods are converted."""
    def is_public(name):
        return name == "__call__" or not name.startswith("_")

    members = {"__wrapped__": kind, "__doc__": kind.__doc__, "__module__": kind.__module__,
               "__qualname__": kind.__qualname__}
    if "__dict__" not in dir(kind):
        members["__slots__"] = ()
    for base in reversed(kind.__mro__):
        if is_of_program(base):
            for name, member in vars(base).items():
                if is_public(name) and isinstance(member, types.FunctionType):
                    members[name] = convert(member)
                elif is_public(name) and isinstance(getattr(member, "__func__", None), types.FunctionType) and \
                        isinstance(member, staticmethod):
                    members[name] = staticmethod(convert(member.__func__))
                elif name in members and is_public(name):
                    del members[name]
    return type(kind)(kind.__name__, (kind,), members)
