"""What nvcc makes of + - * / and sqrt with the flags of this build: IEEE 754's, each rounded by itself.

A probe with the functors of the op table is compiled to PTX as cudamat/cuda/fill.cu is. The same with flags that users
might add must be found out, or be overruled.

usage: cuda_exact_code_test.py NVCC SOURCE-FOLDER COMPILE_COMMANDS.JSON
"""

import json
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

PROBE = """
#include "cudamat/functors.hpp"
template <class T> __device__ void probe(T* x) {
  using namespace cudamat::functors;
  x[0] = Divide{}(x[0], x[1]);
  x[2] = Sqrt{}(x[3]);
  x[4] = Reciprocal{}(x[5]);
  x[6] = AddMult{}(x[6], x[7], x[8]);
  x[9] = Subtract{}(x[9], x[10]);
}
__global__ void probe_float(float* x) { probe(x); }
__global__ void probe_double(double* x) { probe(x); }
"""
WANTED = ["div.rn.f32", "div.rn.f64", "sqrt.rn.f32", "sqrt.rn.f64", "rcp.rn.f32", "rcp.rn.f64", "mul.rn.f32",
          "mul.rn.f64", "add.rn.f32", "add.rn.f64", "sub.rn.f32", "sub.rn.f64"]
FORBIDDEN = re.compile(r"\.ftz|\.approx|\.full|\bfma\.|\bmad\.rn")


def ptx(nvcc, source, flags, more):
    """The text of the probe's PTX, or None if it does not compile."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "probe.cu")
        path.write_text(PROBE, encoding="utf-8")
        done = subprocess.run([nvcc, *more[0], *flags, *more[1], "-I", source, "-arch=compute_90", "-ptx", str(path),
                               "-o", str(path.with_suffix(".ptx"))], capture_output=True, text=True)
        return path.with_suffix(".ptx").read_text(encoding="utf-8") if done.returncode == 0 else None


def faults(text):
    """What is not IEEE's in it."""
    code = re.sub(r"//.*", "", text)
    return [f"no {word}" for word in WANTED if word not in code] + sorted(set(FORBIDDEN.findall(code)))


def flags_of_build(commands):
    """Those of a kernel's file but for what is compiled, where to, and for which device."""
    entry = next(entry for entry in json.loads(Path(commands).read_text(encoding="utf-8"))
                 if entry["file"].endswith("cudamat/cuda/fill.cu") and "-x cu" in entry["command"])
    words = iter(shlex.split(entry["command"]))
    flags = []
    for word in words:
        if word in ("-o", "-c", "-x", "-MF", "-MT", "-forward-unknown-to-host-compiler"):
            if word != "-forward-unknown-to-host-compiler":
                next(words)
        elif word.startswith(("-std", "--fmad", "-fmad", "--expt", "-use_fast", "--use_fast", "-ftz", "-prec", "-O")):
            flags.append(word)
    return flags


def main():
    nvcc, source, commands = sys.argv[1:]
    flags = flags_of_build(commands)
    wrong = []
    text = ptx(nvcc, source, flags, ([], []))
    if text is None:
        wrong.append("the probe does not compile")
    else:
        wrong += faults(text)
    # This test can fail; and flags before ours are overruled where nvcc takes the last.
    for more in ("-use_fast_math", "-ftz=true", "-prec-div=false", "-prec-sqrt=false"):
        text = ptx(nvcc, source, flags, ([], [more]))
        if text is not None and not faults(text):
            wrong.append(f"{more} is not found out")
    text = ptx(nvcc, source, flags, (["-fmad=true"], []))
    if text is None or faults(text):
        wrong.append("-fmad=true before our flags is not overruled")
    print(" ".join(flags), *wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
