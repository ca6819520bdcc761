import numpy as np


class MatrixError(Exception):
    pass


class ShapeMismatch(MatrixError):
    def __init__(self, a, b):
        super().__init__(f"cannot combine {a} and {b}")
        self.shapes = (a, b)


class SingularMatrix(MatrixError):
    pass


class Matrix:
    def __init__(self, rows):
        self._a = np.array(rows, dtype=float)

    @classmethod
    def eye(cls, n):
        return cls(np.eye(n))

    @property
    def shape(self):
        return self._a.shape

    def transpose(self):
        return Matrix(self._a.T)

    def __getitem__(self, ij):
        return self._a[ij]

    def __add__(self, other):
        if self.shape != other.shape:
            raise ShapeMismatch(self.shape, other.shape)
        return Matrix(self._a + other._a)

    def __iadd__(self, other):
        self._a += other._a
        return self

    def __mul__(self, k):
        return Matrix(k * self._a)

    __rmul__ = __mul__

    def __matmul__(self, other):
        if self.shape[1] != other.shape[0]:
            raise ShapeMismatch(self.shape, other.shape)
        return Matrix(self._a @ other._a)

    def inverse(self):
        n = self.shape[0]
        M = np.hstack([self._a, np.eye(n)])
        for c in range(n):
            p = c + np.argmax(np.abs(M[c:, c]))
            if abs(M[p, c]) < 1e-12:
                raise SingularMatrix("no pivot in column %d" % c)
            M[[c, p]] = M[[p, c]]
            M[c] /= M[c, c]
            for r in range(n):
                if r != c:
                    M[r] -= M[r, c] * M[c]
        return Matrix(M[:, n:])


rng = np.random.default_rng(0)
A = Matrix(rng.normal(size=(5, 5)))
A += 3 * Matrix.eye(5)
A_inv = A.inverse()
identity_error = np.abs((A @ A_inv)[:, :] - np.eye(5)).max()
gram = (A.transpose() @ A)[:, :]

log = []
for attempt in (lambda: A + Matrix.eye(3), lambda: Matrix([[1, 2], [2, 4]]).inverse(), lambda: A @ A.transpose()):
    try:
        attempt()
    except ShapeMismatch as e:
        log.append(e.shapes[1][0])
    except MatrixError as e:
        print("failed:", e)
        log.append(-1)
    else:
        log.append(0)
    finally:
        log.append(len(log))
outcome = np.array(log)
