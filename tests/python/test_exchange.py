"""Elements shared with other libraries: DLPack, buffers, array interfaces. NumPy and capsules by hand are the others."""

import ctypes
import gc
import os
import subprocess
import sys
import threading

import cudamat as cm
import gnumpy as gpu
import numpy as np
import pytest

NUMPY_2_1 = np.lib.NumpyVersion(np.__version__) >= "2.1.0"
BOTH = pytest.mark.parametrize("package", [cm, gpu], ids=["cudamat", "gnumpy"])

name_of = ctypes.pythonapi.PyCapsule_GetName
name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class Tensor(ctypes.Structure):  # as https://dmlc.github.io/dlpack has it
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


READ_ONLY, IS_COPIED = 1, 2


def versioned(capsule):
    assert name_of(capsule) == b"dltensor_versioned"
    return ctypes.cast(pointer_of(capsule, b"dltensor_versioned"), ctypes.POINTER(Versioned)).contents


def array_of(package, x):
    return package.CUDAMatrix(x) if package is cm else package.garray(x)


def values(array):
    return array.asarray().copy() if isinstance(array, cm.CUDAMatrix) else array.as_numpy_array()


class Producer:
    """An array of NumPy's as another library would have it."""

    def __init__(self, array):
        self.array, self.asked = array, []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, **arguments):
        self.asked.append(arguments)
        if NUMPY_2_1:
            return self.array.__dlpack__(**arguments)
        return self.array.__dlpack__(stream=arguments.get("stream"))


class EarlyProducer(Producer):
    """One of before DLPack 1.0."""

    def __dlpack__(self, stream=None):
        self.asked.append(stream)
        return self.array.__dlpack__()


# ---- to others ----


@BOTH
def test_capsules_say_what_was_agreed(package, random):
    x = random.normal(0, 1, (3, 4)).astype("float32")
    a = array_of(package, x)
    assert a.__dlpack_device__() == (1, 0)
    assert name_of(a.__dlpack__()) == b"dltensor"
    assert name_of(a.__dlpack__(stream=None, max_version=(0, 8))) == b"dltensor"
    assert name_of(a.__dlpack__(stream=-1, max_version=None)) == b"dltensor"
    capsule = a.__dlpack__(max_version=(2, 0), dl_device=(1, 0))
    managed = versioned(capsule)
    assert managed.major == 1 and managed.flags == 0
    tensor = managed.tensor
    strides = [1, 3] if package is cm else [4, 1]
    assert (tensor.ndim, tensor.code, tensor.bits, tensor.lanes) == (2, 2, 32, 1)
    assert [tensor.shape[k] for k in range(2)] == [3, 4] and [tensor.strides[k] for k in range(2)] == strides
    elements = (ctypes.c_float * 12).from_address(tensor.data + tensor.byte_offset)
    np.testing.assert_array_equal(np.reshape(elements, (3, 4), order="F" if package is cm else "C"), x)
    elements[0] = 70
    assert values(a)[0, 0] == 70
    copied = a.__dlpack__(max_version=(1, 0), copy=True)
    assert versioned(copied).flags == IS_COPIED
    (ctypes.c_float * 12).from_address(versioned(copied).tensor.data)[0] = 80
    assert values(a)[0, 0] == 70


@BOTH
@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"dl_device": (2, 0)}, BufferError, r"on the CPU; dl_device \(2, 0\) cannot be had"),
        ({"dl_device": "cpu"}, TypeError, "dl_device must be two integers; got 'cpu'"),
        ({"max_version": 1}, TypeError, "max_version must be two integers; got 1"),
        ({"max_version": (1.5, 0)}, TypeError, "max_version must be an integer; got 1.5"),
        ({"stream": 1}, ValueError, "the memory is the CPU's, which has no stream 1"),
        ({"stream": "1"}, TypeError, "stream must be an integer; got '1'"),
        ({"copy": 1}, TypeError, "copy must be None, True or False; got 1"),
    ],
)
def test_wrong_requests(package, arguments, error, text):
    with pytest.raises(error, match=text):
        array_of(package, np.ones((2, 2))).__dlpack__(**arguments)


