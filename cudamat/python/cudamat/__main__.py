"""python -m cudamat prints the engine in use, the GPU that was found, and the paths of CUDA's libraries."""

import sys

import numpy as np

from . import __version__, _cudamat

print(f"cudamat {__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}")
print(*_cudamat._describe(), sep="\n")
