"""Every function of the reader's table with every keyword that it accepts, of arrays of every kind, against NumPy.

    keywords_test.py SYMDUMP_BATCH [--part N] [--only TEXT] [--all] [--precision BITS]

What symdump_batch computes has NumPy's values, shape and type; an error is no difference. A difference that is not in
expected_failures.txt fails, and so does a line of that file that nothing needs any more. --part N takes every Nth
program, --only those whose text has this in it, --all prints every difference. At 32 bits values
beyond 2^24 are not compared, since ints may be rounded there.
"""

import argparse
import fnmatch
import itertools
import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np

from batch import Batch, Ended, Reply
from parts import with_lengths, with_parts

EXPECTED = Path(__file__).with_name("expected_failures.txt")
V = np.array([1.5, -2, 0.25, 3, -0.5])
INPUTS = {
    "V": V, "W": V[::-1] * 2, "K": np.array([3, -1, 0, 7, 2]), "I8": np.array([-128, 127, 5, -7, 0], np.int8),
    "U": np.array([200, 100, 3, 0, 255], np.uint8), "B": np.array([True, False, True, True, False]),
    "X": np.array([[1.5, -2, 0.25], [3, -0.5, 1], [-1, 2, 4]]), "E": np.zeros(0), "Z": np.array(2.5),
}
HEAD = "import numpy as np\nC = V + 1j * W\nS = V[V > 0]\nR = X[X[:, 0] > 0]\n"
KINDS = {"float": "V", "int": "K", "int8": "I8", "uint8": "U", "bool": "B", "complex": "C", "selection": "S",
         "rows": "R", "matrix": "X", "empty": "E", "0-d": "Z"}
# <x>: the array; the first two that NumPy computes for some kind are taken.
FORMS = ["<x>", "<x>, <x>", "[<x>, <x>]", "<x>, 1", "<x> > 0, <x>", "<x>, [1, 0]", "<x>, np.sort(<x>), <x>", "<x>, 0, 1",
         "<x> > 0, <x>, 1", "[<x> > 0], [<x>]", "<x>, np.argsort(<x>), 0", "<x>, np.argsort(<x>), 3, 0", "<x>, (5,)",
         "5, <x>", "5", "(2, 3)", "1, 2", "5, 2", "2, (3, 4)", "'i->i', <x>", "'ij->j', <x>", "<x>, lambda v: v",
         "lambda i: i, (3,)", "np.arange(8.0).reshape(2, 2, 2), 2", "np.sum, <x>, 0", "<x>, int", "np.array([1, 2], np.uint8)"]
VALUES = {
    "axis": ["0", "-1", "None", "()", "(0,)", "[0]", "True", "1.0"], "axis1": ["1"], "axis2": ["0"], "dtype": [
        "float", "int", "np.int8", "np.uint8", "bool", "np.float32"], "keepdims": ["True", "False"], "ddof": ["1"],
    "initial": ["5", "True", "0.5"], "where": ["np.array([True, False, True, True, False])"], "copy": ["False", "True"],
    "n": ["0", "2", "3"], "decimals": ["1", "-1"], "order": ["'C'", "'F'"], "k": ["1", "-1"], "out": ["np.zeros(5)"],
    "side": ["'right'"], "right": ["True"], "mode": ["'wrap'", "'clip'", "'same'", "'valid'", "'edge'"],
    "weights": ["np.array([1.0, 2, 0, 1, 3])"], "returned": ["True"], "rowvar": ["False"], "bias": ["True"],
    "nan": ["3"], "posinf": ["1"], "neginf": ["2"], "equal_nan": ["True"], "invert": ["True"], "minlength": ["9"],
    "assume_unique": ["True"], "density": ["True"], "bins": ["3"], "range": ["(0, 2)"], "endpoint": ["False"],
    "retstep": ["True"], "num": ["4"], "base": ["2"], "prepend": ["1"], "append": ["1"], "to_end": ["1"],
    "to_begin": ["1"], "kind": ["'stable'"], "overwrite_input": ["False"], "method": ["'linear'", "'lower'"],
    "offset": ["1"], "shift": ["1"], "repeats": ["2"], "return_index": ["True"], "return_inverse": ["True"],
    "return_counts": ["True"], "edge_order": ["1", "2"], "dx": ["2"], "x": ["np.arange(5.0)"], "left": ["1"],
    "period": ["3"], "default": ["7"], "fill_value": ["3"], "indexing": ["'ij'"], "sparse": ["True"], "ord": ["1", "2"],
    "deg": ["True"], "rtol": ["0.5"], "atol": ["0.5"], "include_initial": ["True"], "constant_values": ["3"],
    "a_min": ["0"], "a_max": ["1"], "min": ["0"], "max": ["1"], "increasing": ["True"], "N": ["3"], "M": ["2"],
    "wrap": ["True"], "m": ["0", "2"], "optimize": ["True"], "full": ["False"], "hermitian": ["False"], "discont": ["3"],
}
SKIPPED = re.compile(r"np\.random\.|np\.(empty|ndarray|save|load|seterr|errstate|set_print|get_print|nditer|fromfile|"
                     r"put|copyto|fill_diagonal|place|putmask|vectorize|array_str|array_repr|broadcast_shapes)|\.at$|"
                     r"^\.(fill|sort|put|copy_to|tobytes|asarray|as_numpy_array|free|partition|resize)")