@BOTH
def test_numpy_shares_the_elements(package, random):
    x = random.normal(0, 1, (3, 4)).astype("float32")
    a = array_of(package, x)
    for view in (np.from_dlpack(a), np.asarray(a), np.asarray(memoryview(a)), np.array(a, copy=False)
                 if np.__version__ < "2" else np.asarray(a, copy=False)):  # fmt: skip
        assert view.dtype == np.float32 and view.strides == ((4, 12) if package is cm else (16, 4))
        np.testing.assert_array_equal(view, values(a))
        assert np.shares_memory(view, np.asarray(a))
        if view.flags.writeable:
            view[1, 2] += 1
            assert values(a)[1, 2] == view[1, 2]
    view = np.asarray(a)
    if package is cm:
        a.mult(2)
    else:
        a *= 2
    np.testing.assert_array_equal(view, values(a))
    assert view[0, 0] == 2 * x[0, 0]
    assert not np.shares_memory(np.array(a), view) and not np.shares_memory(np.asarray(a, "float64"), view)
    assert not np.shares_memory(a.__array__(copy=True), view) and np.shares_memory(a.__array__(), view)
    with pytest.raises(ValueError, match="copy=False"):
        a.__array__("float64", copy=False)
    assert a.__array__("float64").dtype == np.float64
    del a
    gc.collect()
    assert view[0, 0] == 2 * x[0, 0]  # kept alive


@BOTH
def test_array_interface(package, random):
    x = random.normal(0, 1, (3, 4)).astype("float32")
    a = array_of(package, x)
    entries = a.__array_interface__
    assert entries["version"] == 3 and entries["typestr"] == "<f4" and entries["shape"] == (3, 4)
    assert entries["strides"] == ((4, 12) if package is cm else (16, 4))
    assert entries["data"] == (np.asarray(a).ctypes.data, False)

    class Other:
        def __init__(self, owner):
            self.owner, self.__array_interface__ = owner, owner.__array_interface__

    other = np.asarray(Other(a))
    if package is cm:
        a.resize((50, 50))
        np.testing.assert_array_equal(other, x)  # the memory of before
    else:
        b = a + 1
        other[0] = 7
        np.testing.assert_allclose(values(b), x + 1)
        assert values(a)[0, 0] == 7
    assert not hasattr(a, "__cuda_array_interface__")
    with pytest.raises(AttributeError, match="on the CPU"):
        a.__cuda_array_interface__


@BOTH
def test_buffers_as_they_are_asked_for(package, random):
    x = random.normal(0, 1, (2, 3)).astype("float32")
    a = array_of(package, x)
    view = memoryview(a)
    assert (view.format, view.itemsize, view.shape, view.ndim, view.nbytes) == ("f", 4, (2, 3), 2, 24)
    assert not view.readonly and view.c_contiguous == (package is gpu) and view.f_contiguous == (package is cm)
    assert view.tolist() == x.tolist()
    if package is gpu:
        assert bytes(a) == x.tobytes()
        view.cast("B")[:4] = np.float32(9).tobytes()
        assert float(a[0, 0]) == 9
    else:
        assert bytes(a.T) == x.T.tobytes()
        with pytest.raises(BufferError, match="contiguous"):
            np.frombuffer(a, "float32")
    column = array_of(package, np.ones((3, 1)))
    assert memoryview(column).c_contiguous and memoryview(column).f_contiguous
    view.release()
    with pytest.raises(ValueError):
        view[0, 0]


