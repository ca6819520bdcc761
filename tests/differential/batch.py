"""Programs given to symdump_batch, a process that runs many of them, and what it replies."""

import atexit
import os
import select
import subprocess
from dataclasses import dataclass, field

import numpy as np

REAL = {32: np.float32, 64: np.float64, 128: np.longdouble}
TIMEOUT = 120  # seconds


class Ended(Exception):
    """The process died, or says nothing any more."""


@dataclass
class Reply:
    """To one run: arrays and their types (NumPy's letters) by name; or what it says instead."""

    arrays: dict = field(default_factory=dict)
    kinds: dict = field(default_factory=dict)
    seconds: float = 0  # that the statements took
    peak: int = 0  # bytes that matrices held
    text: str = ""  # what was printed
    failure: str = ""  # "refused" or "internal"
    detail: str = ""


class Batch:
    """A symdump_batch, started when it is needed, and again after it died."""

    def __init__(self, executable):
        self.command = [os.path.abspath(executable)]
        self.process, self.heard = None, b""
        # AddressSanitizer looks for leaks at its end, also where the many programs of one start are spared that.
        self.environment = os.environ | {"OMP_NUM_THREADS": "1"}
        self.environment["ASAN_OPTIONS"] = self.environment.get("ASAN_OPTIONS", "") + ":detect_leaks=1"
        atexit.register(self.end)

    def end(self):
        """Waits for its end: the script fails where that is not a good one."""
        if self.process:
            self.process.stdin.close()
            if status := self.process.wait(TIMEOUT):
                print(f"FAILED: symdump_batch ended with status {status}: does it leak?", flush=True)
                os._exit(1)  # atexit does not change the status

    def close(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
        self.process, self.heard = None, b""

    def ask(self, text, inputs, precision, seed, runs, function="", values=None, folders=()):
        """`inputs`: arrays by name; `runs`: (how, names or None for all), as symdump_batch.cpp says; `values`: numbers
        by name; `folders`: of modules. The replies to the runs, or only one, of the program, where that is refused. Raises Ended."""
        real = np.dtype(REAL[precision])
        data = text.encode()
        request = [f"program {precision} {seed} {len(data)}\n".encode(), data]
        for name, array in inputs.items():
            elements = np.asarray(array).astype(real).tobytes(order="C")
            dtype = np.asarray(array).dtype
            kind = dtype.char if dtype.kind in "biu" else "f"
            dims = " ".join(str(n) for n in np.shape(array))
            request += [f"input {name} {kind} {len(elements)} {dims}\n".encode(), elements]
        request += [f"numpy {np.__version__.partition('.')[0]}\n".encode()]
        request += [f"path {folder}\n".encode() for folder in folders]
        request += [f"function {function}\n".encode()] if function else []
        request += [f"value {name} {value!r}\n".encode() for name, value in (values or {}).items()]
        request += [f"run {how} {','.join(names) if names else '-'}\n".encode() for how, names in runs]
        self._send(b"".join(request) + b"end\n")
        first = self._head()
        if first[0] != "ok":
            return [Reply(failure=first[0], detail=self._bytes(int(first[1])).decode(errors="replace"))]
        return [self._reply(real) for _ in runs]

    def _send(self, request):
        if self.process is None:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=subprocess.DEVNULL, env=self.environment)
        try:
            self.process.stdin.write(request)
            self.process.stdin.flush()
        except BrokenPipeError:
            self._ended()

    def _ended(self):
        status = self.process.poll()
        self.close()
        raise Ended(f"no reply within {TIMEOUT} s" if status is None else f"ended with status {status}")

    def _more(self):
        stream = self.process.stdout
        if not select.select([stream], [], [], TIMEOUT)[0]:
            self._ended()
        data = os.read(stream.fileno(), 1 << 20)
        if not data:
            self.process.wait()
            self._ended()
        self.heard += data

    def _head(self):
        while b"\n" not in self.heard:
            self._more()
        line, self.heard = self.heard.split(b"\n", 1)
        return line.decode().split(" ")

    def _bytes(self, count):
        while len(self.heard) < count:
            self._more()
        data, self.heard = self.heard[:count], self.heard[count:]
        return data

    def _reply(self, real):
        head = self._head()
        if head[0] != "ran":
            return Reply(failure=head[0], detail=self._bytes(int(head[1])).decode(errors="replace"))
        reply = Reply(seconds=float(head[2]), peak=int(head[3]), text=self._bytes(int(head[4])).decode())
        for _ in range(int(head[1])):
            name, kind, *dims = self._head()
            shape = tuple(map(int, dims))
            size = int(np.prod(shape, dtype=np.int64)) * real.itemsize
            reply.arrays[name] = np.frombuffer(self._bytes(size), real).reshape(shape)
            reply.kinds[name] = kind
        return reply
