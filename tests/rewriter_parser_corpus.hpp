// Programs for the parser's tests, by what Python and the notation say of them.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace rewriter::ast {

/// Python takes them, and so does the notation.
inline const std::vector<std::string> kTaken = {
    "",
    "\n\n# nothing\n",
    "delta_o = -(x - z)\ndelta_h = np.dot(delta_o, W)*h*(1.0-h)\ngrad_W = np.dot(X.T, delta_h)\n",
    "import numpy as np, gnumpy as gpu\nimport numpy.linalg\nfrom numpy import *\n"
    "from . import x\nfrom .a.b import c as d\nfrom ... import e\nfrom ..f import g\n"
    "from numpy.random import (rand, randn as normal,)\nimport os.path as p",
    "X: (128, 784)\nh: (128,) = x, 1\n(b): 3\n",
    "a = b = c, d = x.shape\n(e, f) = [g, h] = 1, 2\nx, = y\n",
    "x[0:2] = x[:, None] = 3; x[1] += 1; x @= y; x **= 2; x //= 3; x %= 4; x &= 1; x |= 2; x ^= 3",
    "x[0], x[:], x[::], x[1:], x[:2], x[1:2], x[1::], x[:2:], x[::3], x[1:2:3], x[-1:, ..., None]",
    "x[(1, 2)], x[((1, 2))], x[(1, 2),], x[1,], x[()], x[(1, 2):], x[(1,)]",
    "f(), f(a), f(a,), f(a, b=1), f(a=1, b=(2, 3),), f(a)(b)[c].d(e).f",
    "f((a, b)), f((a), (b))",
    "raise\nif a: raise b(c)\nraise b from c",
    "try:\n    a\nexcept b:\n    c\nexcept (d, e) as f:\n    raise\nelse:\n    g\nfinally:\n    "
    "h\ni",
    "for a in b:\n    try: c\n    finally: d\n    with np.errstate(all='ignore'): e\n    with "
    "np.errstate() as f:\n        g",
    "-x**2, 2**-x, -x**-y**z, (-x)**2, - - + ~x, not a == b, not not a, a and b or not c and d",
    "a@b*c/d//e%f, a-b-c, a**b**c, a < b, a + b >= c * d, a & b | c ^ d & ~e, a.b.c[d](e).T**2",
    "a or b or c, a and b and c, (a or b) or c, a or (b or c), not a and b, not (a and b)",
    "(a < b) == (c < d), (a < b) * (b < c), a < (b < c)",
    "((a)), (a,), (), [], [a], [a,], [[1], 2]",
    "0, 1, 1_000, 0x10, 0XfF_f, 0o17, 0b101, 0b_1, 00, 0_0, 1e3, 1E-3, .5, 5., 1_0.0_1e+1_0, 0.1",
    "9223372036854775807, 9223372036854775808, 0xffffffffffffffff, 0o7777777777777777777777777",
    "1" + std::string(400, '0'),
    "0x" + std::string(300, 'f'),
    "0b1" + std::string(80, '0') + "1",
    "1e400, 1e-400, 4.9e-324, 2.2250738585072011e-308, 123456789012345678901234567890.0, "
    "9007199254740993",
    "1..real, 1 .real, 1.e5.real, 1.5.real",
    "1or 2, 0x1for x, 1and 2",
    R"('a', "b", '''c
d''', """e"f""g""", r'\n', R"\"", u'x', 'a' "b" 'c', '\n\t\\\'\"\a\b\f\r\v\0\12\x41\u03b5\U0001F600')",
    "'\\q\\\nb', '\\8', '\\400', r'\\\r\n'",
    "'''a\r\nb\rc'''\nx = '''a\r\nb\rc'''\r\ny = 1\rz = 2",
    "'docstring'\nx = 1\n'''another'''; y = 2\n'not ' + 'one'\n",
    "x = 1;\n",
    "x = (1 + # c\n\n 2)\n",
    "x = 1 + \\\n  2\n",
    "x = \\\r\n 3",
    "x = [1,\n2,\n# c\n3]",
    "x = 1 # \xce\xb5\ny = 2",
    "\xce\xb5 = \xcf\xb5 + \xc2\xb5 + \xce\xbc + \xce\x94_1\xc3\xa9",
    "if_ = for1 = None_ = _ = __x9",
    "True, False, None",
    "pass; pass\npass",
    "\fx = 1\n",
    "x = 1\\\n\n\ny = 2",
    "x = 1 +\\\n\\\n 2",
    "((x))[((0))] = ((y))\n(x) += 1\n() = [] = x",
    "x[1:2, ...][0](a)(b=c)[d] **= -1",
    "a if b else c, x[a if b else c], 1if x else 2, f(a if b else c, d=e if f else g)",
    "a if b else c if d else e, a if (b if c else d) else e, (a if b else c) + 1 if not d else -e",
    "a or b if c and d else e or f, x[a if b else c:d if e else f, [a if b else c]]",
    "for a in b: pass\nfor i in range(3):\n  x += i; y = 1\n  for j in range(i):\n    z = j\n  w = "
    "2\nv = 3",
    "for i in a, b:\n\n  # nothing\n  pass\n\nx = 1",
    "if a: pass\nif a: b = 1; c = 2;\nelse: d = 3\nif a:\n  b\nelif c:\n  d\nelif e: f\nelse:\n  "
    "g\nh",
    "if a:\n  for b in c:\n    d\nelse:\n  e\n",
    "def f(): pass\ndef g(a, b=1, c: (2, 3)=x[0],) -> d[0]:\n  'text'\n  return a, "
    "b\nreturn\nreturn a",
    "def f(\n  a: int,\n  b):\n    if a: return b\n    return\nf(1)",
    "a is b, a is not b, not a is not b is None, a is (not b), x if a is not None else y",
    "a < b < c, a == b != c > d <= e, (a < b) < c, (a < b < c) < d, a < (b < c) < d and e < f < g",
    "a < b[1:c, ::2, d].e < (f + -g * h) == [i, (j,)] is not None, a < (b if c else d) < e",
    "x[a < b < c:d == e == f], not a < b < c, g(a < b < c, d=e < f < h)",
    "a[0], b = c\n[a.b[c], d[e:f][g]] = h\na, b[0], = c[1], d = e",
    "def f():\n\tdef g(a): return a\n\treturn g(1); pass\nx = f()",
    "for a[0] in b: pass\nfor a, (b, c), *d in e: break\nelse: f\nwhile a:\n  continue\n  "
    "break\nelse:\n  b",
    "lambda: 0, lambda a, b=1, *c, d, e=2, **f: a if b else c, [lambda: x, {lambda: 1: 2}], "
    "f(k=lambda *, a: a)",
    "f(*a, b, *c, d=e, **g), f(**a), [*a, b], (*a, *b), {*a, b}, {**a, 'b': c, **d}, x[lambda: 1]",
    "[a for a in b if c if d for e in f], {a for a in b}, {a: b for a, b in c}, (a for a in b), "
    "f(a for a in b)",
    "[a if b else c for a in (d if e else f) if (g if h else i)], [[a for a in b] for b in c]",
    "(a := 1), f(a := b if c else d), [a := 1, b], x[a := 1], {(a := 1): 2}\nif a := b: c\nwhile "
    "(a := b) < c: d",
    "a in b, a not in b, not a in b, a in b in c, a < b not in c, a << b >> c + d & e\na <<= b\na "
    ">>= b",
    "def f(a, /, b, *c, d: e = 1, **g) -> h: pass\ndef f(*, a): pass\n@njit(parallel=True)\ndef "
    "f(): pass",
    "assert a, b\nassert (a)\ndel a, b[0]\ndel a\na, *b = (c, (d, e)), f = g\n*a, = b",
    "f'{a}', rf'a\\{b}', f'{{}} {a!r:>{w}.3f}{b=}' 'c' f'{d:%}', f\"{a['b']}\", f'{a == b}{c != "
    "d}{e if f else g}'",
    "1j, 1.5e3J, 0j, 1_0j, 010j, .5j, 1jif a else 2",
    "a.b = c\na.b: c\na.b: c = d\na.b += c\na[0], b.c = d.e = f\nfor a.b in c: d.e, *f.g = h\n"
    "del a.b, c[0].d",
    "...\nif a: ...; ...\ndef f(): ...",
    "class A: pass\nclass B(): ...\nclass C(A, b.B, metaclass=D, *e, **f): x = 1; y: int = 2",
    "class A:\n  'text'\nclass B(A[0]):\n  '''text'''\n  x = 1\n  'more'\n  def f(self, a=x): "
    "return self.x\n  class C(A): x: d\n  for a in b: c\ne",
    "@a\n@b.c(d, e=f)\n@njit\nclass A:\n  @property\n  def f(self): return 1\n  @f.setter\n  "
    "def f(self, a): self.b = a\n@lru_cache(maxsize=None)\n@numba.jit(a)\n@b[0]\ndef g(): pass",
    "def f():\n  class A:\n    for a in b: break\n    def g(self): yield 1\n  return A\n"
    "def g():\n  x = lambda: 1\n  def h(): yield\n  if a:\n    yield b\n  class C: nonlocal_ = 1",
    "def f():\n  yield\n  yield a, *b; yield (c)\n  yield from d\n  yield from (e, f)",
    "global a\nglobal a, b; c\ndef f():\n  global d, e\n  a = 1\n  def g(): nonlocal a, b\n  "
    "class A: nonlocal a",
    "with a: b\nwith a as b: c\nwith a() as b, c as (d, e), f as g[0], h as i.j:\n  k\nl",
    "with (a as b): c\nwith (a as b, c): d\nwith (a, b as c,): d\nwith (a,\n      b): c\nwith "
    "(a, b,): c\nwith (a): b\nwith (a) as b: c\nwith (a), b: c",
    "with (a, b) as c: d\nwith (a, b)[0]: c\nwith (a, b).c as d, e: f\nwith (): a\nwith (*a, b): "
    "c\nwith (a := b): c\nwith (a := b, c): d\nwith (a * b, c): d",
    "with (f(a, b)): c\nwith ([a, b]): c\nwith (lambda a, b: c): d\nwith (a for a in b): c\nwith "
    "a as [b, *c]: d\nwith (f(a) as b, {c: d}[e] as g): h\nwith a if b else c as d: e",
    "try: a\nexcept: b\ntry: a\nfinally: b\ntry: a\nexcept b.c: d\nexcept (e, f()) as g: "
    "h\nexcept i if j else k: l\nelse: 'text'\nfinally: m",
    "try:\n  try:\n    a\n  except b:\n    c\n  else:\n    d\nfinally:\n  try: e\n  except: "
    "raise\n  f\ng",
    "def f():\n  try:\n    yield a\n  except B as e:\n    with c as d: return e\n  finally:\n    "
    "while g:\n      try: break\n      except: continue",
    "try: a\n\fexcept: b\nfor c in d: e\n\felse: f\n[a for b.c, d[0] in e]\nfor a[b in c], d[-e in "
    "f:] in g: h\nf'{a}' ''",
    "match = 1\nmatch[0] = case\nmatch(a).b\ntype = _ = match",
    "f'{ {1: 2}[1] }{(lambda: 1)()}{[x for x in y]}', f'', f'a' 'b', f'{x:{y}}'",
};

/// The lines of a text, each a program, and some programs that have several lines.
inline std::vector<std::string> programs_of(const std::string& text,
                                            std::vector<std::string> longer) {
  std::istringstream stream(text);
  std::vector<std::string> programs;
  for (std::string line; std::getline(stream, line);) programs.push_back(line);
  programs.insert(programs.end(), longer.begin(), longer.end());
  return programs;
}

/// Python takes them; the notation does not have them.
inline const std::vector<std::string> kOutside = programs_of(R"x(x = ...
f(...)
...[0]
... + 1
..., 1
a[0]: b
yield a
x = yield
x += yield a
x = yield from a
(yield a)
f((yield))
lambda: (yield)
with (yield a): b
await a
class A: yield a
def f(a, a): pass
nonlocal a
break
continue
async def f(): pass
'\ud800'
'\N{EM DASH}'
x = ª)x",
                                                             {
                                                                 "@a\nasync def f(): pass",
                                                                 "async with a: b",
                                                                 "async for a in b: c",
                                                                 "try: a\nexcept* b: c",
                                                                 "def f():\n  class A: yield",
                                                             });

/// No Python. Several are Python 2, other languages, or slips of the hand.
inline const std::vector<std::string> kMalformed = programs_of(R"x(x =
x = )
x = (]
x = (1
x = a b
x = a 'b'
f(a=1, 2)
f(1=2)
f(a.b=2)
f((a)=2)
(a=1)
a + not b
a == not b
-not b
a = 1 = b
1 = a
a + b = c
f() = 1
(a, 1) = b
a, b += 1
a = b += 1
a += b = c
a: b: c
a, b: c
a: b, c
[a]: b
= a
a = , b
f(,)
f(a,,b)
[,]
(,)
x[]
x[,]
x[1:2:3:4]
x[a=1]
(1:2)
import
import a.
import a as b.c
from a import
from a import b,
from a import ()
from a import *, b
from a import (*)
else: pass
a if b if c else d else e
a if b else c else d
for a in b:
if a:
def f: pass
def f(): 
def f(a=1, b): pass
if a: for b in c: pass
print a
print 'a'
exec 'a'
`a`
a <> b
a ? b
a $ b
a ! b
a b: c
007
0777
0_7
10L
1__0
1_
1_.5
1._5
0x
0x_
0b2
0o8
1e
1e+
1a
1.5f
0xg
1.real
x = 'a
x = '''a
"a
'\x4'
'\u12'
  x
;
a; b;; c
a \ b
a.1
a.if
a.
.a
a..b
None = a
f(None=a)
x = a −b
x = “a”
x = a²
class A
class: pass
class 3: pass
class (A): pass
class A.b: pass
class A + 1: pass
class A(B)(C): pass
class A(B) if C else D: pass
class A, B: pass
class A := B: pass
class A x: pass
class A(B: pass
class A(b=1, C): pass
class A: x = = 1
with: a
with a, : b
with a b: c
with a as b + c: d
with a as f(): b
with a as 1: b
with a as b as c: d
with (a as b), c: d
with (a as b c): d
with (a as b) as c: d
with (a as b, *c): d
with a := b: c
with (a as b: c)
def f(): yield from
def f(): yield from a, b
def f(): yield a = b
def f(): yield = a
def f(): yield += a
def f(): yield)
global
global a.b
global a[0]
global a,
global (a)
global a, (b)
global a = b
global a + b
def f(): nonlocal a.b
def f(): nonlocal
try: a
try a: b
except: a
finally: a
@a
@
@a b
@a def f(): pass
a.b + c = d
a.1 = b
[a for -b in c]
{a for None in b}
a; class B: pass
a; if b: c
if a: b; while c: d
a; @b
{*a: b}
{*a: b, c: d}
(a, b.c): d)x",
                                                               {
                                                                   "try: a\nelse: b",
                                                                   "try: a\nexcept b, c: d",
                                                                   "try: a\nexcept b as c.d: e",
                                                                   "try: a\nexcept as b: c",
                                                                   "try: a\nexcept b as: c",
                                                                   "try: a\nfinally: b\nelse: c",
                                                                   "try: a\nfinally: b\nexcept: c",
                                                                   "try:\na\nexcept: b",
                                                                   "@a\nx = 1",
                                                                   "@a\n\n@b",
                                                                   "class A:\nx = 1",
                                                                   "class A:\n  def f(: pass",
                                                                   "class A:\n  x = 1\n    y = 2",
                                                                   "class A:\n  def f(self):\n  x",
                                                                   "class A:\n  x = (1\n",
                                                                   "match a:\n  b = 1 1",
                                                               });

}  // namespace rewriter::ast
