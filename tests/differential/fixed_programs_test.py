"""The programs of tests/programs: computed at three precisions and compared with NumPy, printed in every form, the
printed list, with passes and without, read again, the printed Cudamat module run on the stand-in of the original
package.

    fixed_programs_test.py SYMDUMP SYMDUMP_BATCH FOLDER [--short | --rest]

With --short they are computed with 64 bits alone, and no modules are run: sanitizers see nothing of these. With --rest
only what that leaves out.
"""

import ast
import re
import sys
import tempfile
import zlib
from pathlib import Path

import numpy as np

from batch import Batch
from comparison import Failure, Symdump, Tally, compare, compare_results, inputs_read, same_bits
from emitted import check_forms, check_list, check_module
from nightly import close
from programs import Program, judge

# Numbers in loops that are doubles in Python (1 - 0.999 ** t): the original package has float32 alone, where they lose
# digits, and a run of 128 bits computes them in 128.
NEEDS_DOUBLES = {"adam_dictionaries.py"}

def load(path, precision):
    """The program of a file with data drawn for its inputs."""
    source = path.read_text(encoding="utf-8")
    rng = np.random.default_rng(zlib.crc32(path.name.encode()))
    program = Program(0, 0, precision, "random" if re.search(r"\brandn?\(", source) else "plain", source=source,
                      numbers_are_known=True)
    # An annotation alone makes a name of a function local to it: there NumPy's run is without.
    plain = "".join("\n" if re.match(r" +\w+: \(", line) else line for line in source.splitlines(keepends=True))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AnnAssign) and node.value is None:
            name, shape = node.target.id, ast.literal_eval(node.annotation)
            data = rng.standard_normal(shape)
            program.inputs[name] = np.asarray(data, dtype=np.float32).astype(float)
            program.annotated.append(name)
    for node in ast.parse(plain).body:
        declares = isinstance(node, ast.AnnAssign) and node.value is None
        if not declares and not (isinstance(node, ast.Import) and node.names[0].name in ("numpy", "gnumpy")):
            program.statements.append(ast.get_source_segment(plain, node))
    return program


def check_runs(batch, program, expected):
    """A failure of the literal list against NumPy, of direct evaluation against that, or of lists that were printed and
    read again against themselves."""
    runs = ["none", "tree", "text:none", "default", "text:default", "all", "text:all", "fuse", "text:fast"]
    inputs = {name: program.inputs[name] for name in inputs_read(program)}
    replies = dict(zip(runs, batch.ask(program.text, inputs, program.precision, program.index, [(how, None) for how in runs])))
    for how, reply in replies.items():
        if reply.failure:
            return Failure(reply.failure, f"{how}: {reply.detail}")
    literal = replies["none"]
    if failure := compare_results(program, expected, literal.arrays, literal.kinds):
        return failure
    for how, other, same in (("tree", "none", close), ("text:none", "none", same_bits), ("default", "none", same_bits),
                             ("text:default", "default", same_bits), ("text:all", "all", same_bits), ("fuse", "none", same_bits),
                             ("text:fast", "all", same_bits)):
        for name, got in replies[how].arrays.items():
            if not same(got, replies[other].arrays[name]):
                return Failure("runs", f"{name} of {how} is\n{got!r}\nof {other}\n{replies[other].arrays[name]!r}")
    return None


def main():
    executable, batch, folder = sys.argv[1], Batch(sys.argv[2]), Path(sys.argv[3])
    short, rest = (sys.argv[4:] == [option] for option in ("--short", "--rest"))
    precisions = (64,) if short else (32, 128) if rest else (64, 32, 128)
    paths = sorted(folder.glob("*.py"))
    failed, modules, tally = [], 0, Tally()

    def report(path, what, failure):
        print(f"FAILED {path.name}, {what}: {failure.kind}: {failure.detail.rstrip()}")
        failed.append(path.name)

    with tempfile.TemporaryDirectory(prefix="cudamat-programs-") as scratch:
        symdump = Symdump(executable, scratch)
        for path in paths:
            for precision in precisions:
                if precision == 128 and path.name in NEEDS_DOUBLES:
                    continue
                program = load(path, precision)
                # At 32 bits, values that rounding decides are not compared; in the wider types none are excused.
                expected = judge(program)
                excused = [name for name, e in expected.items()
                           if not e.compared and program.flavour != "random"]
                if excused and precision != 32:
                    print(f"FAILED {path.name}: at {precision} bits rounding decides {excused}; choose other numbers")
                    failed.append(path.name)
                if failure := check_runs(batch, program, expected):
                    report(path, f"{precision} bits", failure)
            program = load(path, 32)
            if not rest:
                failure = (compare(symdump, program, tally) or check_list(symdump, program) or
                           check_forms(symdump, program))
                if failure:
                    report(path, "printed", failure)
            for passes in () if short or path.name in NEEDS_DOUBLES else ("none", "all"):
                failure, ran = check_module(symdump, program, passes)
                modules += ran
                if failure:
                    report(path, f"on the original package's interface, --passes {passes}", failure)
    print(f"{len(paths)} programs: {tally.arrays} arrays saved; {modules} Cudamat modules run")
    return 1 if failed or not paths or not (modules or short) else 0


if __name__ == "__main__":
    sys.exit(main())
