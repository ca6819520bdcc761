"""A package as the original's Python side is: CUDAMatrix over libcudamat.so and libcudalearn.so, by ctypes.

Written for the tests of the C interface, in the manner of the original: two structs in every matrix, the second with
the flag, no prototypes beyond what it declared, sums as products with slices of a vector of ones,
status codes turned into exceptions, memory freed when Python drops a matrix. The libraries are found
by the loader (LD_LIBRARY_PATH).
"""

import ctypes as ct
import sys
import types

import numpy as np

_cudamat = ct.cdll.LoadLibrary("libcudamat.so")
_cudalearn = ct.cdll.LoadLibrary("libcudalearn.so")
_cudamat.get_last_cuda_error.restype = ct.c_char_p
_cudamat.get_last_clib_error.restype = ct.c_char_p
for _name in ("euclid_norm", "manhattan_norm", "vdot"):
    getattr(_cudamat, _name).restype = ct.c_float

# The original spelled its failures so.
_MESSAGES = {
    -1: "Incompatible matrix dimensions.", -2: "CUBLAS error.", -4: "Operation not supported on views.",
    -5: "Operation not supported on transposed matrices.", -6: "Generic error.",
    -7: "Incompatible transposedness.", -8: "Matrix is not in device memory.", -9: "Operation not supported.",
}


class CUDAMatException(Exception):
    code = 0


def get_last_cuda_error():
    return _cudamat.get_last_cuda_error().decode()


def generate_exception(code):
    error = CUDAMatException(_MESSAGES.get(code) or "CUDA error: " + get_last_cuda_error())
    error.code = code
    return error


def _check(code):
    if code:
        raise generate_exception(code)


class cudamat(ct.Structure):
    _fields_ = [("data_host", ct.POINTER(ct.c_float)), ("data_device", ct.POINTER(ct.c_float)),
                ("on_device", ct.c_int), ("on_host", ct.c_int), ("size", ct.c_int * 2),
                ("is_trans", ct.c_int), ("owns_data", ct.c_int)]


class rnd_struct(ct.Structure):
    _fields_ = [("dev_rnd_mults", ct.POINTER(ct.c_uint)), ("dev_rnd_words", ct.POINTER(ct.c_longlong))]


def cublas_init(max_ones=1024 * 256):
    _check(_cudamat.cublas_init())
    CUDAMatrix.ones = CUDAMatrix(np.ones((max_ones, 1), dtype=np.float32, order="F"))


def cublas_shutdown():
    CUDAMatrix.ones = None
    _check(_cudamat.cublas_shutdown())


init, shutdown = cublas_init, cublas_shutdown


def cuda_set_device(device):
    _check(_cudamat.cuda_set_device(ct.c_int(device)))


def cuda_sync_threads():
    _cudamat.cuda_sync_threads()


def reformat(array, copy=True):
    return np.array(array, dtype=np.float32, order="F")


def _floats(array):
    return array.ctypes.data_as(ct.POINTER(ct.c_float))


class TransposedCUDAMatrix(object):
    """What .T is: a copy of the struct with the flag set, made with the matrix and reshaped with it."""

    def __init__(self, mat):
        self.mat = cudamat()
        ct.memmove(ct.pointer(self.mat), ct.pointer(mat), ct.sizeof(self.mat))
        self.mat.is_trans = 1
        self.p_mat = ct.pointer(self.mat)


