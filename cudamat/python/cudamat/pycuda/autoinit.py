"""For programs that import it: there is nothing to be done."""

from . import driver

device = driver.Device(0)
context = driver.Context
