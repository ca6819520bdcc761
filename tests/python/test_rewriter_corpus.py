"""rewriter.convert over the corpus of NumPy programs, those that are functions, beside NumPy."""
import copy
import importlib.machinery
import importlib.util
import warnings
from pathlib import Path

import numpy as np
import pytest

from rewriter import convert

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "tests/corpus"
CONVERTS = (FOLDER / "converts.txt").read_text(encoding="utf-8").split()


def load(path, name):
    """A file as a module, whatever its name ends with."""
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


corpus = load(ROOT / "tools/corpus", "tools_corpus")
functions = [name for name in CONVERTS if (FOLDER / f"{name}.py").read_text(encoding="utf-8").startswith("# call:")]


def test_there_are_functions():
    assert len(functions) > 100


def agree(got, wanted, tolerance):
    if isinstance(wanted, (tuple, list, dict)):
        assert type(got) is type(wanted) and len(got) == len(wanted)
        for key in wanted if isinstance(wanted, dict) else range(len(wanted)):
            agree(got[key], wanted[key], tolerance)
    elif wanted is None or isinstance(wanted, (str, bool)):
        assert got is wanted or got == wanted
    else:
        a, b = np.asarray(got), np.asarray(wanted)
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * max(1, np.abs(b[np.isfinite(b)]).max(initial=0)))


@pytest.mark.parametrize("name", functions)
def test_function(name, capsys):
    program = corpus.Program(FOLDER / f"{name}.py", FOLDER)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        function = getattr(load(program.path, "program"), program.function)
        ours, theirs = copy.deepcopy(program.arguments), copy.deepcopy(program.arguments)
        got = convert(function)(**ours)
        wanted = function(**theirs)
    if program.random:
        return  # the streams of numbers are not NumPy's
    tolerance = max(program.rounding, 1e-12) * 1e3
    agree(got, wanted, tolerance)
    agree(ours, theirs, tolerance)
