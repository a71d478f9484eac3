"""Find hashes in a log, such as the log of a CI job. A log may contain any bytes and have any length.

A hash is written as 32 characters, or as the first 7 characters. Four rules find hashes by the text around these
characters. The comments in `_LogPart` refer to the rules by letter:
- W (whole): 32 characters anywhere.
- C (column): 7 or 32 characters before `name@version`.
- S (slash): characters after a `/`, which follows a space or a spec.
- M (module): the last field of a module name or of an installation prefix. An M hash counts only if the content has
  this hash for a package whose name is in an earlier field.

Input: a log, and the package names of the content.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from io import BytesIO
from typing import BinaryIO

from msgspec.structs import replace

from cachetui.model.budget import Budget
from cachetui.search.hash_extraction import HashQuery, asked_by

BLOCK_BYTES = 1 << 20
"""Number of bytes of a log that are read at a time."""

CONTEXT_BYTES = 1024
"""Maximum number of bytes before a hash that are examined. A spec with its variants is shorter."""

MAX_HASHES = 500_000
"""Maximum number of hashes in a log."""

PARTS, PART_BYTES = 4, 200
"""A package name is searched in the path before a hash: in the last `PARTS` fields and the last `PART_BYTES` bytes."""

_ESCAPE = re.compile(rb"\x1b(?:\[[0-?]{0,99}[ -/]{0,9}([@-~])|\][^\x07\x1b]*(?:\x07|\x1b\\)|[()][A-Z0-9]|[=>@-Z\\^_])")
_NEW_LINE = frozenset(b"ABEFHJSTdf")
"""The last bytes of control sequences that start a new line."""
_WORD = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"

_STAMP = rb"\d{4}-\d\d-\d\d[T -]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
_LINE_START = re.compile(
    rb"(?:\xef\xbb\xbf|"
    + _STAMP
    + rb"(?:[ ]\d\d[OE][+ ]?)?|\d\d:\d\d:\d\d(?:[.,]\d+)?|==>|\[[^\]\n\r]*\]|\#\d+(?:[ ]\d+\.\d+)?(?=[ ])"
    rb"|section_(?:start|end):\d+:[\w.-]+|\#\#\[\w+\]|[-+$](?=[ ])|\s)*+",
    re.VERBOSE,
)
"""The prefixes that CI runners and installers add to lines: times, marks and prompts."""
_SPEC = re.compile(rb"(?P<name>[A-Za-z0-9_][\w.-]*)@{1,2}=?(?P<version>[A-Za-z0-9_][^\s]*)")
_LISTED = re.compile(rb"[ \t]+(?:\[[a-z ]{1,9}\][ \t]+)?\^?(?P<spec>" + _SPEC.pattern + rb")")
"""The text after the column of hashes in `spack find -l` and `spack spec -l`, with or without dependency types."""
_TOKEN = re.compile(
    rb"\b[a-z2-7]{7}\b(?:(?<=[/\\-].{7})(?!-)|(?=[ \t]+(?:\[[a-z ]{1,9}\][ \t]+)?\^?\w[\w.-]*@))|\b[a-z2-7]{32}\b"
)
_COMMAND = re.compile(rb"(?:^|[\s;&|/(])spack([ \t)][^\n\r]{0,1000})(?!\S)")
_IN_COMMAND = re.compile(_TOKEN.pattern + rb"|(?<=\s/)(?<!-[CDe][ ]/)[a-z2-7]{1,31}\b")
_MARKED = re.compile(rb"(?:^|\s)(?:\[[^\]\n\r]\]|-)$")
_RELEASE = re.compile(rb"v?\d|git\.|(?:develop|main|master|head|trunk|stable)(?![\w@])")
"""The beginning of a string that is certainly a version and not a host name in an address."""
_SETTING = re.compile(rb"[a-z_]\w*:?==?[^\s/]*")
_AFTER_S = re.compile(rb"[/\\-]|\.\w")
_AFTER_M = re.compile(rb"[-@=]|\.\d")
_JOINTS = (b"/", b"-", b"\\")
_SPACES = (b" ", b"\t")
_OPEN = b" \t\r\n\"'`([{<,;^"
_FLAT = bytes.maketrans(b"\\@=\t\n\r\f\v", b"///     ")
_PUNCTUATION = b"^\"'`([{<,;"
_SPACING = {b"\xc2\xa0": b" ", b"\xe2\x94\x82": b" ", b"::": b": "}
"""Texts that are replaced by a space: the no-break space, a terminal border, and the colons in GitHub's `::error::`."""
_SPEC_WORD = re.compile(rb"(?<!\S)[\^\"'`(\[{<,;]*(" + _SPEC.pattern + rb")")
_NO_HASH = frozenset(
    b"runtime release default restore archive library install compile service missing warning package loading removed"
    b" skipped updated fetched pushing testing linking require upgrade created rebuild".split()
)
"""Ordinary words of seven characters that look like a hash if a spec follows."""


