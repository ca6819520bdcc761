"""The folders of a library include each other only as its README's table of rooms allows, which lists them bottom to top.

usage: rooms_test.py ROOT LIBRARY...   libraries are folders below ROOT: rewriter, rewriter/reader
"""

import re
import sys
from pathlib import Path

ROW = re.compile(r"^\| \[(\w+)\]\(\1\) \|.*\|([^|]*)\|$", re.M)


def check(root, name):
    """What the tree says that the table does not, as lines for people."""
    library = root / name
    text = (library / "README.md").read_text(encoding="utf-8")
    allowed = {room: set(re.findall(r"\w+", names)) for room, names in ROW.findall(text)}
    order = list(allowed)
    folders = {folder.name for folder in library.iterdir() if folder.is_dir()}
    problems = [f"{name}/{room} has no row in the table" for room in sorted(folders - allowed.keys())]
    problems += [f"{name}/{room} is in the table, but not a folder" for room in order if room not in folders]
    for room, names in allowed.items():
        problems += [f"the table lets {room} include {other}, which is not below it"
                     for other in sorted(names) if other not in order[:order.index(room)]]

    used = {room: set() for room in order}
    include = re.compile(rf'^#include "{name}/(?:(\w+)/)?([\w./]+)"', re.M)
    for file in sorted(file for ending in ("*.[ch]pp", "*.cu", "*.cuh") for file in library.rglob(ending)):
        room = file.relative_to(library).parts[0]
        for other, header in include.findall(file.read_text(encoding="utf-8")):
            if other and room != other and room in used:  # what lies beside the folders is everybody's
                used[room].add(other)
                if other not in allowed[room]:
                    problems.append(f"{file.relative_to(root)} includes {other}/{header}: "
                                    f"{room} may include {', '.join(sorted(allowed[room])) or 'nothing'}")
    problems += [f"the table lets {room} include {other}, and nothing there does"
                 for room in order for other in sorted(allowed[room] - used[room])]
    print(f"{name}: {len(order)} rooms, {sum(map(len, used.values()))} arrows between them")
    return problems if order else [f"{name}/README.md has no table of rooms"]


def main():
    problems = [problem for name in sys.argv[2:] for problem in check(Path(sys.argv[1]), name)]
    print(*problems, sep="\n")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
