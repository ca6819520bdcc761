"""Types that decide values: NumPy runs the same programs, and symdump gives the same or refuses.

    types_test.py SYMDUMP
"""

import sys

import numpy as np

from cli import main
from same_programs import SamePrograms

A = np.array([[1.5, -2.0], [0.25, 3.0]])
C = np.arange(6.0).reshape(2, 3) - 2.5
PASSES = ("none", "default", "all", "hoist,reuse,inplace", "inplace", "cse,simplify,dead")

# What a loop carries has another type at first than later.
CHANGING = {
    "truth values become numbers": "q = A > -1\nfor k in range(2):\n    q = q + q\n    q = q * 1.0",
    "for one iteration": "q = A > 0\nfor k in range(1):\n    r = q + q\n    q = A\nz = q + q",
    "integers become floats": "q = np.array([1, 2])\nfor k in range(1):\n    r = q * 1\n    q = A[0]\nz = r / 4",
    "names swapped twice": "g = A > 0\ny = A * 2\nfor k in range(2):\n    g, y = y, g\n    y[0] = 5",
    "names swapped thrice": "g = A > 0\ny = A * 2\nfor k in range(3):\n    g, y = y, g\n    y[0] = 5",
    "a chain of names": "a = A > 0\nb = A > 1\nc = A * 1\nfor k in range(9):\n    d = a + b\n    a, b, c = b, c, c * 1.5",
    "a number becomes an array in another order": "x = 0\nfor t in range(3):\n    x = x + C.T",
    "a number becomes an array": "x = 0\nfor t in range(3):\n    s = np.sum(x)\n    x = x + A + 1",
    "a number becomes an array in place": "x = 0\ny = 1\nfor t in range(3):\n    y = x\n    x += A",
    "a scalar becomes an array": "x = A.sum()\nfor t in range(3):\n    y = x * 2\n    x = x + A",
    "a bool becomes a truth value of NumPy": "b = True\nfor t in range(3):\n    r = A * (b + b)\n    b = A.sum() > 0",
    "a truth value becomes an int": "b = A[0, 0] > 0\nfor t in range(2):\n    r = A * (b + b)\n    b = b * 2",
    "in a function": "def f(x):\n    return x + x\nq = A > 0\nfor t in range(3):\n    q = f(q)\n    q = q * 0.5",
    "in an inner loop": "q = A > 0\nfor t in range(2):\n    for u in range(2):\n        q = q + q\n    q = q * 1.0",
    "in an inner loop that does not run":
        "q = A > 0\nfor t in range(2):\n    for u in range(0):\n        q = q * 2.0\n    q = q + q",
    "through an augmented assignment": "q = A > 0\nn = 0\nfor t in range(2):\n    q *= q\n    q = q + 1\n    n += 0.5",
    "an array of one number that another name shares":
        "s = np.array(2.0)\nh = s\nfor t in range(3):\n    s /= 4\n    s = s + 1\nr = h * 1",
    "with draws of numbers between": "q = A > 0\nfor t in range(3):\n    q = q + q\n    z = q * 0 + 1\n    q = z",
    "booleans in a list": "l = []\nfor t in range(3):\n    l.append(t > 0)\nq = np.array(l)\nr = q + q",
    "elements of such a list": "l = []\nfor t in range(3):\n    l.append(t > 0)\nr = A * (l[1] + l[2])",
    "NumPy's in a list": "l = []\nfor t in range(2):\n    l.append(A[t, t] > 0)\nr = A * (l[0] + l[1])",
}
# Python's numbers and NumPy's scalars.
NUMBERS = {
    "integers that adding nothing leaves as they are":
        "o = (A > 0) * 2\no += False\np = (A > 0)\nq = p * 3\nq += 0\nq *= 2",
    "the least of chosen integers, a scalar": "z = np.array([[2], [0]])\nn = np.min(z[z[:, 0] > 0.5])\nn += A\nm = n",
    "products of no matrices of truth values": "v = np.matmul(np.array([True]), np.ones((0, 1, 1)) > 0)",
    "a sum of a list, which begins with 0": "l = [x * -0.0 for x in A[0, :1] * 0 + 1]\nr = A / sum(l)",
    "axes of one element in einsum":
        "p = np.einsum('ij,ik->jk', A[:1], C)\nq = np.einsum('ij,ij->i', A[:, :1], C)\n"
        "r = np.einsum('ij,ij,ik->jk', A[:1], C[:, :1], C)",
    "plus of an array of no dimensions, which is a scalar": "x = y = +np.array(1.5)\ny *= x\nr = A * x + y",
    "a comparison inverted": "for t in range(3):\n    r = A * ~(t > 0)",
    "an int inverted": "for t in range(3):\n    r = A * ~t",
    "comparisons added": "for t in range(3):\n    r = A * ((t > 0) + (t > -1))",
    "a comparison negated": "for t in range(3):\n    r = A * -(t > 0) + +(t > 0)",
    "comparisons subtracted": "for t in range(3):\n    r = A * ((t > 0) - (t > 1))",
    "comparisons of a float": "s = 0.0\nfor t in range(3):\n    s = s + 0.5\n    r = A * ((s > 0) + (s > -1))",
    "of float()": "f = float(A.sum()) > 0\nr = A * (f + f)",
    "of an element": "f = A.sum() > 0\nr = A * (f + f)",
    "of a function's number": "f = np.sqrt(4.0) > 1\nr = A * (f + f) + ~f",
    "isnan of a number": "r = A * (np.isnan(1.0) + (np.isnan(0.0) == 0) + True)",
    "bits of bools": "r = (A > 0) + (True & True)",
    "abs of a bool": "for t in range(2):\n    r = A * (abs(t > 0) + abs(t > 0)) + (abs(True) + abs(True))",
    "np.abs of a bool": "r = A * (np.abs(True) + np.abs(True))",
    "a choice": "for t in range(3):\n    x = 1.0 if t > 0 else 2.0\n    y = x\n    x += 1\n    r = A * (x + y)",
    "a choice between elements": "x = A[0, 0] if A[0, 1] > 0 else A[1, 1]\ny = x\nx += 1\nr = A * (x + y)",
    "a truth value that alternates": "c = True\nr = np.zeros(3)\nfor i in range(3):\n    r[i] = c\n    c = not c\ns = A * (c + c)",
    "not": "s = A.sum() > 0\nx = float(s) * 2.0\nr = A * (not s) + (not x) + (not not s) + (not np.array(0.0))\n"
           "for t in range(3):\n    q = A * (not t) + (not t > 1) + ((not t) + (not t))",
    "not of a list": "l = []\nfor t in range(3):\n    l.append(t)\nr = A * (not l) + (2 if l else 3)",
    "a power": "for t in range(3):\n    r = A * 2 ** t",
    "np.dot of numbers": "a = np.dot(2, 3)\na *= 2\nr = A * a",
    "np.transpose of a number": "a = np.transpose(3)\na += 1\nr = A * a",
    "np.transpose of a comparison": "for t in range(2):\n    r = A * ~np.transpose(t > 0)",
    "np.negative of a number": "a = np.negative(2)\na *= 3\nr = A * a",
    "what a loop left, taken up in another": "for i in range(2):\n    n = C[0, i]\nfor j in range(2):\n    a = n\n"
        "    for k in range(3):\n        a = a / 2\nr = A * n",
    "what a loop makes, taken up in its loops": "for i in range(2):\n    n = C[0] * i\n    for j in range(2):\n        a = n\n"
        "        for k in range(3):\n            a = a / 2\nr = n * a",
    "a 0-d array to the power 1": "n = np.array(-1.5)\nx = n ** 1\ny = x.T.ravel()\ny += 1\nr = A * x",
}
# No integer is -0.
INTEGERS = {
    "negated and multiplied": "v = np.array([0, 1])\nr = 1 / (0 * -v)\nq = A / -v",
    "a sum negated": "r = -(A > 9).sum()\nq = 1 / (-3 * r)",
    "products": "v = np.array([1, -2])\nw = np.array([0, 0])\nr = 1 / np.dot(v, w)\ns = 1 / (v * w)\n"
                "t = 1 / np.prod(np.array([0, -1]))\nu = 1 / np.outer(v, w)\nx = A / (w * -3)",
    "in place": "v = np.array([1, -2])\nw = v\nv *= 0\nr = A / w\nn = np.array(0)\nm = n\nn *= -1\nn += 1\nq = A * m",
    "truth values": "v = np.array([0, -1]) * (A[0] > 9)\nr = 1 / v",
    "numbers": "n = np.negative(0)\nr = A / (n * np.array([1, 1]))",
    "of a loop": "v = np.array([2, 3])\nfor t in range(-1, 2):\n    r = 1 / (v * t * 0)",
    "quotients of Python numbers": "n = -4.0 // -8.0\nr = A * 0\nr[0, 0] = n\nr[1, 1] = 4.0 // -8.0\nr[0, 1] = -0.0 // 3.0\nr[1, 0] = -6.0 % 3.0",
    "rounded": "v = np.array([1, 2])\nw = np.round(v)\nw = w + 1\nn = np.round(v.sum())\nn += 1\nr = np.round(A)\nr += 1",
    "in a list": "l = []\nfor t in range(3):\n    l.append(t)\nr = 1 / (0 * -np.array(l))",
}
# max() and min() keep the first element until another compares beyond it; NaN never does.
EXTREMES = {
    "a NaN first": "v = np.array([0.0, 1.0, 0.0]) / np.array([0.0, 2.0, 4.0])\nl = []\nfor t in range(3):\n"
                   "    l.append(v[t])\nr = A * max(l)\nq = A * min(l)",
    "a NaN later": "v = np.array([1.0, 0.0, -5.0]) / np.array([2.0, 0.0, 1.0])\nl = []\nfor t in range(3):\n"
                   "    l.append(v[t])\nr = A * max(l)\nq = A * min(l)",
    "infinities": "v = np.array([-1.0, 0.0]) / np.array([0.0, 0.0])\nl = [v[0], v[1]]\nr = A * max(l)\nq = A * min(l)",
    "zeros": "l = [A[0, 0] * 0, A[0, 0] * -0.0]\nr = 1 / max(l) * A\ns = 1 / min(l) * A\nl = []\nfor t in range(3):\n    l.append(A[0, 0] * (-0.0 if t < 1 else 0.0))\n"
             "q = A / max(l)",
    "of one array": "v = A[0]\nr = max([v]) + min((A,))\nl = []\nfor t in range(1):\n    l.append(A * t)\ns = max(l)",
    "of lists": "l = [[1, 2], [3, 0]]\nr = A * max(l)[0] + min(l)[1] + max([(3, 4)])[0]",
}
# Arrays of no dimension and scalars, which only differ in what may be written to.
NO_DIMENSIONS = {
    "plus": "b = np.array(True)\nr = +b\ns = r + r\nt = +np.array(2) / 4",
    "converted": "b = np.array(False)\nr = b.astype(float)\nv = r.T.reshape(-1)\nv[0] = 2\nq = np.array(b, dtype=int)\n"
                 "q.reshape(1)[0] = 3\np = np.asarray(A.sum(), dtype=float)\np[...] = 4",
    "raised in place": "v = np.array([3, 2])\nr = np.array(3)\nv **= 2.0\nr **= 2.0",
    "methods of numbers": "r = np.sqrt(4).flatten()\nq = np.tan(60).sum()\na = np.sqrt(9).copy()\nb = a\na += 1\n"
                          "z = np.int64(3).astype(float)\nm = np.float64(2.5).item()\nw = np.sqrt(4).reshape(1, 1)\nw[0, 0] = 3",
    "numbers of NumPy over 0": "B = np.array([3, 0, -2])\nC = np.array([1.0, 2.0])\nwith np.errstate(all='ignore'):\n"
                               "    r = C * (B[0] / B[1])\n    s = C * (B[1] / B[1])\n    t = C + B[0] // B[1] + B[2] % B[1]\n"
                               "    u = C * (np.sqrt(4.0) / 0)",
    "methods of a truth value of NumPy": "r = (1 < np.sqrt(2.0)).reshape(1)\nr[0] = False\nq = np.ones(3) * ~(0 < np.log2(0)).all()",
}
# What is in C order in NumPy's memory, so that its reshape() is a view.
IN_ORDER = {
    "products": "r = A.T @ A\nr.reshape(-1)[0] = 7\nq = np.ones((3, 2, 2)) @ A.T\nq.reshape(-1)[0] = 7",
    "copied": "r = A.T.copy()\nr.reshape(-1)[1] = 7\nq = np.ascontiguousarray(A.T)\nq.reshape(-1)[1] = 7",
    "written out": "r = np.tile(A.T, 2)\nr.reshape(-1)[1] = 7\nq = np.array([A.T, A.T])\nq.reshape(-1)[1] = 7",
}
# What passes do to names, views and copies.
LISTS = {
    "a variable of a loop that is called like a temporary":
        "for t1 in range(3):\n    r = np.exp(A * t1) + A\n    s = np.exp(r) * r",
    "a view of what takes the memory of something later":
        "for j in range(2):\n    p = A[j, j] + np.clip(np.array([0.25, 0.5]), 1.5, 0)",
    "a copy of a view that a loop defines":
        "g = np.var(A, axis=None)\nfor t in range(3):\n    a = p = np.sign(g)\n    b = p[()]\nh = a[...]\n"
        "h = np.abs(b)",
}
# What where= leaves as it was, in the type of out=.
ASKED = {
    "of two": "d = A * 1\nd[0, 0] = 0\nr = np.divide(1.0, d, out=np.zeros_like(d), where=d != 0)\ns = A + 0\nnp.power(s, 2, out=s, where=s > 0)\n"
              "t = np.add(C, 1, out=np.full((2, 3), 7.0), where=[True, False, True])\nu = np.zeros(2, dtype=int)\nnp.add(u, 3, out=u, where=A[0] > 0)",
    "of one": "r = np.sqrt(A, out=A * 2, where=A > 0)\ns = np.log(abs(C), where=C > 0, out=np.zeros((2, 3)))",
}
# What becomes of scalars and arrays of no dimensions, of divisors below 0, and of out= that is larger.
SHAPES = {
    "of one dimension at least": "z = np.array(3.0)\nv = np.ascontiguousarray(z)\nv[0] = 4\nw = np.ascontiguousarray(A.sum())\nw[0] += 1\n"
                                 "u = np.ascontiguousarray(2)\nx = np.ascontiguousarray(A[0, 0], dtype=int)\ny = z + 1",
    "functions of scalars": "r = np.repeat(A[0, 0], 3, axis=0)\ns = np.cumsum(A.sum(), axis=0)\nt = np.argsort(A.sum())\nu = np.cumprod(2.0, axis=-1)\n"
                            "v = np.repeat(np.array(2), 2, axis=-1)\nw = np.argsort(3, axis=None)\nx = A.sum().cumsum(0)",
    "divisors below 0": "K = np.array([5, -3, 0, 7, -4])\nH = K.astype(np.int32)\nU = (K * K).astype(np.uint8)\nr = K // -2\ns = K % -3\nt = H // -2\n"
                        "u = H % -4\nv = U // -2\nw = U % -5\nx = K.copy()\nx //= -3\ny = K.copy()\ny %= -3\nz = 1 / (K // -2) + 1 / (K % -1)\n"
                        "f = np.floor_divide(K, -7)\ng = K.sum() // -2\nh = divmod(K, -2)\nB = K.astype(np.int8)\nB[0] = -128\nb = B // -1",
    "out= of more dimensions": "r = np.zeros((3, 2))\nnp.tanh(A[0], out=r)\ns = np.zeros((2, 2))\nnp.add(s[0], A[0], out=s)\nt = np.ones((3, 2))\n"
                               "np.add(A[0], 1, out=t, where=A[1] > 0)\nu = np.ones((2, 2))\nnp.clip(A[:1], 0, 1, out=u)\nv = np.ones((2, 2))\n"
                               "np.logaddexp(A[0], 0, out=v)\nw = np.isfinite(A[0], out=np.zeros((2, 2), bool))\nx = np.zeros((2, 2))\nnp.square(A[0], out=x)",
    "places in a smaller array": "r = np.zeros((3, 4))\nr[np.where(A > 0)] = 5\ns = np.zeros((4, 3, 2))\ns[:, np.where(C[0] > 0)[0]] = 2\n"
                                 "t = np.ones(5)\nt[np.nonzero(C[1] > 1)] = 3\nm = C.T.copy()\nu = m[np.where(A > 0)].sum()\n"
                                 "v = np.zeros((2, 3))\nv[1, np.where(A[0] > 0)[0]] = 7",
}
# Types asked for: r is not empty, so that NumPy's answer is compared.
ASKED_FOR = {
    f"dtypes {i}": f"K = np.array([1, 2])\nU = K.astype(np.uint8)\nH = K.astype('int32')\nM = K > 1\nr = np.array([{text}])"
    for i, text in enumerate((
        "x.dtype == float, x.dtype == bool, x.dtype == int, x.dtype == 'int64', x.dtype == 'float64', x.dtype == np.float64, "
        "x.dtype == np.float32, x.dtype == 'float32', x.dtype == complex, x.dtype == np.dtype('<f8'), x.dtype == '>f8', "
        "float == x.dtype, 'float64' == x.dtype, x.dtype != float, x.dtype != 'f8', x.dtype is float".replace("x.", name + ".")
        for name in ("A", "K", "U", "H", "M", "A[0, 0]", "K[0]", "U.sum()", "np.sqrt(2.0)"))) } | {
    "of two": "K = np.array([1, 2])\nr = np.array([A.dtype == C.dtype, A.dtype == K.dtype, A.dtype in (float, int), K.dtype in [np.float64, "
              "'int64'], K.dtype not in ('f4', bool), np.dtype(int) == K.dtype, np.float64 == np.double, np.float64 == float, "
              "np.int_ == np.int64, type(A[0, 0]) == np.float64, type(A[0, 0]) == float, np.float32 == np.float64])",
    "scalars": "K = np.array([1, 2])\nU = K.astype(np.uint8)\nM = K > 1\nr = np.array([[isinstance(x, t) for t in (float, int, bool, np.float64, "
               "np.float32, np.int64, np.uint8, np.floating, np.integer, np.signedinteger, np.unsignedinteger, np.inexact, np.number, "
               "np.generic, np.bool_, np.ndarray, (int, np.integer))] for x in (A[0, 0], K[0], U[0], M[0], A, 1, 1.5, True)])",
    "kinds": "K = np.array([1, 2])\nU = K.astype(np.uint8)\nM = K > 1\nr = np.array([[np.issubdtype(x.dtype, t) for t in (float, int, bool, "
             "np.float64, np.float32, np.int64, np.uint8, np.floating, np.integer, np.signedinteger, np.unsignedinteger, np.inexact, "
             "np.number, np.generic, np.bool_, np.complexfloating)] for x in (A, K, U, M)])",
    "what dtypes have": "K = np.array([1, 2])\nU = K.astype(np.uint8)\nM = K > 1\nr = np.array([[x.itemsize, x.nbytes, x.dtype.itemsize, "
                        "x.dtype.kind == 'f', x.dtype.kind in 'iu', x.dtype.name == 'float64', x.dtype.name == 'bool', "
                        "x.dtype.type == np.float64, str(x.dtype) == 'uint8', f'{x.dtype}' == 'int64', x.dtype.char == 'd', "
                        "isinstance(x.dtype, np.dtype)] for x in (A, K, U, M)])",
}
REFUSED = {
    "x = np.zeros((2, 3))\nx[np.where(C.T > 0)] = 1": r"are of an array of shape \(3, 2\), and may be out of bounds",
    "x = np.zeros(3)\nnp.sum(A[0], out=x)": "non-broadcastable output",
    "r = A * (A.dtype == None)": "NumPy treats None as float64",
    "r = A * (A.dtype == 'flaot')": "'flaot' is not the name of a dtype",
    "r = A * (A.dtype == np.floating)": r"write np.issubdtype\(x.dtype, np.floating\)",
    "r = np.sqrt(A, where=A > 0)": "the result is uninitialized where where= is False; give out=",
    "u = np.zeros(2, dtype=int)\nnp.add(u, 0.5, out=u, where=A[0] > 0)": "Cannot cast",
    "r = A * np.reciprocal(4)": "reciprocal of an integer",
    "r = A * (not A)": r"the truth of an array of shape \(2, 2\) is ambiguous",
    "r = A * np.exp(True)": "float16",
    "r = A * np.sign(True)": "no sign of booleans",
    "r = A * -(np.sqrt(2.0) > 1)": "NumPy does not support '-' of a boolean",
    "p = A + A.T\nv = p.reshape(-1)\nfor j in range(2):\n    v += 1\n    v = v * 2": "depends on its layout in memory",
    "p = A + A.T\nv = A * 1\nfor j in range(2):\n    v += 1\n    p = A + A.T\n    v = p.reshape(2, 2)":
        "depends on its layout in memory",
    **{f"E = np.arange(24.0).reshape(2, 3, 4).transpose(1, 0, 2)\np = {made}\nv = p.reshape(-1)\nv[1] = 7":
       "depends on its layout in memory" for made in (
           "np.ones((3, 2, 2, 4)) @ E.reshape(3, 2, 4, 1)", "E[None].swapaxes(0, 1) @ np.ones((2, 4, 2))", "np.sort(E, axis=1)",
           "np.median(E.T, axis=0)", "np.linalg.norm(E.T, axis=0)", "np.average(E.T, axis=1)", "np.nansum(E.T, axis=0)",
           "np.concatenate(E.T)", "np.ptp(E.T, axis=1)", "np.count_nonzero(E.T, axis=1)")},
    "y = F = A * 1\nfor i in range(2):\n    for j in range(2):\n        F = F.T\ny[0] = 9\nz = F * 1": "F may share its memory",
    "y = F = A * 1\nfor i in range(2):\n    for j in range(2):\n        F = F.T\nF[0] = 9\nz = y * 1": "F may share its memory",
    "x = A + A.T\np = np.ascontiguousarray(x)\np[0] = 7": "ascontiguousarray copies this array depends on its layout",
    "r = max([A, A])": "is for Python numbers",
    "v = np.array([1, 2])\nw = np.round(v)\nw += 1": "round copies these integers depends on its version",
    "v = np.array([1, 2])\nw = v.round(2)\nx = w.reshape(2, 1)\nv[0] = 7": "round copies these integers",
    "l = []\nfor t in range(3):\n    l.append(t)\nr = l + l": "np.array.list. makes an array",
    "for t in range(3):\n    x = t * 0.5\n    r = A * x.sum()": "a (Python number|float) has no attribute sum",
    "r = A * (A > 0).argmax() * ([1, 2] * A.argmax())": "np.array.list. makes an array",
}


