"""The pages of the project: each `$ command` in them that can be run here prints what is shown below it, and each link
leads to a file and, after a #, to a heading of it.

usage: readme_test.py BUILD PAGE...
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FENCED = re.compile(r"^```(.*)\n((?:(?!```).*\n)*)```$", re.M)


def blocks(text):
    """The contents of the fenced blocks without a language."""
    return [block for language, block in FENCED.findall(text) if not language]


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
    done = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def headings(text):
    """The anchors that GitHub gives to a page's headings."""
    lines = re.findall(r"^#+ (.*)$", FENCED.sub("", text), re.M)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in lines}


def broken_links(page, text):
    """The relative links of a page that lead nowhere."""
    for link in re.findall(r"\]\(([^()\s]+)\)", re.sub(r"`[^`\n]*`", "", FENCED.sub("", text))):
        if re.match(r"\w+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = Path(os.path.normpath(page.parent / name)) if name else page
        if not target.exists():
            yield f"{link}: there is no {target}"
        elif anchor and anchor not in headings(target.read_text(encoding="utf-8")):
            yield f"{link}: there is no such heading"


def main():
    build, pages = sys.argv[1], [Path(name).resolve() for name in sys.argv[2:]]
    compared = failed = 0
    for page in pages:
        name = page.relative_to(ROOT)
        text = page.read_text(encoding="utf-8")
        for problem in broken_links(page, text):
            failed += 1
            print(f"{name}: {problem}")
        for command, expected in examples(text):
            printed = run(command, build)
            if printed is None:
                continue
            compared += 1
            if printed.strip() != expected.strip():
                failed += 1
                print(f"{name}:\n$ {command}\nprints\n{printed}\nbut the page says\n{expected}")
    print(f"{len(pages)} pages, {compared} examples compared, {failed} problems")
    return 1 if failed or compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
