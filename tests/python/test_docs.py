"""The programs of pages print what is shown below them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
EXAMPLE = re.compile(r"^```python\n(.*?)^```\n\n```\n(.*?)^```$", re.M | re.S)
EXAMPLES = [
    example for page in ("python.md", "kernels.md") for example in EXAMPLE.findall((DOCS / page).read_text("utf-8"))
]


@pytest.mark.parametrize(("program", "output"), EXAMPLES)
def test_examples(program, output):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == output, done.stderr


def test_there_are_examples():
    assert len(EXAMPLES) == 5
