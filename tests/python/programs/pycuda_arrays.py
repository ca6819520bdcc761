# test_pycuda_theano() of the tutorial: kernels and arrays of another package. That was Theano's CudaNdarray; here it is
# gnumpy's garray. The block has as many threads as the arrays have elements: the tutorial's 400 are out of bounds.
import numpy
import gnumpy
import pycuda
import pycuda.autoinit
import pycuda.driver as drv
import pycuda.gpuarray

THREADS = 100


def test_pycuda_gnumpy():
    """Simple example with pycuda function and a garray."""
    from pycuda.compiler import SourceModule
    mod = SourceModule("""
__global__ void multiply_them(float *dest, float *a, float *b)
{
  const int i = threadIdx.x;
  dest[i] = a[i] * b[i];
}
""")
    multiply_them = mod.get_function("multiply_them")
    a = numpy.random.randn(100).astype(numpy.float32)
    b = numpy.random.randn(100).astype(numpy.float32)
    ga = gnumpy.garray(a)
    gb = gnumpy.garray(b)
    dest = gnumpy.zeros(a.shape)
    multiply_them(dest, ga, gb, block=(THREADS, 1, 1), grid=(1, 1))
    assert (numpy.asarray(dest) == a * b).all()


test_pycuda_gnumpy()
