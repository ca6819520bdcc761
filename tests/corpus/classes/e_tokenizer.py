import numpy as np


class ParseError(Exception):
    pass


class Lexer:
    def __init__(self, text):
        self.text = text
        self.pos = 0

    def __iter__(self):
        return self

    def __next__(self):
        while self.pos < len(self.text) and self.text[self.pos].isspace():
            self.pos += 1
        if self.pos >= len(self.text):
            raise StopIteration
        c = self.text[self.pos]
        if c.isdigit():
            begin = self.pos
            while self.pos < len(self.text) and (self.text[self.pos].isdigit() or self.text[self.pos] == "."):
                self.pos += 1
            return ("num", float(self.text[begin:self.pos]))
        if c.isalpha():
            begin = self.pos
            while self.pos < len(self.text) and self.text[self.pos].isalnum():
                self.pos += 1
            return ("name", self.text[begin:self.pos])
        self.pos += 1
        if c not in "+-*/()":
            raise ParseError("unexpected %r at %d" % (c, self.pos - 1))
        return ("op", c)


class Parser:
    def __init__(self, text, env):
        self.tokens = list(Lexer(text)) + [("end", None)]
        self.i = 0
        self.env = env

    def peek(self):
        return self.tokens[self.i]

    def take(self):
        tok = self.tokens[self.i]
        self.i += 1
        return tok

    def expr(self):
        value = self.term()
        while self.peek() in (("op", "+"), ("op", "-")):
            _, op = self.take()
            rhs = self.term()
            value = value + rhs if op == "+" else value - rhs
        return value

    def term(self):
        value = self.factor()
        while self.peek()[1] in ("*", "/"):
            _, op = self.take()
            rhs = self.factor()
            value = value * rhs if op == "*" else value / rhs
        return value

    def factor(self):
        kind, value = self.take()
        if kind == "num":
            return value
        if kind == "name":
            try:
                return self.env[value]
            except KeyError:
                raise ParseError(f"unknown name {value}") from None
        if (kind, value) == ("op", "("):
            inner = self.expr()
            if self.take() != ("op", ")"):
                raise ParseError("missing )")
            return inner
        if value == "-":
            return -self.factor()
        raise ParseError(f"unexpected {kind}")


env = {"x": np.array([1.0, 2.0, 3.0]), "two": 2.0, "zero": 0}
results = []
for text in ["x * two + 1", "-(x - 4) / two", "3 / zero", "x + q", "(1 + 2", "5 $ 3", "2 * (3 + 4) - 1.5"]:
    try:
        results.append(Parser(text, env).expr())
        print(text, "ok")
    except ParseError as e:
        print(text, "->", e)
    except ZeroDivisionError:
        print(text, "-> division by zero")
a, b, c = results
