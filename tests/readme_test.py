"""The examples of a README: each `$ command` of it that can be run here prints what stands below it.

usage: readme_test.py BUILD README
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path


def blocks(text):
    """The contents of the fenced blocks without a language."""
    for fence in re.findall(r"^```(.*)\n((?:(?!```).*\n)*)```$", text, re.M):
        if not fence[0]:
            yield fence[1]


def examples(text):
    """The commands of the console blocks with the output that follows each."""
    for block in blocks(text):
        parts = re.split(r"^\$ (.*)\n", block, flags=re.M)
        yield from zip(parts[1::2], parts[2::2])


def run(command, build):
    if not re.match(r"(\w+=\w+ )*(cat|printf|build/\S+|tools/touchstone)( |$)", command):
        return None
    command = re.sub(r"\bbuild/", lambda _: shlex.quote(build + "/"), command)
    command = command.replace("tools/touchstone", f"tools/touchstone --symdump {shlex.quote(build)}/tools/symdump")
    root = Path(__file__).resolve().parent.parent
    done = subprocess.run(command, shell=True, cwd=root, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def main():
    build, readme = sys.argv[1], Path(sys.argv[2])
    compared = failed = 0
    for command, expected in examples(readme.read_text(encoding="utf-8")):
        printed = run(command, build)
        if printed is None:
            continue
        compared += 1
        if printed.strip() != expected.strip():
            failed += 1
            print(f"$ {command}\nprints\n{printed}\nbut the README says\n{expected}")
    print(f"{compared} examples compared, {failed} differ")
    return 1 if failed or compared < 1 else 0


if __name__ == "__main__":
    sys.exit(main())
