import numpy as np


def conv_fft(a, k_ft):
    return np.real(np.fft.ifft2(np.fft.fft2(a) * k_ft))


def main():
    rng = np.random.default_rng(8)
    truth = np.zeros((32, 32))
    truth[8:12, 8:12] = 1.0
    truth[20:22, 15:25] = 0.5
    y, x = np.mgrid[-16:16, -16:16]
    psf = np.exp(-(x ** 2 + y ** 2) / 8.0)
    psf /= psf.sum()
    k_ft = np.fft.fft2(np.fft.ifftshift(psf))
    blurred = conv_fft(truth, k_ft) + 1e-3 * rng.random(truth.shape)
    estimate = np.full_like(blurred, 0.5)
    for it in range(20):
        ratio = blurred / (conv_fft(estimate, k_ft) + 1e-12)
        estimate *= conv_fft(ratio, np.conj(k_ft))
        if it % 5 == 0:
            print(it, np.mean((estimate - truth) ** 2))


if __name__ == "__main__":
    main()