@BOTH
@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (1, 1), (1, 4), (4, 1)])
def test_small_and_empty(package, shape):
    x = np.arange(float(shape[0] * shape[1]), dtype="float32").reshape(shape)
    a = array_of(package, x)
    for b in (np.from_dlpack(a), np.asarray(a), values(package.from_dlpack(a)), values(package.from_dlpack(x))):
        assert b.shape == shape
        np.testing.assert_array_equal(b, x)


def test_any_dimensions(random):
    for shape in [(), (5,), (0,), (2, 3, 4), (2, 1, 3, 1, 2)]:
        x = np.asarray(random.normal(0, 1, shape), "float32")
        a = gpu.garray(x)
        for b in (np.from_dlpack(a), np.asarray(a), np.asarray(gpu.from_dlpack(a)), np.asarray(gpu.from_dlpack(x))):
            assert b.shape == shape
            np.testing.assert_array_equal(b, x)
    whole = gpu.garray(random.normal(0, 1, (4, 5)))
    part = whole[1:3]
    np.asarray(part)[0, 0] = 50
    assert float(whole[1, 0]) == 50
    assert values(cm.from_dlpack(np.ones(3, "float32"))).shape == (3, 1)
    assert values(cm.from_dlpack(np.array(2, "float32"))).tolist() == [[2]]
    with pytest.raises(BufferError, match=r"a matrix has two dimensions; the array's shape is \(2, 3, 4\)"):
        cm.from_dlpack(np.ones((2, 3, 4), "float32"))


def test_transposed_matrices_are_row_major(random):
    x = random.normal(0, 1, (3, 4)).astype("float32")
    a = cm.CUDAMatrix(x)
    for b in (np.from_dlpack(a.T), np.asarray(a.T)):
        assert b.flags.c_contiguous
        np.testing.assert_array_equal(b, x.T)
    rows = cm.from_dlpack(x)
    assert rows.is_transposed and rows.shape == (3, 4)
    np.testing.assert_array_equal(values(cm.dot(rows.T, a)), values(cm.dot(a.T, a)))
    rows.T.mult(2)
    np.testing.assert_array_equal(x, 2 * values(a))


def test_columns_of_a_matrix():
    a = cm.CUDAMatrix(np.arange(12).reshape(3, 4))
    np.asarray(a.slice(1, 3))[:] = -1
    assert values(a).tolist() == [[0, -1, -1, 3], [4, -1, -1, 7], [8, -1, -1, 11]]


def test_float64():
    a = cm.CUDAMatrix(np.full((2, 3), 0.1), dtype="float64")
    assert np.asarray(a).dtype == np.float64 and np.from_dlpack(a)[0, 0] == 0.1 and memoryview(a).format == "d"
    b = cm.from_dlpack(np.full((2, 3), 0.1, order="F"))
    assert b.dtype == np.float64
    a.add(b)
    assert values(a)[1, 2] == 0.2
    with pytest.raises(BufferError, match="the elements are float64, those of npmat float32 are float32: convert them"):
        gpu.from_dlpack(np.ones(3))


@pytest.mark.parametrize("dtype", ["int32", "bool", "complex64", "float16"])
@BOTH
def test_other_types_are_refused(package, dtype):
    if dtype == "bool" and not NUMPY_2_1:
        pytest.skip("NumPy exports truth values since 1.25")
    with pytest.raises(BufferError, match="the elements are .*convert them there"):
        package.from_dlpack(np.ones((2, 2), dtype))


def test_freed_matrices():
    a = cm.CUDAMatrix(np.ones((2, 2)))
    view = np.asarray(a)
    a.free_device_memory()
    assert view.sum() == 4
    for use in (a.__dlpack__, lambda: memoryview(a), lambda: a.__array_interface__):
        with pytest.raises(BufferError, match="device"):
            use()
    with pytest.raises(cm.CUDAMatException, match="device"):
        a.__array__()


# ---- garrays: values, laziness ----


