"""What our programs and libraries show others of CUDA and its libraries: nothing. They define functions of those names
(cudamat/cuda/libraries.cpp), or hold them (cudart_static), and calls of others in the process must not end there.

usage: cuda_exports_test.py PROGRAM-OR-SHARED-LIBRARY...
"""

import re
import subprocess
import sys

FOREIGN = re.compile(r"^(cublas|cusolver|curand|nvrtc|cuda(?=[A-Z])|__cuda|cu(?=[A-Z]))")


def main():
    wrong = 0
    for path in sys.argv[1:]:
        table = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
        names = [line.split()[-1] for line in table.splitlines()]
        foreign = sorted(name for name in names if FOREIGN.match(name))
        print(f"{path}: {len(names)} symbols, {len(foreign)} of CUDA's: {' '.join(foreign[:8])}")
        # The library of the whole engine shows the engine: otherwise nothing was looked at.
        if path.endswith(".so") and not any("cudamat" in name for name in names):
            print(f"{path} does not hold the engine")
            wrong += 1
        wrong += len(foreign)
    return 1 if wrong or len(sys.argv) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
