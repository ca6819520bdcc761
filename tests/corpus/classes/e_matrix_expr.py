import numpy as np
import operator
from functools import reduce


class Expr:
    ops = {"+": operator.add, "-": operator.sub, "*": operator.mul, "@": operator.matmul}

    def __init__(self, op, *args):
        self.op, self.args = op, args

    def __add__(self, other): return Expr("+", self, lift(other))
    def __radd__(self, other): return Expr("+", lift(other), self)
    def __sub__(self, other): return Expr("-", self, lift(other))
    def __mul__(self, other): return Expr("*", self, lift(other))
    def __matmul__(self, other): return Expr("@", self, lift(other))

    def eval(self, **env):
        if self.op == "const":
            return self.args[0]
        if self.op == "var":
            try:
                return env[self.args[0]]
            except KeyError as e:
                raise NameError(f"unbound {e}") from e
        return reduce(self.ops[self.op], (a.eval(**env) for a in self.args))

    def walk(self):
        yield self
        for a in self.args:
            if isinstance(a, Expr):
                yield from a.walk()

    def __str__(self):
        if self.op == "var":
            return self.args[0]
        if self.op == "const":
            return str(self.args[0])
        return "(" + f" {self.op} ".join(map(str, self.args)) + ")"


def lift(x):
    return x if isinstance(x, Expr) else Expr("const", x)


def var(name):
    return Expr("var", name)


A, x, b = map(var, "Axb")
e = A @ x + b * 2 - 1
print(e)
print(sum(1 for n in e.walk() if n.op == "var"), [n.op for n in e.walk()])
env = dict(A=np.arange(6.0).reshape(2, 3), x=np.ones(3), b=np.array([0.5, -0.5]))
r = e.eval(**env)
del env["b"]
try:
    e.eval(**env)
except NameError as err:
    print("NameError:", err)
try:
    (A @ x).eval(A=np.eye(2), x=np.ones(3))
except ValueError:
    print("shapes")
s = (1 + x).eval(x=np.array([1.0, 2.0]))
