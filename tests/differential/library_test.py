"""The functions of rewriter/library, run by Python and NumPy themselves, against NumPy's functions of these names.

    library_test.py FOLDER [--only TEXT] [--all]

Nothing of ours takes part but the files: each is imported as the Python module that it is. A function is called as
keywords_test.py calls it, with every keyword of its signature, and has NumPy's values, shape and type, or raises. What
NumPy does not have, or not in this version, is named. --only: calls whose text has this in it; --all prints what raises
where NumPy computes.
"""

import argparse
import importlib
import importlib.util
import inspect
import itertools
import operator
import sys
import warnings
from pathlib import Path

import numpy as np

from keywords_test import FORMS, INPUTS, KINDS, VALUES, Keywords

# What differs by design, with the reason.
ALLOWED = {
    "select": ("int8", "uint8"),  # an array as a list of cases: NumPy 1 takes Python's ints for int64 beside its scalars
    "polymul": ("int8",),  # NumPy takes leading zeros away, of which these truths have one
    "place": ("int", "int8", "uint8"),  # values that are the array itself, which NumPy reads while it writes
    "sinc": ("int8", "uint8", "bool"),  # NumPy computes it in float64, and others of these types in float16
}


def module_of(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def evaluated(call, namespace):
    """(its value and what the inputs hold then, None) or (None, the error)."""
    names = {name: value.copy() for name, value in INPUTS.items()}
    names.update(namespace)
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(f"C = V + 1j * W\nS = V[V > 0]\nR = X[X[:, 0] > 0]\nr = {call}\n", names)  # pylint: disable=exec-used
    except Exception as error:  # pylint: disable=broad-except
        return None, error
    return (names["r"], *(names[name] for name in INPUTS)), None


def parameters(function):
    try:
        return list(inspect.signature(function).parameters)
    except ValueError:  # one of NumPy's own, under another name
        return []


def unlike(got, want, where="result"):
    """How the values differ; None where they do not."""
    if isinstance(want, (tuple, list)):
        if not isinstance(got, list if isinstance(want, list) else tuple) or len(got) != len(want):
            return f"{where}: {got!r}, in NumPy {want!r}"
        return next(filter(None, (unlike(*pair, f"{where}[{i}]") for i, pair in enumerate(zip(got, want)))), None)
    if want is None:
        return None if got is None else f"{where}: {got!r}, in NumPy None"
    got, want = np.asarray(got), np.asarray(want)
    if got.dtype != want.dtype:
        return f"{where}: of {got.dtype}, in NumPy {want.dtype}"
    if got.shape != want.shape:
        return f"{where}: shape {got.shape}, in NumPy {want.shape}"
    rtol = 1e-5 if want.dtype in (np.float32, np.complex64) else 1e-12
    if not np.allclose(got, want, rtol=rtol, atol=rtol, equal_nan=True):
        return f"{where}: {got.ravel()[:6].tolist()}, in NumPy {want.ravel()[:6].tolist()}"
    return None


class Library:
    def __init__(self, arguments):
        self.arguments = arguments
        self.compared, self.raises = 0, []

    def functions(self, module):
        names = [name for name, value in vars(module).items() if callable(value) and not name.startswith("_")
                 and getattr(value, "__module__", None) != "_shared"]
        assert names, f"{module.__name__} defines no function"
        return names

    def check(self, prefix, name, ours, form, kind, keyword):
        call = Keywords.call(f"{prefix}{name}", form, kind, keyword)
        if self.arguments.only not in call:
            return None
        want, error = evaluated(call, {"np": np, "scipy": sys.modules.get("scipy")})
        got, refusal = evaluated(call.replace(f"{prefix}{name}(", "tested("), {"np": np, "tested": ours})
        if error is not None:
            return None if refusal is not None or "keyword" in str(error) else f"{call}: in NumPy {error!r}"
        if refusal is not None:
            self.raises.append(f"{call}: {refusal!r}")
            return None
        self.compared += 1
        what = unlike(got, want)
        return f"{call}: {what}" if what and kind not in ALLOWED.get(name, ()) else None

    def forms(self, prefix, name):
        """The first three forms of arguments that NumPy computes for some kind."""
        namespace = {"np": np, "scipy": sys.modules.get("scipy")}
        return list(itertools.islice(
            (form for form in FORMS if any(evaluated(Keywords.call(f"{prefix}{name}", form, kind), namespace)[1] is None
                                           for kind in ("float", "matrix", "int"))), 3))

    def run(self, path):
        module = module_of(path)
        kinds = KINDS if path.stem != "_complex" else ["complex"]
        of = getattr(module, "MODULE", "numpy")
        try:
            peer = importlib.import_module(of)
        except ImportError:
            print(f"skipped: {path.name}, since {of} is not installed")
            return []
        prefix = of.replace("numpy", "np") + "."
        failures = []
        for name in self.functions(module):
            ours = getattr(module, name)
            name = name.replace("linalg_", "linalg.")
            theirs = operator.attrgetter(name)(peer) if hasattr(peer, name.split(".", maxsplit=1)[0]) else None
            if theirs is None:
                print(f"skipped: {prefix}{name}, which this version does not have")
                continue
            if ours is theirs:
                continue
            before = self.compared
            keywords = ["", *(f"{p}={value}" for p in parameters(ours) for value in VALUES.get(p, []))]
            for form, keyword in itertools.product(self.forms(prefix, name), keywords):
                for kind in kinds if "<x>" in form else ["float"] if kinds is KINDS else []:
                    failures.append(self.check(prefix, name, ours, form, kind, keyword))
            if self.compared == before and kinds is KINDS and not self.arguments.only:
                failures.append(f"{prefix}{name}: no form of arguments of keywords_test.py calls it")
        return list(filter(None, failures))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--all", action="store_true")
    library = Library(parser.parse_args())
    sys.path.insert(0, str(library.arguments.folder))  # what these files import
    files = set(library.arguments.folder.glob("*.py")) - {library.arguments.folder / "_shared.py"}
    failures = [line for path in sorted(files) for line in library.run(path)]
    print(f"{library.compared} calls compared, {len(library.raises)} raise where NumPy computes")
    for line in library.raises if library.arguments.all else []:
        print("RAISES ", line)
    for line in failures:
        print("DIFFERS", line)
    return 1 if failures or not library.compared else 0


if __name__ == "__main__":
    sys.exit(main())
