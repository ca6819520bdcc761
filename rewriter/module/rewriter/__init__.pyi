from collections.abc import Callable
from typing import Any, Generic, Literal, ParamSpec, TypeVar, overload

from . import sym as sym
from ._errors import NotationError as NotationError, NotationWarning as NotationWarning
from ._report import Listing, Memory, Remarks, Times, Verification

P = ParamSpec("P")
R = TypeVar("R", covariant=True)
Engine = Literal["auto", "npmat", "cudamat"]
Precision = Literal[32, 64, 128] | None

class Converted(Generic[P, R]):
    __wrapped__: Callable[P, R]
    __name__: str
    seed: int
    passes: str
    precision: Precision
    engine: Engine
    fallback: bool
    trace: bool
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    def statements(self, *args: P.args, **kwargs: P.kwargs) -> Listing: ...
    def remarks(self, *args: P.args, **kwargs: P.kwargs) -> Remarks: ...
    def memory(self, *args: P.args, **kwargs: P.kwargs) -> Memory: ...
    def verify(self, *args: P.args, **kwargs: P.kwargs) -> Verification: ...
    def time(self, *args: Any, repeat: int = 3, **kwargs: Any) -> Times: ...

@overload
def convert(function: Callable[P, R], *, passes: str = "default", precision: Precision = None, engine: Engine = "auto",
            seed: int = 0, fallback: bool = False, trace: bool = False) -> Converted[P, R]: ...
@overload
def convert(function: None = None, *, passes: str = "default", precision: Precision = None, engine: Engine = "auto",
            seed: int = 0, fallback: bool = False, trace: bool = False
            ) -> Callable[[Callable[P, R]], Converted[P, R]]: ...
