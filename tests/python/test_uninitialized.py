"""Objects whose __init__ did not run have no value: whatever is done with them is an error, and nothing crashes."""

import copy
import operator
import pickle
import warnings

import cudamat
import gnumpy
import numpy as np
import pytest
from cudamat import _cudamat
from gnumpy import _gnumpy
from rewriter import _rewriter


class WithoutBase(gnumpy.garray):
    """What its users forget most."""

    def __init__(self):  # pylint: disable=super-init-not-called
        self.label = "mine"


class Crafted:
    """A pickle that makes an object of this class, and nothing more."""

    def __init__(self, cls):
        self.cls = cls

    def __reduce__(self):
        return self.cls.__new__, (self.cls,)


CLASSES = [each for module in (_gnumpy, _cudamat, _rewriter) for each in vars(module).values()
           if type(each).__name__.startswith("nb_type")]


@pytest.fixture(params=["subclass", "new", "pickle"])
def empty(request):
    return {"subclass": WithoutBase, "new": lambda: gnumpy.garray.__new__(gnumpy.garray),
            "pickle": lambda: pickle.loads(pickle.dumps(Crafted(gnumpy.garray)))}[request.param]()


def refuses(work, *arguments, says="no value"):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nanobind's own
        with pytest.raises((TypeError, BufferError)) as error:
            work(*arguments)
    assert says in str(error.value)


def test_operators_of_an_empty_garray(empty):
    a = gnumpy.garray([1.0, 2.0])
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "or_", "xor", "eq", "ne", "lt", "le",
                 "gt", "ge", "iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "iand", "ior", "ixor"):
        work = getattr(operator, name)
        refuses(work, empty, a)
        refuses(work, empty, 2.0)
        refuses(work, a, empty)
        refuses(work, empty, empty)
    refuses(divmod, empty, a)
    for work in (operator.neg, operator.pos, operator.abs, operator.invert):
        refuses(work, empty)


def test_protocols_of_an_empty_garray(empty):
    for work in (len, iter, list, bool, int, float, operator.index, hash, repr, str, memoryview, np.asarray, np.sum, copy.copy,
                 copy.deepcopy, pickle.dumps, lambda a: 1 in a, lambda a: a[0], lambda a: a[:], lambda a: a[a], lambda a: np.exp(a),
                 lambda a: f"{a}", gnumpy.garray, gnumpy.as_numpy_array, gnumpy.exp, lambda a: a.shape,
                 lambda a: a.T, lambda a: gnumpy.concatenate([a, a]), lambda a: gnumpy.garray([a, a])):
        refuses(work, empty)
    a = gnumpy.garray([1.0, 2.0])
    refuses(operator.setitem, empty, 0, 1.0)
    refuses(operator.setitem, a, 0, empty)
    refuses(operator.setitem, a, slice(None), empty)
    refuses(operator.getitem, a, empty)
    assert a.tolist() == [1.0, 2.0]


def test_an_empty_garray_may_be_given_a_value(empty):
    gnumpy.garray.__init__(empty, [1.0, 2.0])
    assert (empty + 1).tolist() == [2.0, 3.0]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_no_method_of_any_class_crashes(cls):
    made = cls.__new__(cls)
    for name in dir(cls):
        method = getattr(cls, name)
        if method is getattr(object, name, None) or name in ("__init__", "__class__", "__doc__", "__new__", "__dict__"):
            continue
        for self in (made, 5, None, "text"):
            for arguments in ((), (1,), (made,), (1, 1), (made, made), ([1.0], 0, 0)):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        if callable(method):
                            method(self, *arguments)
                        else:
                            getattr(self, name)
                    except Exception:  # pylint: disable=broad-exception-caught
                        pass


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_no_function_of_any_module_crashes(cls):
    made = cls.__new__(cls)
    for module in (_gnumpy, _cudamat):
        for name, function in vars(module).items():
            if not callable(function) or isinstance(function, type) or "shutdown" in name:
                continue
            for arguments in ((made,), (made, made), (made, 1), ([made],)):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        function(*arguments)
                    except Exception:  # pylint: disable=broad-exception-caught
                        pass


def test_an_empty_matrix():
    empty, m = cudamat.CUDAMatrix.__new__(cudamat.CUDAMatrix), cudamat.CUDAMatrix(np.ones((2, 2)))
    refuses(m.add, empty)
    refuses(cudamat.dot, m, empty)
    refuses(cudamat.dot, empty, m)
    refuses(memoryview, empty)
    refuses(np.asarray, empty, says="")
    refuses(empty.asarray, says="")
    refuses(lambda: empty.shape, says="")


def test_methods_of_other_types():
    refuses(gnumpy.garray.tolist, 5, says="expected a garray; got int")
    refuses(gnumpy.garray.sum, WithoutBase())
    refuses(_rewriter.Dispatch.__call__, 5, says="expected a Dispatch; got int")
