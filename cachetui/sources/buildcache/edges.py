"""The edges of nodes, read from the JSON that the nodes have for them.

Builds of one package mostly need the same packages in the same way, and differ in the hashes alone. So the text of
the edges is read once for each that is different when its hashes are cut out: an index of 60,000 specs has half a
million edges, and a few thousand such texts. Which nodes the hashes are of is looked up when the graph is asked for.
Input: JSON of any origin; what has no hash leads nowhere and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, zip_longest
from typing import NamedTuple, TypeAlias

import msgspec
from msgspec import Raw, Struct

from cachetui.model.dependency import LANGUAGES, EdgeKind
from cachetui.sources.buildcache.node import NOTHING, json_of, texts_of
from cachetui.store.arrays import Numbering, Once
from cachetui.store.string_table import encoded
from cachetui.store.tag_graph import HASH_LENGTH, stand_in

TYPES = ("build", "link", "run", "test")

Languages: TypeAlias = tuple[str, ...]

Compilers: TypeAlias = tuple[tuple[bytes, Languages], ...]
"""The hashes of what compiled a node, with the languages of each."""

_cut = re.compile(rb'"hash": ?"([0-9A-Za-z]{32})"').split
"""Takes a text apart: what is before the first hash, the hash, what is between it and the second one, and so on."""


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


class Shape(NamedTuple):
    """All of some edges but their hashes."""

    names: tuple[str, ...]
    kinds: tuple[EdgeKind, ...]
    compilers: tuple[tuple[int, Languages], ...]
    """Which of the edges lead to a compiler, and of which languages."""


_decode = msgspec.json.Decoder(list[Dependency] | dict[str, Dependency] | None).decode


class EdgeReader:
    """Reads the edges of one node after the other."""

    def __init__(self) -> None:
        self.others: Numbering[bytes] = Numbering()
        """The hashes that are not as all of Spack's are, and a `stand_in` is read for; others may be put in place."""
        self.shapes: list[Shape] = []
        """All that were read, each once."""
        self._numbers: dict[Shape, int] = {}
        self._shapes = Once(self._shape)
        """The number of a shape by the text around the hashes; None where the text cannot be read so."""

    def read(self, written: Raw) -> tuple[bytes, int, Compilers]:
        """Return the edges in this JSON: their hashes one after the other, a number in `shapes`, and the compilers."""
        text = bytes(written)
        pieces = _cut(text)
        shape = self._shapes[tuple(pieces[::2])]
        if shape is None:
            return self._read_one_by_one(text)
        hashes = pieces[1::2]
        compilers = tuple([(hashes[k], languages) for k, languages in self.shapes[shape].compilers])
        return b"".join(hashes), shape, compilers

    def _shape(self, around: tuple[bytes, ...]) -> int | None:
        """Return the shape of the edges in a text without hashes; None where others than the cut ones would be read."""
        filled = [b"%0*d" % (HASH_LENGTH, k) for k in range(len(around) - 1)]
        hashes = (b'"hash":"%b"' % each for each in filled)
        edges = edges_of(b"".join(chain.from_iterable(zip_longest(around, hashes, fillvalue=b""))))
        return self._number(edges) if [encoded(edge.hash or "") for edge in edges] == filled else None

    def _read_one_by_one(self, text: bytes) -> tuple[bytes, int, Compilers]:
        found = [(encoded(needed), edge) for edge in edges_of(text) if (needed := edge.hash or edge.build_hash)]
        shape = self._number([edge for _, edge in found])
        compilers = tuple((found[k][0], languages) for k, languages in self.shapes[shape].compilers)
        return b"".join([self._key(needed) for needed, _ in found]), shape, compilers

    def _key(self, node_hash: bytes) -> bytes:
        is_usual = len(node_hash) == HASH_LENGTH and node_hash.isalnum()
        return node_hash if is_usual else stand_in(self.others[node_hash])

    def _number(self, edges: Sequence[Dependency]) -> int:
        said = [_said(bytes(edge.parameters), bytes(edge.type)) for edge in edges]
        compilers = [(place, languages) for place, (_, languages) in enumerate(said) if languages]
        shape = Shape(tuple([edge.name for edge in edges]), tuple([kind for kind, _ in said]), tuple(compilers))
        number = self._numbers.setdefault(shape, len(self.shapes))
        if number == len(self.shapes):
            self.shapes.append(shape)
        return number


@lru_cache(1024)
def _said(parameters: bytes, old_type: bytes) -> tuple[EdgeKind, Languages]:
    """Return what these pieces of JSON say; most edges have one of a few."""
    written = json_of(parameters)
    of_parameters = isinstance(written, dict)
    types = written.get("deptypes") if of_parameters else json_of(old_type)
    known = texts_of([types] if isinstance(types, str) else types)
    virtuals = texts_of(written.get("virtuals")) if of_parameters else ()
    kind = tuple(name for name in TYPES if name in known), tuple(sorted(set(virtuals)))
    return kind, tuple(language for language in LANGUAGES if language in virtuals) if "build" in known else ()


def edges_of(text: bytes) -> list[Dependency]:
    """Return the edges in the JSON that a node has for them; none where that is damaged."""
    try:
        found = _decode(text)
    except (ValueError, RecursionError):
        return []
    if isinstance(found, dict):
        # specfile 1: by name
        return [msgspec.structs.replace(edge, name=name) for name, edge in found.items()]
    return found or []
