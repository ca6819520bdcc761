"""The passes that there are, as the tools themselves list them."""

import functools
import subprocess


@functools.cache
def known_passes(tool):
    """Names in the order of the pipeline. `tool`: symdump or symdump_batch."""
    done = subprocess.run([tool, "--list-passes"], capture_output=True, text=True, check=True)
    return [line.split()[0] for line in done.stdout.splitlines()]
