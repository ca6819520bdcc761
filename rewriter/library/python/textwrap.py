"""Of Python's module: texts as paragraphs."""


def dedent(text):
    lines = [line if line.strip(' \t') else '' for line in text.split('\n')]
    margin = None
    for line in lines:
        if not line:
            continue
        indent = line[:len(line) - len(line.lstrip(' \t'))]
        if margin is None:
            margin = indent
            continue
        shared = 0
        while shared < len(margin) and shared < len(indent) and margin[shared] == indent[shared]:
            shared += 1
        margin = margin[:shared]
    return '\n'.join([line[len(margin):] if line and margin else line for line in lines])


def indent(text, prefix, predicate=None):
    made = []
    for line in text.splitlines(True):
        takes = predicate(line) if predicate is not None else line.strip() != ''
        made.append(prefix + line if takes else line)
    return ''.join(made)


def _chunks(text):
    """Words and the blanks between them, by turns."""
    made = []
    for letter in text.expandtabs():
        letter = ' ' if letter in '\n\v\f\r' else letter
        if made and (made[-1][-1] == ' ') == (letter == ' '):
            made[-1] += letter
        else:
            made.append(letter)
    return made


def wrap(text, width=70, initial_indent='', subsequent_indent=''):
    if '-' in text:
        raise NotImplementedError('textwrap of words with hyphens is not supported')
    lines = []
    left = _chunks(text)
    while left:
        start = subsequent_indent if lines else initial_indent
        room = width - len(start)
        if lines and left[0].strip() == '':
            left = left[1:]
        line, length = [], 0
        while left and length + len(left[0]) <= room:
            line.append(left[0])
            length += len(left[0])
            left = left[1:]
        if left and len(left[0]) > room:
            rest = room - length if room >= 1 else 1
            line.append(left[0][:rest])
            left = [left[0][rest:]] + left[1:]
        if line and line[-1].strip() == '':
            line = line[:-1]
        if line:
            lines.append(start + ''.join(line))
    return lines


def fill(text, width=70, initial_indent='', subsequent_indent=''):
    return '\n'.join(wrap(text, width, initial_indent, subsequent_indent))


def shorten(text, width, placeholder=' [...]'):
    words = text.split()
    whole = ' '.join(words)
    if len(whole) <= width:
        return whole
    while words and len(' '.join(words)) + len(placeholder) > width:
        words = words[:-1]
    return ' '.join(words) + placeholder if words else placeholder.lstrip()
