"""NumPy runs the programs themselves."""

import numpy as np

NAME = f"NumPy {np.__version__}"


def prepare(workload, arrays):
    """A function that runs the workload once on these arrays, which it may change, and gives its results by name. Where
    it has arrays of its own, its function load() takes them from these again.
    """
    code = compile(workload.file.read_text(encoding="utf-8"), workload.file, "exec")

    def run():
        names = {**arrays, "steps": workload.steps}
        exec(code, names)  # pylint: disable=exec-used
        return {name: names[name] for name in workload.outputs}

    return run
