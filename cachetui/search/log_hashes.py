"""Hashes in a log, such as that of a CI job: any bytes, of any length, of which a block is held at a time.

Four rules find them, each by the text around 7 or 32 characters (the names are those of the function `_Log._read`):
W: 32 characters anywhere. C: a column in front of `name@version`. S: a `/` in front of it, after a space or a spec.
M: the last field of a module or prefix, which counts only if the content has this hash of a package named before it.
Input: a log, and the names of the packages of a content; nothing else is looked up.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterator, Sequence
from io import BytesIO
from typing import BinaryIO

from msgspec.structs import replace

from cachetui.search.hash_extraction import HashQuery, asked_by

BLOCK = 1 << 20
"""Bytes of a log that are read at a time."""

CONTEXT = 1024
"""Maximum number of bytes before a hash that identify it; more than a spec with its variants has."""

PARTS, LONGEST = 4, 200
"""Parts of a path, and their bytes, before a last field among which the name of its package is."""

_ESCAPE = re.compile(rb"\x1b(?:\[[0-?]{0,99}[ -/]{0,9}([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>@-Z\\^_])")
_NEW_LINE = frozenset(b"ABEFHJSTdf")
"""The last bytes of control sequences after which another line begins."""
_WORD = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

_TOKEN = re.compile(rb"\b(?:[a-z2-7]{32}|[a-z2-7]{7}|(?<=\s/)[a-z2-7]{1,31})\b")
_STAMP = rb"\d{4}-\d\d-\d\d[T -]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
_LINE_START = re.compile(
    rb"(?:\xef\xbb\xbf|"
    + _STAMP
    + rb"(?:[ ]\d\d[OE][+ ]?)?|\d\d:\d\d:\d\d(?:[.,]\d+)?|==>|\[[^\]\n\r]*\]|\#\d+(?:[ ]\d+\.\d+)?(?=[ ])"
    rb"|section_(?:start|end):\d+:[\w.-]+|\#\#\[\w+\]|[-+$](?=[ ])|\s)*+",
    re.VERBOSE,
)
"""What runners and installers write before a line: times, marks, prompts."""
_MARKED = re.compile(rb"(?:^|\s)(?:\[[^\]\n\r]\]|-)[ \t]+$")
_SPEC = re.compile(rb"(?P<name>[A-Za-z0-9_][\w.-]*)@{1,2}=?(?P<version>[A-Za-z0-9_][^\s]*)")
_LISTED = re.compile(rb"[ \t]+(?:\[[a-z ]{1,9}\][ \t]+)?\^?(?P<spec>" + _SPEC.pattern + rb")")
"""What follows the column of hashes of `spack find -l` and of `spack spec -l` with and without types."""
_RELEASE = re.compile(rb"v?\d|git\.|(?:develop|main|master|head|trunk|stable)(?![\w@])")
"""The beginning of a certain version, and not of the host in an address."""
_SETTING = re.compile(rb"[a-z_]\w*:?==?\S*")
_COMMAND = re.compile(rb"(?:^|[\s;&|/(])spack[ \t)]")
_AFTER_S = re.compile(rb"[/\\-]|\.\w")
_AFTER_M = re.compile(rb"[-@=]|\.\d")
_JOINTS = (b"/", b"-", b"\\")
_SPACES = (b" ", b"\t")
_OPEN = b" \t\r\n\"'`([{<,;^"
_SLASHES = re.compile(rb"[/\\@=]")
_PUNCTUATION = b"^\"'`([{<,;"
_NO_HASH = frozenset(
    b"runtime release default restore archive library install compile service missing warning package loading removed"
    b" skipped updated fetched pushing testing linking require upgrade created rebuild".split()
)
"""Words of seven characters that are also written before a spec."""


def asked_in(words: Sequence[str], packages: Container[str] = ()) -> list[HashQuery]:
    """Return the hashes in the arguments: in each one, or in all together if they are the words of one line."""
    apart = [asked_by(word) for word in words]
    is_line = len(words) > 1 and not all(
        each.hash and not word.startswith(("%", "+", "~")) and "=" not in word
        for word, each in zip(words, apart, strict=True)
    )
    together = _in_argument(" ".join(words), packages) if is_line else []
    if together and (together[0].hash or not any(each.hash for each in apart)):
        return together
    return [hit for word in words for hit in _in_argument(word, packages)]


def _in_argument(text: str, packages: Container[str]) -> list[HashQuery]:
    asked = asked_by(text)
    if asked.hash and (asked.rest or not text.strip().count(" ")):
        return [asked]
    found = asked_in_log(BytesIO(text.encode("utf-8", "replace")), packages)
    return [replace(each, line=None, doubtful=False) for each in found] or [asked]


def asked_in_log(stream: BinaryIO, packages: Container[str] = ()) -> list[HashQuery]:
    """Return each hash of a log once, in order, and of a short and a whole one that begins so the whole one."""
    found: dict[tuple[bytes, bytes], HashQuery] = {}
    sure: set[bytes] = set()
    for piece, line in _pieces(stream):
        at = 0
        for match in _TOKEN.finditer(piece):
            token = match[0]
            if token in sure:
                continue
            label, is_sure = _read(piece, match.start(), match.end(), packages)
            if label is None or (token, label) in found:
                continue
            line += piece.count(b"\n", at, match.start())
            at = match.start()
            if is_sure:
                sure.add(token)
            text, named = token.decode(), label.decode("utf-8", "replace")
            found[token, b"" if is_sure else label] = HashQuery(text, text, named, line=line, doubtful=not is_sure)
    in_order = sorted(sure)
    return [each for (token, _), each in found.items() if not _is_begun(token, in_order, each.doubtful)]


def _is_begun(token: bytes, sure: Sequence[bytes], doubtful: bool) -> bool:
    """Return whether a longer hash begins with this one; for a doubtful one, also whether the same hash is sure."""
    place = bisect_right(sure, token) if not doubtful else bisect_left(sure, token)
    return place < len(sure) and sure[place].startswith(token)


def _read(text: bytes, start: int, end: int, packages: Container[str]) -> tuple[bytes | None, bool]:
    """Return the label of a token, and whether it is certainly a hash; None for another word."""
    size, sign = end - start, text[start - 1 : start]
    touches = sign in _JOINTS
    if size != 32 and not touches and text[end : end + 1] not in _SPACES:
        return None, False
    floor = max(start - CONTEXT, 0)
    low = max(text.rfind(b"\n", floor, start), text.rfind(b"\r", floor, start)) + 1
    before = text[max(low, floor) : start]
    if size in (7, 32) and (listed := _LISTED.match(text, end)):
        marked = bool(_MARKED.search(before))
        if marked or before.endswith((b"  ", b"\t")) or _LINE_START.fullmatch(before):  # C
            is_spec = _is_spec(listed, packages) and (marked or text[start:end] not in _NO_HASH)
            return listed["spec"], is_spec or size == 32
    word = before[:-1].rpartition(b" ")[2].rpartition(b"\t")[2] if touches else b""
    label = _labelled(before[:-1], word, packages) if sign == b"/" else None
    if size == 32:  # W
        return word.rpartition(b"/")[2] if label is None else label, True
    if label is not None and not _AFTER_S.match(text, end):  # S
        if size != 7 and not _COMMAND.search(before):
            return None, False
        spec = _SPEC.match(label)
        return label, _is_spec(spec, packages) if spec else not text[start:end].isalpha()
    word = word[-LONGEST:]
    is_field = word and size == 7 and not _AFTER_M.match(text, end) and _names(word, packages)
    return (word if is_field else None), False  # M


def _labelled(before: bytes, word: bytes, packages: Container[str]) -> bytes | None:
    """Return the spec before the `/` of a hash, empty for none; None if the `/` belongs to a path."""
    if not word or word[-1] in _OPEN:
        # CI names the job of a spec `hdf5@1.14 /2feova4`
        last = before.rstrip(b" \t").rpartition(b" ")[2].lstrip(_PUNCTUATION)
        is_named = before.endswith(b" ") and (_SPEC.match(last) or _known(last, packages))
        return last if is_named else b""
    word = word.lstrip(_PUNCTUATION)
    if _known(word, packages) or (_SPEC.match(word) and b"://" not in word):
        return word
    if _SETTING.fullmatch(word) and b"/" not in word:
        specs = [each for each in before.split() if _SPEC.match(each.lstrip(_PUNCTUATION))]
        return specs[-1].lstrip(_PUNCTUATION) if specs else b""
    return None


def _names(word: bytes, packages: Container[str]) -> bool:
    """Return whether one of the last parts of a path, or of the name of a module, begins with the name of a package."""
    for part in _SLASHES.split(word)[-PARTS:]:
        at = len(part)
        while at > 0:
            if _known(part[:at], packages):
                return True
            at = part.rfind(b"-", 0, at)
    return False


def _known(name: bytes, packages: Container[str]) -> bool:
    return name.decode("utf-8", "replace") in packages


def _is_spec(spec: re.Match[bytes], packages: Container[str]) -> bool:
    """Return whether `name@version` is surely a spec, and not an address."""
    return bool(_RELEASE.match(spec["version"])) or _known(spec["name"], packages)


def _pieces(stream: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield the log without control sequences in pieces of whole lines, each with the number of its first line.

    A line longer than a block is cut at a space, else between two words, and a longer word holds no hash.
    """
    rest, line = b"", 1
    while block := stream.read(BLOCK):
        rest = _ESCAPE.sub(_line_or_nothing, rest + block)
        cut = rest.rfind(b"\n") + 1
        if not cut and len(rest) > BLOCK:
            cut = rest.rfind(b" ") + 1 or len(rest.rstrip(_WORD))
            if not cut:
                rest = rest[-64:]
        if cut:
            yield rest[:cut], line
            line += rest.count(b"\n", 0, cut)
            rest = rest[cut:]
    yield rest, line


def _line_or_nothing(found: re.Match[bytes]) -> bytes:
    return b"\r" if found[1] and found[1][0] in _NEW_LINE else b""
