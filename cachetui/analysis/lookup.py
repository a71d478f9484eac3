"""What is this hash? Hashes found in whatever text holds them, and what the catalogue knows of each.

The text is an argument (a hash, a spec, a URL, the title of a CI job) or a log of any length, of which no more than
a block is held at a time. A hash with typing errors is never taken for the one that it is like.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from typing import BinaryIO, Literal, NamedTuple

from msgspec import Struct
from pyroaring import BitMap

from cachetui.explain.nearest import nearest_builds
from cachetui.explain.unknown import UnknownValue, unknown_values
from cachetui.model.spec import HASH, Spec
from cachetui.query.errors import QueryError
from cachetui.query.parts import NamePart, ValuePart
from cachetui.query.query import Query
from cachetui.search.hashes import near, prefixed, shortest_unique, typed_hash
from cachetui.search.index import Index

BLOCK = 1 << 20
"""Bytes of a log that are read at a time."""

NEAREST = 5
"""So many hashes and so many builds are offered for a hash that is not there."""

_CONTEXT = 256
"""Bytes before a hash in which the package is looked for; no hash is longer either."""

Found = Literal["exact", "prefix", "ambiguous", "none"]


MOST_OFFERED = 50
"""For so many hashes that are not there what is like them is looked for: each takes some milliseconds."""


class Asked(Struct, frozen=True):
    """A hash, or the beginning of one, and what stood beside it."""

    text: str
    """What was asked: the argument, or the letters in the log."""
    hash: str
    """Lower case; empty where the text holds none."""
    label: str = ""
    """`hdf5@1.14.3`, or a file name that ends in `hdf5-1.14.3`; empty where nothing of that kind stood there."""
    rest: str = ""
    """What else a spec or the title of a CI job says: `%gcc@11.4.0 arch=linux-ubuntu22.04-x86_64_v3`."""
    line: int | None = None
    """The line of the log, counted from 1."""
    doubtful: bool = False
    """Whether it may be no hash but a word of a log, such as `/scratch`."""


class Match(Struct, frozen=True):
    """One hash of the catalogue, in one package."""

    row: int
    spec: Spec
    """In the first of its tags; `tags` lists them all."""
    shortest: str
    """The shortest prefix that no other hash has."""


class Answer(Struct, frozen=True):
    asked: Asked
    found: Found
    matches: tuple[Match, ...] = ()
    """Sorted by the hash, then by the package where several have it."""
    elsewhere: tuple[Match, ...] = ()
    """Where nothing was found: hashes that begin so, of another package or version than the text names."""
    like: tuple[Match, ...] = ()
    """Where nothing was found: hashes within two typing errors, nearest first."""
    builds: tuple[Match, ...] = ()
    """Where nothing was found and the text named a package: the nearest of its builds."""
    unknown: UnknownValue | None = None
    """The package before the `/`, where the catalogue has none of that name and the hash decides alone."""

    @property
    def hashes(self) -> int:
        """How many distinct hashes were found."""
        return len({match.spec.hash for match in self.matches})


# Hashes in an argument

_ALONE = re.compile(r"/?([A-Za-z0-9]+)")
_NAMED = re.compile(r"([^\s/]+)/([A-Za-z0-9]{1,32})")
_WHOLE = re.compile(r"(?<![A-Za-z0-9])[A-Za-z2-7]{32}(?![A-Za-z0-9])")
_FILE = re.compile(r"([A-Za-z0-9][^-]*-.*)-([A-Za-z2-7]{5,31})(?:\..*)?")
_HALF = re.compile(r"([^\s/]+)/([A-Za-z0-9]*)")
_VERSIONED = re.compile(r"-(?:[0-9]|develop|main|master|head|trunk|stable)")


def asked_in(words: Sequence[str]) -> list[Asked]:
    """What the arguments ask: each for itself, or all at once where they are the words of one spec or title."""
    is_title = any(word.startswith(("%", "+", "~")) or "=" in word for word in words)
    return [asked_by(text) for text in ([" ".join(words)] if is_title else words)]


def asked_by(text: str) -> Asked:
    """The hash that a text means, the first where it holds several."""
    words = list(dict.fromkeys(text.split()))
    for word in words:
        if len(words) > 1 and re.fullmatch(r"/[A-Za-z0-9]{1,32}", word):
            first, *others = [other for other in words if other != word]
            known = (other for other in others if other[0] in "%+~" or "=" in other)
            return Asked(text, word[1:].lower(), first, " ".join(known))
    return _in_word(text, words[0] if len(words) == 1 else text.strip())


def asked_while_typed(text: str) -> Asked:
    """The hash that a text means of which more may come: a `-` belongs to a name until a whole hash stands there."""
    typed = text.strip()
    if half := _HALF.fullmatch(typed):
        return Asked(text, half[2].lower(), half[1])
    asked = asked_by(text)
    if HASH.fullmatch(asked.hash) or (asked.hash and "/" in typed):
        return asked
    return Asked(text, typed_hash(text))


def _in_word(text: str, word: str) -> Asked:
    """A hash alone, behind the name of a package, whole somewhere in a path, or at the end of a file name."""
    if alone := _ALONE.fullmatch(word):
        return Asked(text, alone[1].lower())
    if named := _NAMED.fullmatch(word):
        return Asked(text, named[2].lower(), named[1])
    if whole := _WHOLE.search(word):
        before = re.split(r"[/\s]", word[: whole.start()])[-1]
        return Asked(text, whole[0].lower(), before[:-1] if before.endswith("-") else "")
    file = _FILE.fullmatch(word.rpartition("/")[2])
    if file and _VERSIONED.search(file[1]):
        return Asked(text, file[2].lower(), file[1])
    return Asked(text, "")


# Hashes in a log

_COLOUR = re.compile(rb"\x1b\[[0-9;]*[A-Za-z]")
_LONG = re.compile(rb"(?<![A-Za-z0-9])[a-z2-7]{32}(?![A-Za-z0-9])")
_SHORT = re.compile(rb"/[a-z2-7]{7,31}(?![A-Za-z0-9/_-]|\.[A-Za-z0-9_])")
_LONG_LABEL = re.compile(rb"([A-Za-z0-9_][\w.+@=-]*)(?:-|\s?/)$")
_NAME_VERSION = re.compile(rb"([A-Za-z0-9_][\w.-]*@=?(?:[0-9]|develop|main|master)[^\s/]*)\s?$")
_LISTED = re.compile(
    rb"(?m)^[ \t]*(?:\[[-+^e ]\]|-)?[ \t]*([a-z2-7]{7,31})[ \t]+\^?([a-z0-9_][a-z0-9_-]*)(@[^\s%/]*)?(?![\w.])"
)
"""A line of `spack find -l` and `spack spec -l`: perhaps a mark, the hash, the spec."""
_FILE_NAME = re.compile(
    rb"(?<![\w.+-])([a-z0-9_][\w-]*-(?:[0-9][\w.]*|develop|main|master))-([a-z2-7]{7})(?![\w-]|\.[0-9])"
)
_OPEN = b" \t\r\n\"'`([{<,;"
_PACKAGE = re.compile(rb"(?:^|[ \t\r\n\"'`(\[{<,;=&?^])([a-z0-9_][a-z0-9_-]*)$")
_AT_VERSION = re.compile(r"[@-](?=[0-9]|develop|main|master)")
_ADDRESS = re.compile(rb"[a-z][a-z0-9+.-]*://\S*$")


class _Hit(NamedTuple):
    """What looks like a hash in a log."""

    place: int
    """Where in the block its line or word begins."""
    hash: bytes
    """With its `/` where one stands before it."""
    label: bytes
    """The spec that the shape of the line names."""
    before: bytes
    line: int
    """Counted from 1."""
    sure: bool
    """Whether the shape of the line says that it is a hash."""


def asked_in_log(stream: BinaryIO, packages: Container[str] = ()) -> Iterator[Asked]:
    """Each hash of a log once, in order: 32 letters anywhere, 7 to 31 where something says that they are a hash.

    That is a `/` that opens a word or touches a `name@version`, a name that is one of the packages or a `^name`, and
    a line of `spack find -l` or `spack spec -l`. What only may be one (the end of an address or of a file name, a
    word of letters alone) is doubtful: three in four short hashes have a digit, and few words have.
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
            doubtful = doubtful or (not is_versioned and text[1:].isalpha())
        seen.add(text.removeprefix("/"))
        yield Asked(text, text.removeprefix("/"), named, doubtful=doubtful, line=hit.line)


