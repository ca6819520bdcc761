"""Elements shared with PyTorch and JAX, where they are installed (tools/setup peers), on the CPU."""

import gc
import sys
import warnings

import cudamat as cm
import gnumpy as gpu
import numpy as np
import pytest

BOTH = pytest.mark.parametrize("package", [cm, gpu], ids=["cudamat", "gnumpy"])

# Debian's PyTorch knows an older NumPy; what is tested does not need it.
pytestmark = pytest.mark.filterwarnings("ignore:Failed to initialize NumPy")


def array_of(package, x):
    return package.CUDAMatrix(x) if package is cm else package.garray(x)


def values(array):
    return array.asarray().copy() if isinstance(array, cm.CUDAMatrix) else array.as_numpy_array()


@pytest.fixture
def torch():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Debian's knows an older NumPy
        return pytest.importorskip("torch", reason="PyTorch is not installed here: tools/setup peers")


@pytest.fixture
def jax():
    return pytest.importorskip("jax", reason="JAX is not installed here: tools/setup peers")


@BOTH
def test_torch_has_the_same_memory(torch, package, random):
    x = random.normal(0, 1, (3, 4)).astype("float32")
    a = array_of(package, x)
    tensor = torch.from_dlpack(a)
    assert tensor.shape == (3, 4) and tensor.dtype == torch.float32
    assert tensor.stride() == ((1, 3) if package is cm else (4, 1))
    np.testing.assert_array_equal(tensor.tolist(), x)
    tensor.mul_(2)
    np.testing.assert_array_equal(values(a), 2 * x)
    if package is cm:
        a.assign(5)
    else:
        a[:] = 5
    assert tensor.sum() == 60
    del a
    gc.collect()
    assert tensor.tolist() == [[5] * 4] * 3


@BOTH
def test_of_torch(torch, package):
    tensor = torch.arange(12, dtype=torch.float32).reshape(3, 4)
    a = package.from_dlpack(tensor)
    tensor += 1
    np.testing.assert_array_equal(values(a), tensor.tolist())
    if package is cm:
        a.T.mult(2)
    else:
        a *= 2
    assert tensor[2, 3] == 24
    with pytest.raises(BufferError, match="the elements are int64"):
        package.from_dlpack(torch.ones(3, dtype=torch.int64))
    part = tensor[:, ::2]
    with pytest.raises(ValueError, match="cannot be shared: its strides are"):
        package.from_dlpack(part, copy=False)
    np.testing.assert_array_equal(values(package.from_dlpack(part)), part.tolist())
    del tensor, part
    gc.collect()
    assert values(a)[2, 3] == 24


@BOTH
def test_a_step_of_torchs_optimizer_is_seen(torch, package, random):
    x = random.normal(0, 1, (4, 4)).astype("float32")
    a = array_of(package, x)
    weights = torch.nn.Parameter(torch.from_dlpack(a))
    (weights**2).sum().backward()
    gradient = package.from_dlpack(weights.grad)
    np.testing.assert_allclose(values(gradient), 2 * x, rtol=1e-6)
    torch.optim.SGD([weights], lr=0.25).step()
    np.testing.assert_allclose(values(a), 0.5 * x, rtol=1e-6)


@BOTH
def test_to_jax(jax, package, random):
    x = random.normal(0, 1, (3, 4)).astype("float32")
    a = array_of(package, x)
    shared = jax.dlpack.from_dlpack(a.T if package is cm else a)
    np.testing.assert_array_equal(np.asarray(shared), x.T if package is cm else x)
    own = jax.numpy.array(shared, copy=True).block_until_ready()
    if package is cm:
        a.mult(2)
    else:
        a *= 2
    np.testing.assert_array_equal(np.asarray(own), x.T if package is cm else x)
    np.testing.assert_allclose(np.asarray(jax.numpy.asarray(a)), 2 * x)
    del a
    gc.collect()
    assert np.isfinite(np.asarray(shared)).all()


@BOTH
def test_of_jax(jax, package, random):
    x = random.normal(0, 1, (3, 4)).astype("float32")
    y = jax.numpy.asarray(x) + 0
    a = package.from_dlpack(y)  # a copy: JAX's arrays do not change
    if package is cm:
        a.T.mult(2)
    else:
        a *= 2
    np.testing.assert_array_equal(np.asarray(y), x)
    with pytest.raises(ValueError, match="cannot be shared: its memory must not be written to"):
        package.from_dlpack(y, copy=False)
    del y
    gc.collect()
    np.testing.assert_array_equal(values(a), 2 * x)


@BOTH
def test_no_leak_over_round_trips(torch, jax, package):
    a, tensor = array_of(package, np.ones((8, 8))), torch.ones(8, 8)
    array = jax.numpy.ones((8, 8))

    def trips(count):
        for _ in range(count):
            torch.from_dlpack(a)
            package.from_dlpack(tensor)
            package.from_dlpack(array)

    trips(100)
    gc.collect()
    held = [sys.getrefcount(each) for each in (a, tensor, array)]
    trips(3_000)
    gc.collect()
    assert [sys.getrefcount(each) for each in (a, tensor, array)] == held
