# call: fir(x, h, y); x = normal(100); h = normal(9); y = zeros(100)


def fir(x, h, y):
    taps = h.shape[0]
    for n in range(x.shape[0]):
        acc = 0.0
        for k in range(taps):
            if n - k >= 0:
                acc += h[k] * x[n - k]
        y[n] = acc
