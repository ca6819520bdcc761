"""PyCUDA's interface for programs like its tutorial's, on a GPU, or on the CPU with every access checked.

    import cudamat.pycuda.autoinit
    import cudamat.pycuda.driver as drv
    from cudamat.pycuda.compiler import SourceModule

A program runs unchanged as `python -m cudamat.pycuda program.py`, or after cudamat.pycuda.install(). Here are driver
(memory, copies, events), compiler, gpuarray, elementwise, reduction, scan, cumath, curandom, tools and autoinit, which does
nothing: devices start at their first use.
"""

import importlib
import sys

VERSION = (2024, 1)  # of the PyCUDA whose interface this is
VERSION_STATUS = ""
VERSION_TEXT = "2024.1"
_MODULES = ("driver", "compiler", "elementwise", "reduction", "scan", "gpuarray", "cumath", "curandom", "tools", "autoinit")


def install():
    """From now on `import pycuda` finds this package. Raises an error if PyCUDA itself was imported."""
    here = sys.modules[__name__]
    if sys.modules.get("pycuda", here) is not here:
        raise ImportError("[install] PyCUDA itself was imported before; call install() first")
    for name in _MODULES:
        sys.modules["pycuda." + name] = importlib.import_module("." + name, __name__)
    sys.modules["pycuda"] = here