def test_garrays_are_computed_and_values_stay():
    a = gpu.ones((2, 3)) * 3
    before, pending = a.copy(), a * 2
    view = np.asarray(a)
    view[:] = 1
    assert values(before).tolist() == [[3] * 3] * 2 and values(pending).tolist() == [[6] * 3] * 2
    later = a + 1
    view[:] = 5
    assert values(later).tolist() == [[2] * 3] * 2 and values(a).tolist() == [[5] * 3] * 2
    assert gpu.explain(a + 1) == ""
    a += 1
    a[0] = 9
    assert view.tolist() == [[9] * 3, [6] * 3]
    alias = a.reshape(6)
    alias[5] = -1
    assert view[1, 2] == -1
    a = a * 10  # another array
    assert view[1, 1] == 6
    held = np.asarray(a)
    del held
    assert gpu.explain(a + 1) != ""  # nobody else has it


def test_numbers_keep_their_value():
    total = gpu.ones(4).sum()
    array = np.asarray(total)
    array += 1
    assert array == 5 and total == 4 and np.from_dlpack(total) == 4 and memoryview(total).tolist() == 4
    capsule = total.__dlpack__(max_version=(1, 0), copy=False)
    assert versioned(capsule).flags == READ_ONLY
    with pytest.raises(BufferError, match="must not be written to, which only DLPack 1.0"):
        total.__dlpack__(copy=False)


@pytest.mark.parametrize("choice", ["warn", "refuse"])
def test_buffers_are_conversions_unasked(choice):
    program = "import gnumpy as gpu, numpy as np\na = gpu.ones(3)\n"
    run = lambda line: subprocess.run(  # noqa: E731
        [sys.executable, "-W", "always", "-c", program + line],
        env=os.environ | {"GNUMPY_IMPLICIT_CONVERSION": choice},
        capture_output=True,
        text=True,
    )
    for line in ("np.asarray(a)", "memoryview(a)"):
        done = run(line)
        assert done.stderr.count("a garray of shape (3,) becomes") == 1, done.stderr
        assert (done.returncode == 0) == (choice == "warn")
    assert run("np.from_dlpack(a), gpu.ones(()).__array__(), np.asarray(gpu.ones(3).sum())").stderr == ""


