"""The guards of the tree, their numbers, and the sources with switches."""

import json

from guards import find

ROOMS = ("cudamat", "npmat", "rewriter", "gnumpy", "tools")
HEADER = "tools/guards/guard.hpp"
# Headers whose text is compiled as programs run (cudamat_embed), where the switches' header is not to be had.
WITHOUT = {"cudamat/cuda/reduce_plan.hpp", "cudamat/cuda/threads.hpp", "cudamat/functors.hpp",
           "cudamat/host_device.hpp", "cudamat/index.hpp", "cudamat/log_parts.hpp", "cudamat/philox.hpp",
           "cudamat/spread.hpp", "npmat/exp_log.hpp", "npmat/reducers.hpp", "npmat/target_clones.hpp",
           "npmat/vector_math.hpp", HEADER}


class Plan:
    def __init__(self, sources):
        """Of sources by their names."""
        throwing = find.no_return_names(sources.values())
        self.sources = sources
        self.of_file = {file: find.find(file, source, throwing) for file, source in sorted(sources.items())}
        self.guards = {guard.key: guard for guards in self.of_file.values() for guard in guards}
        self.numbers = {}

    def number(self, path):
        """Gives each guard a number, which the file keeps: what does not change is not compiled again."""
        known = json.loads(path.read_text()) if path.is_file() else {}
        following = max(known.values(), default=0) + 1
        for key in self.guards:
            if key not in known:
                known[key] = following
                following += 1
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(known, indent=0))
        self.numbers = {key: known[key] for key in self.guards}
        return following

    def planted(self):
        """The sources that have guards, with their switches, as bytes."""
        return {file: find.planted(self.sources[file], guards, [self.numbers[guard.key] for guard in guards],
                                   HEADER).encode() for file, guards in self.of_file.items() if guards}


def is_source(name):
    return name.endswith((".cpp", ".hpp")) and name not in WITHOUT \
        and not name.startswith(("cudamat/code/standard/", "cudamat/simt/device/", "tools/examples/", "tools/package/"))


def read(root):
    """Of the libraries and the tools below this folder."""
    names = [path.relative_to(root).as_posix() for room in ROOMS for path in (root / room).rglob("*.?pp")]
    return Plan({name: (root / name).read_text() for name in sorted(names) if is_source(name)})
