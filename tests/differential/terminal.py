"""What a command shows on a terminal."""

import os
import pty
import subprocess
import termios


def shown_on_a_terminal(command, stream="stdout", columns=None, **options):
    """All that `command` writes to `stream`, which is a terminal. It must succeed."""
    master, slave = pty.openpty()
    if columns:
        termios.tcsetwinsize(slave, (24, columns))
    process = subprocess.Popen(list(map(str, command)), **{stream: slave}, **options)
    os.close(slave)
    chunks = []
    try:
        # A read gives what has arrived, not all; the last one fails, the other side being closed.
        while chunk := os.read(master, 65536):
            chunks.append(chunk)
    except OSError:
        pass
    os.close(master)
    if process.wait() != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return b"".join(chunks)
