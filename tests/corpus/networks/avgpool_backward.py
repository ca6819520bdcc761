# call: avgpool_backward(dout, dx, 2); dout = normal(2, 4, 4, 3); dx = zeros(2, 8, 8, 3)


def avgpool_backward(dout, dx, k):
    n, h, w, c = dout.shape
    for i in range(h):
        for j in range(w):
            dx[:, i * k:(i + 1) * k, j * k:(j + 1) * k, :] += dout[:, i:i + 1, j:j + 1, :] / (k * k)
