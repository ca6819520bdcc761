"""Exercise 4: root finding. Compare bisection, Newton and the secant method."""
import numpy as np

calls = 0


def count_calls(f):
    def g(x):
        global calls
        calls += 1
        return f(x)
    return g


class RootFinder:
    def __init__(self, f, tol=1e-10, maxit=100):
        self.f = f
        self.tol = tol
        self.maxit = maxit
        self.trace = []

    def bisect(self, a, b):
        fa, fb = self.f(a), self.f(b)
        if fa * fb > 0:
            raise ValueError("no sign change on [%g, %g]" % (a, b))
        while True:
            m = (a + b) / 2
            fm = self.f(m)
            self.trace.append(m)
            if abs(fm) < self.tol or (b - a) / 2 < self.tol:
                return m
            if fa * fm < 0:
                b, fb = m, fm
            else:
                a, fa = m, fm

    def newton(self, x, df):
        for k in range(self.maxit):
            try:
                dx = self.f(x) / df(x)
            except ZeroDivisionError:
                x += 0.1
                continue
            x -= dx
            self.trace.append(x)
            if abs(dx) < self.tol:
                return x
        raise RuntimeError("Newton did not converge")

    def secant(self, x0, x1):
        f0 = self.f(x0)
        for k in range(self.maxit):
            f1 = self.f(x1)
            if abs(f1) < self.tol:
                break
            x0, x1, f0 = x1, x1 - f1 * (x1 - x0) / (f1 - f0), f1
            self.trace.append(x1)
        return x1


f = lambda x: x ** 3 - 2 * x - 5
df = lambda x: 3 * x ** 2 - 2

roots = []
lengths = []
for name in ["bisect", "newton", "secant"]:
    finder = RootFinder(count_calls(f))
    if name == "bisect":
        r = finder.bisect(2.0, 3.0)
    elif name == "newton":
        r = finder.newton(2.0, df)
    else:
        r = finder.secant(2.0, 3.0)
    roots.append(r)
    lengths.append(len(finder.trace))
    print("%-8s root=%.8f steps=%d" % (name, r, len(finder.trace)))

try:
    RootFinder(f).bisect(3, 4)
    ok = True
except ValueError as err:
    print("error:", err)
    ok = False

roots = np.array(roots)
lengths = np.array(lengths)
total_calls = float(calls)
