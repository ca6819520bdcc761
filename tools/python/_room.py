"""Room for the buffers that OpenBLAS asks for as a module loads it: for ever, where there is none. One file, in every
package; the same for programs is tools/early_room.cpp."""

import mmap
import os
import re

_BUFFER = 128 << 20  # bytes, as in npmat/blas_start.hpp
_LIBRARIES = 128 << 20  # OpenBLAS, oneDNN and what else is loaded with them


def _threads():
    """As many as OpenMP will have."""
    wanted = re.match(r"\d+", os.environ.get("OMP_NUM_THREADS", ""))
    processors = len(os.sched_getaffinity(0))
    return min(int(wanted[0]), processors) if wanted and int(wanted[0]) > 0 else processors


def _is_loaded():
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        return any("openblas" in line for line in maps)


def _look():
    buffers = []
    try:
        for size in [_BUFFER] * _threads() + [_LIBRARIES]:
            buffers.append(mmap.mmap(-1, size))
    except OSError:
        if not _is_loaded():
            raise MemoryError(
                "OpenBLAS and oneDNN need 128 MiB of address space as they are loaded, and 128 MiB for each thread, and less is available; allow more (ulimit -v), or set OMP_NUM_THREADS=1") from None
    finally:
        for buffer in buffers:
            buffer.close()


_look()
