"""What the compiler says where a program writes to a value, or writes an array in another way than ours: one error each,
which says what to write.

usage: gnumpy_compile_errors_test.py COMPILER SOURCE-FOLDER
"""

import subprocess
import sys
import tempfile
from pathlib import Path

HEADER = '#include "gnumpy/gnumpy.hpp"\nnamespace gpu = gnumpy;\nusing gpu::garray;\n'

ACCEPTED = """
void raise(garray row);
void f(garray& a, const garray& c) {
  a[0] = c[0];
  raise(a[0]);
  raise(c[0]);
  for (auto row : a) row += 1;
  auto row = a[0];
  row = garray(a[1]);
  a[a > 2] += 1;
  a[{0, 1}] = a[{1, 0}];
  garray cube{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}};
  a(gpu::all, 1) = 2.0;
  a = gpu::zeros({2, 3}) + gpu::rand(2, 3);
}
"""

# the program, and what its error says
REFUSED = [
    ("void f(garray& a) { a = 0.0; }", "write a[gpu::ellipsis] = 0.0 for all elements"),
    ("garray f() { return gpu::zeros(2, 3); }", "write gpu::zeros({2, 3})"),
    ("garray f() { return gpu::ones(2, 3, 4); }", "write gpu::ones({2, 3})"),
    ("void f(const garray& a) { a[0] = 0.0; }", "write to a subscript of a named garray that is not const"),
    ("void f(const garray& a) { a(0, gpu::all) = a[1]; }", "write to a subscript of a named garray that is not const"),
    ("void f(const garray& a) { a.reshape({-1})[0] = 1.0; }",
     "write to a subscript of a named garray that is not const"),
    ("void f(const garray& a) { a[0] += 1; }", "likewise"),
    ("void f(garray& a) { (a * 2)[0] = 1.0; }", "write to a subscript of a named garray that is not const"),
    ("void f(garray& a) { a[true] = 1.0; }", "a bool is not an index"),
    ("void f(garray& a) { auto row = a[0]; row = a[1]; }", "write row = garray(a[1])"),
    ("void f(garray& a) { (void)a.sum(true); }", "a bool is not an axis"),
    ("void f(garray& a) { (void)a.argmax(true); }", "a bool is not an axis"),
    ("void f(garray& a) { (void)gpu::cumsum(a, false); }", "a bool is not an axis"),
    ("void f(std::vector<gpu::garray_view>& rows) { rows.erase(rows.begin()); }", "write row = garray(a[1])"),
    ("garray a{{{{1, 2}, {3, 4}}}};", "write garray(vector, {2, 2, 2, 2})"),
]


class Compiler:
    """Compiles programs in a folder, the header once for all of them."""

    def __init__(self, compiler, source, folder):
        self.command, self.folder = [compiler, "-std=c++20", "-I", source], Path(folder)
        header = self.folder / "header.hpp"
        header.write_text(HEADER, encoding="utf-8")
        subprocess.run([*self.command, "-x", "c++-header", str(header), "-o", f"{header}.gch"], check=True)

    def errors(self, program):
        """(succeeded, what the compiler wrote)"""
        path = self.folder / "program.cpp"
        path.write_text(f'#include "header.hpp"\n{program}\n', encoding="utf-8")
        done = subprocess.run([*self.command, "-fsyntax-only", str(path)], capture_output=True, text=True, check=False)
        return done.returncode == 0, done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        return check(Compiler(*sys.argv[1:], folder))


def check(compiler):
    """The exit status."""
    failed = 0

    def expect(holds, program, text):
        nonlocal failed
        if not holds:
            failed += 1
            print(f"FAILED: {program}\n{text}")

    succeeded, text = compiler.errors(ACCEPTED)
    expect(succeeded, ACCEPTED, text)
    for program, wanted in REFUSED:
        succeeded, text = compiler.errors(program)
        expect(not succeeded and wanted in text, program, text)
        # `conversion from void`, `incomplete type`: of a shape in two numbers
        expect(text.count("error:") <= (2 if "gpu::zeros" in program or "gpu::ones" in program else 1), program, text)
    print(f"{len(REFUSED) + 1} programs, {failed} failures")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
