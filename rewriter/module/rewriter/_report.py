"""Reports on a conversion: str() for people, fields for programs, HTML for notebooks."""
import functools
import html
import json

import numpy as np

from . import _numpy_roundings
from ._draws import Draws
from ._values import attributes_of, is_comparable, is_object


class _Text:
    """A report whose str() is its text."""

    text = ""

    def __str__(self):
        return self.text

    def __repr__(self):
        return self.text

    def _repr_html_(self):
        return f"<pre>{html.escape(self.text)}</pre>"


class Listing(_Text):
    """The statements. `text` is the output of symdump, and `emit(form)` that of symdump --emit FORM. `tree`, `dot`,
    `cudamat_py` and `cudamat_cpp` are such forms, and `json` is that form, parsed. `left_out` has the ignored calls
    with their lines, and `engine` is the name of the engine."""

    def __init__(self, conversion):
        self._conversion = conversion
        self.text = conversion.emit("statements")
        self.engine = conversion.engine
        self.left_out = conversion.left_out()

    @functools.cached_property
    def json(self):
        return json.loads(self.emit("json"))

    def emit(self, form):
        """Returns the output of symdump --emit FORM: "cpp", "cuda", "numpy", "tree", ..."""
        return self._conversion.emit(form)

    tree = property(lambda self: self.emit("tree"))
    dot = property(lambda self: self.emit("dot"))
    cudamat_py = property(lambda self: self.emit("cudamat-py"))
    cudamat_cpp = property(lambda self: self.emit("cudamat-cpp"))

    @property
    def memory(self):
        return Memory(self._conversion)

    def __len__(self):
        return len(self.json["statements"])

    def _repr_html_(self):
        return _listing_html(self.json, self.engine)


class Remarks(_Text):
    """The remarks of each pass: `passes` is a list of (name, whether it changed the list, seconds, remarks). `regions` has,
    on a CPU, a line for each loop and chain that is compiled as a whole, with its statements that remain calls."""

    def __init__(self, conversion):
        self.passes = conversion.remarks()
        self.regions = conversion.regions()
        self.text = "".join(f"{name}:\n{remarks}" for name, changed, seconds, remarks in self.passes if remarks)
        if self.regions:
            self.text += f"compiled as a whole:\n{self.regions}"


class Memory(_Text):
    """The memory plan: `peak`, `inputs`, `lower_bound` and `arena` in bytes, `formula`, the peak in the program's
    dimensions, and `buffers`, a list of dictionaries."""

    def __init__(self, conversion):
        self.text = conversion.memory()
        fields = conversion.memory_fields()
        self.peak, self.inputs, self.arena = fields["peak"], fields["inputs"], fields["arena"]
        self.lower_bound, self.formula, self.buffers = fields["lower_bound"], fields["formula"], fields["buffers"]


class Times(_Text):
    """The median time of each statement: `rows` is a list of (text, line, executions, seconds, bytes, flops), and `seconds`
    the sum."""

    def __init__(self, conversion, times, repeat):
        listed = json.loads(conversion.emit("json"))
        self.rows = [(s["text"], s["line"], *time) for s, time in zip(listed["statements"], times)]
        self.seconds = sum(row[3] for row in self.rows)
        self.engine, self.repeat = conversion.engine, repeat
        width = max([len(row[0]) for row in self.rows] + [9])
        lines = [f"# {self.engine}; the median of {repeat} runs",
                 f"{'statement':<{width}} {'times':>7} {'total ms':>9} {'each us':>9}  {'rate':>14}"]
        last = 0
        for text, line, count, seconds, size, flops in self.rows:
            if line != last and str(line) in listed["source_lines"]:
                lines.append(f"\n# {line}: {listed['source_lines'][str(line)].strip()}")
            last = line
            rate = f"{flops / seconds / 1e9:.1f} GFLOP/s" if flops and seconds else \
                f"{size / seconds / 1e9:.1f} GB/s" if size and seconds else ""
            each = f"{seconds / count * 1e6:9.2f}" if count else f"{'-':>9}"
            lines.append(f"{text:<{width}} {count:>7} {seconds * 1e3:>9.4f} {each}  {rate:>14}".rstrip())
        lines.append(f"\n# {self.seconds * 1e3:.4f} ms in all statements")
        self.text = "\n".join(lines)


