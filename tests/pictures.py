"""PNG files, read without the library that wrote them."""

import struct
import zlib

import numpy as np

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunks(data):
    """The type and the content of each chunk, its checksum verified."""
    at = len(SIGNATURE)
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        content = data[at + 8:at + 8 + size]
        checksum, = struct.unpack(">I", data[at + 8 + size:at + 12 + size])
        if zlib.crc32(kind + content) != checksum:
            raise ValueError(f"the chunk {kind} is damaged")
        yield kind, content
        at += 12 + size


def paeth(left, above, corner):
    guess = left + above - corner
    return min((left, above, corner), key=lambda x: abs(guess - x))


def unfiltered(kind, row, above):
    """A row of bytes as it was before the filter of RFC 2083, section 6."""
    result = []
    for j, byte in enumerate(row):
        left = result[j - 1] if j else 0
        corner = above[j - 1] if j else 0
        result.append((byte + (0, left, above[j], (left + above[j]) // 2, paeth(left, above[j], corner))[kind]) % 256)
    return result


def read_png(path):
    """An 8-bit grey picture as an array of height x width."""
    data = path.read_bytes()
    if not data.startswith(SIGNATURE):
        raise ValueError(f"{path} is no PNG")
    parts = list(chunks(data))
    width, height, *form = struct.unpack(">IIBBBBB", parts[0][1])
    if parts[0][0] != b"IHDR" or parts[-1] != (b"IEND", b"") or form != [8, 0, 0, 0, 0]:
        raise ValueError(f"{path} is no plain grey PNG: {form}")
    raw = zlib.decompress(b"".join(content for kind, content in parts if kind == b"IDAT"))
    if len(raw) != height * (width + 1):
        raise ValueError(f"{path} has {len(raw)} bytes for {height} rows of {width}")
    rows = [[0] * width]
    for i in range(height):
        line = raw[i * (width + 1):(i + 1) * (width + 1)]
        rows.append(unfiltered(line[0], line[1:], rows[-1]))
    return np.array(rows[1:], dtype=int).reshape(height, width)


def grid(tiles, columns=10, zoom=2, gap=2, background=255):
    """Tiles of one size in rows of `columns`, as tools/png.hpp describes it."""
    columns = min(columns, len(tiles))
    rows = -(-len(tiles) // columns)
    height, width = tiles[0].shape
    down, across = height * zoom + gap, width * zoom + gap
    result = np.full((rows * down + gap, columns * across + gap), background)
    for k, tile in enumerate(tiles):
        top, left = k // columns * down + gap, k % columns * across + gap
        result[top:top + height * zoom, left:left + width * zoom] = np.kron(tile, np.ones((zoom, zoom), int))
    return result
