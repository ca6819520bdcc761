"""A stand-in for the original cudamat package, in NumPy: its interface and its manners, no GPU.

Float32 matrices in Fortran order. As strict as the original or stricter: shapes must agree, a target
must exist in the right shape, freed memory may not be used, only dot, add_dot, subtract_dot, sum and
add_sums take transposed operands, cublas_init() comes first and init_random() before any random
number, and sums are no longer than the vector of ones. What the original lacks is missing here.
New memory holds NaN.
"""

import sys
import types

import numpy as np


class CUDAMatException(Exception):
    pass


def _need(condition, text):
    if not condition:
        raise CUDAMatException(text)


_ones = 0
_live_bytes = 0
_random = None


def cublas_init(max_ones=256 * 1024):
    global _ones
    _ones = max_ones


init = cublas_init


def cublas_shutdown():
    global _ones
    _ones = 0


shutdown = cublas_shutdown


def reformat(array, copy=True):
    return np.array(array, dtype=np.float32, order='F')


def _number(value):
    return isinstance(value, (int, float)) and not isinstance(value, np.generic)


class TransposedCUDAMatrix(object):
    """What .T gives: only products and sums take it."""

    def __init__(self, mat):
        self._mat = mat


def _flagged(mat):
    if isinstance(mat, TransposedCUDAMatrix):
        return mat._mat._data.T
    return mat._data


class CUDAMatrix(object):
    def __init__(self, array):
        _need(_ones > 0, 'cublas_init() comes first')
        _need(isinstance(array, np.ndarray) and array.ndim == 2, 'a matrix has two dimensions')
        self._buffer = [np.ravel(reformat(array), order='F').copy()]
        self._first = 0
        self.shape = array.shape
        self._owns = True
        global _live_bytes
        _live_bytes += self._buffer[0].nbytes

    def _view(self, first, shape):
        view = object.__new__(CUDAMatrix)
        view._buffer, view._first, view.shape, view._owns = self._buffer, first, shape, False
        return view

    @property
    def _data(self):
        _need(self._buffer[0] is not None, 'the memory was freed')
        size = self.shape[0] * self.shape[1]
        return self._buffer[0][self._first:self._first + size].reshape(self.shape, order='F')

    def _write(self, values):
        _need(np.shape(values) == self.shape, 'incompatible dimensions: %s into %s'
              % (np.shape(values), self.shape))
        self._data[...] = values
        return self

    @staticmethod
    def init_random(seed=0):
        global _random
        _random = np.random.RandomState(seed)

    @property
    def T(self):
        return TransposedCUDAMatrix(self)

    def reshape(self, shape):
        _need(shape[0] * shape[1] == self.shape[0] * self.shape[1], 'incompatible dimensions')
        self.shape = tuple(shape)
        return self

    def asarray(self):
        self.numpy_array = np.array(self._data, order='F')
        return self.numpy_array

    def copy_to_host(self):
        self.asarray()

    def free_device_memory(self):
        global _live_bytes
        _need(self._owns and self._buffer[0] is not None, 'freed twice, or a view')
        _live_bytes -= self._buffer[0].nbytes
        self._buffer[0] = None

    def assign(self, val):
        if isinstance(val, CUDAMatrix):
            return self._write(val._data)
        _need(_number(val), 'a number')
        self._data[...] = val
        return self

    def slice(self, first_col, last_col):
        if first_col == last_col:  # the original refuses it; programs that have none never ask
            return self._view(self._first, (self.shape[0], 0))
        if self.shape[1] == 1:  # of a standing vector, elements
            _need(0 <= first_col <= last_col <= self.shape[0], 'elements out of range')
            return self._view(self._first + first_col, (last_col - first_col, 1))
        _need(0 <= first_col <= last_col <= self.shape[1], 'columns out of range')
        return self._view(self._first + self.shape[0] * first_col,
                          (self.shape[0], last_col - first_col))

    def get_col_slice(self, first_col, last_col, target=None):
        return target._write(self.slice(first_col, last_col)._data)

    def set_col_slice(self, first_col, last_col, mat):
        self.slice(first_col, last_col)._write(mat._data)
        return self

    def get_row_slice(self, start, end, target=None):
        _need(0 <= start <= end <= self.shape[0], 'rows out of range')
        return target._write(self._data[start:end])

    def set_row_slice(self, start, end, mat):
        _need(mat.shape == (end - start, self.shape[1]), 'incompatible dimensions')
        self._data[start:end] = mat._data
        return self

    def transpose(self, target=None):
        return target._write(self._data.T.copy())

    def select_columns(self, indices, target):
        _need(indices.shape == (1, target.shape[1]), 'indices must be a row vector')
        return target._write(self._data[:, indices._data[0].astype(int)])

    def set_selected_columns(self, indices, source):
        _need(indices.shape == (1, source.shape[1]), 'indices must be a row vector')
        self._data[:, indices._data[0].astype(int)] = source._data
        return self

    def fill_with_rand(self):
        _need(_random is not None, 'init_random() comes first')
        return self._write(1 - _random.rand(*self.shape))

    def fill_with_randn(self):
        _need(_random is not None, 'init_random() comes first')
        return self._write(_random.randn(*self.shape))

    def add_col_mult(self, vec, mult, target=None):
        _need(vec.shape == (self.shape[0], 1) and _number(mult), 'vec must be m x 1')
        return (target or self)._write(self._data + np.float32(mult) * vec._data)

    def add_mult(self, mat2, alpha=1.):
        return self._write(self._data + np.float32(alpha) * mat2._data)

    def subtract_mult(self, mat2, alpha=1.):
        return self._write(self._data - np.float32(alpha) * mat2._data)

    def sum(self, axis, target=None, mult=1.):
        return sum(self, axis, target, mult)

    def mean(self, axis, target=None):
        return sum(self, axis, target, 1. / self.shape[axis])

    def add_sums(self, mat, axis, mult=1., beta=1.):
        sums = _flagged(mat).sum(axis=axis, keepdims=True)
        return self._write(np.float32(beta) * self._data + np.float32(mult) * sums)

    def add_dot(self, m1, m2, mult=1., beta=1.):
        return dot(m1, m2, self, beta, mult)

    def subtract_dot(self, m1, m2, mult=1., beta=1.):
        return dot(m1, m2, self, beta, -mult)

    def euclid_norm(self):
        return float(np.sqrt(np.sum(self._data.astype(float) ** 2)))

    def manhattan_norm(self):
        return float(np.sum(np.abs(self._data)))

    def allfinite(self):
        return bool(np.isfinite(self._data).all())