class CUDAMatrix(object):
    ones = None
    rnd_state = None

    def __init__(self, array, copy_to_device=True):
        if isinstance(array, cudamat):
            self.mat = array
            self.p_mat = ct.pointer(array)
        else:
            self.numpy_array = reformat(array)
            self.mat = cudamat()
            self.p_mat = ct.pointer(self.mat)
            m, n = self.numpy_array.shape
            _cudamat.init_from_array(self.p_mat, _floats(self.numpy_array), ct.c_int(m), ct.c_int(n))
            if copy_to_device:
                _check(_cudamat.copy_to_device(self.p_mat))
        self.T = TransposedCUDAMatrix(self.mat)
        self._free = _cudamat.free_device_memory  # at exit the module may be gone first

    def __del__(self):
        if "_free" in self.__dict__:
            self._free(self.p_mat)

    @staticmethod
    def init_random(seed=0):
        CUDAMatrix.rnd_state = ct.pointer(rnd_struct())
        _check(_cudamat.init_random(CUDAMatrix.rnd_state, ct.c_int(seed), b"rnd_multipliers_32bit.txt"))

    @property
    def shape(self):
        return (self.mat.size[0], self.mat.size[1])

    def set_trans(self, is_trans):
        _cudamat.set_transpose(self.p_mat, ct.c_int(1 * is_trans))

    def reshape(self, shape):
        for mat in (self.p_mat, self.T.p_mat):
            _check(_cudamat.reshape(mat, ct.c_uint(shape[0]), ct.c_uint(shape[1])))
        if self.mat.on_host:
            self.numpy_array = np.reshape(self.numpy_array, shape, order="F")
        return self

    def free_device_memory(self):
        _check(_cudamat.free_device_memory(self.p_mat))

    def copy_to_host(self):
        if not self.mat.on_host:
            self.numpy_array = np.empty(self.shape, dtype=np.float32, order="F")
            self.mat.data_host = _floats(self.numpy_array)
            self.mat.on_host = 1
        _check(_cudamat.copy_to_host(self.p_mat))

    def copy_to_device(self):
        _check(_cudamat.copy_to_device(self.p_mat))

    def asarray(self):
        self.copy_to_host()
        return self.numpy_array

    def assign(self, val):
        if isinstance(val, CUDAMatrix):
            _check(_cudamat.copy_on_device(val.p_mat, self.p_mat))
        else:
            _check(_cudamat.assign_scalar(self.p_mat, ct.c_float(val)))
        return self

    def copy(self):
        return empty(self.shape).assign(self)

    def slice(self, first_col, last_col):
        view = cudamat()
        call = _cudamat.get_vector_slice if 1 in self.shape else _cudamat.get_slice
        _check(call(self.p_mat, ct.pointer(view), ct.c_int(first_col), ct.c_int(last_col)))
        result = CUDAMatrix(view)
        result.sliceof = self  # keeps the memory alive
        return result

    def get_col_slice(self, first_col, last_col, target=None):
        columns = self.slice(first_col, last_col)
        return target.assign(columns) if target else columns

    def set_col_slice(self, first_col, last_col, mat):
        self.slice(first_col, last_col).assign(mat)
        return self

    def get_row_slice(self, start, end, target=None):
        target = target or empty((end - start, self.shape[1]))
        _check(_cudamat.get_row_slice(self.p_mat, target.p_mat, ct.c_int(start), ct.c_int(end)))
        return target

    def set_row_slice(self, start, end, mat):
        _check(_cudamat.set_row_slice(mat.p_mat, self.p_mat, ct.c_int(start), ct.c_int(end)))
        return self

    def transpose(self, target=None):
        target = target or empty(self.shape[::-1])
        _check(_cudamat.copy_transpose(self.p_mat, target.p_mat))
        return target

    def select_columns(self, indices, target):
        _check(_cudamat.selectRows(self.p_mat, target.p_mat, indices.p_mat))
        return target

    def set_selected_columns(self, indices, source):
        _check(_cudamat.setSelectedRows(self.p_mat, source.p_mat, indices.p_mat))
        return self

    def fill_with_rand(self):
        _check(_cudamat.fill_with_rand(CUDAMatrix.rnd_state, self.p_mat))
        return self

    def fill_with_randn(self):
        _check(_cudamat.fill_with_randn(CUDAMatrix.rnd_state, self.p_mat))
        return self

    def add_col_mult(self, vec, mult, target=None):
        target = target or self
        _check(_cudamat.add_col_mult(self.p_mat, vec.p_mat, target.p_mat, ct.c_float(mult)))
        return target

    def sum(self, axis, target=None, mult=1.):
        return sum(self, axis, target, mult)

    def mean(self, axis, target=None):
        return sum(self, axis, target, 1. / self.shape[axis])

    def add_sums(self, mat, axis, mult=1., beta=1.):
        left, right = _sum_factors(mat, axis)
        _check(_cudamat.dot(left.p_mat, right.p_mat, self.p_mat, ct.c_float(beta), ct.c_float(mult)))
        return self

    def add_dot(self, m1, m2, mult=1., beta=1.):
        _check(_cudamat.dot(m1.p_mat, m2.p_mat, self.p_mat, ct.c_float(beta), ct.c_float(mult)))
        return self

    def subtract_dot(self, m1, m2, mult=1., beta=1.):
        return self.add_dot(m1, m2, -mult, beta)

    def add_mult(self, mat2, alpha=1.):
        _check(_cudamat.add_mult(self.p_mat, mat2.p_mat, ct.c_float(alpha)))
        return self

    def subtract_mult(self, mat2, alpha=1.):
        return self.add_mult(mat2, -alpha)

    def sign(self, target=None):
        target = target or empty(self.shape)
        _check(_cudamat.sign(self.p_mat, target.p_mat))
        return target

    def reciprocal(self, target=None):
        target = target or self
        _check(_cudamat.reciprocal(self.p_mat, target.p_mat))
        return target

    def euclid_norm(self):
        return _number(_cudamat.euclid_norm, self)

    def manhattan_norm(self):
        return _number(_cudamat.manhattan_norm, self)

    def allfinite(self):
        return bool(np.isfinite(_number(_cudamat.vdot, self, empty(self.shape).assign(0))))


def empty(shape):
    mat = cudamat()
    _check(_cudamat.init_empty(ct.pointer(mat), ct.c_int(shape[0]), ct.c_int(shape[1])))
    return CUDAMatrix(mat)


def _number(function, *mats):
    code = ct.c_int(0)
    result = function(*[mat.p_mat for mat in mats], ct.byref(code))
    _check(code.value)
    return result


def _sum_factors(mat, axis):
    if axis == 0:
        left = CUDAMatrix.ones.slice(0, _cudamat.get_leading_dimension(mat.p_mat))
        left.set_trans(True)
        return left, mat
    return mat, CUDAMatrix.ones.slice(0, _cudamat.get_nonleading_dimension(mat.p_mat))