# Inputs whose files hold other types than floats.
TYPED = {
    "M": np.array([[True, False], [True, True]]),
    "K": np.array([[0, -2], [7, 3]]),
    "U": np.array([[0, 200], [7, 255]], dtype=np.uint8),
    "H": np.array([[-3, 0], [7, 255]], dtype=np.int32),
}
INPUTS = {
    "truth values": "r = M + M\ns = A * ~M\nt = np.where(M, A, 0) + M.sum() + M.mean()\nM[0] = A[0]\nu = M + M",
    "truth values in a function": "def f(x):\n    return x + x\nr = f(M)\nfor i in range(2):\n    r = r + f(M)",
    "integers": "r = 1 / (K * 0)\ns = K ** 2\nt = K.mean(axis=0)\nK += 1\nu = A / -K",
    "bytes": "r = U / 255.0\ns = U @ A\nt = (U > 7) + (U > 0)\nu = U - U.mean(0)\nv = U.astype(float) + U.max()",
    "narrow integers that cannot wrap":
        "a = np.maximum(U, U.T)\nb = np.minimum(H, 5)\nc = U.sum()\nd = H.sum(axis=0)\ne = np.clip(U, 1, 9)\nf = H[1]\ng = U.copy()\n"
        "h = H == H.T\nk = c / 4 + d / 2\nl = np.concatenate([U, U])\nm = A[U[1] > 200].sum() + H.astype(int).max() // 2",
    "narrow integers that wrap":
        "a = U + U\nb = U * 2\nc = U.sum() + 1\nd = np.maximum(H, -1)\ne = U.prod()\nf = H @ H\ng = -U\nh = U ** 2\nk = abs(H)\n"
        "l = np.where(M, U, 1) + 1\nU[0] = 1000\nU += 1",
    "narrow integers": "r = H * 0.5\ns = np.where(H > 0, H, 0.5)\nt = H.T / H.var()\nH[0] = 0\nu = H / 2",
}
REFUSED_INPUTS = {
    "r = np.exp(U)": "float16", "r = np.exp(M)": "float16", "r = -M": "boolean negative", "K += 0.5": "Cannot cast",
}