def asked_in(words: Sequence[str], packages: Iterable[str] = ()) -> list[HashQuery]:
    """Return the hashes in these arguments. If the arguments are words of one log line, search the whole line."""
    apart = [asked_by(word) for word in words]
    is_line = len(words) > 1 and not all(
        each.hash and not word.startswith(("%", "+", "~")) and "=" not in word
        for word, each in zip(words, apart, strict=True)
    )
    together = _in_argument(" ".join(words), packages) if is_line else []
    if together and (together[0].hash or not any(each.hash for each in apart)):
        return together
    return [hit for word in words for hit in _in_argument(word, packages)]


def _in_argument(text: str, packages: Iterable[str]) -> list[HashQuery]:
    asked = asked_by(text)
    if asked.hash and (asked.rest or not text.strip().count(" ")):
        return [asked]
    found = asked_in_log(BytesIO(text.encode("utf-8", "replace")), packages)
    return [replace(each, line=None, doubtful=False) for each in found] or [asked]


def asked_in_log(stream: BinaryIO, packages: Iterable[str] = ()) -> list[HashQuery]:
    """Return the distinct hashes of a log, in order. Omit a short hash if the log also contains the whole hash.

    Raise OverBudgetError if there are more than `MAX_HASHES` hashes.
    """
    found: dict[tuple[bytes, bytes], HashQuery] = {}
    sure: set[bytes] = set()
    budget = Budget("the log", "hashes", MAX_HASHES)
    names = frozenset(name.encode() for name in packages)
    for piece, line in _pieces(stream):
        log = _LogPart(piece, names)
        at = 0
        for match in log.tokens():
            token = match[0]
            if token in sure:
                continue
            label, is_sure = log.read(match.start(), match.end())
            if label is None or (token, label) in found:
                continue
            budget.spend()
            line += piece.count(b"\n", at, match.start())
            at = match.start()
            if is_sure:
                sure.add(token)
            text, named = token.decode(), label.decode("utf-8", "replace")
            found[token, b"" if is_sure else label] = HashQuery(text, text, named, line=line, doubtful=not is_sure)
    in_order = sorted(sure)
    return [each for (token, _), each in found.items() if not _is_begun(token, in_order, each.doubtful)]


def _is_begun(token: bytes, sure: Sequence[bytes], doubtful: bool) -> bool:
    """Return whether a longer hash in `sure` begins with the token. `sure` is the sorted list of certain hashes.

    If `doubtful` is true, also return True if `sure` contains the token itself.
    """
    place = bisect_right(sure, token) if not doubtful else bisect_left(sure, token)
    return place < len(sure) and sure[place].startswith(token)


