#!/usr/bin/env python
"""Scores of a quiz."""
from __future__ import annotations

import numpy as np
import statistics as st
from pprint import pprint

RAW = "ann,3,x,5;bob,4,4,4;cy,,2,1;dee,5,5,5"


def to_number(s, default=None):
    try:
        return int(s)
    except ValueError:
        return default


def parse(raw):
    table = {}
    for line in raw.split(";"):
        name, *cells = line.split(",")
        table[name] = [to_number(c, 0) for c in cells]
    return table


def grade(mean):
    for limit, letter in ((4.5, "A"), (3.5, "B"), (2.0, "C")):
        if mean >= limit:
            return letter
    else:
        return "F"


class Summary(dict):
    def __getattr__(self, key):
        try:
            return self[key]
        except KeyError:
            raise AttributeError(key)


def summarize(scores):
    return Summary(mean=st.mean(scores), median=st.median(scores), spread=max(scores) - min(scores))


scores = parse(RAW)
sums = {n: summarize(s) for n, s in scores.items()}
for name, s in sums.items():
    print("%-5s mean=%.2f median=%g grade=%s" % (name, s.mean, s.median, grade(s.mean)))
try:
    sums["ann"].mode
except AttributeError as e:
    print("no", e)
pprint({"best": max(sums, key=lambda n: sums[n].mean), "n": len(sums)})
M = np.array(list(scores.values()), float)
z = (M - M.mean(0)) / np.where(M.std(0) > 0, M.std(0), 1)
ranks = M.sum(1).argsort().argsort()
print(*ranks, sep=" < ")