def in_order(partition, sort):
    """A partition in order, which is one of those that are right."""
    def partitioned(a, kth, axis=-1, kind="introselect", order=None):
        partition(a, kth, axis, kind, order)
        return sort(a, axis, "stable")
    return partitioned


np.partition, np.argpartition = in_order(np.partition, np.sort), in_order(np.argpartition, np.argsort)


def stable(argsort):
    """As ours; NumPy's default says nothing of equal elements."""
    def sorted_by(a, axis=-1, kind="stable", order=None):
        return argsort(a, axis, kind, order)
    return sorted_by


np.argsort = stable(np.argsort)
OTHER_IN_NUMPY_1 = {("np.fix", "<x>, <x>")}  # which writes out= while it reads it; NumPy 2.4 does not
NO_KEYWORD = re.compile(r"unexpected keyword|takes no keyword|takes at most 1 argument")
# What some versions of NumPy refuse and others compute.
OF_SOME = re.compile(r"setting an array element with a sequence|only 0-dimensional arrays can be converted|'positive' did not contain")


class Keywords:
    def __init__(self, executable, arguments):
        self.batch, self.arguments = Batch(executable), arguments
        listed = subprocess.run([executable, "--list-functions"], capture_output=True, text=True, check=True)
        self.parameters = {}
        for line in listed.stdout.splitlines():
            names, _, parameters = line.partition(": ")
            self.parameters |= dict.fromkeys(names.split(), re.findall(r"(?:^|, )(\w+)", parameters))
        self.names = [name for name in self.parameters if name.startswith(("np.", ".")) and
                      not SKIPPED.search(name) and self.exists(name)]
        lines = [line.split("  # ", 1)[0].strip() for line in EXPECTED.read_text().splitlines() if line and line[0] != "#"]
        self.expected = [line for line in lines if not line.startswith("program ")]
        self.expected_programs = [line for line in lines if line.startswith("program ")]
        self.needed, self.compared, self.refused = set(), 0, 0
        self.numbers = itertools.count()

    @staticmethod
    def exists(name):
        if name.startswith("."):
            return callable(getattr(np.ndarray, name[1:], None))
        value = np
        for part in name.split(".")[1:]:
            value = getattr(value, part, None)
        return callable(value)

    @staticmethod
    def call(name, form, kind, keyword=""):
        arguments = form.replace("<x>", KINDS[kind])
        if name.startswith("."):
            head, _, rest = arguments.partition(", ")
            return f"{head}{name}({', '.join(part for part in (rest, keyword) if part)})"
        return f"{name}({', '.join(part for part in (arguments, keyword) if part)})"

    @staticmethod
    def numpy(program):
        """(what it gives r, None) or (None, the error)."""
        names = {name: value.copy() for name, value in INPUTS.items()}
        program = re.sub(r"^(r = )(?!np\.)(\w+)\.(arg)?partition\(", r"\1np.\3partition(\2, ", program)
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                exec(f"{HEAD}{program}\n", names)  # pylint: disable=exec-used
        except Exception as error:  # pylint: disable=broad-except
            return None, error
        return with_parts({"r": names["r"]}), None

    def ask(self, text):
        used = re.findall(r"\w+", text)
        try:
            return self.batch.ask(text, {n: v for n, v in INPUTS.items() if n in used},
                                  self.arguments.precision, 0, [("none", None)])[0]
        except Ended as ended:
            return Reply(failure="crash", detail=str(ended))

    def forms(self, name):
        """The first two forms of arguments that NumPy computes for some kind."""
        found = []
        for form in FORMS:
            if (name.startswith(".") and not form.startswith("<x>")) or (name, form) in OTHER_IN_NUMPY_1:
                continue
            if any(self.numpy(f"r = {self.call(name, form, kind)}")[1] is None for kind in ("float", "matrix", "int")):
                found.append(form)
            if len(found) == 2:
                break
        return found

    def keywords(self, name):
        """What the table says that the function takes."""
        named = self.parameters[name][1 if name.startswith(".") else 0:]
        return [f"{keyword}={value}" for keyword in [*named, "out"] for value in VALUES.get(keyword, [])]

    def difference(self, program):
        """What is wrong with the r of a program, or None."""
        reply = self.ask(f"{HEAD}{program}\n")
        if reply.failure == "refused":
            self.refused += 1
            return None
        if reply.failure:
            return f"{reply.failure}: {reply.detail}"
        wanted, error = self.numpy(program)
        self.compared += 1
        if isinstance(error, TypeError) and NO_KEYWORD.search(str(error)):
            return None  # which other versions of NumPy may have
        if error is not None and OF_SOME.search(str(error)):
            return None
        if error is not None:
            return f"is computed, in NumPy {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        arrays = {name: array for name, array in reply.arrays.items() if name == "r" or name.startswith("r_")}
        if any(name.removesuffix("_length") not in wanted for name in arrays):
            return f"gives {', '.join(arrays)}, NumPy {', '.join(wanted)}"
        try:
            arrays = with_lengths(arrays, wanted)
        except (IndexError, ValueError) as error:
            return f"its length is another: {error}"
        held = [wanted[name] for name in arrays if np.asarray(wanted[name]).dtype.kind == "f"]
        size = 1  # what 32 bits round is as large as the largest element, of the other part, too
        if self.arguments.precision == 32:
            size = max((np.abs(part[np.isfinite(part)]).max(initial=1) for part in map(np.asarray, held)), default=1)
        found = (self.unlike(name, array, reply.kinds[name], np.asarray(wanted[name]), size)
                 for name, array in arrays.items())
        return next((what for what in found if what), None)

    def unlike(self, name, got, kind, want, size):
        if want.dtype.kind not in "biufc":
            return f"{name}: {want.dtype} in NumPy"
        if kind.replace("n", "i") != want.dtype.kind.replace("u", "i"):
            return f"{name}: of type {kind}, in NumPy {want.dtype}"
        if got.shape != want.shape:
            return f"{name}: shape {got.shape}, in NumPy {want.shape}"
        precision = self.arguments.precision
        narrow = np.dtype(np.float32 if precision == 32 else want.dtype)
        rtol = max({np.dtype(np.float16): 2e-3, np.dtype(np.float32): 1e-5}.get(dtype, 1e-9) for dtype in (want.dtype, narrow))
        if narrow == np.float32 and np.any(np.abs(np.nan_to_num(want.astype(float), posinf=0, neginf=0)) >= 2**24):
            return None
        if want.dtype.kind in "iu" and np.any(np.abs(got) >= 2**53):
            return None  # whose last digits, and overflow, floats do not have
        if not np.allclose(got, want.astype(float), rtol=rtol, atol=rtol * size, equal_nan=True):
            return f"{name}: {got.ravel()[:6].tolist()}, in NumPy {want.ravel()[:6].tolist()}"
        return None

    def check(self, name, form, kind, keyword):
        call = self.call(name, form, kind, keyword)
        if next(self.numbers) % self.arguments.part or self.arguments.only not in call:
            return []
        what = self.difference(f"r = {call}")
        if what is None:
            return []
        match = [line for line in self.expected if fnmatch.fnmatchcase(f"{call} {kind}", line)]
        self.needed.update(match)
        return [f"{call}: {what}"] if self.arguments.all or not match else []

    def run(self):
        failures, uncalled = [], []
        for name in self.names:
            forms = self.forms(name)
            if not forms:
                uncalled.append(name)
            for form in forms:
                keywords = ["", *dict.fromkeys(self.keywords(name))]
                kinds = KINDS if "<x>" in form else ["float"]
                for kind, keyword in itertools.product(kinds, keywords):
                    failures += self.check(name, form, kind, keyword)
        print(f"{len(self.names)} functions, {self.compared} calls compared, {self.refused} refused; not called: "
              f"{' '.join(uncalled)}")
        whole = self.arguments.part == 1 and not self.arguments.only
        stale = [f"expected_failures.txt: nothing needs {line}" for line in self.expected
                 if whole and line not in self.needed]
        for line in failures + stale:
            print("DIFFERS", line)
        return 1 if failures or stale or not self.compared else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("batch")
    parser.add_argument("--part", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--precision", type=int, default=64)
    arguments = parser.parse_args()
    return Keywords(arguments.batch, arguments).run()


if __name__ == "__main__":
    sys.exit(main())
