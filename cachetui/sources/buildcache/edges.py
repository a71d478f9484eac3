"""The edges of nodes, read from the JSON that the nodes have for them.

Builds of one package mostly need the same packages in the same way, and differ in the hashes alone. So the text of
the edges is read once for each that is different when its hashes are taken out: an index of 60,000 specs has half a
million edges, and a few thousand such texts. The hashes are only cut out here; which nodes they are of is looked up
when somebody asks for the graph.
Input: JSON of any origin; what has no hash leads nowhere and is left out.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import chain, repeat
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec import Raw, Struct

from cachetui.model.dependency import LANGUAGES, EdgeKind
from cachetui.sources.buildcache.node import NOTHING, json_of, texts_of
from cachetui.store.arrays import Numbering, Once
from cachetui.store.recorded import HASH_LENGTH, stand_in
from cachetui.store.strings import encoded

AT_ONCE = 4096
"""So many patterns are made of the first text that has them; then of the second one, as many texts may come once."""

TYPES = ("build", "link", "run", "test")

Compilers: TypeAlias = tuple[tuple[bytes, tuple[str, ...]], ...]
"""The hashes of what compiled a node, with the languages of each."""

_HASH = b'"hash":"'
_SPACED_HASH = b'"hash": "'
"""What stands before the hash of an edge, as Spack has written it at different times."""


_FILLED: Once[int, bytes] = Once(lambda k: b"%0*d" % (HASH_LENGTH, k))
"""What is put in the place of hashes to see whether it is read as hashes."""

_FILLED_TEXTS: Once[int, str] = Once(lambda k: _FILLED[k].decode())
"""The same as it is read."""

_NULL = bytes(NOTHING)


class Dependency(Struct, gc=False):
    """An edge as it is written."""

    hash: str | None = None
    name: str = ""
    build_hash: str | None = None
    """Of Spack 0.17, where there may be no `hash`."""
    type: Raw = NOTHING
    """Its types up to specfile 3."""
    parameters: Raw = NOTHING
    """Its types and virtuals from specfile 4 on."""


def kinds_of(edges: Iterable[Dependency]) -> tuple[list[tuple[EdgeKind, tuple[str, ...]]], list[int]]:
    """Types and virtuals, and the languages that an edge leads to the compiler of: each once, and numbers of edges."""
    table: Numbering[tuple[EdgeKind, tuple[str, ...]]] = Numbering()
    number: Once[bytes, int] = Once(lambda parameters: table[_said(parameters, _NULL)])
    numbers = [
        number[bytes(each.parameters)]
        if each.type is NOTHING
        else table[_said(bytes(each.parameters), bytes(each.type))]
        for each in edges
    ]
    return list(table), numbers


@lru_cache(1024)
def _said(parameters: bytes, old_type: bytes) -> tuple[EdgeKind, tuple[str, ...]]:
    """What these pieces of JSON say; most edges have one of a few."""
    written = json_of(parameters)
    of_parameters = isinstance(written, dict)
    types = written.get("deptypes") if of_parameters else json_of(old_type)
    known = texts_of([types] if isinstance(types, str) else types)
    virtuals = texts_of(written.get("virtuals")) if of_parameters else ()
    kind = tuple(name for name in TYPES if name in known), tuple(sorted(set(virtuals)))
    return kind, tuple(language for language in LANGUAGES if language in virtuals) if "build" in known else ()


class Shape(NamedTuple):
    """All of some edges but their hashes."""

    names: tuple[str, ...]
    kinds: tuple[EdgeKind, ...]
    compilers: tuple[tuple[int, tuple[str, ...]], ...]
    """Which of the edges lead to a compiler, and of which languages."""


_decode = msgspec.json.Decoder(list[Dependency] | dict[str, Dependency] | None).decode
_decode_each = msgspec.json.Decoder(list[list[Dependency] | None]).decode


class _Pattern(NamedTuple):
    """A text of edges in which other hashes may stand."""

    pieces: Callable[[Raw], tuple[bytes, ...]]
    """Takes a text of this length apart: what is before the first hash, the first hash, what is before the second."""
    rest: bytes
    """The pieces that are no hashes, one after the other: in one place they are compared several times as fast."""
    shape: int
    compilers: Callable[[Sequence[bytes]], Compilers]
    """Takes the compilers from among the pieces."""


class EdgeReader:
    """Reads the edges of one node after the other."""

    def __init__(self, at_once: int = AT_ONCE) -> None:
        self._at_once = at_once
        self.others: Numbering[bytes] = Numbering()
        """The hashes that are not as all of Spack's are, and a `stand_in` is read for; others may be put in place."""
        self.shapes: list[Shape] = []
        """All that were read, each once."""
        self._numbers: dict[Shape, int] = {}
        """Of the shapes."""
        self._shapes = Once(self._shape)
        """The number of a shape by text without hashes; None where the text cannot be read so."""
        self._patterns: dict[tuple[str, int], _Pattern | None] = {}
        """By the name of a node and the length of its text, which mostly have one shape; None where there are many
        patterns, until there are two texts."""

    def read(self, name: str, written: Raw) -> tuple[bytes, int, Compilers]:
        """The edges in the JSON of a node of this name: their hashes one after the other, all else, and the compilers.

        All else is a number in `shapes`.
        """
        pattern = self._patterns.get((name, len(written)))
        if pattern is not None:
            unpack, rest, shape, compilers = pattern
            pieces = unpack(written)
            if b"".join(pieces[::2]) == rest:
                hashes = b"".join(pieces[1::2])
                # bytes with a quote or a backslash in them mean something else in JSON
                if hashes.isalnum():
                    return hashes, shape, compilers(pieces)
        return self._read(name, bytes(written))

    def _read(self, name: str, text: bytes) -> tuple[bytes, int, Compilers]:
        """The same by other means; learns patterns."""
        separator = _HASH if _HASH in text else _SPACED_HASH
        before, *behind = text.split(separator)
        hashes = [piece[:HASH_LENGTH] for piece in behind]
        rest = [before, *[piece[HASH_LENGTH:] for piece in behind]]
        shape = self._shapes[_HASH.join(rest)]
        together = b"".join(hashes)
        if shape is None or not (together.isalnum() or not hashes):
            return self._read_one_by_one(text)
        place = name, len(text)
        if place not in self._patterns and len(self._patterns) >= self._at_once:
            self._patterns[place] = None
        elif hashes and self._patterns.get(place) is None:
            cuts = (*[piece + separator for piece in rest[:-1]], rest[-1])
            self._patterns[place] = _pattern(cuts, shape, self.shapes[shape].compilers)
        return together, shape, tuple([(hashes[k], languages) for k, languages in self.shapes[shape].compilers])

    def _shape(self, text: bytes) -> int | None:
        """The shape of the edges in a text without their hashes; None where these are not what stood in the gaps."""
        before, *behind = text.split(_HASH)
        filled = _FILLED.of(range(len(behind)))
        edges = edges_of(b"".join((before, *chain.from_iterable(zip(repeat(_HASH), filled, behind)))))
        if [edge.hash for edge in edges] != _FILLED_TEXTS.of(range(len(behind))):
            return None
        return self._number(edges)

    def _read_one_by_one(self, text: bytes) -> tuple[bytes, int, Compilers]:
        found = [(encoded(needed), edge) for edge in edges_of(text) if (needed := edge.hash or edge.build_hash)]
        shape = self._number([edge for _, edge in found])
        compilers = tuple((found[k][0], languages) for k, languages in self.shapes[shape].compilers)
        return b"".join([self._key(needed) for needed, _ in found]), shape, compilers

    def _key(self, node_hash: bytes) -> bytes:
        is_usual = len(node_hash) == HASH_LENGTH and node_hash.isalnum()
        return node_hash if is_usual else stand_in(self.others[node_hash])

    def _number(self, edges: Sequence[Dependency]) -> int:
        said = [_said(bytes(each.parameters), _NULL if each.type is NOTHING else bytes(each.type)) for each in edges]
        compilers = [(place, languages) for place, (_, languages) in enumerate(said) if languages]
        shape = Shape(tuple([edge.name for edge in edges]), tuple([kind for kind, _ in said]), tuple(compilers))
        number = self._numbers.setdefault(shape, len(self.shapes))
        if number == len(self.shapes):
            self.shapes.append(shape)
        return number


def _pattern(rest: Sequence[bytes], shape: int, compilers: Sequence[tuple[int, tuple[str, ...]]]) -> _Pattern:
    """The pattern of a text that has a hash between each of these pieces and the next one."""
    pieces = struct.Struct(f"{HASH_LENGTH}s".join(f"{len(piece)}s" for piece in rest)).unpack
    return _Pattern(pieces, b"".join(rest), shape, _taken([(2 * k + 1, languages) for k, languages in compilers]))


def _taken(places: Sequence[tuple[int, tuple[str, ...]]]) -> Callable[[Sequence[bytes]], Compilers]:
    """Takes what is at these places, with the languages that belong to each; mostly there is one place."""
    if len(places) == 1:
        ((place, languages),) = places
        return lambda pieces: ((pieces[place], languages),)
    return lambda pieces: tuple([(pieces[k], each) for k, each in places])


def edges_of_each(texts: Sequence[Raw]) -> list[list[Dependency]]:
    """The edges in each of these texts; all are read together unless one is damaged or of specfile 1."""
    try:
        found = _decode_each(b"[" + b",".join(texts) + b"]")
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        found = []
    return [each or [] for each in found] if found else [edges_of(bytes(text)) for text in texts]


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
