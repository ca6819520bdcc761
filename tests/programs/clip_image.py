# Brightness and contrast of a picture of three channels, its corners and a stripe set.
import numpy as np

image: (5, 6, 3)

bright = image * 1.5 + 0.25
bright[bright > 1.0] = 1.0
bright[bright < 0.0] = 0.0
gray = 0.299 * bright[:, :, 0] + 0.587 * bright[..., 1] + 0.114 * bright[..., -1]
bright[::2, :, 0] = 0
bright[0, 0] = [0.25, 0.5, 0.75]
bright[-1, :, :] = gray[0][:, None]
dark = gray < gray.mean()
bright[dark] = 0.125
flipped = bright[:, ::-1]
bgr = bright[:, :, ::-1]
small = bright[::2, ::2]
channels = np.moveaxis(bright, -1, 0)
per_channel = channels.mean(axis=(1, 2))
