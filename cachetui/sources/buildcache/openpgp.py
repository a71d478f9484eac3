"""Read key ids from signatures and public keys, without verifying anything.

The format is the output of gpg: version 4 packets of RFC 4880, in ASCII armour.
Input: bytes of any origin; unreadable input raises ValueError.
"""

import hashlib
import re
from base64 import b64decode
from collections.abc import Iterator

ISSUER, ISSUER_FINGERPRINT = 16, 33
"""Types of the subpackets that identify the key of a signature."""

SIGNATURE, PUBLIC_KEY, PUBLIC_SUBKEY = 2, 6, 14
"""Types of packets."""

_ARMOUR = re.compile(
    rb"^-----BEGIN PGP (?:SIGNATURE|PUBLIC KEY BLOCK)-----[ \t]*\r?\n(?:\w+: .*\n)*[ \t]*\r?\n([A-Za-z0-9+/=\s]+?)"
    rb"(?:\n=[A-Za-z0-9+/]{4}\s*)?\s-----END",
    re.MULTILINE,
)


def is_whole(signed: bytes) -> bool:
    """Return whether a signature is complete."""
    return b"-----END PGP SIGNATURE-----" in signed


def issuer(signed: bytes) -> str | None:
    """Return the id of the key that made a signature. Return None if the signature lacks the id."""
    for kind, packet in _packets(signed):
        if kind == SIGNATURE and packet[:1] == b"\x04":
            hashed = int.from_bytes(packet[4:6])
            rest = packet[6 + hashed :]
            for area in (packet[6 : 6 + hashed], rest[2 : 2 + int.from_bytes(rest[:2])]):
                for found, data in _subpackets(area):
                    if found in (ISSUER, ISSUER_FINGERPRINT):
                        return data[-8:].hex().upper()
    return None


def key_ids(public_key: bytes) -> set[str]:
    """Return the ids of a public key and its subkeys; an id is the last 16 digits of a fingerprint."""
    return {
        hashlib.sha1(b"\x99" + len(packet).to_bytes(2) + packet, usedforsecurity=False).hexdigest()[-16:].upper()
        for kind, packet in _packets(public_key)
        if kind in (PUBLIC_KEY, PUBLIC_SUBKEY) and len(packet) < 2**16
    }


def _packets(text: bytes) -> Iterator[tuple[int, bytes]]:
    armoured = _ARMOUR.search(text)
    if armoured is None:
        raise ValueError("no signature or key was found")
    data, at = b64decode(armoured[1]), 0
    while at < len(data):
        head, at = data[at], at + 1
        if head & 0x40:
            kind = head & 0x3F
            length, at = _length(data, at)
        else:
            kind, size = head >> 2 & 0xF, 1 << (head & 3)
            length, at = int.from_bytes(data[at : at + size]), at + size
        yield kind, data[at : at + length]
        at += length


def _subpackets(area: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(area):
        length, at = _length(area, at)
        yield area[at] & 0x7F if at < len(area) else 0, area[at + 1 : at + length]
        at += max(length, 1)


def _length(data: bytes, at: int) -> tuple[int, int]:
    """Decode the length of a packet or subpacket at an offset. Return the length, and the offset of the data."""
    first = data[at] if at < len(data) else 0
    if first < 192:
        return first, at + 1
    if first < 255:
        return (first - 192 << 8) + int.from_bytes(data[at + 1 : at + 2]) + 192, at + 2
    return int.from_bytes(data[at + 1 : at + 5]), at + 5
