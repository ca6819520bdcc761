"""Finds the guards of C++ sources, and plants a switch in each: a lexer, which knows no types.

A guard is an `if` without an `else` whose body only throws, returns or calls a checking function, and a call of a
checking function that is a statement by itself. Its kind says which: "throws", "returns", "checks".
"""

import dataclasses
import re

TOKEN = re.compile(r"""
    (?P<blank>\s+ | //(?:[^\n\\]|\\.)* | /\*.*?\*/ )
  | (?P<directive>(?<![^\n])[ \t]*\#(?:[^\n\\]|\\.)* )
  | (?P<raw>(?:u8|[uUL])?R"(?P<end>[^()\\\s]*)\(.*?\)(?P=end)")
  | (?P<text>(?:u8|[uUL])?(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'))
  | (?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
  | (?P<name>[A-Za-z_]\w*)
  | (?P<sign><=>|[-+*/%&|^=!<>]=|\+\+|--|->|&&|\|\||::|\.\.\.|.)
""", re.X | re.S)
NO_RETURN = re.compile(r"\[\[noreturn\]\][^;{(]*?(\w+)\(")
KINDS = ("throws", "checks", "returns")
CHECK = re.compile(r"(?:check|require|refuse|expect|verify|ensure)(?:_\w+)?")
CLOSING = {"(": ")", "{": "}", "[": "]"}
STATEMENT_FOLLOWS = {";", "{", "}", "else", "do"}


@dataclasses.dataclass
class Token:
    text: str
    begin: int
    end: int


@dataclasses.dataclass
class Guard:
    file: str
    line: int
    kind: str
    text: str  # on one line
    condition: tuple  # where it stands in the source; None where a call is what is switched off
    declared: str  # what the condition declares, if it does
    call: int  # where it begins
    occurrence: int = 0  # of the same text in this file

    @property
    def key(self):
        """Stays the same where lines move."""
        return f"{self.file}:{self.occurrence}:{self.text}"


def tokens_of(source):
    found = []
    for match in TOKEN.finditer(source):
        if match.lastgroup not in ("blank", "directive"):
            found.append(Token(match[0], match.start(), match.end()))
    return found


def no_return_names(sources):
    """The functions of these sources that do not return, as their declarations say."""
    return {name for source in sources for name in NO_RETURN.findall(source)}


