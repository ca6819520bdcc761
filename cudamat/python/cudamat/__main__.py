"""python -m cudamat: which engine computes here, the GPU that was found, and where CUDA's libraries are."""

import sys

import numpy as np

from . import __version__, _cudamat

print(f"cudamat {__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}")
print(*_cudamat._describe(), sep="\n")
