import numpy as np


class StockError(Exception):
    def __init__(self, sku, wanted, have):
        self.sku = sku
        self.wanted = wanted
        self.have = have
        super().__init__(f"{sku}: wanted {wanted}, have {have}")


class Inventory:
    def __init__(self):
        self._items = {}
        self._log = []

    def receive(self, sku, qty, price=0.0):
        old_qty, old_price = self._items.get(sku, (0, 0.0))
        total = old_qty + qty
        avg = (old_qty * old_price + qty * price) / total
        self._items[sku] = (total, avg)
        self._log.append(("in", sku, qty))

    def ship(self, sku, qty):
        if sku not in self._items:
            raise KeyError(sku)
        have, price = self._items[sku]
        if qty > have:
            raise StockError(sku, qty, have)
        self._items[sku] = (have - qty, price)
        self._log.append(("out", sku, qty))
        return qty * price

    def value(self):
        return sum(q * p for q, p in self._items.values())

    def report(self):
        lines = []
        for sku in sorted(self._items):
            q, p = self._items[sku]
            lines.append(f"{sku:<8}|{q:>5d}|{p:>8.2f}")
        return "\n".join(lines)


inv = Inventory()
inv.receive("bolt", 100, 0.25)
inv.receive("nut", 50, 0.10)
inv.receive("bolt", 100, 0.35)
cost = 0.0
missed = []
for sku, qty in [("bolt", 30), ("nut", 70), ("gear", 1), ("bolt", 170), ("nut", 5)]:
    try:
        cost += inv.ship(sku, qty)
    except StockError as err:
        missed.append(str(err))
        print("short:", err, err.wanted - err.have)
    except KeyError as err:
        missed.append("unknown " + str(err))
        print("unknown", err)
    else:
        print("shipped", sku, qty)
    finally:
        print(f"value now {inv.value():.2f}")
print(inv.report())
print(missed, len(inv._log))
total = np.array([cost, inv.value()])
