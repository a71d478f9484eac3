"""The edges of nodes, read from the JSON that the nodes have for them.

Builds of one package mostly need the same packages in the same way, and differ in the hashes alone. So the text of
the edges is read once for each that is different when its hashes are taken out: an index of 60,000 specs has half a
million edges, and a few thousand such texts.
Input: JSON of any origin; what has no hash leads nowhere and is left out.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import chain, pairwise
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec import Raw, Struct

from cachetui.model.dependency import LANGUAGES, EdgeKind
from cachetui.sources.buildcache.node import json_of, texts_of
from cachetui.store.arrays import Numbering, encoded

TYPES = ("build", "link", "run", "test")

_HASH = re.compile(r'"hash":\s*"([^"\\]*)"')
_NO_HASH = '"hash":""'


class Dependency(Struct):
    """An edge as it is written."""

    hash: str | None = None
    name: str = ""
    build_hash: str | None = None
    """Of Spack 0.17, where there may be no `hash`."""
    type: Raw = Raw(b"null")
    """Its types up to specfile 3."""
    parameters: Raw = Raw(b"null")
    """Its types and virtuals from specfile 4 on."""

    @property
    def kind(self) -> EdgeKind:
        """The types and virtuals."""
        return _kind(bytes(self.parameters), bytes(self.type))


@lru_cache(1024)
def _kind(parameters: bytes, old_type: bytes) -> EdgeKind:
    """What these pieces of JSON say; most edges have one of a few."""
    written = json_of(parameters)
    of_parameters = isinstance(written, dict)
    types = written.get("deptypes") if of_parameters else json_of(old_type)
    known = texts_of([types] if isinstance(types, str) else types)
    virtuals = texts_of(written.get("virtuals")) if of_parameters else ()
    return tuple(name for name in TYPES if name in known), tuple(sorted(set(virtuals)))


Hash: TypeAlias = bytes | str
"""A hash: bytes where it has letters and digits alone, else text."""


def hash_key(written: str) -> Hash:
    """The hash as this text has it."""
    key = encoded(written)
    return key if key.isalnum() else written


def hash_keys(written: Sequence[str]) -> Sequence[Hash]:
    """The hashes that these texts have."""
    together = "".join(written)
    if together.isascii() and together.isalnum() and all(written):
        return list(map(str.encode, written))
    return list(map(hash_key, written))


class HashNumbers(Numbering[Hash]):
    """The numbers of hashes; one that was cut out of JSON as it stood there is bytes, and mostly known already."""

    def __missing__(self, key: Hash) -> int:
        """Raises ValueError for bytes with a quote or a backslash in them, which mean something else in JSON."""
        if isinstance(key, bytes) and not key.isalnum():
            raise ValueError("no hash")
        return super().__missing__(key)


class Shape(NamedTuple):
    """All of some edges but their hashes."""

    names: tuple[str, ...]
    kinds: tuple[EdgeKind, ...]
    compilers: tuple[tuple[int, tuple[str, ...]], ...]
    """Which of the edges lead to a compiler, and of which languages."""


_NO_SHAPE = Shape((), (), ())

_decode = msgspec.json.Decoder(list[Dependency] | dict[str, Dependency] | None).decode


class _Pattern(NamedTuple):
    """A text of edges in which other hashes of the same lengths may stand."""

    pieces: Callable[[Raw | bytes], tuple[bytes, ...]]
    """Takes a text of this length apart: what is before the first hash, the first hash, what is before the second."""
    around: tuple[bytes, ...]
    """The pieces that are no hashes."""
    shape: Shape


class EdgeReader:
    """Reads the edges of one node after the other."""

    def __init__(self) -> None:
        self.hashes = HashNumbers()
        """The numbers that what is read has for hashes."""
        self._shapes: dict[str, Shape | None] = {}
        """By text without hashes; None for one in which hashes and edges do not go together one by one."""
        self._patterns: dict[tuple[str, int], _Pattern | None] = {}
        """By the name of a node and the length of its text, which mostly have one shape; None until there are two."""
        self._distinct: dict[Shape, Shape] = {}
        """So that equal shapes are one object."""

    def read(self, name: str, written: Raw) -> tuple[Sequence[int], Shape]:
        """The numbers of the hashes that the edges in this JSON of a node of this name lead to, and all else of them.

        Equal shapes are one object.
        """
        pattern = self._patterns.get((name, len(written)))
        if pattern is not None:
            pieces = pattern.pieces(written)
            if pieces[::2] == pattern.around:
                with suppress(ValueError):
                    return tuple(map(self.hashes.__getitem__, pieces[1::2])), pattern.shape
        hashes, shape = self._read(name, bytes(written))
        return tuple(self.hashes[hash_key(each)] for each in hashes), self._distinct.setdefault(shape, shape)

    def _read(self, name: str, written: bytes) -> tuple[Sequence[str], Shape]:
        """The same by other means, with the hashes themselves; learns patterns."""
        if written == b"null":
            return (), _NO_SHAPE
        try:
            pieces = _HASH.split(written.decode())
        except UnicodeDecodeError:
            return (), _NO_SHAPE
        key = _NO_HASH.join(pieces[::2])
        if key not in self._shapes:
            made = _shape(key, len(pieces) // 2)
            self._shapes[key] = made and self._distinct.setdefault(made, made)
        shape = self._shapes[key]
        hashes = pieces[1::2]
        if shape is None or "" in hashes:
            return _read_one_by_one(written)
        place = name, len(written)
        if place not in self._patterns:
            self._patterns[place] = None
        elif self._patterns[place] is None and written.isascii():
            self._patterns[place] = _pattern(written, shape)
        return hashes, shape


def _pattern(written: bytes, shape: Shape) -> _Pattern:
    """The pattern of a text in ASCII that has such hashes in it as `_HASH` finds."""
    cuts = [0, *chain.from_iterable(match.span(1) for match in _HASH.finditer(written.decode())), len(written)]
    pieces = struct.Struct("".join(f"{end - start}s" for start, end in pairwise(cuts))).unpack
    return _Pattern(pieces, pieces(written)[::2], shape)


def _shape(text: str, count: int) -> Shape | None:
    """The shape of so many edges, given without their hashes."""
    edges = edges_of(text.encode())
    if len(edges) != count or any(edge.hash is None for edge in edges):
        return None
    return _shape_of(edges)


def _read_one_by_one(text: bytes) -> tuple[Sequence[str], Shape]:
    found = [(needed, edge) for edge in edges_of(text) if (needed := edge.hash or edge.build_hash)]
    return [needed for needed, _ in found], _shape_of([edge for _, edge in found])


def edges_of(text: bytes) -> list[Dependency]:
    """The edges in the JSON that a node has for them, one by one; none where that is damaged."""
    try:
        found = _decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return []
    if isinstance(found, dict):
        # specfile 1: by name
        return [msgspec.structs.replace(edge, name=name) for name, edge in found.items()]
    return found or []


def _shape_of(edges: Sequence[Dependency]) -> Shape:
    kinds = tuple(edge.kind for edge in edges)
    compilers = ((place, languages) for place, kind in enumerate(kinds) if (languages := _languages(kind)))
    return Shape(tuple(edge.name for edge in edges), kinds, tuple(compilers))


def _languages(kind: EdgeKind) -> tuple[str, ...]:
    """The languages that an edge of this kind leads to the compiler of."""
    types, virtuals = kind
    return tuple(language for language in LANGUAGES if language in virtuals) if "build" in types else ()