def _named(before: bytes, packages: Container[str]) -> tuple[str, bool, bool] | None:
    """What stands before a short hash with its `/`: a spec, whether with a version, and whether that is doubtful.

    None where the `/` belongs to a path.
    """
    if label := _NAME_VERSION.search(before):
        return label[1].decode("utf-8", "replace"), True, False
    if not before or before[-1] in _OPEN:
        return "", False, False
    package = _PACKAGE.search(before)
    named = package[1].decode("ascii") if package else ""
    if package and (named in packages or before[package.start() : package.start(1)] == b"^"):
        return named, False, False
    # whatever it belongs to, it counts only where the catalogue has it
    return (named, False, True) if package or _ADDRESS.search(before) else None


def _hits(stream: BinaryIO) -> Iterator[_Hit]:
    """Whatever looks like a hash, block by block."""
    buffer, start, more, lines = b"", 0, True, 1
    while more:
        block = stream.read(BLOCK)
        more = bool(block)
        buffer = _COLOUR.sub(b"", buffer + block)
        # what begins near the end may go on in the next block
        end = max(len(buffer) - _CONTEXT, start) if more else len(buffer)
        counted = 0
        for place, shape, match in sorted(_matches_in(buffer, start), key=lambda each: each[:2]):
            if place < end:
                lines += buffer.count(b"\n", counted, match.start())
                counted = match.start()
                yield _hit(shape, place, match, lines)
        cut = max(end - _CONTEXT, 0)
        # what is kept is counted again
        lines += buffer.count(b"\n", counted, cut) if cut >= counted else -buffer.count(b"\n", cut, counted)
        buffer, start = buffer[cut:], end - cut


