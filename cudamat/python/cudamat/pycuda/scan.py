"""Prefix sums, and what else combines each element with those before it."""

import numpy as np

from .. import _cudamat
from . import gpuarray
from .driver import _defined, _text

__all__ = ["ExclusiveScanKernel", "InclusiveScanKernel"]

# Each of _BLOCK * _GRID threads scans a run of elements; then one thread scans the runs' totals, and each thread adds what
# comes before its run. The order of what is combined depends on the number of elements alone.
_SOURCE = """
%(preamble)s
typedef %(type)s simt_scanned;
__device__ simt_scanned combined(simt_scanned a, simt_scanned b) { return %(expression)s; }
__device__ long long run_begin(long long n, int run) { return n / %(threads)d * run + min((long long)run, n %% %(threads)d); }
__global__ void totals(const simt_scanned *x, simt_scanned *total, long long n) {
  const int run = blockIdx.x * blockDim.x + threadIdx.x;
  const long long end = run_begin(n, run + 1);
  long long i = run_begin(n, run);
  if (i == end) return;
  simt_scanned sum = x[i];
  while (++i < end) sum = combined(sum, x[i]);
  total[run] = sum;
}
__global__ void before(simt_scanned *total, int runs) {
  for (int run = 1; run < runs; ++run) total[run] = combined(total[run - 1], total[run]);
}
__global__ void scan(const simt_scanned *x, const simt_scanned *total, simt_scanned *z, long long n) {
  const int run = blockIdx.x * blockDim.x + threadIdx.x;
  const long long begin = run_begin(n, run), end = run_begin(n, run + 1);
  simt_scanned sum{};
  if (begin != end && begin != 0) sum = total[run - 1];
  for (long long i = begin; i < end; ++i) {
    const simt_scanned next = x[i];
    if (%(exclusive)d) z[i] = i == 0 ? simt_scanned(%(neutral)s) : sum;
    sum = i == 0 ? next : combined(sum, next);
    if (!%(exclusive)d) z[i] = sum;
  }
}
"""


_BLOCK, _GRID = 128, 32


class _ScanKernel:
    _exclusive = False

    def __init__(
        self,
        dtype,
        scan_expr,
        neutral=None,
        name_prefix="scan",
        options=None,
        preamble="",
        devices=None,
        *,
        check=False,
    ):
        what = type(self).__name__
        if neutral is None and self._exclusive:
            raise ValueError(f"[{what}] needs neutral, the first result")
        self.dtype, self._what = np.dtype(dtype), what
        source = _SOURCE % {
            "preamble": _defined(what, options, preamble),
            "threads": _BLOCK * _GRID,
            "type": gpuarray._c_name(dtype),
            "expression": _text(scan_expr),
            "exclusive": self._exclusive,
            "neutral": "simt_scanned()" if neutral is None else _text(neutral),
        }
        module = _cudamat.SourceModule(source, name=f"{name_prefix}.cu", check=check)
        self._totals, self._before, self._scan = [module.get_function(name) for name in ("totals", "before", "scan")]

    def __call__(self, input_ary, output_ary=None, allocator=None, n=None, stream=None):
        """The first n elements, all unless it is given, go into output_ary, or where they are. Returns that array."""
        output = input_ary if output_ary is None else output_ary
        n = input_ary.size if n is None else int(n)
        for array in input_ary, output:
            if array.dtype != self.dtype or array.size < n:
                raise ValueError(
                    f"[{self._what}] arrays must have {n} elements of {self.dtype}; got {array.size} of {array.dtype}"
                )
        input_ary._common_order(output)
        if n:
            total = gpuarray.GPUArray(_BLOCK * _GRID, self.dtype)
            self._totals(input_ary, total, n, block=_BLOCK, grid=_GRID)
            self._before(total, min(n, _BLOCK * _GRID), block=1)
            self._scan(input_ary, total, output, n, block=_BLOCK, grid=_GRID)
        return output


class InclusiveScanKernel(_ScanKernel):
    """InclusiveScanKernel(np.int32, "a+b"): element i is x[0] combined with x[1], and so on up to x[i]."""


class ExclusiveScanKernel(_ScanKernel):
    """ExclusiveScanKernel(np.int32, "a+b", "0"): element i is what combines those before x[i]; neutral is the first."""

    _exclusive = True
