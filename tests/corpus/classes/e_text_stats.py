import numpy as np
import string

TEXT = """The quick brown fox jumps over the lazy dog. The dog sleeps;
the fox does not. A quick dog, a lazy fox!"""

STOP = frozenset("a the over does not".split())


def words(text):
    table = str.maketrans("", "", string.punctuation)
    for w in text.translate(table).lower().split():
        if w not in STOP:
            yield w


def bigrams(seq):
    seq = list(seq)
    return list(zip(seq, seq[1:]))


counts = {}
for w in words(TEXT):
    counts[w] = counts.get(w, 0) + 1
vocab = sorted(counts, key=lambda w: (-counts[w], w))
for rank, w in enumerate(vocab, 1):
    print(f"{rank:>2}. {w.ljust(8, '.')}{counts[w]}")
print(bigrams(words(TEXT))[:3])
print("fox".rjust(6) + "|" + "dog".center(7, "*") + "|", "7".zfill(3), "a-b-c".rsplit("-", 1))
print(TEXT.find("fox"), TEXT.rfind("fox"), TEXT.count("dog"), TEXT.index("lazy"))
print("Fox".swapcase(), "ABC".isupper(), "ab1".isalnum(), "x\ty".expandtabs(4), "prefix_x".removeprefix("prefix_"))
longest = max(vocab, key=len)
hist = np.zeros(26, dtype=int)
for w in vocab:
    for ch in w:
        hist[ord(ch) - ord("a")] += counts[w]
print(longest, string.ascii_lowercase[int(hist.argmax())])
