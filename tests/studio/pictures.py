"""Pictures for tests, written by hand."""

import struct
import zlib


def png(rows):
    """A PNG file of rows of grey values, or of (red, green, blue)."""
    colour = isinstance(rows[0][0], tuple)
    lines = b"".join(b"\0" + bytes(part for cell in row for part in (cell if colour else (cell,))) for row in rows)

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    head = struct.pack(">IIBBBBB", len(rows[0]), len(rows), 8, 2 if colour else 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b"")
