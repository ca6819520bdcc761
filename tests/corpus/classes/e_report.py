import numpy as np
from collections import defaultdict, Counter, namedtuple

Sale = namedtuple("Sale", "region product units price", defaults=(1.0,))

SALES = [
    Sale("north", "apple", 10, 0.5),
    Sale("south", "pear", 7, 0.75),
    Sale("north", "pear", 3, 0.8),
    Sale("west", "apple", 12, 0.45),
    Sale("south", "apple", 5),
    Sale("north", "plum", 8, 0.9),
]


class Table:
    def __init__(self, headers, widths=None):
        self.headers = headers
        self.rows = []
        self.widths = widths or [len(h) for h in headers]

    def add(self, *cells):
        cells = [c if isinstance(c, str) else format(c, ".2f") for c in cells]
        self.widths = [max(w, len(c)) for w, c in zip(self.widths, cells)]
        self.rows.append(cells)

    def __str__(self):
        sep = "+" + "+".join("-" * (w + 2) for w in self.widths) + "+"
        out = [sep, self._line(self.headers, str.center), sep]
        for row in self.rows:
            out.append(self._line(row, str.rjust))
        out.append(sep)
        return "\n".join(out)

    def _line(self, cells, align):
        return "| " + " | ".join(align(c, w) for c, w in zip(cells, self.widths)) + " |"


revenue = defaultdict(float)
units = Counter()
for s in SALES:
    revenue[s.region] += s.units * s.price
    units[s.product] += s.units

table = Table(["region", "revenue", "share"])
total = sum(revenue.values())
for region, amount in sorted(revenue.items(), key=lambda kv: -kv[1]):
    table.add(region.title(), amount, 100 * amount / total)
print(table)
for product, n in units.most_common(2):
    print(f"{product.capitalize():.<12}{n:03d}")
last = SALES[4]._replace(units=6)
print(last, last._asdict(), Sale._fields)
amounts = np.array([s.units * s.price for s in SALES])
order = np.argsort(amounts)[::-1]
top = [SALES[i].product for i in order[:2]]
print(top, sep="")
