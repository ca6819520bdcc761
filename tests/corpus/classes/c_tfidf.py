# TF-IDF and cosine similarity on a few word lists
import numpy as np

docs = [
    "the cat sat on the mat",
    "the dog sat on the log",
    "cats and dogs are animals",
    "the mat and the log are wooden",
]


class TfIdf:
    def __init__(self, smooth=True):
        self.smooth = smooth
        self.vocab = {}
        self.idf = None

    def _tokens(self, text):
        return text.lower().split()

    def fit(self, docs):
        for d in docs:
            for w in self._tokens(d):
                if w not in self.vocab:
                    self.vocab[w] = len(self.vocab)
        df = np.zeros(len(self.vocab))
        for d in docs:
            for w in set(self._tokens(d)):
                df[self.vocab[w]] += 1
        n = len(docs)
        if self.smooth:
            self.idf = np.log((1 + n) / (1 + df)) + 1
        else:
            self.idf = np.log(n / df)
        return self

    def transform(self, docs):
        out = np.zeros((len(docs), len(self.vocab)))
        for i, d in enumerate(docs):
            for w in self._tokens(d):
                try:
                    out[i, self.vocab[w]] += 1
                except KeyError:
                    pass  # unknown word
            out[i] /= max(out[i].sum(), 1)
        out = out * self.idf
        norms = np.linalg.norm(out, axis=1, keepdims=True)
        norms[norms == 0] = 1
        return out / norms


vec = TfIdf().fit(docs)
M = vec.transform(docs)
similarity = M @ M.T

query = vec.transform(["a cat on a mat"])[0]
scores = M @ query
ranked = sorted(enumerate(scores), key=lambda t: -t[1])
for i, s in ranked[:2]:
    print("%.3f  %s" % (s, docs[i]))
best_score = scores.max()
