"""Threads, signals, exits, references: what programs around the calls do."""

import ast
import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import cudamat as cm
import gnumpy as gpu
import numpy as np
import pytest


def run(program, **environment):
    return subprocess.run([sys.executable, "-c", program], env=os.environ | environment, capture_output=True, text=True)


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def step_gnumpy(a, b):
    c = (a + b) * 2.0 - a.T
    a[0] = c[1]
    a += 0.0
    c.sum(axis=0)
    a.reshape(16)[3:5] *= 1.0
    try:
        a + gpu_3
    except ValueError:
        pass
    return c.shape


gpu_3 = gpu.zeros(3)


def test_no_leak_over_a_million_calls():
    a, b = gpu.ones((4, 4)), gpu.ones((4, 4))
    m, n, t = cm.CUDAMatrix(np.ones((4, 4))), cm.CUDAMatrix(np.ones((4, 4))), cm.empty((4, 4))

    def calls(count):
        for _ in range(count):
            step_gnumpy(a, b)  # some ten calls
            m.add(n, target=t)
            cm.dot(m.T, n, target=t)
            t.slice(0, 2).mult(1.0)
            t.shape
            try:
                m.add(n.slice(0, 1))
            except cm.CUDAMatException:
                pass

    def objects():
        gc.collect()
        return len(gc.get_objects()), sys.gettotalrefcount() if hasattr(sys, "gettotalrefcount") else 0

    references = [sys.getrefcount(each) for each in (a, b, m, n, t, None, gpu.garray, cm.CUDAMatrix, calls.__code__)]
    calls(2_000)
    held, before, in_use = objects(), resident(), gpu.memory_in_use()
    calls(60_000)  # 17 calls each
    after = [sys.getrefcount(each) for each in (a, b, m, n, t, None, gpu.garray, cm.CUDAMatrix, calls.__code__)]
    assert gpu.memory_in_use() == in_use
    assert objects()[0] - held[0] < 50
    assert resident() - before < 2 << 20
    for now, then in zip(after, references):
        assert abs(now - then) < 1000  # others' references to None come and go


def test_programs_made_at_run_time_are_not_kept():
    names = {"a": gpu.ones(3)}
    code = [compile(f"a + {k}.0", f"made {k % 10}", "eval") for k in range(3000)]
    for each in code:
        eval(each, names)
    assert sum(sys.getrefcount(each) > 4 for each in code) <= 1024


def test_threads_compute_on_arrays_of_their_own():
    wrong = []

    def work(k):
        random = np.random.default_rng(k)
        x = random.normal(0, 1, (30, 30)).astype("float32")
        a, m, t = gpu.garray(x), cm.CUDAMatrix(x), cm.empty((30, 30))
        for _ in range(60):
            b = (gpu.dot(a, a.T) * 0.01 + a).tanh()
            b[3] = a[5]
            expected = np.tanh(x @ x.T * np.float32(0.01) + x)
            expected[3] = x[5]
            cm.dot(m, m.T, target=t)
            if not np.allclose(b.as_numpy_array(), expected, atol=1e-5) or not np.allclose(
                t.asarray(), x @ x.T, atol=1e-4
            ):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []


@pytest.mark.parametrize("package", ["cudamat", "gnumpy"])
def test_other_threads_run_while_one_computes(package):
    size = 900
    if package == "cudamat":
        m, t = cm.CUDAMatrix(np.ones((size, size)), dtype="float64"), cm.empty((size, size), dtype="float64")
        compute = lambda: [cm.dot(m, m, target=t) for _ in range(4)]  # noqa: E731
    else:
        a = gpu.ones((size, size))
        compute = lambda: [gpu.dot(a, a).sum().item() for _ in range(12)]  # noqa: E731
    compute()
    inside, counted = threading.Event(), []

    def count():
        inside.wait()
        while inside.is_set():
            counted.append(time.perf_counter())
            time.sleep(0)

    thread = threading.Thread(target=count)
    thread.start()
    inside.set()
    start = time.perf_counter()
    # One call of C: without giving way to others, it would hold the interpreter for its whole time.
    compute()
    end = time.perf_counter()
    inside.clear()
    thread.join()
    during = [each for each in counted if start < each < end]
    gaps = np.diff([start, *during, end])
    assert len(during) > 20 and gaps.max() < 0.9 * (end - start)