def sum(mat, axis, target=None, mult=1.):
    left, right = _sum_factors(mat, axis)
    m, n = _cudamat.get_leading_dimension(mat.p_mat), _cudamat.get_nonleading_dimension(mat.p_mat)
    target = target or empty((1, n) if axis == 0 else (m, 1))
    _check(_cudamat.dot(left.p_mat, right.p_mat, target.p_mat, ct.c_float(0.), ct.c_float(mult)))
    return target


def dot(m1, m2, target=None, beta=0., alpha=1.):
    target = target or empty((_cudamat.get_leading_dimension(m1.p_mat),
                              _cudamat.get_nonleading_dimension(m2.p_mat)))
    _check(_cudamat.dot(m1.p_mat, m2.p_mat, target.p_mat, ct.c_float(beta), ct.c_float(alpha)))
    return target


def vdot(m1, m2):
    return _number(_cudamat.vdot, m1, m2)


def _method_with_value(matrix_call, number_call):
    def method(self, val, target=None):
        target = target or self
        if isinstance(val, CUDAMatrix):
            _check(getattr(_cudamat, matrix_call)(self.p_mat, val.p_mat, target.p_mat))
        else:
            _check(getattr(_cudamat, number_call)(self.p_mat, ct.c_float(val), target.p_mat))
        return target
    return method


for _name, _calls in dict(
        add=("add_elementwise", "add_scalar"), mult=("mult_elementwise", "mult_by_scalar"),
        divide=("divide_elementwise", "divide_by_scalar"), less_than=("less_than", "less_than_scalar"),
        greater_than=("greater_than", "greater_than_scalar"), equals=("equals", "equals_scalar"),
        minimum=("minimum", "minimum_scalar"), maximum=("maximum", "maximum_scalar")).items():
    setattr(CUDAMatrix, _name, _method_with_value(*_calls))


def _subtract(self, val, target=None):
    target = target or self
    if isinstance(val, CUDAMatrix):
        _check(_cudamat.subtract_elementwise(self.p_mat, val.p_mat, target.p_mat))
    else:
        _check(_cudamat.add_scalar(self.p_mat, ct.c_float(-val), target.p_mat))
    return target


CUDAMatrix.subtract = _subtract


def _method_with_vector(call):
    def method(self, vec, target=None):
        target = target or self
        _check(getattr(_cudamat, call)(self.p_mat, vec.p_mat, target.p_mat))
        return target
    return method


for _name, _call in dict(
        add_col_vec="add_col_vec", add_row_vec="add_row_vec", mult_by_col="mult_by_col_vec",
        mult_by_row="mult_by_row_vec", div_by_col="divide_by_col_vec", div_by_row="divide_by_row_vec").items():
    setattr(CUDAMatrix, _name, _method_with_vector(_call))


def _method_over_axis(call):
    def method(self, axis, target=None):
        m, n = self.shape
        target = target or empty((1, n) if axis == 0 else (m, 1))
        _check(getattr(_cudamat, call)(self.p_mat, target.p_mat, ct.c_int(axis)))
        return target
    return method


for _name in ("max", "min", "argmax", "argmin"):
    setattr(CUDAMatrix, _name, _method_over_axis(_name + "_by_axis"))


def _function(call):
    def function(mat, target=None):
        target = target or mat
        _check(getattr(_cudamat, call)(mat.p_mat, target.p_mat))
        return target
    return function


for _name in ("sigmoid", "tanh", "abs", "log_1_plus_exp", "log", "exp", "gamma", "lgamma", "sqrt"):
    globals()[_name] = _function("apply_" + _name)
CUDAMatrix.apply_sigmoid = sigmoid  # noqa: F821: made above
CUDAMatrix.apply_tanh = tanh  # noqa: F821


def soft_threshold(mat, alpha, target=None):
    target = target or mat
    _check(_cudamat.apply_soft_threshold(mat.p_mat, ct.c_float(alpha), target.p_mat))
    return target


def pow(mat, p, target=None):
    target = target or mat
    if isinstance(p, CUDAMatrix):
        _check(_cudamat.apply_pow_matrix(mat.p_mat, p.p_mat, target.p_mat))
    else:
        _check(_cudamat.apply_pow(mat.p_mat, ct.c_float(p), target.p_mat))
    return target


def where(condition_mat, if_mat, else_mat, target=None):
    target = target or condition_mat
    _check(_cudamat.where(condition_mat.p_mat, if_mat.p_mat, else_mat.p_mat, target.p_mat))
    return target


def correlate(mat, kernel, target=None):
    target = target or empty(mat.shape)
    _check(_cudamat.correlate(mat.p_mat, kernel.p_mat, target.p_mat))
    return target


def _mult_by_sigmoid_deriv(target, acts):
    _check(_cudalearn.mult_by_sigmoid_deriv(target.p_mat, acts.p_mat))
    return target


learn = types.ModuleType("cudamat.learn")
learn.mult_by_sigmoid_deriv = _mult_by_sigmoid_deriv
sys.modules["cudamat.learn"] = learn
