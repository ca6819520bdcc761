"""A tool's manual page and its --help have the same options, choices and exit statuses; the page is well formed.

    manual_test.py TOOL PAGE
"""

import re
import shutil
import subprocess
import sys
import unittest

TOOL, PAGE = sys.argv[1:3]
NAME = re.sub(r".*/|\.1$", "", PAGE)
# An option of each tool, and what it has to choose from: they show that --help is understood.
OPTIONS = {"symdump": "--emit", "rbm": "--layer"}
CHOICES = {"symdump": ["statements|numpy|cupy|torch|cpp|cuda|cudamat-py|cudamat-cpp|tree|dot|json"], "rbm": ["cudamat|gnumpy|rewriter"]}


def options_of_help(text):
    """What each option takes: {"--emit": "FORM", "--memory": ""}."""
    options = {}
    for entry in re.findall(r"^  (-\S+(?: \S+)*)  ", text, re.M):
        names, _, argument = entry.partition(" ")
        for name in names.split(","):
            options[re.sub(r"\{.*\}", "", name)] = argument
    return options


def options_of_page(text):
    options = {}
    for entry in re.findall(r"^\.It Fl (.*)$", text, re.M):
        names, _, argument = entry.replace(" Ns Op = Ns Ar ", " Ar [=]").partition(" Ar ")
        for name in names.split(" , "):
            options[f"-{name}"] = re.sub(r"^\[=\](.*)$", r"[=\1]", argument)
    return options


class Manual(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = subprocess.run([TOOL, "--help"], capture_output=True, text=True, check=True)
        cls.help = done.stdout
        with open(PAGE, encoding="utf-8") as page:
            cls.page = page.read()

    def test_options_are_the_same(self):
        options = options_of_help(self.help)
        self.assertIn(OPTIONS[NAME], options)
        self.assertEqual(options, options_of_page(self.page))

    def test_choices_are_the_same(self):
        choices = re.findall(r"\b[a-z0-9-]+(?:\|[a-z0-9-]+)+", self.help)
        self.assertEqual(set(CHOICES[NAME]) - set(choices), set(), "are not understood")
        words = set("|".join(choices).split("|"))
        literal = " ".join(re.findall(r"^\.Cm (.*)$", self.page, re.M)).split()
        numbers = re.findall(r"\b\d+\b", self.page)
        self.assertEqual(words - set(literal) - set(numbers), set(), "are not on the page")

    def test_environment_and_exit_statuses_are_the_same(self):
        variables = set(re.findall(r"GNUMPY_\w+", self.help))
        self.assertEqual(variables, set(re.findall(r"^\.It Ev (GNUMPY_\w+)$", self.page, re.M)))
        statuses = self.help[self.help.index("Exit status:"):]
        self.assertEqual(re.findall(r"[:;] (\d+)", statuses), re.findall(r"^\.It (\d+)$", self.page, re.M))

    def test_groff_has_nothing_to_say(self):
        if shutil.which("groff") is None:
            self.skipTest("there is no groff; install groff-base")
        done = subprocess.run(["groff", "-mandoc", "-ww", "-Tutf8", PAGE], capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        self.assertIn(NAME, done.stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
