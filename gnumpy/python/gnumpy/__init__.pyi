from ._gnumpy import *
from ._gnumpy import __version__ as __version__

newaxis: None
inf: float
nan: float
pi: float
e: float

track_memory_usage: bool
max_memory_usage: float
acceptable_number_types: str | float
expensive_check_probability: float

def status() -> None: ...
def usingGpu() -> bool: ...
def memory_allocators(minimum_n_bytes: int = 1, new_style: bool = False) -> list[tuple[str, int, int, int]] | None: ...
