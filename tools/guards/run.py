"""Which test needs each guard: the tests that make it fire are run with it switched off until one of them fails."""

import collections
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time
import tomllib

MOST_MEMORY = 4 << 30  # of a process, beside what it only reserves: a guard may be what keeps it within bounds
GRACE = 20  # seconds, beside ten times what a test takes; a guard may be what ends a loop
IMPORTED = re.compile(r"^(?:import|from) (\w+)", re.M)


class Unexplained(Exception):
    """An explanation that explains nothing."""


class Test:
    """A command, and what ctest knows of it."""

    def __init__(self, name, command, folder, environment, timeout, skip, uses=()):
        self.name, self.command, self.folder, self.skip, self.uses = name, command, folder, skip, uses
        self.environment, self.timeout = environment, timeout

    def run(self, timeout, **environment):
        """Its exit status; None where it is skipped, -SIGKILL where it is not done by then."""
        environment = {**os.environ, "OMP_WAIT_POLICY": "passive", **self.environment, **environment}
        process = subprocess.Popen(
            self.command, cwd=self.folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY)))
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            status = -signal.SIGKILL
        finally:  # what it started, too
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        return None if status == self.skip else status


def ctest_tests(build):
    """All tests of a build folder that were built, each GoogleTest case by itself."""
    listed = json.loads(subprocess.run(["ctest", "--test-dir", str(build), "--show-only=json-v1"], check=True,
                                       stdout=subprocess.PIPE, text=True).stdout)
    tests = []
    for entry in listed["tests"]:
        properties = {item["name"]: item["value"] for item in entry.get("properties", [])}
        if "command" not in entry or not os.path.exists(entry["command"][0]) or entry["name"].endswith("_NOT_BUILT"):
            continue
        if any(path.startswith(str(build)) and not os.path.exists(path) for path in entry["command"]):
            continue
        tests.append(Test(entry["name"], entry["command"], properties.get("WORKING_DIRECTORY", str(build)),
                          dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", [])),
                          properties.get("TIMEOUT", 900), properties.get("SKIP_RETURN_CODE", 77)))
    return tests