class Types(SamePrograms):
    inputs = {"A": A, "C": C} | TYPED
    passes = PASSES

    def test_a_loop_carries_changing_types(self):
        self.each(CHANGING)

    def test_numbers_of_python_and_of_numpy(self):
        self.each(NUMBERS)

    def test_integers(self):
        self.each(INTEGERS)

    def test_extremes_of_lists(self):
        self.each(EXTREMES)

    def test_lists_after_passes(self):
        self.each(LISTS)

    def test_inputs_keep_their_types(self):
        self.each(INPUTS)
        self.each_refused(REFUSED_INPUTS)

    def test_where_asked(self):
        self.each(ASKED)

    def test_shapes(self):
        self.each(SHAPES)

    def test_types_asked_for(self):
        self.each(ASKED_FOR)

    def test_no_dimensions(self):
        self.each(NO_DIMENSIONS)

    def test_reshapes_of_what_is_in_order_are_views(self):
        self.each(IN_ORDER)

    def test_refusals(self):
        self.each_refused(REFUSED)

    def test_written_out(self):
        """Loops whose iterations differ, and other Python that is known when the program is read."""
        self.each({
            "0":
                'g = A > 0\n'
                'y = A * 2\n'
                'for k in range(100):\n'
                '    g, y = y, g\n'
                '    y[0] = 5',
            "1":
                'for t in range(3):\n'
                '    x = True if t > 0 else 2\n'
                '    r = A * x',
            "2":
                'l = []\n'
                'for t in range(3):\n'
                '    l.append(t > 0)\n'
                '    l.append(0.5)\n'
                'r = np.array(l)',
        })


if __name__ == "__main__":
    sys.exit(main())
