"""The programs of docs/python.md print what is shown below them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "python.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```\n\n```\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.M | re.S)


@pytest.mark.parametrize(("program", "output"), EXAMPLES)
def test_examples(program, output):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == output, done.stderr


def test_there_are_examples():
    assert len(EXAMPLES) == 2
