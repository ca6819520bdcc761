"""Errors for code that is not supported."""


class NotationError(SyntaxError):
    """A function uses something that is not supported.

    It is a SyntaxError, so that a traceback shows the file, the line, its text and a caret. `msg` says what is wrong and
    what to write instead. `filename`, `lineno`, `offset` and `text` say where.
    """


class NotationWarning(UserWarning):
    """A function with fallback=True runs on NumPy, a print is ignored, or a loop is unrolled into more than 1,000
    operations. The text gives the reason and what would help."""


def notation_error(message, file="", line=0, column=0, text="", length=0):
    """The error at a place; without a file there is none."""
    if not file or not line:
        return NotationError(message)
    end = column + min(max(length, 1), max(len(text) - column + 1, 1))
    return NotationError(message, (file, line, column, text, line, end))
