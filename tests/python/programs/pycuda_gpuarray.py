# What programs do with PyCUDA's own arrays and memory.
import numpy
import pycuda.autoinit
import pycuda.driver as cuda
import pycuda.cumath as cumath
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule
from pycuda.curandom import rand
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel

# memory, allocated and copied by hand
a = numpy.random.randn(4, 4).astype(numpy.float32)
a_gpu = cuda.mem_alloc(a.nbytes)
cuda.memcpy_htod(a_gpu, a)
double = SourceModule("""
  __global__ void double_it(float *a)
  {
    int idx = threadIdx.x + threadIdx.y*4;
    a[idx] *= 2;
  }
""").get_function("double_it")
double(a_gpu, block=(4, 4, 1))
doubled = numpy.empty_like(a)
cuda.memcpy_dtoh(doubled, a_gpu)
assert (doubled == 2 * a).all()
a_gpu.free()

# arrays
x_gpu = gpuarray.to_gpu(a)
assert ((2 * x_gpu).get() == 2 * a).all()
assert numpy.allclose((cumath.exp(x_gpu) / 3 - x_gpu ** 2).get(), numpy.exp(a) / 3 - a ** 2, atol=1e-5)

# one pass over several
p, q = rand((500,)), rand((500,))
combination = ElementwiseKernel("float a, float *x, float b, float *y, float *z", "z[i] = a*x[i] + b*y[i]", "combination")
r = gpuarray.empty_like(p)
combination(5, p, 6, q, r)
assert numpy.linalg.norm((r - (5 * p + 6 * q)).get()) < 1e-5

# a number of all
n = gpuarray.arange(400, dtype=numpy.float32)
product = ReductionKernel(numpy.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]*y[i]",
                          arguments="float *x, float *y")
assert product(n, n).get() == gpuarray.dot(n, n).get() == (numpy.arange(400.0) ** 2).sum()

# time
start, end = cuda.Event(), cuda.Event()
start.record()
double(x_gpu, block=(4, 4, 1))
end.record()
end.synchronize()
assert start.time_till(end) > 0
assert (x_gpu.get() == 2 * a).all()
print("done")