class Verification(_Text):
    """A comparison with NumPy, true if everything agrees. `rows` is a list of (name, shape, largest difference, elements
    that differ, whether they agree, what is wrong), `largest` is the largest difference, and `against` names the
    reference."""

    def __init__(self, rows, against, engine):
        self.rows, self.against, self.engine = rows, against, engine
        self.agree = all(row[4] for row in rows)
        self.largest = max([row[2] for row in rows if row[2] == row[2]] + [0.0])
        width = max([len(row[0]) for row in rows] + [6])
        lines = [f"{'output':<{width}}  {'shape':<14} {'largest difference':>20} {'elements that differ':>20}"]
        for name, shape, largest, count, agree, wrong in rows:
            lines.append(f"{name:<{width}}  {str(shape):<14} {largest:>20.6g} {count:>20}"
                         + ("" if agree else f"   DIFFERS{': ' + wrong if wrong else ''}"))
        if rows:
            lines.append(f"{'verified' if self.agree else 'NOT VERIFIED'}: statements and {against} "
                         f"{'agree' if self.agree else 'differ'} in {engine}; largest difference {self.largest:.6g}")
        else:
            lines = ["nothing was verified: the function returns nothing, and writes to nothing"]
        self.text = "\n".join(lines)

    def __bool__(self):
        return self.agree

    @classmethod
    def of_numpy(cls, conversion, got, wanted, given, outside, others):
        """`others()`: (result, what may have been written to) of the other calls that say how far roundings may be."""
        scale = max((_numpy_roundings.magnitude(array) for _, array in _arrays("", given)), default=0)
        roundings = _numpy_roundings.Roundings(lambda: [_found_in(*other) for other in others()],
                                               rounding(conversion.engine), scale)
        rows = list(_compared("result", got[0], wanted[0], roundings)) if wanted[0] is not None else []
        if wanted[0] is None and got[0] is not None:
            rows.append(("result", "", np.nan, 0, False, f"{got[0]!r}, in NumPy None"))
        for ours, theirs, before in zip(got[1:], wanted[1:], (given, outside)):
            for name in before:  # of these only what the function writes to
                first = dict(_arrays(name, before[name]))
                for row in _compared(name, ours[name], theirs[name], roundings):
                    now = dict(_arrays(name, theirs[name])).get(row[0])
                    if not row[4] or row[0] not in first or not _is_untouched(first[row[0]], now):
                        rows.append(row)
        return cls(rows, f"NumPy {np.__version__}", conversion.engine)


def _arrays(name, value, seen=frozenset()):
    """(name, array) of all arrays and numbers in a value. `seen`: of the objects around it."""
    if isinstance(value, (np.ndarray, np.generic, float, int, complex)):
        yield name, np.asarray(value)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _arrays(f"{name}[{key!r}]" if name else str(key), item, seen)
    elif isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from _arrays(f"{name}[{i}]", item, seen)
    elif is_object(value) and id(value) not in seen:
        for attribute, item in attributes_of(value):
            yield from _arrays(f"{name}.{attribute}", item, {*seen, id(value)})


def _found_in(result, arguments):
    """The arrays of a call by the names of a Verification's rows."""
    arrays = dict(_arrays("result", result)) | {key: array for name, value in arguments.items()
                                                for key, array in _arrays(name, value)}
    return arrays.get


def rounding(engine):
    """Of the precision of its runs; at 128 bits, which NumPy's floats mostly are not, that of doubles."""
    return float(np.finfo(np.float32 if "32" in engine else np.float64).eps)


def _is_untouched(before, now):
    """Whether every bit is what it was, those of NaN, too."""
    return now is not None and before.shape == now.shape and before.tobytes() == now.tobytes()