class _LogPart:
    """Some whole lines of a log, with methods that examine the text around a possible hash."""

    def __init__(self, text: bytes, names: frozenset[bytes]) -> None:
        """`names` are the names of all packages."""
        self.text = text
        self.names = names

    @cached_property
    def flat(self) -> bytes:
        """The text with uniform separators: `/` between the fields of a path, and a space between words."""
        return self.text.translate(_FLAT)

    @cached_property
    def specs(self) -> Sequence[int]:
        """The offsets of all words that begin with a spec."""
        return [match.start() for match in _SPEC_WORD.finditer(self.text)]

    def tokens(self) -> Iterator[re.Match[bytes]]:
        """Yield all words that look like a hash. In a `spack` command, such words may have any length."""
        at = 0
        for command in _COMMAND.finditer(self.text):
            yield from _TOKEN.finditer(self.text, at, command.start(1))
            yield from _IN_COMMAND.finditer(self.text, *command.span(1))
            at = command.end()
        yield from _TOKEN.finditer(self.text, at)

    def read(self, start: int, end: int) -> tuple[bytes | None, bool]:
        """Return the label of a token (see `HashQuery`), and whether the token is certainly a hash.

        If the token is an ordinary word, the label is None.
        """
        text, size, sign = self.text, end - start, self.text[start - 1 : start]
        if sign not in _JOINTS:
            listed = _LISTED.match(text, end)  # C
            label, is_sure = self.column(start, end, listed) if listed else (None, False)
            return (b"", True) if size == 32 and label is None else (label, is_sure or size == 32)
        is_whole = size == 32
        may_follow_spec = sign == b"/" and (is_whole or not _AFTER_S.match(text, end))
        if not may_follow_spec and not is_whole:
            return self.field(start, end), False
        floor = max(start - CONTEXT_BYTES, 0)
        word = text[max(self.flat.rfind(b" ", floor, start) + 1, floor) : start - 1]
        label = self.labelled(word, start - 1) if may_follow_spec else None
        if label is not None:  # S
            spec = _SPEC.match(label)
            return label, is_whole or (self.is_spec(spec) if spec else not text[start:end].isalpha())
        return (word.rpartition(b"/")[2], True) if is_whole else (self.field(start, end), False)  # W

    def column(self, start: int, end: int, listed: re.Match[bytes]) -> tuple[bytes | None, bool]:
        """Examine a token before `name@version`. Return this spec, and whether the token is certainly a hash.

        A hash in a column is at the start of a line or follows a space. If the token is at any other place, return None
        instead of the spec. `listed` is the match of `_LISTED` after the token.
        """
        before = self.line(start)
        is_marked = before.endswith(_SPACES) and bool(_MARKED.search(before.rstrip(b" \t")[-4:]))
        if is_marked or before.endswith((b"  ", b"\t")) or _LINE_START.fullmatch(before):
            is_word = not is_marked and self.text[start:end] in _NO_HASH
            return listed["spec"], not is_word and self.is_spec(listed)
        return (listed["spec"] if before.endswith(_SPACES) else None), False

    def line(self, end: int) -> bytes:
        """Return the text from the start of the line up to `end`, but at most the last `CONTEXT_BYTES` bytes."""
        text, floor = self.text, max(end - CONTEXT_BYTES, 0)
        return text[max(text.rfind(b"\n", floor, end) + 1, text.rfind(b"\r", floor, end) + 1, floor) : end]

    def labelled(self, word: bytes, end: int) -> bytes | None:
        """Return the spec before the `/` of a hash, or an empty string if the spec is missing.

        If the `/` belongs to a path, return None.
        """
        if not word or word[-1] in _OPEN:
            # names of CI jobs have a space before the `/`: `hdf5@1.14 /2feova4`
            before = self.line(end)
            last = before.rstrip(b" \t").rpartition(b" ")[2].lstrip(_PUNCTUATION)
            return last if before.endswith(b" ") and (_SPEC.match(last) or last in self.names) else b""
        word = word.lstrip(_PUNCTUATION)
        if word in self.names or (_SPEC.match(word) and b"://" not in word):
            return word
        if _SETTING.fullmatch(word):
            place = bisect_left(self.specs, end) - 1
            is_near = place >= 0 and self.specs[place] >= end - len(self.line(end))
            spec = _SPEC_WORD.match(self.text, self.specs[place]) if is_near else None
            return spec[1] if spec else b""
        return None

    def field(self, start: int, end: int) -> bytes | None:  # M
        """Return the path or module name before a hash. If its last fields contain no package name, return None."""
        word = self.flat[max(start - PART_BYTES - 1, 0) : start - 1].rpartition(b" ")[2]
        parts = word.rsplit(b"/", PARTS)[-PARTS:]
        names_package = not self.names.isdisjoint(parts) or (b"-" in word and any(map(self.is_named, parts)))
        if not names_package or _AFTER_M.match(self.text, end):
            return None
        return self.text[start - 1 - len(word) : start - 1]

    def is_named(self, part: bytes) -> bool:
        """Return whether a field of a path begins with a package name and a `-`."""
        at = part.find(b"-")
        while at > 0 and part[:at] not in self.names:
            at = part.find(b"-", at + 1)
        return at > 0

    def is_spec(self, spec: re.Match[bytes]) -> bool:
        """Return whether `name@version` is certainly a spec, and not an address."""
        return bool(_RELEASE.match(spec["version"])) or spec["name"] in self.names


def _pieces(stream: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield the log in pieces without control sequences, each with the number of its first line.

    A piece consists of whole lines. Only a line of more than `BLOCK_BYTES` bytes is split, at a space or after a word.
    A word of more than `BLOCK_BYTES` bytes is dropped, because it cannot be a hash.
    """
    rest, line = b"", 1
    while block := stream.read(BLOCK_BYTES):
        rest = _ESCAPE.sub(_line_or_nothing, rest + block)
        for spacing, space in _SPACING.items():
            rest = rest.replace(spacing, space)
        cut = rest.rfind(b"\n") + 1
        if not cut and len(rest) > BLOCK_BYTES:
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