def test_interrupts_end_loops():
    program = """
import gnumpy as gpu, sys
a = gpu.ones((50, 50))
print("started", flush=True)
try:
    while True:
        a = gpu.dot(a, a) * 0.02
except KeyboardInterrupt:
    print("interrupted", float((a * 0).sum()))
"""
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "started\n"
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.communicate()[0] == "interrupted 0.0\n" and process.returncode == 0


@pytest.mark.parametrize(
    "program",
    [
        "import gnumpy as gpu; a = gpu.ones(3) + 1",
        "import gnumpy as gpu, cudamat as cm; keep = [gpu.ones(3), cm.empty((2, 2))]; keep.append(keep)",
        "import cudamat as cm; cm.init(); m = cm.empty((2, 2)); cm.shutdown(); cm.shutdown()",
        "import gnumpy as gpu, sys; sys.a = gpu.ones(3); sys.b = sys.a[1:] * 2",
        "import gnumpy as gpu, atexit; a = gpu.ones(3); atexit.register(lambda: a + 1)",
        "import cudamat as cm, sys; m = cm.empty((2, 2)); sys.exit(0)",
        "import gnumpy as gpu\nclass A:\n  def __init__(s): s.a = gpu.ones(2)\n  def __del__(s): s.a += 1\nkeep = A()",
        "import gnumpy, cudamat, importlib as i; i.reload(gnumpy); i.reload(cudamat); print(gnumpy.ones(2) + 1)",
        "import threading, gnumpy as gpu\nt = threading.Thread(target=gpu.ones(3).sum().item)\nt.start(); t.join()",
    ],
)
def test_programs_end_in_any_order(program):
    done = run(program)
    assert done.returncode == 0 and done.stderr == "", done.stderr


@pytest.mark.parametrize(
    ("environment", "text"),
    [
        ({"GNUMPY_USE_GPU": "perhaps"}, "must be auto, yes or no; got 'perhaps'"),
        ({"GNUMPY_CPU_PRECISION": "16", "GNUMPY_USE_GPU": "no"}, "must be 32, 64 or 128; got '16'"),
    ],
)
def test_a_wrong_environment_is_refused_when_an_array_is_made(environment, text):
    done = run("import gnumpy\ntry:\n    gnumpy.ones(3)\nexcept ValueError as error:\n    print(error)", **environment)
    assert text in done.stdout


def test_engine_that_the_environment_asks_for():
    program = "import cudamat as cm; print(cm.engine())"
    assert run(program, GNUMPY_USE_GPU="no").stdout == "npmat float32\n"
    wanted = run(
        "import cudamat as cm\ntry:\n    print(cm.engine())\nexcept cm.CUDAMatException as error:\n    print(error)",
        GNUMPY_USE_GPU="yes",
    )
    assert "cuda" in wanted.stdout.lower() or "GPU" in wanted.stdout


def test_importing_the_packages_imports_no_numpy():
    assert run("import sys, gnumpy, cudamat; print('numpy' in sys.modules)").stdout == "False\n"


@pytest.mark.parametrize("package", [gpu, cm], ids=lambda each: each.__name__)
def test_stubs_have_every_public_name(package):
    folder = Path(package.__file__).parent
    assert (folder / "py.typed").exists()
    defined = set()
    for stub in (folder / f"_{package.__name__}.pyi", folder / "__init__.pyi", folder / "__init__.py"):
        if stub.exists():
            for node in ast.parse(stub.read_text(encoding="utf-8")).body:
                defined |= {
                    getattr(node, "name", None),
                    *(each.id for each in ast.walk(node) if isinstance(each, ast.Name)),
                }
    assert set(package.__all__) - {"learn", "newaxis"} <= defined


def test_every_public_name_is_documented():
    for package, type_ in ((gpu, gpu.garray), (cm, cm.CUDAMatrix)):
        for name in package.__all__:
            assert name == "newaxis" or getattr(package, name).__doc__, name
        for name in dir(type_):
            if not name.startswith("_"):
                assert getattr(type_, name).__doc__, name


def test_the_package_tells_what_it_uses():
    environment = os.environ | {"GNUMPY_USE_GPU": "no"}
    told = subprocess.run([sys.executable, "-m", "cudamat"], env=environment, capture_output=True, text=True, check=True)
    first, engine, gpu, *libraries = told.stdout.splitlines()
    assert first.startswith(f"cudamat {cm.__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}")
    assert engine == "engine: npmat float32" and gpu.startswith("GPU: ")
    assert len(libraries) in (0, 4) and all(line.startswith("CUDA: ") for line in libraries)
