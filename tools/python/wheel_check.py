"""Tries the installed wheel: the packages compute, and use the libraries that came with them; with --cuda the CUDA engine
finds those of PyPI's packages, or the machine's. For tools/wheel.
"""

import importlib.metadata
import sys
from pathlib import Path

import cudamat as cm
import gnumpy as gpu
import numpy as np
from rewriter import convert

random = np.random.default_rng(0)
x, w = random.normal(0, 1, (300, 200)).astype("f"), random.normal(0, 0.1, (200, 100)).astype("f")
expected = 1 / (1 + np.exp(-(x @ w)))

m = cm.dot(cm.CUDAMatrix(x), cm.CUDAMatrix(w)).apply_sigmoid()
np.testing.assert_allclose(m.asarray(), expected, atol=1e-5)
np.testing.assert_allclose(gpu.dot(x, w).logistic().as_numpy_array(), expected, atol=1e-5)
np.testing.assert_array_equal(np.from_dlpack(m), m.asarray())


@convert
def unit(x, w):
    return 1 / (1 + np.exp(-np.dot(x, w)))


np.testing.assert_allclose(unit(x, w), expected, atol=1e-5)

site = Path(cm.__file__).parent.parent
own = site / "cudamat.libs"
loaded = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if ".so" in line}
for library in ("gomp", "openblas", "dnnl"):
    places = {Path(each).parent for each in loaded if Path(each).name.startswith(f"lib{library}")}
    assert own in places and places <= {own, site / "numpy.libs"}, f"lib{library} is of {sorted(map(str, places))}"

for package in ("cudamat", "gnumpy", "rewriter"):
    (extension,) = (site / package).glob("*.so")
    assert (".abi3." in extension.name) == (sys.version_info >= (3, 12)), extension
    assert (site / package / "py.typed").exists() and list((site / package).glob("*.pyi")), package

if "--cuda" in sys.argv:
    lines = [line.removeprefix("CUDA: ") for line in cm._cudamat._describe() if line.startswith("CUDA: ")]
    assert len(lines) == 4 and all(Path(line).is_file() for line in lines), lines
    print(f"wheel: the CUDA engine uses {', '.join(lines)}")
print(f"wheel: cudamat {importlib.metadata.version('cudamat')} computes on Python {sys.version.split()[0]}, "
      f"NumPy {np.__version__}: {cm.engine()}")
