"""python -m cudamat.pycuda PROGRAM.py [ARGUMENT...]: runs a program that imports pycuda, unchanged, over cudamat."""

import os
import runpy
import sys

from . import install


def main():
    del sys.argv[0]
    if not sys.argv or sys.argv[0] in ("-h", "--help"):
        print(__doc__)
        sys.exit(0 if sys.argv else 2)
    install()
    sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
    runpy.run_path(sys.argv[0], run_name="__main__")


main()