def test_long_double_is_copied():
    program = """
import gnumpy as gpu, numpy as np
a = gpu.ones((2, 2)) / 3
assert np.asarray(a).dtype == np.longdouble and np.asarray(a)[0, 0] == np.longdouble(1) / 3
for use in (lambda: memoryview(a), a.__dlpack__, lambda: gpu.from_dlpack(np.ones(3))):
    try:
        use()
        raise SystemExit("no error")
    except BufferError as error:
        assert "float64" in str(error), error
assert not hasattr(a, "__array_interface__")
"""
    environment = os.environ | {"GNUMPY_CPU_PRECISION": "128", "GNUMPY_USE_GPU": "no"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# ---- from others ----


@BOTH
@pytest.mark.parametrize("kind", [Producer, EarlyProducer])
def test_numpys_elements_are_shared(package, kind):
    x = np.arange(6, dtype="float32").reshape(2, 3)
    references = sys.getrefcount(x)
    producer = kind(x)
    a = package.from_dlpack(producer)
    assert sys.getrefcount(x) > references
    x[0, 0] = 10
    assert values(a)[0, 0] == 10
    if package is cm:
        a.T.add(1)
    else:
        a += 1
    assert x[0, 0] == 11
    assert producer.asked[-1] == ({"max_version": (1, 1)} if kind is Producer else None)
    b = package.from_dlpack(producer, copy=True)
    x[0, 0] = 0
    assert values(b)[0, 0] == 11
    references = sys.getrefcount(x)
    del a
    gc.collect()
    assert sys.getrefcount(x) == references - 1  # the copy keeps nothing


@BOTH
def test_what_cannot_be_shared_is_copied_or_refused(package):
    x = np.arange(40, dtype="float32").reshape(4, 10)
    read_only = x.copy()
    read_only.flags.writeable = False
    sources = [x[:, ::2], x[::-1]] + [x.T] * (package is gpu) + [read_only] * NUMPY_2_1
    for source in sources:
        a = package.from_dlpack(source)
        expected = source.copy()
        np.testing.assert_array_equal(values(a), expected)
        x += 1
        np.testing.assert_array_equal(values(a), expected)
        with pytest.raises(ValueError, match="cannot be shared: .*; copy=None copies it"):
            package.from_dlpack(source, copy=False)
    kept = package.from_dlpack(x, copy=False)
    assert np.shares_memory(np.asarray(kept), x)


@BOTH
def test_what_is_no_array(package):
    with pytest.raises(AttributeError, match="a list has neither __dlpack__"):
        package.from_dlpack([1.0])
    with pytest.raises(TypeError, match="copy must be None, True or False"):
        package.from_dlpack(np.ones(2, "float32"), copy="yes")
    with pytest.raises(ValueError, match="holds no tensor of DLPack's"):
        package.from_dlpack(other_capsule())

    class Refuses(Producer):
        def __dlpack__(self, **arguments):
            raise RuntimeError("not today")

    with pytest.raises(RuntimeError, match="not today"):
        package.from_dlpack(Refuses(np.ones(2)))

    class OnGpu(Producer):
        def __dlpack_device__(self):
            return 2, 0

    producer = OnGpu(np.ones((2, 2), "float32"))
    package.from_dlpack(producer)
    assert "stream" not in producer.asked[0]  # there is none to tell

    class CudaOnly:
        __cuda_array_interface__ = {"shape": (2,), "typestr": "<f4", "data": (16, False), "version": 3}

    with pytest.raises(BufferError, match="computes on the CPU, where this interface has no memory"):
        package.from_dlpack(CudaOnly())
    CudaOnly.__cuda_array_interface__ = {"shape": "two"}
    with pytest.raises(TypeError, match="no __cuda_array_interface__ as it should be"):
        package.from_dlpack(CudaOnly())


def other_capsule():
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    return new(ctypes.addressof(NOTHING), b"something else", None)


NOTHING = ctypes.c_int(0)


@BOTH
def test_capsules_are_taken_once(package):
    a = array_of(package, np.ones((2, 2)))
    for version in (None, (1, 0)):
        capsule = a.__dlpack__(max_version=version)
        b = package.from_dlpack(capsule)
        assert name_of(capsule).startswith(b"used_dltensor")
        with pytest.raises(ValueError, match="holds no tensor of DLPack's; one can be taken once"):
            package.from_dlpack(capsule)
        assert values(b).tolist() == [[1, 1], [1, 1]]
    refused = np.ones(3, "int32").__dlpack__()
    with pytest.raises(BufferError):
        package.from_dlpack(refused)
    assert name_of(refused) == b"dltensor"  # still the capsule's
    capsule = a.__dlpack__(max_version=(1, 0))
    versioned(capsule).major = 2
    with pytest.raises(BufferError, match="the tensor is of DLPack 2.1; versions 1.x are supported"):
        package.from_dlpack(capsule)


def test_one_package_to_the_other(random):
    x = random.normal(0, 1, (3, 4)).astype("float32")
    a = gpu.garray(x)
    m = cm.from_dlpack(a)
    assert m.is_transposed
    m.T.mult(2)
    np.testing.assert_array_equal(values(a), 2 * x)
    b = gpu.from_dlpack(m)  # row-major
    b += 1
    np.testing.assert_array_equal(np.asarray(m), values(a))
    np.testing.assert_array_equal(values(gpu.from_dlpack(m.T)), (2 * x + 1).T)  # a copy


def test_the_host_copy_stays_one():
    a, b = cm.CUDAMatrix(np.ones((2, 2))), cm.CUDAMatrix(np.zeros((2, 2)))
    b.numpy_array = a
    b.copy_to_host()
    assert a.sum() == 4


# ---- who keeps what ----


@BOTH
def test_no_leak_over_round_trips(package):
    a, x = array_of(package, np.ones((64, 64))), np.ones((64, 64), "float32")

    def trips(count):
        for _ in range(count):
            np.from_dlpack(a)
            np.asarray(a)
            memoryview(a)
            package.from_dlpack(x)
            package.from_dlpack(a, copy=True)
            a.__dlpack__()
            a.__dlpack__(max_version=(1, 0), copy=True)
            a.__array_interface__
            try:
                package.from_dlpack(x, copy=1)
            except TypeError:
                pass

    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    trips(2_000)
    gc.collect()
    counted = lambda: (sys.getrefcount(a), sys.getrefcount(x), gpu.memory_in_use())  # noqa: E731
    before, held = counted(), resident()
    trips(25_000)  # 200,000 tensors
    gc.collect()
    assert counted() == before
    assert resident() - held < 2 << 20


@BOTH
def test_threads_share_and_let_go(package):
    x = np.ones((30, 30), "float32")
    wrong = []

    class Tracked(np.ndarray):
        def __del__(self):
            gpu.ones(2).sum()  # Python runs, and wants the library, while an array of another is given back

    def work(k):
        for _ in range(150):
            own = np.ones((30, 30), "float32").view(Tracked)
            a = package.from_dlpack(own)
            view = np.asarray(a)
            if package is gpu:
                b = gpu.dot(a, package.from_dlpack(x)) + package.from_dlpack(own)
                total = float(b.sum())
            else:
                total = cm.dot(a, package.from_dlpack(x)).sum() + a.sum()
            if total != 30 * 30 * 31 or view.sum() != 900:
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert wrong == []


@pytest.mark.parametrize(
    "program",
    [
        "sys.keep = np.from_dlpack(gpu.ones(3)), np.asarray(cm.empty((2, 2))), memoryview(gpu.ones(2))",
        "sys.keep = gpu.from_dlpack(np.ones(3, 'float32')), cm.from_dlpack(np.ones((2, 2)))",
        "sys.keep = gpu.ones(3).__dlpack__(), cm.empty((2, 2)).__dlpack__(max_version=(1, 0))",
        "x = np.from_dlpack(gpu.ones(3)); atexit.register(lambda: x.sum())",
        "a = gpu.from_dlpack(np.asarray(gpu.from_dlpack(np.ones(3, 'float32')))); del a; b = gpu.ones(3); "
        "sys.modules.clear()",
        "x = np.asarray(gpu.ones(3))\nfor name in ('gnumpy', 'gnumpy._gnumpy', 'cudamat'): del sys.modules[name]\n"
        "del gpu, cm; import gc; gc.collect(); assert x.sum() == 3",
        # A consumer of C, which lets go after the interpreter's end.
        "import ctypes; c = gpu.from_dlpack(np.ones(3, 'float32')).__dlpack__(max_version=(1, 0))\n"
        "get = ctypes.pythonapi.PyCapsule_GetPointer; get.restype = ctypes.c_void_p\n"
        "get.argtypes = [ctypes.py_object, ctypes.c_char_p]; p = get(c, b'dltensor_versioned')\n"
        "sys.name = b'used_dltensor_versioned'; ctypes.pythonapi.PyCapsule_SetName(ctypes.py_object(c), sys.name)\n"
        "deleter = ctypes.cast(p + 16, ctypes.POINTER(ctypes.c_void_p))[0]\n"
        "libc = ctypes.CDLL(None); libc.__cxa_atexit(ctypes.c_void_p(deleter), ctypes.c_void_p(p), None)",
    ],
)
def test_programs_end_in_any_order(program):
    program = "import sys, atexit, gnumpy as gpu, cudamat as cm, numpy as np\n" + program
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