class Finder:
    def __init__(self, file, source, throwing):
        self.file, self.source, self.throwing = file, source, throwing
        self.tokens = tokens_of(source)
        self.texts = [token.text for token in self.tokens]

    def closing(self, i):
        """Of the token that closes what this one opens."""
        opened = []
        for at in range(i, len(self.texts)):
            text = self.texts[at]
            if text in CLOSING:
                opened.append(CLOSING[text])
            elif opened and text == opened[-1]:
                opened.pop()
                if not opened:
                    return at
        raise ValueError(f"{self.file}: nothing closes what is opened at byte {self.tokens[i].begin}")

    def semicolon(self, i, end):
        """The first one from here on that is in no brackets, or None."""
        while i < end:
            if self.texts[i] == ";":
                return i
            i = self.closing(i) + 1 if self.texts[i] in CLOSING else i + 1
        return None

    def called(self, i):
        """The function's name, where `a::b.c->name(...);` begins here, and the place of the semicolon."""
        if i >= len(self.texts) or not re.match(r"[A-Za-z_]", self.texts[i]):
            return None, None
        while i + 2 < len(self.texts) and self.texts[i + 1] in ("::", ".", "->"):
            i += 2
        if self.texts[i + 1] != "(":
            return None, None
        close = self.closing(i + 1)
        return (self.texts[i], close + 1) if self.texts[close + 1] == ";" else (None, None)

    def kind_of_simple(self, i):
        """What a statement without braces is, None if it is no guard's."""
        first = self.texts[i]
        if first == "throw":
            return "throws"
        name, _ = self.called(i + 1 if first == "return" else i)
        if name in self.throwing:
            return "throws"
        if first == "return":
            return "returns"
        return "checks" if name is not None and CHECK.fullmatch(name) else None

    def body(self, i):
        """The kind of a body that begins here, and the token after it."""
        if self.texts[i] != "{":
            end = self.semicolon(i, len(self.texts))
            return (None, None) if end is None or self.texts[i] in ("if", "for", "while", "do", "switch") else (
                self.kind_of_simple(i), end + 1)
        close, starts, at = self.closing(i), [], i + 1
        while at < close:
            starts.append(at)
            end = self.semicolon(at, close)
            if end is None:
                return None, None
            at = end + 1
        if not starts:
            return None, None
        kind = self.kind_of_simple(starts[-1])
        if len(starts) > 1 and (kind != "throws" or any(self.texts[s] in ("if", "for", "while") for s in starts)):
            return None, None
        return kind, close + 1

    def condition(self, open_, close):
        """Where it begins, and the name that it declares; None where a switch cannot be planted."""
        begin = open_ + 1
        while (end := self.semicolon(begin, close)) is not None:
            begin = end + 1
        at = begin
        while at < close:
            if self.texts[at] == "=":
                name = self.texts[at - 1]
                return (begin, name) if begin == open_ + 1 and re.fullmatch(r"[A-Za-z_]\w*", name) else None
            at = self.closing(at) + 1 if self.texts[at] in CLOSING else at + 1
        return begin, None

    def conditional(self, i):
        open_ = i + 1
        if self.texts[open_] != "(":
            return None  # if constexpr
        close = self.closing(open_)
        kind, after = self.body(close + 1)
        if kind is None or (after < len(self.texts) and self.texts[after] == "else"):
            return None
        if kind == "checks":
            return self.guard(kind, i, after, call=close + 1 if self.texts[close + 1] != "{" else close + 2)
        place = self.condition(open_, close)
        if place is None:
            return None
        begin, declared = place
        return self.guard(kind, i, after, (self.tokens[begin].begin, self.tokens[close].begin), declared)

    def guard(self, kind, i, after, condition=None, declared=None, call=None):
        begin, end = self.tokens[i].begin, self.tokens[after - 1].end
        return Guard(self.file, self.source.count("\n", 0, begin) + 1, kind, " ".join(self.source[begin:end].split()),
                     condition, declared, None if call is None else self.tokens[call].begin)

    def find(self):
        found, calls = [], set()
        for i, text in enumerate(self.texts):
            if text == "if":
                guard = self.conditional(i)
                if guard is not None:
                    found.append(guard)
                    calls.add(guard.call)
            elif CHECK.match(text) or (i + 1 < len(self.texts) and self.texts[i + 1] in ("::", ".", "->")):
                if self.tokens[i].begin in calls or not self.begins_statement(i):
                    continue
                name, end = self.called(i)
                if name is not None and CHECK.fullmatch(name) and name not in self.throwing:
                    found.append(self.guard("checks", i, end + 1, call=i))
        seen = {}
        for guard in found:
            guard.occurrence = seen[guard.text] = seen.get(guard.text, -1) + 1
        return found

    def begins_statement(self, i):
        before = self.texts[i - 1] if i > 0 else ";"
        return before in STATEMENT_FOLLOWS or (before == ")" and self.after_head(i - 1))

    def after_head(self, close):
        """Whether this parenthesis closes the head of a loop or a condition."""
        depth = 0
        for at in range(close, -1, -1):
            depth += (self.texts[at] == ")") - (self.texts[at] == "(")
            if depth == 0:
                return at > 0 and self.texts[at - 1] in ("if", "for", "while", "constexpr")
        return False


def find(file, source, throwing):
    return Finder(file, source, throwing).find()


def planted(source, guards, numbers, header):
    """The source with a switch in each of these guards, whose numbers these are, including the header."""
    changes = []  # where, in place of how much, what
    for guard, number in zip(guards, numbers):
        if guard.condition is None:
            changes.append((guard.call, f"if (::guards::Call guards_call{{{number}u}}; !guards_call) {{}} else "))
        elif guard.declared is not None:
            changes.append((guard.condition[1], f"; ::guards::fires({number}u, static_cast<bool>({guard.declared}))"))
        else:
            changes.append((guard.condition[0], f"::guards::fires({number}u, static_cast<bool>("))
            changes.append((guard.condition[1], "))"))
    text, at = [f'#include "{header}"\n#line 1\n'], 0
    for place, new in sorted(changes, key=lambda change: change[0]):
        text += [source[at:place], new]
        at = place
    return "".join(text) + source[at:]