_SHAPES = (_LISTED, _FILE_NAME, _LONG, _SHORT)
"""The first that a hash has counts."""


def _matches_in(buffer: bytes, start: int) -> Iterator[tuple[int, int, re.Match[bytes]]]:
    for shape, pattern in enumerate(_SHAPES):
        yield from ((match.start(), shape, match) for match in pattern.finditer(buffer, start))


def _hit(shape: int, place: int, match: re.Match[bytes], line: int) -> _Hit:
    if shape == 0:
        return _Hit(place, match[1], match[2] + (match[3] or b""), b"", line, bool(match[3]))
    if shape == 1:
        return _Hit(place, match[2], match[1], b"", line, False)
    before = match.string[max(place - _CONTEXT, 0) : place]
    label = _LONG_LABEL.search(before) if shape == 2 else None
    return _Hit(place, match[0], label[1] if label else b"", before, line, True)


# Answers


def look_up(index: Index, asked: Iterable[Asked], tags: Sequence[str] = (), *, offer: bool = True) -> Iterator[Answer]:
    """What the catalogue (or some of its tags) knows of each; a doubtful one that it does not know has no answer.

    With `offer` a hash that is not there comes with what is like it, but for the first `MOST_OFFERED` of them alone.
    """
    misses = 0
    scope = BitMap.union(BitMap(), *(index.value_rows("tag", tag) for tag in tags)) if tags else index.all_rows
    for each in asked:
        answer = _answer(index, each, scope, tags, offer and not each.doubtful and misses < MOST_OFFERED)
        misses += answer.found == "none" and not each.doubtful
        if answer.found != "none" or not each.doubtful:
            yield answer


