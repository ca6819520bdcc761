# Types of what is a slot of the class, for nanobind's stubs.

_gnumpy.garray.__(r?(?:add|sub|mul|truediv|floordiv|mod|pow|and|or|xor|matmul|divmod)|i(?:add|sub|mul|truediv|floordiv|mod|pow|and|or|xor)|lt|le|gt|ge)__:
    def __\1__(self, value: garray | float | numpy.typing.ArrayLike, /) -> garray:
        \doc

_gnumpy.garray.__(eq|ne)__:
    def __\1__(self, value: object, /) -> garray:  # type: ignore[override]
        \doc

_gnumpy.garray.__(neg|pos|abs|invert)__:
    def __\1__(self, /) -> garray:
        \doc

_gnumpy.garray.__(float|int|bool|str)__:
    def __\1__(self, /) -> \1:
        \doc

_gnumpy.garray.__(index|len|hash)__:
    def __\1__(self, /) -> int:
        \doc

_gnumpy.garray.__repr__:
    def __repr__(self, /) -> str:
        \doc

_gnumpy.garray.__getitem__:
    def __getitem__(self, key: object, /) -> garray:
        \doc

_gnumpy.garray.__setitem__:
    def __setitem__(self, key: object, value: garray | float | numpy.typing.ArrayLike, /) -> None:
        \doc

_gnumpy.garray.__contains__:
    def __contains__(self, value: object, /) -> bool:
        \doc

_gnumpy.garray.__iter__:
    \from collections.abc import Iterator
    def __iter__(self, /) -> Iterator[garray]:
        \doc