def _compared(name, got, wanted, roundings, seen=frozenset()):
    """Rows of a Verification. `seen`: of the objects around it."""
    if type(got) is type(wanted) and is_object(wanted) and not isinstance(wanted, tuple):
        if id(wanted) not in seen:
            ours, theirs = dict(attributes_of(got)), dict(attributes_of(wanted))
            for attribute in {**ours, **theirs}:
                if attribute not in ours or attribute not in theirs:
                    yield (f"{name}.{attribute}", "", np.nan, 0, False, "missing" if attribute in theirs else "not in NumPy")
                else:
                    yield from _compared(f"{name}.{attribute}", ours[attribute], theirs[attribute], roundings,
                                         {*seen, id(wanted)})
        return
    if isinstance(wanted, (list, tuple, dict)) and type(got) is type(wanted) and len(got) == len(wanted):
        items = wanted.items() if isinstance(wanted, dict) else enumerate(wanted)
        for key, item in items:
            if isinstance(wanted, dict) and key not in got:
                yield (f"{name}[{key!r}]", "", np.nan, 0, False, "missing")
            else:
                yield from _compared(f"{name}[{key!r}]", got[key], item, roundings, seen)
        return
    numbers = (np.ndarray, np.generic, float, int, complex)
    if isinstance(wanted, Draws):  # in the place of a generator
        return
    if not isinstance(wanted, numbers) or not isinstance(got, numbers):
        same = type(got) is type(wanted) and (got is wanted or got == wanted or not is_comparable(wanted))
        if not same:
            yield (name, "", np.nan, 0, False, f"{got!r}, in NumPy {wanted!r}")
        return
    a, b = np.asarray(got), np.asarray(wanted)
    if a.shape != b.shape or (a.dtype.kind != b.dtype.kind):
        yield (name, a.shape, np.nan, 0, False, f"{a.dtype} {a.shape}, in NumPy {b.dtype} {b.shape}")
        return
    if a.dtype.kind in "biu":
        differing = int(np.count_nonzero(a != b))
        largest = float(np.max(np.abs(a.astype(float) - b.astype(float)))) if a.size else 0.0
        yield (name, a.shape, largest, differing, differing == 0, "")
        return
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(all="ignore"):
        difference = np.where(same, 0.0, np.abs(a - b))
    difference = np.where(np.isnan(difference), np.inf, difference)
    largest = float(difference.max()) if a.size else 0.0
    yield (name, a.shape, largest, int(np.count_nonzero(~same)), roundings.agrees(name, b, largest), "")


# ---- notebooks

_STYLE = """<style>
.rw { font-family: monospace; font-size: 12px; border-collapse: collapse }
.rw td { padding: 0 .8em 0 0; white-space: pre; text-align: left; vertical-align: top }
.rw td.n { text-align: right; color: #666 }
.rw tr.s td { padding-top: .6em; color: #06c }
.rw .v { color: #080 } .rw .f { color: #999 } .rw .p { color: #c00; font-weight: bold }
</style>"""


def _listing_html(listed, engine):
    """A table of statements below their source lines, with the memory over time at its right."""
    peak = listed["peak"]
    rows = []
    last = None
    for each in listed["inputs"]:
        shape = "x".join(map(str, each["dims"]))
        rows.append(f"<tr><td>input {html.escape(each['name'])}: {tuple(each['dims'])}</td><td class=n>{shape}</td>"
                    f"<td class=n>{each['bytes']:+,}</td><td></td></tr>")
    for i, each in enumerate(listed["statements"]):
        line = each["line"]
        if line != last:
            text = listed["source_lines"].get(str(line), "")
            rows.append(f"<tr class=s><td colspan=4>{line}: {html.escape(text.strip())}</td></tr>")
            last = line
        kind = {"free": "f", "empty": "f", "slice": "v", "reshape": "v"}.get(each["kind"], "")
        shape = "x".join(map(str, each["shape"])) if each["shape"] else ""
        size = "view" if kind == "v" else f"{each['bytes']:+,}" if each["bytes"] else ""
        total = f"{each['total']:,}" + (" peak" if peak["statement"] == i else "")
        rows.append(f"<tr><td class='{kind}'>{html.escape(each['text'])}</td><td class=n>{shape}</td>"
                    f"<td class=n>{size}</td><td class='n{' p' if peak['statement'] == i else ''}'>{total}</td></tr>")
    for each in listed["outputs"]:
        rows.append(f"<tr><td>output {html.escape(each['name'])}: {tuple(each['dims'])}</td>"
                    f"<td></td><td></td><td class=n>{each['bytes']:,}</td></tr>")
    title = f"{len(listed['statements'])} statements, {html.escape(engine)}, peak {peak['bytes']:,} bytes"
    return f"{_STYLE}<div>{title}</div>{_memory_svg(listed)}<table class=rw>{''.join(rows)}</table>"


def _memory_svg(listed):
    """The bytes in use after each statement, as steps."""
    totals = [s["total"] for s in listed["statements"]]
    most = max(totals, default=0)
    if not most:
        return ""
    width, height = 480, 80
    step = width / len(totals)
    points = [f"0,{height}"]
    for i, total in enumerate(totals):
        y = height - height * total / most
        points += [f"{i * step:.1f},{y:.1f}", f"{(i + 1) * step:.1f},{y:.1f}"]
    points.append(f"{width},{height}")
    return (f'<svg width="{width}" height="{height + 4}" role="img" aria-label="bytes in use after each statement">'
            f'<title>bytes in use after each statement, up to {most:,}</title>'
            f'<polygon points="{" ".join(points)}" fill="#9cf" stroke="#06c"/></svg>')
