"""The notebook, the page and the command agree with the package."""
import ast
import json
import linecache
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rewriter
from rewriter import convert

ROOT = Path(__file__).resolve().parents[2]


def test_notebook(capsys):
    """Its cells, run as a kernel does: the value of a last expression is shown."""
    notebook = json.loads((ROOT / "tools/examples/convert.ipynb").read_text(encoding="utf-8"))
    names, shown = {"__name__": "__main__"}, []
    for i, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] != "code":
            continue
        text, name = "".join(cell["source"]), f"<cell {i}>"
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        tree = ast.parse(text)
        last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, name, "exec"), names)
        if last is not None:
            shown.append(eval(compile(last, name, "eval"), names))
    printed = capsys.readouterr().out
    assert shown[0] == (784, 256) and "<svg" in shown[1]._repr_html_()
    assert "verified: statements and NumPy" in printed and "# the memory plan" in printed
    assert (256,) in [value[0] for value in shown if isinstance(value, tuple) and len(value) == 2]
    assert all(value[1] for value in shown if isinstance(value, tuple) and isinstance(value[1], bool))
    assert "np.spacing(x) -> np.spacing is not supported" in printed


def test_page():
    """The programs of docs/python-rewriter.md run."""
    page = (ROOT / "docs/python-rewriter.md").read_text(encoding="utf-8")
    rng = np.random.default_rng(0)
    given = [{"X": rng.random((20, 5)), "W": rng.random((5, 3)), "b": rng.random(3)},
             {"X": rng.random((20, 5)), "y": rng.random(20), "np": np, "convert": rewriter.convert, "__name__": "__main__"},
             {name: rewriter.sym.array(rng.random(shape)) for name, shape in
              {"x": (8, 784), "z": (8, 784), "X": (8, 784), "h": (8, 256)}.items()} | {"np": np}]
    blocks = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    assert len(blocks) == len(given)
    for i, (block, names) in enumerate(zip(blocks, given)):
        name = f"<block {i}>"
        linecache.cache[name] = (len(block), None, block.splitlines(True), name)
        exec(compile(block, name, "exec"), names)


SHAPES = "--function", "step", "--shape", "X=20x5", "--shape", "W=5x3"


def symdump(tmp_path, *options):
    """What it prints in float64; its files are step.py, a program, and ours.list."""
    program = os.environ.get("SYMDUMP") or shutil.which("symdump") or next(
        (str(path) for path in ROOT.glob("build*/tools/symdump")), None)
    if program is None:
        pytest.skip("symdump is not built: cmake --build build --target symdump")
    done = subprocess.run([program, "--precision", "64", *options], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def converted(tmp_path, passes):
    """The list of the function of step.py, which is left in ours.list, too."""
    file = tmp_path / "step.py"
    file.write_text("import numpy as np\n\n\ndef step(X, W):\n    h = np.tanh(X @ W)\n    W -= 0.1 * (X.T @ h)\n"
                    "    return h.mean(), h\n", encoding="utf-8")
    step = convert(runpy.run_path(str(file))["step"], passes=passes, engine="npmat")
    ours = str(step.statements(np.ones((20, 5)), np.ones((5, 3))))
    (tmp_path / "ours.list").write_text(ours, encoding="utf-8")
    return ours


def test_statements_are_symdumps(tmp_path):
    ours = converted(tmp_path, "none")
    assert ours == symdump(tmp_path, *SHAPES, "--passes", "none", str(tmp_path / "step.py"))


@pytest.mark.parametrize("passes", ["default", "all", "fast"])
def test_symdump_reads_statements(tmp_path, passes):
    """They need not be its own: `layout` counts what convert's arrays, in C order, are copied for."""
    ours = converted(tmp_path, passes)
    assert ours == symdump(tmp_path, "--from", "ours.list")
    assert "verified" in symdump(tmp_path, "--from", "ours.list", "--verify=numpy", *SHAPES, "step.py")


def test_threads_may_run_at_the_end():
    """A daemon's run does not bring the interpreter down with it."""
    program = ("import threading, time, numpy as np\nfrom rewriter import convert\nimport linecache\n"
               "text = 'def long(x):\\n    for _ in range(100000000):\\n        x = x * 1.01\\n    return x\\n'\n"
               "linecache.cache['<t>'] = (len(text), None, text.splitlines(True), '<t>')\n"
               "names = {}\nexec(compile(text, '<t>', 'exec'), names)\n"
               "threading.Thread(target=convert(names['long']), args=(np.ones((50, 50)),), daemon=True).start()\n"
               "time.sleep(0.5)\nprint('left')\n")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "left\n"), done.stderr


def test_the_bench_beside_numpy():
    """On a few elements. It fails where a result is not NumPy's."""
    done = subprocess.run([sys.executable, ROOT / "bench/peers.py", "--python", "--tiny", "--rounds", "1", "--peers", "numpy"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert re.search(r"\| a later call, us \| [\d.]+ \| [\d.]+ \|", done.stdout)
    assert len(re.findall(r"\(NumPy\) \|$", done.stdout, re.M)) == 10
