"""tools/mutants --guards on a toy folder: which guards it finds, what its switches do, and which survive.

usage: guards_test.py COMPILER ROOT
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

COMPILER, ROOT = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(ROOT / "tools"))

from guards import find, plan, run  # noqa: E402

run.GRACE = 1

TOY = r'''
#include <cstdlib>
#include <optional>
#include <stdexcept>
#define LATER(x) if (x) return 1  // of the preprocessor
[[noreturn]] void fail(const char* text) { throw std::runtime_error(text); }
void check(bool holds) { if (!holds) fail("it does not hold"); }
std::optional<int> known(int x) { return x == 7 ? std::optional(70) : std::nullopt; }
constexpr int clipped(int x) {
  if (x > 50) return 50;
  return x;
}
static_assert(clipped(60) == 50);
struct Number {
  int value;
  void check_small() const { check(value < 100); }
};
int toy(int x) {
  const char* text = R"(if (x) return 1;)";  // if (x) throw 1;
  if (x < 0) {
    text = "negative";
    fail(text);
  }
  if (x == 0) return 0 * x;  // as without it
  if (const int* none = nullptr; none != nullptr) throw std::logic_error("never; fires");
  if (const auto of = known(x)) return *of;
  if (x == 8) return 80; else x += 0;  // one of two ways
  if (x == 9) { x = 90; }
  const Number number{x};
  number.check_small();
  if (x > 40) check(x != 41);
  for (int i = 0; i < x; ++i) check(i < 60);
  if (x == 6) while (true) if (x++ > 9) return x;
  return clipped(x);
}
int main(int count, char** arguments) {
  try {
    const int result = toy(std::atoi(arguments[1]));
    return count == 3 && result == std::atoi(arguments[2]) ? 0 : 1;
  } catch (const std::runtime_error&) {
    return count == 2 ? 0 : 1;
  }
}
'''
FOUND = {
    "if (!holds) fail(\"it does not hold\");": "throws",
    "if (x > 50) return 50;": "returns",
    "check(value < 100);": "checks",
    "if (x < 0) { text = \"negative\"; fail(text); }": "throws",
    "if (x == 0) return 0 * x;": "returns",
    "if (const int* none = nullptr; none != nullptr) throw std::logic_error(\"never; fires\");": "throws",
    "if (const auto of = known(x)) return *of;": "returns",
    "number.check_small();": "checks",
    "if (x > 40) check(x != 41);": "checks",
    "check(i < 60);": "checks",
    "if (x++ > 9) return x;": "returns",
}
# Of each guard the test that needs it, or why none does.
VERDICTS = {
    "if (!holds) fail(\"it does not hold\");": "refused 41",
    "if (x > 50) return 50;": "clipped",
    "check(value < 100);": "no test makes it fire",
    "if (x < 0) { text = \"negative\"; fail(text); }": "refused -1",
    "number.check_small();": "no test makes it fire",
    "if (x == 0) return 0 * x;": "1 tests make it fire, and pass without it",
    "if (const int* none = nullptr; none != nullptr) throw std::logic_error(\"never; fires\");":
        "no test makes it fire",
    "if (const auto of = known(x)) return *of;": "known",
    "if (x > 40) check(x != 41);": "refused 41",
    "check(i < 60);": "no test makes it fire",
    "if (x++ > 9) return x;": "loop",  # which would not end
}


class Guards(unittest.TestCase):
    def test_which_are_found(self):
        guards = find.find("toy.cpp", TOY, find.no_return_names([TOY]))
        self.assertEqual({guard.text: guard.kind for guard in guards}, FOUND)
        lines = TOY.split("\n")
        for guard in guards:
            self.assertIn(guard.text.split(" {")[0], lines[guard.line - 1])

    def test_the_same_text_twice_are_two_guards(self):
        source = "int f(int x) {\n  if (x) return 1;\n  if (x) return 1;\n}\n"
        self.assertEqual([guard.key for guard in find.find("f.cpp", source, set())],
                         ["f.cpp:0:if (x) return 1;", "f.cpp:1:if (x) return 1;"])

    def test_numbers_stay(self):
        with tempfile.TemporaryDirectory() as folder:
            numbers = pathlib.Path(folder, "numbers.json")
            before = plan.Plan({"a.cpp": "int f(int x) {\n  if (x) return 1;\n  return 2;\n}\n"})
            before.number(numbers)
            after = plan.Plan({"a.cpp": "int f(int x) {\n  if (x > 2) return 3;\n  if (x) return 1;\n  return 2;\n}\n"})
            after.number(numbers)
        self.assertEqual(after.numbers, {"a.cpp:0:if (x) return 1;": 1, "a.cpp:0:if (x > 2) return 3;": 2})

    def test_survivors(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            toy = plan.Plan({"toy.cpp": TOY})
            count = toy.number(folder / "numbers.json")
            source, program = folder / "toy.cpp", folder / "toy"
            source.write_bytes(toy.planted()["toy.cpp"])
            subprocess.run([COMPILER, "-std=c++20", "-w", f"-I{ROOT}", source, "-o", program], check=True)
            tests = [self.a_test(name, program, *arguments) for name, *arguments in (
                ("plain", 3, 3), ("zero", 0, 0), ("known", 7, 70), ("clipped", 55, 50), ("refused -1", -1),
                ("refused 41", 41), ("loop", 6, 11), ("wrong", 3, 4))]
            search = run.Search(toy, count, tests, folder, 2, 60)
            search.record()
            search.try_all(toy.guards.values())
            verdicts = {toy.guards[key].text: entry["caught"] or run.line_of(toy.guards[key], entry).split("\n    ")[1]
                        for key, entry in search.results.known.items()}
            self.assertEqual(verdicts, VERDICTS)
            # Another run has nothing left to do.
            again = run.Search(toy, count, tests, folder, 2, 60)
            self.assertEqual(again.results.known, search.results.known)
            self.assertFalse([test.name for test in tests if again.records.stale(test)])
            self.check_report(toy, again.results)

    def check_report(self, toy, results):
        text, complete = run.report(toy.guards.values(), results, [])
        self.assertFalse(complete)
        self.assertIn("11 guards: 6 needed by a test, 0 explained, 5 not", text)
        self.assertIn("toy.cpp:24: returns: if (x == 0) return 0 * x;\n    1 tests make it fire, and pass without it",
                      text)
        entries = [{"file": "toy.*", "kinds": ["checks"], "why": "of its own callers"},
                   {"file": "toy.cpp", "text": ["0 * x"], "why": "as without it"},
                   {"file": "toy.cpp", "text": ["never", "throw"], "why": "it cannot be"}]
        text, complete = run.report(toy.guards.values(), results, entries)
        self.assertTrue(complete, text)
        self.assertIn("11 guards: 6 needed by a test, 5 explained, 0 not", text)

    @staticmethod
    def a_test(name, program, *arguments):
        return run.Test(name, [str(program), *map(str, arguments)], program.parent, {}, 60, 77)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