def python_tests(python, packages, folder):
    """pytest's files of this folder, on the packages that are installed there."""
    pytest = [str(python), "-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    environment, uses = {"PYTHONPATH": str(packages)}, list(packages.rglob("*.so"))
    return [Test(f"pytest/{path.stem}", [*pytest, str(path)], folder, environment, 900, 5, uses)
            for path in sorted(folder.glob("test_*.py"))]


class Records:
    """What a run of each test made fire, in a folder: it is run again where its programs are newer."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "tests.json"
        self.known = json.loads(self.path.read_text()) if self.path.is_file() else {}

    def file(self, name):
        return self.folder / (re.sub(r"[^\w.-]", "_", name) + ".fired")

    @staticmethod
    def stamp(test):
        """When the newest of its programs was made, and of what a script imports from its own folder."""
        waiting = [pathlib.Path(part) for part in [*test.command, *test.uses] if os.path.isfile(part)]
        files = set()
        while waiting:
            path = waiting.pop()
            if path not in files and path.is_file():
                files.add(path)
                if path.suffix == ".py":
                    waiting += [path.parent / f"{name}.py" for name in IMPORTED.findall(path.read_text())]
        return max(path.stat().st_mtime for path in files)

    def stale(self, test):
        known = self.known.get(test.name)
        return known is None or known["stamp"] < self.stamp(test) or known["command"] != test.command

    def make(self, test, count):
        path = self.file(test.name)
        path.write_bytes(bytes(count))
        begin = time.monotonic()
        stamp, status = self.stamp(test), test.run(test.timeout, GUARDS_FIRED=str(path))
        self.known[test.name] = {"stamp": stamp, "command": test.command, "status": status,
                                 "seconds": round(time.monotonic() - begin, 3)}

    def save(self):
        self.path.write_text(json.dumps(self.known, indent=0))

    def fired(self, tests):
        """The tests that make each number fire, those that take least first."""
        found = collections.defaultdict(list)
        for test in sorted(tests, key=lambda test: self.known.get(test.name, {}).get("seconds", 0)):
            if self.known.get(test.name, {}).get("status") != 0:
                continue
            at, content = 0, self.file(test.name).read_bytes()
            while (at := content.find(1, at)) >= 0:
                found[at].append(test)
                at += 1
        return found


class Results:
    """What is known of each guard, as lines of JSON, so that an interrupted run goes on."""

    def __init__(self, path):
        self.path, self.known = path, {}
        if path.is_file():
            for line in path.read_text().splitlines():
                entry = json.loads(line)
                self.known[entry["key"]] = entry

    def add(self, key, caught, tried, undecided=False):
        entry = {"key": key, "caught": caught, "tried": tried, "undecided": undecided}
        self.known[key] = entry
        with self.path.open("a") as file:
            file.write(json.dumps(entry) + "\n")


def explanations(path):
    return tomllib.loads(path.read_text()).get("explained", []) if path.is_file() else []


def explains(entry, guard):
    return fnmatch.fnmatch(guard.file, entry["file"]) and all(text in guard.text for text in entry.get("text", [""])) \
        and guard.kind in entry.get("kinds", [guard.kind])


def check_explanations(plan, path):
    """Each is still of some guard."""
    for entry in explanations(path):
        if not any(explains(entry, guard) for guard in plan.guards.values()):
            raise Unexplained(f"{path}: no guard is as this says: {entry}")


def try_guard(number, tests, records, tried_before, patience):
    """The first test that fails without it or None, the tests that passed, and whether patience ran out."""
    tried, begin = list(tried_before), time.monotonic()
    for test in tests:
        if test.name in tried:
            continue
        usual = records.known[test.name]["seconds"]
        if tried and time.monotonic() - begin + usual > patience:
            return None, tried, True
        if test.run(GRACE + 10 * usual, GUARDS_OFF=str(number)) not in (0, None):
            return test.name, tried, False
        tried.append(test.name)
    return None, tried, False


def in_parallel(jobs, work, items, done):
    """done(item, work(item), count of those done) as they come."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(work, item): item for item in items}
        try:
            for count, future in enumerate(concurrent.futures.as_completed(futures), 1):
                done(futures[future], future.result(), count)
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise


class Search:
    def __init__(self, plan, count, tests, folder, jobs, patience):
        self.plan, self.count, self.tests, self.jobs, self.patience = plan, count, tests, jobs, patience
        self.records, self.results = Records(folder / "records"), Results(folder / "results.jsonl")

    def record(self):
        stale = [test for test in self.tests if self.records.stale(test)]
        print(f"{len(stale)} of {len(self.tests)} tests are run to see which guards fire", flush=True)
        try:
            in_parallel(self.jobs, lambda test: self.records.make(test, self.count), stale, self.recorded)
        finally:
            self.records.save()
        for test in self.tests:
            if self.records.known[test.name]["status"] not in (0, None):
                print(f"without a fault, {test.name} fails; it catches nothing")

    def recorded(self, test, _, count):
        if count % 200 == 0:
            self.records.save()
            print(f"  {count} tests, {test.name}", flush=True)

    def try_all(self, guards):
        fired = self.records.fired(self.tests)
        waiting = []
        for guard in guards:
            known, tests = self.results.known.get(guard.key), fired.get(self.plan.numbers[guard.key], [])
            if known is None or (known["caught"] is None and (known["undecided"] or
                                 {test.name for test in tests} - set(known["tried"]))):
                waiting.append((guard, tests, known["tried"] if known else []))
        print(f"{len(waiting)} of {len(guards)} guards are switched off, one at a time", flush=True)
        begin = time.monotonic()

        def done(item, result, count):
            guard = item[0]
            self.results.add(guard.key, *result)
            if result[0] is None:
                print(line_of(guard, self.results.known[guard.key]), flush=True)
            if count % 100 == 0:
                print(f"  {count} of {len(waiting)}, {time.monotonic() - begin:.0f} s", flush=True)

        in_parallel(self.jobs, lambda item: try_guard(self.plan.numbers[item[0].key], item[1], self.records, item[2],
                                                      self.patience), waiting, done)


def line_of(guard, entry):
    if not entry["tried"]:
        why = "no test makes it fire"
    else:
        passed = f"{len(entry['tried'])} tests make it fire, and pass without it"
        why = passed + ("; others were not tried" if entry["undecided"] else "")
    return f"{guard.file}:{guard.line}: {guard.kind}: {guard.text}\n    {why}"


def report(guards, results, entries):
    """The text for people, and whether a survivor has no explanation, or an explanation no guard."""
    lines, used, explained, caught = [], set(), 0, 0
    for guard in guards:
        known = results.known.get(guard.key)
        if known is None:
            lines.append(f"{guard.file}:{guard.line}: {guard.kind}: {guard.text}\n    not tried yet")
        elif known["caught"] is not None:
            caught += 1
        else:
            why = [i for i, entry in enumerate(entries) if explains(entry, guard)]
            used.update(why)
            explained += bool(why)
            if not why:
                lines.append(line_of(guard, known))
    lines.append(f"{len(guards)} guards: {caught} needed by a test, {explained} explained, "
                 f"{len(guards) - caught - explained} not")
    return "\n".join(lines), len(guards) == caught + explained
