"""A python3 for `symdump --verify=numpy` where many programs are verified: it hands its script to a process that has
imported NumPy already and forks for it, which saves a tenth of a second each time. The script finds its arguments,
folder, standard streams and __main__ as ever. verify_numpy_test.py has Python itself.
"""

import atexit
import functools
import importlib
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import traceback
import types

import numpy as np

PYTHON3 = """#!{python} -IS
import _socket, posix, sys
if sys.argv[1:2] == ["-c"]:  # it is asked for its version
    posix.write(0, b"{version}\\n")
    sys.exit()
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_SEQPACKET)
server.connect({address!r})
streams = b"".join(fd.to_bytes(4, sys.byteorder) for fd in range(3))
server.sendmsg(["\\0".join([posix.getcwd(), *sys.argv[1:]]).encode()],
               [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
sys.exit((server.recv(1) or b"\\xff")[0])
"""
LONGEST = 65536  # bytes of a command
IMPORTED = ("ast", "contextlib", "copy", "json", "pathlib", "unicodedata", "warnings")  # by numpy_check.py


def status_of(code, arguments):
    """Exit status of Python for the script."""
    sys.argv = arguments
    sys.modules["__main__"] = main = types.ModuleType("__main__")
    main.__file__ = arguments[0]
    try:
        exec(code, vars(main))  # pylint: disable=exec-used
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # pylint: disable=broad-exception-caught
        traceback.print_exc()
        return 1
    return 0


def run(connection, streams, folder, code, arguments):
    """In a process of its own."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    for k, stream in enumerate(streams):
        os.dup2(stream, k)
        os.close(stream)
    os.chdir(folder)
    np.random.seed()
    status = status_of(code, arguments)
    for stream in (sys.stdout, sys.stderr):
        if not stream.closed:
            stream.flush()
    connection.send(bytes([status & 255]))
    os._exit(0)


def serve(listener, parent):
    """Until the other end of the pipe `parent` is closed."""
    os.setpgid(0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for them
    sys.dont_write_bytecode = True
    for module in IMPORTED:
        importlib.import_module(module)
    compiled = {}
    while True:
        if parent in select.select([listener, parent], [], [])[0]:
            os.killpg(0, signal.SIGKILL)
        connection = listener.accept()[0]
        command, streams, _, _ = socket.recv_fds(connection, LONGEST, 3)
        if not command:  # it was killed
            connection.close()
            continue
        folder, *arguments = command.decode().split("\0")
        arguments = [a for a in arguments if a != "-B"]
        with open(arguments[0], encoding="utf-8") as script:
            text = script.read()
        if text not in compiled:
            compiled[text] = compile(text, arguments[0], "exec")
        if os.fork() == 0:
            listener.close()
            os.close(parent)
            run(connection, streams, folder, compiled[text], arguments)
        connection.close()
        for stream in streams:
            os.close(stream)


@functools.cache
def folder_of_python3():
    """A folder for PATH whose python3 it is, as long as this process lives."""
    folder = tempfile.mkdtemp(prefix="cudamat-numpy-")
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(f"{folder}/socket")
    listener.listen()
    python3 = f"{folder}/python3"
    with open(python3, "w", encoding="utf-8") as file:
        file.write(PYTHON3.format(python=sys.executable, address=f"{folder}/socket", version=np.__version__))
    os.chmod(python3, 0o755)
    read, write = os.pipe()
    sys.stdout.flush()
    if os.fork() == 0:
        os.close(write)
        try:
            serve(listener, read)
        except BaseException:  # pylint: disable=broad-exception-caught
            traceback.print_exc()
        finally:
            os._exit(1)
    os.close(read)
    listener.close()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
