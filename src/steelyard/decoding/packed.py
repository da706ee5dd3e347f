"""Compressed bytes unpacked, as far as their size allows. Pure."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress

GROWTH, LEAST = 8, 2_000
"""Bytes that are unpacked: so many times the packed ones, and at least so many; a verdict packs to a third."""

_UNPACKERS: tuple[Callable[[bytes, int], bytes], ...] = (
    lambda data, most: zlib.decompressobj(47).decompress(data, most),  # zlib and gzip
    lambda data, most: zlib.decompressobj(-15).decompress(data, most),  # neither header
    lambda data, most: bz2.BZ2Decompressor().decompress(data, most),
    # An lzma header may demand gigabytes of memory before the first byte is unpacked.
    lambda data, most: lzma.LZMADecompressor(memlimit=1 << 26).decompress(data, most),
)


def unpacked(data: bytes) -> Iterator[bytes]:
    """What the bytes are in each format that they are in."""
    for unpack in _UNPACKERS:
        with suppress(zlib.error, OSError, ValueError, EOFError, lzma.LZMAError):
            yield unpack(data, max(LEAST, GROWTH * len(data)))
