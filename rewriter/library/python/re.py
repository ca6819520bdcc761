"""Of Python's module: regular expressions of ASCII texts that are known when the program is read."""
import _sre

I = IGNORECASE = 2
M = MULTILINE = 8
S = DOTALL = 16
U = UNICODE = 32

_SEARCH, _MATCH, _FULLMATCH = 0, 1, 2


class Match:
    def __init__(self, pattern, string, spans):
        self.re = pattern
        self.string = string
        self._spans = spans
        self.lastindex = None

    def _place(self, group):
        if isinstance(group, str):
            if group not in self.re.groupindex:
                raise IndexError('no such group')
            return self.re.groupindex[group]
        if group < 0 or group >= len(self._spans):
            raise IndexError('no such group')
        return group

    def _text(self, group, default=None):
        start, end = self._spans[self._place(group)]
        return default if start < 0 else self.string[start:end]

    def group(self, *groups):
        if len(groups) == 0:
            return self._text(0)
        if len(groups) == 1:
            return self._text(groups[0])
        return tuple([self._text(group) for group in groups])

    def __getitem__(self, group):
        return self._text(group)

    def groups(self, default=None):
        return tuple([self._text(k, default) for k in range(1, len(self._spans))])

    def groupdict(self, default=None):
        return {name: self._text(name, default) for name in self.re.groupindex}

    def start(self, group=0):
        return self._spans[self._place(group)][0]

    def end(self, group=0):
        return self._spans[self._place(group)][1]

    def span(self, group=0):
        return self._spans[self._place(group)]

    def expand(self, template):
        made, at = '', 0
        while at < len(template):
            letter = template[at]
            at += 1
            if letter != '\\':
                made += letter
                continue
            letter = template[at]
            at += 1
            if letter == 'g':
                end = template.index('>', at)
                name = template[at + 1:end]
                made += self._text(int(name) if name.isdigit() else name, '')
                at = end + 1
            elif letter.isdigit():
                if template[at:at + 1].isdigit():
                    letter += template[at]
                    at += 1
                made += self._text(int(letter), '')
            elif letter in 'nrt\\':
                made += {'n': '\n', 'r': '\r', 't': '\t', '\\': '\\'}[letter]
            else:
                made += '\\' + letter
        return made

    def __bool__(self):
        return True

    def __repr__(self):
        return f'<re.Match object; span={self.span()!r}, match={self.group()!r}>'


class Pattern:
    def __init__(self, pattern, flags):
        self.pattern = pattern
        self.flags = flags
        names = _sre.groups(pattern, flags)
        self.groups = len(names)
        self.groupindex = {name: k + 1 for k, name in enumerate(names) if name != ''}

    def _find(self, string, at, mode, advances=False):
        spans = _sre.match(self.pattern, self.flags, string, at, mode, advances)
        return None if spans is None else Match(self, string, spans)

    def search(self, string, pos=0):
        return self._find(string, pos, _SEARCH)

    def match(self, string, pos=0):
        return self._find(string, pos, _MATCH)

    def fullmatch(self, string, pos=0):
        return self._find(string, pos, _FULLMATCH)

    def _all(self, string):
        found, at, advances = [], 0, False
        while True:
            match = self._find(string, at, _SEARCH, advances)
            if match is None:
                return found
            found.append(match)
            at = match.end()
            advances = match.start() == at

    def finditer(self, string):
        return iter(self._all(string))

    def findall(self, string):
        found = self._all(string)
        if self.groups == 0:
            return [match.group() for match in found]
        if self.groups == 1:
            return [match._text(1, '') for match in found]
        return [match.groups('') for match in found]

    def subn(self, repl, string, count=0):
        made, at, done = '', 0, 0
        for match in self._all(string):
            if count > 0 and done == count:
                break
            made += string[at:match.start()] + (match.expand(repl) if isinstance(repl, str) else repl(match))
            at = match.end()
            done += 1
        return made + string[at:], done

    def sub(self, repl, string, count=0):
        return self.subn(repl, string, count)[0]

    def split(self, string, maxsplit=0):
        parts, at, done = [], 0, 0
        for match in self._all(string):
            if maxsplit > 0 and done == maxsplit:
                break
            parts.append(string[at:match.start()])
            parts.extend(match.groups())
            at = match.end()
            done += 1
        parts.append(string[at:])
        return parts


def compile(pattern, flags=0):
    return pattern if isinstance(pattern, Pattern) else Pattern(pattern, flags)


def search(pattern, string, flags=0):
    return compile(pattern, flags).search(string)


def match(pattern, string, flags=0):
    return compile(pattern, flags).match(string)


def fullmatch(pattern, string, flags=0):
    return compile(pattern, flags).fullmatch(string)


def findall(pattern, string, flags=0):
    return compile(pattern, flags).findall(string)


def finditer(pattern, string, flags=0):
    return compile(pattern, flags).finditer(string)


def sub(pattern, repl, string, count=0, flags=0):
    return compile(pattern, flags).sub(repl, string, count)


def subn(pattern, repl, string, count=0, flags=0):
    return compile(pattern, flags).subn(repl, string, count)


def split(pattern, string, maxsplit=0, flags=0):
    return compile(pattern, flags).split(string, maxsplit)


def escape(pattern):
    return ''.join([letter if letter.isalnum() or letter in '_\'"!%,/:;<=>@`' else '\\' + letter for letter in pattern])
