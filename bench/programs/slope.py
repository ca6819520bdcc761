# What comes back through a sigmoid. d, h: matrices.
r = d * h * (1 - h)