def _binary(function):
    def method(self, val, target=None):
        target = target or self
        if isinstance(val, CUDAMatrix):
            _need(val.shape == self.shape, 'incompatible dimensions')
            return target._write(function(self._data, val._data))
        _need(_number(val), 'a matrix or a number')
        return target._write(function(self._data, np.float32(val)))
    return method


for _name, _function in dict(
        add=np.add, subtract=np.subtract, mult=np.multiply, divide=np.divide,
        minimum=np.minimum, maximum=np.maximum, less_than=np.less, greater_than=np.greater,
        equals=np.equal).items():
    setattr(CUDAMatrix, _name, _binary(_function))


def _broadcast(function, is_row):
    def method(self, vec, target=None):
        _need(vec.shape == ((1, self.shape[1]) if is_row else (self.shape[0], 1)), 'vec')
        return (target or self)._write(function(self._data, vec._data))
    return method


for _name, _function, _is_row in [
        ('add_col_vec', np.add, False), ('add_row_vec', np.add, True),
        ('mult_by_col', np.multiply, False), ('mult_by_row', np.multiply, True),
        ('div_by_col', np.divide, False), ('div_by_row', np.divide, True)]:
    setattr(CUDAMatrix, _name, _broadcast(_function, _is_row))


def _along(function):
    def method(self, axis, target=None):
        return target._write(np.expand_dims(function(self._data, axis=axis), axis))
    return method


for _name, _function in dict(max=np.max, min=np.min, argmax=np.argmax, argmin=np.argmin).items():
    setattr(CUDAMatrix, _name, _along(_function))


def _sign(self, target=None):
    return target._write(np.sign(self._data))


def _reciprocal(self, target=None):
    return (target or self)._write(1 / self._data)


CUDAMatrix.sign = _sign
CUDAMatrix.reciprocal = _reciprocal


def empty(shape):
    return CUDAMatrix(np.full(shape, np.nan))


def sum(mat, axis, target=None, mult=1.):
    values = _flagged(mat)
    _need(max(values.shape) <= _ones, 'the vector of ones is too short')
    total = values.sum(axis=axis, keepdims=True) * np.float32(mult)
    return CUDAMatrix(total) if target is None else target._write(total)


def dot(m1, m2, target=None, beta=0., alpha=1.):
    product = np.float32(alpha) * np.dot(_flagged(m1), _flagged(m2))
    if target is None:
        return CUDAMatrix(product)
    _need(target is not m1 and target is not m2, 'target is an operand')
    if beta != 0:
        product = product + np.float32(beta) * target._data
    return target._write(product)


def vdot(m1, m2):
    return float(np.sum(m1._data * m2._data))


def _unary(function):
    def call(mat, target=None):
        return (target or mat)._write(function(mat._data))
    return call


def _sigmoid(x):
    return 1 / (1 + np.exp(-x))


def _log_1_plus_exp(x):
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


sigmoid = _unary(_sigmoid)
tanh = _unary(np.tanh)
abs = _unary(np.abs)
exp = _unary(np.exp)
log = _unary(np.log)
sqrt = _unary(np.sqrt)
log_1_plus_exp = _unary(_log_1_plus_exp)


def pow(mat, p, target=None):
    power = p._data if isinstance(p, CUDAMatrix) else np.float32(p)
    return (target or mat)._write(mat._data ** power)


def soft_threshold(mat, alpha, target=None):
    x = mat._data
    return (target or mat)._write(np.sign(x) * np.maximum(np.abs(x) - np.float32(alpha), 0))


def where(condition_mat, if_mat, else_mat, target=None):
    return target._write(np.where(condition_mat._data, if_mat._data, else_mat._data))


learn = types.ModuleType('cudamat.learn')


def _mult_by_sigmoid_deriv(target, acts):
    return target._write(target._data * acts._data * (1 - acts._data))


learn.mult_by_sigmoid_deriv = _mult_by_sigmoid_deriv
sys.modules['cudamat.learn'] = learn


def live_bytes():
    """For tests: what is allocated now."""
    return _live_bytes
