# PyCUDADoubleOp of the tutorial and its exercises: x * 2; x * y; x + y and x - y from one kernel; strides.
import numpy
import cudamat
from pycuda.compiler import SourceModule


class Op:
    """What theano.Op was for the example: perform() on storage, arrays in lists of one."""

    def __call__(self, *inputs):
        storage = [[x] for x in inputs]
        outputs = [[None] for _ in range(self.results)]
        self.make_thunk(storage, outputs)()
        return [z[0] for z in outputs]


class PyCUDADoubleOp(Op):
    results = 1

    def make_thunk(self, inputs, outputs):
        mod = SourceModule("""
__global__ void my_fct(float * i0, float * o0, int size) {
int i = blockIdx.x*blockDim.x + threadIdx.x;
if(i<size){
o0[i] = i0[i]*2;
}
}""")
        pycuda_fct = mod.get_function("my_fct")

        def thunk():
            z = outputs[0]
            if z[0] is None or z[0].shape != inputs[0][0].shape:
                z[0] = cudamat.zeros(inputs[0][0].shape)
            grid = (int(numpy.ceil(inputs[0][0].asarray().size / 512.)), 1)
            pycuda_fct(inputs[0][0], z[0], numpy.intc(inputs[0][0].asarray().size),
                       block=(512, 1, 1), grid=grid)
        return thunk


class MultiplyOp(Op):
    results = 1

    def make_thunk(self, inputs, outputs):
        pycuda_fct = SourceModule("""
__global__ void my_fct(const float* x, const float* y, float* z, int size) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < size) z[i] = x[i] * y[i];
}""").get_function("my_fct")

        def thunk():
            x, y = inputs[0][0], inputs[1][0]
            outputs[0][0] = z = cudamat.empty(x.shape)
            size = x.shape[0] * x.shape[1]
            pycuda_fct(x, y, z, numpy.intc(size), block=(512, 1, 1), grid=((size + 511) // 512, 1))
        return thunk


class AddAndSubtractOp(Op):
    results = 2

    def make_thunk(self, inputs, outputs):
        pycuda_fct = SourceModule("""
__global__ void my_fct(const float* x, const float* y, float* sum, float* difference, int size) {
  int i = blockIdx.x*blockDim.x + threadIdx.x;
  if (i < size) {
    sum[i] = x[i] + y[i];
    difference[i] = x[i] - y[i];
  }
}""").get_function("my_fct")

        def thunk():
            x, y = inputs[0][0], inputs[1][0]
            for z in outputs:
                z[0] = cudamat.empty(x.shape)
            size = x.shape[0] * x.shape[1]
            pycuda_fct(x, y, outputs[0][0], outputs[1][0], numpy.intc(size), block=(128, 1, 1),
                       grid=((size + 127) // 128, 1))
        return thunk


class StridedDoubleOp(Op):
    """Every other column and the rows from the last on, without a copy of x."""
    results = 1

    def make_thunk(self, inputs, outputs):
        pycuda_fct = SourceModule("""
__global__ void my_fct(const float* x, int start, int row_step, int col_step, float* z, int rows, int cols) {
  int i = blockIdx.x*blockDim.x + threadIdx.x, j = blockIdx.y*blockDim.y + threadIdx.y;
  if (i < rows && j < cols) z[i + rows*j] = 2 * x[start + i*row_step + j*col_step];
}""").get_function("my_fct")

        def thunk():
            x = inputs[0][0]
            rows, cols = x.shape[0], (x.shape[1] + 1) // 2
            outputs[0][0] = z = cudamat.empty((rows, cols))
            pycuda_fct(x, numpy.intc(rows - 1), numpy.intc(-1), numpy.intc(2 * rows), z, numpy.intc(rows),
                       numpy.intc(cols), block=(16, 16, 1), grid=((rows + 15) // 16, (cols + 15) // 16))
        return thunk


xv = numpy.ones((4, 5), dtype="float32")
z, = PyCUDADoubleOp()(cudamat.CUDAMatrix(xv))
assert numpy.allclose(z.asarray(), xv*2)
print(z.asarray())

x, y = numpy.random.randn(2, 20, 33).astype("float32")
product, = MultiplyOp()(cudamat.CUDAMatrix(x), cudamat.CUDAMatrix(y))
assert (product.asarray() == x * y).all()
total, difference = AddAndSubtractOp()(cudamat.CUDAMatrix(x), cudamat.CUDAMatrix(y))
assert (total.asarray() == x + y).all() and (difference.asarray() == x - y).all()
strided, = StridedDoubleOp()(cudamat.CUDAMatrix(x))
assert (strided.asarray() == 2 * x[::-1, ::2]).all()
