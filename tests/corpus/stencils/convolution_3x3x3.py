# call: stencil27(a, b, c); a = normal(8, 9, 10); b = zeros(8, 9, 10); c = normal(3, 3, 3)


def stencil27(a, b, c):
    for i in range(3):
        for j in range(3):
            for k in range(3):
                b[1:-1, 1:-1, 1:-1] += c[i, j, k] * a[i:i + 6, j:j + 7, k:k + 8]