def _answer(index: Index, asked: Asked, scope: BitMap, tags: Sequence[str], offer: bool) -> Answer:
    numbers = prefixed(index.columns.hashes, asked.hash) if asked.hash else ()
    found = _matches(index, numbers, scope)
    own = found
    if found and not HASH.fullmatch(asked.hash):
        query = package_query(index, asked, tags)
        own = found if query is None else _matches(index, numbers, scope & index.rows(query))
    if own:
        distinct = {match.spec.hash for match in own}
        kind: Found = "ambiguous" if len(distinct) > 1 else "exact" if asked.hash in distinct else "prefix"
        return Answer(asked, kind, tuple(own), unknown=_unknown_package(index, asked))
    return _miss(index, asked, found, scope, tags, offer=offer)


def _miss(
    index: Index, asked: Asked, others: Sequence[Match], scope: BitMap, tags: Sequence[str], *, offer: bool
) -> Answer:
    """What is known of a hash that is not there; `others` begin so but are of another package or version.

    With `offer` also what is like it.
    """
    if not offer:
        return Answer(asked, "none", elsewhere=tuple(others[:NEAREST]))
    query = package_query(index, asked, tags)
    like = near(index.columns.hashes, asked.hash)[:NEAREST]
    misspelt = _matches(index, (match.number for match in like), scope)
    builds = [] if query is None else nearest_builds(index, _with_rest(query, asked), NEAREST)
    return Answer(
        asked,
        "none",
        elsewhere=tuple(others[:NEAREST]),
        like=tuple(misspelt),
        builds=tuple(_match(index, build.row) for build in builds),
    )


def _matches(index: Index, numbers: Iterable[int], scope: BitMap) -> list[Match]:
    """The hashes that have a row in the scope, each with the first of these in each package."""
    found: list[Match] = []
    for number in numbers:
        first: dict[int, int] = {}
        for row in index.hash_rows(number):
            if row in scope:
                first.setdefault(index.package_of(row), row)
        found += (_match(index, row) for row in first.values())
    return found


def _unknown_package(index: Index, asked: Asked) -> UnknownValue | None:
    """The package of `name/hash` or `name@ver/hash`, if the catalogue has none of that name."""
    named = _NAMED.fullmatch(asked.text.strip())
    name = re.split(r"[@%+~]", named[1], maxsplit=1)[0] if named else ""
    unknown = unknown_values(index, Query((NamePart(name=name),))) if name else []
    return unknown[0] if unknown else None


def _match(index: Index, row: int) -> Match:
    return Match(row, index.spec(row), shortest_unique(index.columns.hashes, index.columns.hash[row]))


def package_query(index: Index, asked: Asked, tags: Sequence[str] = ()) -> Query | None:
    """The package that stood beside the hash, as a query; None where there is none that the catalogue has."""
    name, version = _package(index, asked.label or asked.hash)
    if not name:
        return None
    try:
        query = Query.parse(f"{name}@{version}" if version else name)
    except QueryError:
        try:
            query = Query.parse(name)
        except QueryError:  # no name that could be asked for
            return None
    return query.with_part(ValuePart.of("tag", tags)) if tags else query


def _with_rest(query: Query, asked: Asked) -> Query:
    try:
        return Query.parse(f"{query} {asked.rest}")
    except QueryError:
        return query


def _package(index: Index, label: str) -> tuple[str, str]:
    """The package and version of `hdf5@1.14.3` or of a name that ends in `hdf5-1.14.3`; empty where unknown."""
    label = re.split(r"[%+~\s]", label, maxsplit=1)[0]
    name, _, version = label.partition("@")
    if index.package_number(name) is not None:
        return name, version.removeprefix("=")
    likely = ("", "")
    dashes = [match.start() for match in re.finditer("-", label)]
    for start in (0, *(dash + 1 for dash in dashes)):
        for dash in reversed(dashes):
            name, version = label[start:dash], label[dash + 1 :]
            number = index.package_number(name) if dash > start else None
            if number is not None and version in index.versions(index.package_rows(number)):
                return name, version
            if number is not None and version[:1].isdigit():
                likely = name, version
    return likely
