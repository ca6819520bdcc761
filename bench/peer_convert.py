"""The programs as functions that rewriter.convert runs: a NumPy array for each result of each run."""

import linecache
import textwrap

from rewriter import convert

NAME = "convert"


def function_of(workload, names):
    """The program as a function of the arrays of these names, and of `steps`."""
    body = workload.file.read_text(encoding="utf-8")
    text = f"def {workload.name}({', '.join(names)}, steps):\n{textwrap.indent(body, '    ')}"
    text += f"\n    return {', '.join(workload.outputs)},\n"
    file = f"<{workload.name}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    found = {}
    exec(compile(text, file, "exec"), found)  # pylint: disable=exec-used
    return found[workload.name]


def prepare(workload, arrays):
    """As in peer_numpy."""
    call = convert(function_of(workload, arrays), passes="fast")

    def run():
        return dict(zip(workload.outputs, call(**arrays, steps=workload.steps)))

    return run
