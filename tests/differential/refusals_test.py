"""Programs that are errors, and what is said of them; NumPy judges which of them are errors of the program.

    refusals_test.py SYMDUMP SYMDUMP_BATCH [unittest arguments]
"""

import contextlib
import io
import warnings

import numpy as np

import refusals_guards
import refusals_numpy
import refusals_python
import wrong_calls
from cli import main
from same_programs import SamePrograms

V = np.array([1.5, -2, 0.25, 3, -0.5])


class Refusals(SamePrograms):
    inputs = {
        "V": V,
        "W": V[::-1] * 2,
        "X": np.array([[1.5, -2, 0.25], [3, -0.5, 1], [-1, 2, 4], [0.5, -3, 2.5]]),
        "K": np.array([3, -1, 0, 7, 2]),
        "B": np.array([True, False, True, True, False]),
        "k": np.array(3),
    }

    def raised(self, text):
        """What Python says of it, or None."""
        try:
            with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.numpy(text)
            return None
        except (Exception, SystemExit) as error:  # pylint: disable=broad-exception-caught
            return error

    def each(self, programs, raises):
        for program, says in programs.items():
            text = f"import numpy as np\n{program}\n"
            with self.subTest(program):
                if raises is not None:
                    error = self.raised(text)
                    self.assertEqual(error is not None, raises, f"NumPy: {error}")
                reply = self.ask(text, ("none",))[0]
                self.assertIn(reply.failure, ("refused", "failed"), reply)
                self.assertIn(says, reply.detail)

    def test_what_python_raises(self):
        self.each(refusals_python.RAISES, True)

    def test_what_python_does_and_is_not_supported(self):
        self.each(refusals_python.NOT_SUPPORTED, False)

    def test_what_numpy_raises(self):
        self.each(refusals_numpy.RAISES, True)

    def test_what_numpy_does_and_is_not_supported(self):
        self.each(refusals_numpy.NOT_SUPPORTED, False)

    def test_what_single_guards_find(self):
        self.each(refusals_guards.RAISES, True)
        self.each(refusals_guards.NOT_SUPPORTED, False)
        self.each(refusals_guards.TOO_MANY, None)


class WrongCalls(SamePrograms):
    """A `try` catches what NumPy raises."""

    inputs = wrong_calls.NAMES
    passes = ("none",)
    KINDS = ("np.linalg.LinAlgError", "ZeroDivisionError", "OverflowError", "UnboundLocalError", "NameError", "KeyError",
             "IndexError", "AttributeError", "TypeError", "ValueError", "StopIteration", "Exception")

    def test_which_exception_is_raised(self):
        for call in wrong_calls.CALLS:
            names = ", ".join(self.given(call))
            handlers = "".join(f"except {kind}:\n    r = np.full(1, {k}.0)\n" for k, kind in enumerate(self.KINDS))
            self.each({call: f"{wrong_calls.FUNCTIONS}\ndef wrong({names}):\n    {call}\n"
                             f"try:\n    wrong({names})\n    r = np.full(1, -1.0)\n{handlers}"})


if __name__ == "__main__":
    main()
