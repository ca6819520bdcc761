"""The workloads for CuPy: the programs of NumPy, with CuPy under its name."""

import cupy as cp

from models import cupy_peer, rbm_step

NAME = f"CuPy {cp.__version__}"
COLUMNS = PLAIN, FUSED = "CuPy", "CuPy, fused"
ELEMENT_WISE = ("chain", "slope", "black_scholes", "adam")


def program(workload):
    """The program's code, which takes and leaves its variables in a dictionary."""
    text = workload.file.read_text(encoding="utf-8").replace("import numpy as np", "import cupy as np")
    return compile(text, workload.file, "exec")


def make_plain(workload):
    """The program as it is."""
    arrays = {name: cp.asarray(array) for name, array in workload.arrays.items()}
    code = program(workload)

    def run():
        names = {**arrays, "steps": workload.steps}
        exec(code, names)  # pylint: disable=exec-used
        return {name: names[name] for name in workload.outputs}

    return run, ""


def make_fused(workload):
    """The program as one kernel; it returns the outputs that it does not write in place."""
    arrays = {name: cp.asarray(array) for name, array in workload.arrays.items()}
    made = [name for name in workload.outputs if name not in arrays]
    code = program(workload)

    @cp.fuse(kernel_name=workload.name)
    def kernel(*values):
        names = dict(zip(arrays, values))
        exec(code, names)  # pylint: disable=exec-used
        return tuple(names[name] for name in made) if made else None

    def run():
        results = {**arrays, **dict(zip(made, kernel(*arrays.values()) or ()))}
        return {name: results[name] for name in workload.outputs}

    return run, ""


def make_rbm():
    step = rbm_step(cupy_peer(), read=False)
    return lambda: {"norm": step()}, ""


def contestants(workload, _):
    """The columns of this workload, and for each a function that makes a run and what is to be said of it. A run starts
    the work on arrays of its own and returns the results by name; wait(results) waits for it.
    """
    if workload.name == "rbm_step":
        yield PLAIN, make_rbm
        return
    yield PLAIN, lambda: make_plain(workload)
    if workload.name in ELEMENT_WISE:
        yield FUSED, lambda: make_fused(workload)


def wait(_):
    cp.cuda.Device().synchronize()


def read(array):
    return cp.asnumpy(array)
