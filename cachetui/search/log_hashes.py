"""Hashes in a log, such as that of a CI job: any bytes, of any length, of which a block is held at a time.

A hash is known by its letters and by the text around it; nothing is looked up.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import BinaryIO, NamedTuple

from cachetui.search.hash_extraction import HashQuery

BLOCK = 1 << 20
"""Bytes of a log that are read at a time."""

_CONTEXT = 256
"""Bytes in front of a hash in which its package is looked for, and more than a hash has."""

_COLOUR = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
_HASH = re.compile(
    # a line of `spack find -l` and `spack spec -l`: perhaps a mark, the hash, the spec
    rb"^[ \t]*(?:\[[-+^e ]\]|-)?[ \t]*(?P<listed>[a-z2-7]{7,31})[ \t]+"
    rb"\^?(?P<spec>[a-z0-9_][a-z0-9_-]*(?P<version>@[^\s%/]*)?)(?![\w.])"
    rb"|(?<![\w.+-])(?P<name>[a-z0-9_][\w-]*-(?:[0-9][\w.]*|develop|main|master))-(?P<file>[a-z2-7]{7})(?![\w-]|\.[0-9])"
    rb"|(?<![A-Za-z0-9])(?P<long>[a-z2-7]{32})(?![A-Za-z0-9])"
    rb"|(?P<short>/[a-z2-7]{7,31})(?![A-Za-z0-9/_-]|\.[A-Za-z0-9_])",
    re.MULTILINE,
)
"""What looks like a hash; of several shapes the first one counts."""
_LONG_LABEL = re.compile(rb"([A-Za-z0-9_][\w.+@=-]*)(?:-|\s?/)$")
_VERSIONED = rb"([A-Za-z0-9_][\w.-]*@{1,2}=?(?:v?[0-9]|git\.|develop|main|master)[^\s/]*)"
_NAME_VERSION = re.compile(_VERSIONED + rb"\s?$")
_WHOLE_SPEC = re.compile(_VERSIONED + rb"(?:[ \t]+[^\s/]+)*[ \t]+arch=[\w.-]+$")
"""A spec with its variants and its architecture; a hash touches its end."""
_NAME_LETTERS = b"abcdefghijklmnopqrstuvwxyz0123456789_-"
_SHOWN_HASH = re.compile(r"/(?=[a-z]*[2-7]+[a-z])[a-z2-7]{7}")
"""Seven letters with a digit inside, as Spack shows hashes: hardly a word of a path looks so."""
_OPEN = b" \t\r\n\"'`([{<,;"
_PACKAGE = re.compile(rb"(?:^|[ \t\r\n\"'`(\[{<,;=&?^])([a-z0-9_][a-z0-9_-]*)$")
_AT_VERSION = re.compile(r"[@-](?=[0-9]|develop|main|master)")
_ADDRESS = re.compile(rb"[a-z][a-z0-9+.-]*://\S*$")


class _Hit(NamedTuple):
    """What looks like a hash in a log."""

    hash: bytes
    """With its `/` where one stands before it."""
    label: bytes
    """The spec, where the pattern has found it too."""
    before: bytes
    line: int
    """Counted from 1."""
    sure: bool
    """Whether the pattern alone says that it is a hash."""


def asked_in_log(stream: BinaryIO, packages: Container[str] = ()) -> Iterator[HashQuery]:
    """Yield each hash of a log once, in order: 32 letters anywhere, 7 to 31 where something says that they are a hash.

    That is a `/` that opens a word or touches `name@version`, the name of a package or `^name`, or a line of
    `spack find -l` or `spack spec -l`. Doubtful are the end of a URL or file name, a word without a digit (three in
    four short hashes have one, few words), and what follows a name that is no package.
    """
    seen = set()
    for hit in _hits(stream):
        text = hit.hash.decode("ascii")
        if text.removeprefix("/") in seen:
            continue
        named, doubtful = hit.label.decode("utf-8", "replace"), not hit.sure
        if doubtful and _AT_VERSION.split(named)[0] not in packages:
            continue
        if text.startswith("/"):
            found = _named(hit.before, packages)
            if found is None:
                continue
            named, is_versioned, doubtful = found
            doubtful = doubtful and not (named and _SHOWN_HASH.fullmatch(text))
            doubtful = doubtful or (not is_versioned and text[1:].isalpha())
        seen.add(text.removeprefix("/"))
        yield HashQuery(text, text.removeprefix("/"), named, doubtful=doubtful, line=hit.line)


def _named(before: bytes, packages: Container[str]) -> tuple[str, bool, bool] | None:
    """Return the spec in front of a `/` and a short hash, whether it has a version, and whether all that is doubtful.

    None where the `/` belongs to a path.
    """
    is_spec = before.rpartition(b" ")[2].startswith(b"arch=")
    if label := (_WHOLE_SPEC if is_spec else _NAME_VERSION).search(before):
        return label[1].decode("utf-8", "replace"), True, False
    if not before or before[-1] in _OPEN:
        # GitLab shows the job of a spec as `hdf5 /2feova4`
        words = before[:-1] if before.endswith(b" ") else b""
        name = words[len(words.rstrip(_NAME_LETTERS)) :].decode("ascii")
        return name if name in packages else "", False, False
    package = _PACKAGE.search(before)
    named = package[1].decode("ascii") if package else ""
    if package and (named in packages or before[package.start() : package.start(1)] == b"^"):
        return named, False, False
    # it may be the end of a path or URL, so it counts only where the catalogue has this hash
    return (named, False, True) if package or _ADDRESS.search(before) else None


def _hits(stream: BinaryIO) -> Iterator[_Hit]:
    """Yield all that looks like a hash."""
    buffer, start, more, lines = b"", 0, True, 1
    while more:
        block = stream.read(BLOCK)
        more = bool(block)
        buffer = _COLOUR.sub(b"", buffer + block)
        # what begins near the end is read with the next block, where it may go on
        end = max(len(buffer) - _CONTEXT, start) if more else len(buffer)
        counted = 0
        for match in _HASH.finditer(buffer, start):
            if match.start() < end:
                lines += buffer.count(b"\n", counted, match.start())
                counted = match.start()
                yield _hit(match, lines)
        cut = max(end - _CONTEXT, 0)
        # the lines of what is kept are counted with the next block
        lines += buffer.count(b"\n", counted, cut) if cut >= counted else -buffer.count(b"\n", cut, counted)
        buffer, start = buffer[cut:], end - cut


def _hit(match: re.Match[bytes], line: int) -> _Hit:
    if match["listed"]:
        return _Hit(match["listed"], match["spec"], b"", line, bool(match["version"]))
    if match["file"]:
        return _Hit(match["file"], match["name"], b"", line, False)
    before = match.string[max(match.start() - _CONTEXT, 0) : match.start()]
    label = _LONG_LABEL.search(before) if match["long"] else None
    return _Hit(match[0], label[1] if label else b"", before, line, True)
