"""Save, read, list and remove the snapshots of the content.

The rows of snapshots are stored in files called packs. The file of a snapshot refers to its rows by pack and by index
in the pack. So a row that is in many snapshots is stored only once. The row of a binary includes its dependencies.
Specs without a binary, such as externals, have rows too.

The name of a pack is its checksum, so a different pack never has the same name. Every file is first written under
another name, and then renamed. Packs are written before the snapshots that need them. If the file of a snapshot is
damaged, only this snapshot is lost. If a pack is damaged, all snapshots with rows in this pack are lost, and the next
snapshot stores these rows again.

Files of two older versions are readable too. Neither version stored dependencies. The first version numbered all rows,
and named each pack after the numbers of its rows.
Input: the columns of an index, and the files. Other users may have written the files, which may be damaged in any way.
"""

import re
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from errno import EACCES, EFBIG
from functools import partial
from hashlib import blake2b
from itertools import accumulate, chain, groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.mappings import Once, grouped
from cachetui.model.dependency import EdgeKind, State
from cachetui.model.installed import HIDDEN
from cachetui.model.problem import UserError
from cachetui.model.spec import NO_COMPILER, ROOT, Profile, decode_profile
from cachetui.model.tags import is_snapshot, own_tag, tag_order
from cachetui.safe_text import plural, visible
from cachetui.settings.folders import SHARED, TEMPORARY, UNFINISHED, OwnFolder, own_folder
from cachetui.store.arrays import Ints, StringTable, decode_variants, distinct, numbered, small
from cachetui.store.columns import ROW_COLUMNS, SNAPSHOT_PAGES, Columns, Segment, decode_extra
from cachetui.store.graph import NODE_COLUMNS, Graph, NodeColumns, TagGraph, extra_of, profile_of

MAGIC = b"cachetui days 3\n"
"""The first line of every file. Increase the number if the meaning of the files changes."""

OLDER = (b"cachetui days 1\n", b"cachetui days 2\n")
"""The first lines of files of older versions."""

DIGEST_BYTES = 16
"""Number of bytes of the checksum, which follows the first line."""

NAME_BYTES = 6
"""Number of bytes of the checksum in the name of a pack.

The names are short, because a snapshot may contain hundreds of them.
"""

MAX_FILE_BYTES = 64 * 2**20
"""Maximum size of a file in bytes, before and after decompression. In memory, it takes at most 8 times as much."""

MAX_SNAPSHOT_BYTES = 2**20
"""Maximum size of a snapshot file in bytes, before and after decompression."""

MAX_HISTORY_BYTES = 256 * 2**20
"""Maximum total size, in bytes after decompression, of packs that are read together.

Each row counts as at least `ROW_BYTES`.
"""

ROW_BYTES = 64

MAX_PACK_ROWS = 50_000
"""Maximum number of rows in a new pack."""

LOCK_SECONDS = 60.0
"""Maximum time, in seconds, to wait for another writer."""

SNAPSHOT, PACK = ".day", ".rows"
"""The file extensions of snapshots and of packs."""

LOST = ""
"""The key in `RowPlaces` for rows that are not in any existing pack."""

_NUMBERED = re.compile(r"\d{9}-\d{9}\.rows")
"""The file name of a pack of the first version: the number of its first row, and of the row after its last row."""

_PACK = re.compile(r"([0-9a-f]{12}|\d{9}-\d{9})\.rows")

_CREATED = re.compile(rf"lock|(\d{{4}}-\d\d-\d\d(\.\d+)?\.day|{_PACK.pattern})({TEMPORARY})?")
"""The names of all files that this module creates."""

PackedRow: TypeAlias = tuple[bytes, ...]
"""The values of a stored row: the package, the values of `ROW_COLUMNS`, and three values of its graph node.

The three values are the state and `extra` of the node, the kinds of its edges as JSON, and the `mark` of each edge's
target. They are empty if the dependencies are unknown. A stored row may also represent a node that has no row in the
index. In this case the value of the column `extra` is empty.
"""

PACKAGE = 0
PROFILE, VERSION, VARIANTS, EXTRA, HASH, NODE, KINDS, NEEDS = range(1, 4 + len(ROW_COLUMNS))
"""The indexes of the values in a stored row."""

NO_NODE = (b"",) * 3

MARK_BYTES = 8
"""Number of bytes of the `mark` that represents a hash in an edge."""

_decode_kinds = msgspec.json.Decoder(list[EdgeKind]).decode

CHECKS: Mapping[str, Callable[[bytes], object]] = {
    "profile": decode_profile,
    "variants": decode_variants,
    "extra": decode_extra,
}
"""The decoder for each column, by name. If a value cannot be decoded, the row is damaged."""


PackBytes = Annotated[int, Meta(ge=1, le=MAX_FILE_BYTES)]

Number = Meta(min_length=HASH + 1, max_length=NEEDS + 1)
"""The valid numbers of columns. Files of older versions have no columns for nodes."""


class Pack(Struct, frozen=True):
    """Some stored rows, as columns."""

    tables: Annotated[list[list[bytes]], Number]
    """The distinct values of each column."""
    numbers: Annotated[list[list[int]], Number]
    """For each column, the index of each row's value in the column's table."""

    @classmethod
    def of(cls, rows: Iterable[PackedRow]) -> "Pack":
        """Return a pack of these rows. There must be at least one row."""
        columns = list(zip(*rows, strict=True))
        tables = [list(dict.fromkeys(column)) for column in columns]
        numbers = ([*map(numbered(table).__getitem__, own)] for table, own in zip(tables, columns, strict=True))
        return cls(tables, list(numbers))

    def rows(self) -> Iterator[PackedRow]:
        """Return an iterator over the rows. If the pack is damaged, the iterator raises ValueError or IndexError."""
        rows = zip(
            *(map(table.__getitem__, own) for table, own in zip(self.tables, self.numbers, strict=True)), strict=True
        )
        return rows if len(self.tables) > NODE else (row + NO_NODE for row in rows)


class Snapshot(Struct, frozen=True, kw_only=True):
    """The file of a snapshot."""

    packs: bytes = b""
    """The concatenated names of the packs. Empty in the first version, which finds packs by row numbers."""
    sizes: list[PackBytes] = []
    """The number of rows in each pack."""
    rows: bytes
    """A serialized bitmap of the snapshot's rows. The rows of all its packs are numbered consecutively."""
    specs: int
    """The number of distinct hashes in the visible rows, plus the number of visible rows without a hash."""
    packages: int
    stacks: int
    """The number of stacks, not counting `root`."""


class ReadPack(Struct, frozen=True):
    """The rows that were read from a pack."""

    size: int
    """The total number of rows in the pack."""
    rows: Mapping[int, PackedRow]
    """The requested rows, by their index in the pack."""


RowPlaces: TypeAlias = Mapping[str, BitMap]
"""A set of stored rows: indexes of rows in a pack, by the file name of the pack."""

ReadSnapshot: TypeAlias = tuple[str, Snapshot, RowPlaces]
"""A tag, the snapshot with this tag, and its rows."""


class History:
    """The snapshots of one CONTENT, in a folder that may not exist yet."""

    def __init__(self, folder: Path, prefix: str = "") -> None:
        """`prefix` is the text before each tag: `LABEL/` if several contents are open, otherwise empty."""
        self.folder = folder
        self.prefix = prefix
        self.damage: dict[str, str] = {}
        """The reasons why snapshots or packs could not be read, by tag or file name."""

    @property
    def tags(self) -> list[str]:
        """The tags of the snapshots, newest first. Raises UserError if the folder cannot be read."""
        try:
            with self._opened() as folder:
                return self._tags(folder)
        except FileNotFoundError:
            return []

    def snapshots(self) -> list[tuple[str, Snapshot, int]]:
        """Return (tag, snapshot, size) for each readable snapshot, newest first. The size is in bytes, on the disk.

        The size includes the snapshot file and the packs that no older snapshot uses. Afterwards, `damage` contains the
        reasons why other snapshots could not be read.
        """
        found: list[tuple[str, Snapshot, int]] = []
        if tags := self.tags:
            counted: set[str] = set()
            with self._opened() as folder:
                for tag, snapshot, places in self._whole(*self._loaded(tags[::-1], lambda _: False)):
                    own = {pack for pack, some in places.items() if some} - counted
                    found.append((tag, snapshot, sum(folder.status(name).st_size for name in (_file(tag), *own))))
                    counted |= own
        return found[::-1]

    def segments(
        self, tags: Collection[str], selects: Callable[[PackedRow], bool] | None = None, *, has_graph: bool = False
    ) -> Iterator[Segment]:
        """Yield a segment for each readable snapshot with one of these tags.

        Without `selects`, each segment has all rows and the dependency graph of its snapshot. With `selects`, each
        segment has only the rows for which `selects` returns true, and no graph. If `has_graph` is also true, the first
        segment has a graph of all rows of all these snapshots. Afterwards, `damage` contains the reasons why other
        snapshots could not be read.
        """
        read, there = self._loaded([tag for tag in self.tags if tag in tags], None if has_graph else selects)
        every = list(chain.from_iterable(pack.rows.values() for pack in there.values())) if has_graph else None
        for tag, _, places in self._whole(read, there):
            try:
                rows = [row for row in _rows_in(places, there) if selects is None or selects(row)]
                yield segment_of(tag, rows, rows if selects is None else every or ())
                every = None
            except (ValueError, IndexError, msgspec.MsgspecError) as error:
                self._damaged(tag, error)

    def tags_with_binaries(self, hashes: Collection[bytes]) -> list[str]:
        """Return the tags of the readable snapshots that have a binary for each of these hashes, newest first."""
        wanted = frozenset(hashes)
        snapshots, there = self._loaded(self.tags, lambda row: row[HASH] in wanted and _is_index_row(row))
        whole = self._whole(snapshots, there)
        return [tag for tag, _, places in whole if wanted <= {row[HASH] for row in _rows_in(places, there)}]

    def sizes(self) -> dict[str, Mapping[str, int]]:
        """Count the specs in each stack of each readable snapshot. The stack `""` has all specs.

        Return the counts by tag, then by stack.
        """
        snapshots, there = self._loaded(self.tags, None)
        profile: Once[bytes, Profile] = Once(decode_profile)
        stacks: dict[str, dict[str, BitMap]] = {}
        for name, pack in there.items():
            try:
                stacks[name] = _by_stack(pack.rows, profile)
            except msgspec.MsgspecError as error:
                self._damaged(name, error)
        return {
            tag: {
                stack: sum(len(some & stacks[name][stack]) for name, some in places.items() if stack in stacks[name])
                for stack in set(chain(*map(stacks.__getitem__, places)))
            }
            for tag, _, places in self._whole(snapshots, {name: there[name] for name in stacks})
        }

    # Changes. Only one process at a time can make changes. The methods raise UserError.

    def record(self, day: str, columns: Columns, tags: Collection[str]) -> str | None:
        """Save the rows of these tags as a snapshot. Return its tag, or None if the latest snapshot has the same rows.

        The latest snapshot is the newest one on or before `day`. The second snapshot of a day has the tag `DAY.2`.
        """
        with self._locked() as folder:
            known = self._tags(folder)
            there = self._packs(folder, dict.fromkeys(name for name in folder.names() if _PACK.fullmatch(name)))
            state = list(rows_of(columns, tags))
            keys = list(_keys(state))
            past = (tag for tag in known if own_tag(tag)[:10] <= day)
            newest = next(self._whole(self._readable(folder, past), there), None)
            if newest and set(keys) == set(_keys(_rows_in(newest[2], there))):
                return None
            # rows in packs of the first version are stored again, because the names of these packs are not checksums
            stored = [
                (row, (name, k)) for name, pack in there.items() for k, row in pack.rows.items() if "-" not in name
            ]
            places_of = dict(zip(_keys(row for row, _ in stored), (place for _, place in stored), strict=True))
            sizes = {name: pack.size for name, pack in there.items()}
            new = {key: row for key, row in zip(keys, state, strict=True) if key not in places_of}
            for start in range(0, len(new), MAX_PACK_ROWS):
                some = dict(islice(new.items(), start, start + MAX_PACK_ROWS))
                pack = self._write(folder, Pack.of(some.values()))
                places_of |= {key: (pack, k) for k, key in enumerate(some)}
                sizes[pack] = len(some)
            used = {pack: sizes[pack] for pack, _ in map(places_of.__getitem__, keys)}
            starts = dict(zip(used, accumulate(used.values(), initial=0), strict=False))
            rows = BitMap(starts[pack] + place for pack, place in map(places_of.__getitem__, keys)).serialize()
            names = bytes.fromhex("".join(pack.removesuffix(PACK) for pack in used))
            again = [int(own_tag(tag)[11:] or 1) for tag in known if own_tag(tag)[:10] == day]
            tag = f"{self.prefix}{day}{f'.{max(again) + 1}' if again else ''}"
            self._write(folder, Snapshot(packs=names, sizes=list(used.values()), rows=rows, **_figures(state)), tag)
            return tag

    def remove(self, tags: Iterable[str]) -> list[str]:
        """Remove snapshots, and the packs that no other snapshot needs. Return the tags that could not be removed.

        Only the owner of a snapshot can remove it.
        """
        with self._locked() as folder:
            left = [tag for tag in tags if not folder.remove(_file(tag))]
            snapshots = list(self._readable(folder, known := self._tags(folder)))
            used = set(chain.from_iterable(places for _, _, places in snapshots))
            for name in folder.names():
                if len(snapshots) == len(known) and _PACK.fullmatch(name) and name not in used:
                    folder.remove(name)
            return left

    @contextmanager
    def _locked(self) -> Iterator[OwnFolder]:
        """Open the folder, lock it for this process, and remove the unfinished files of killed writers."""
        with self._opened(make=True) as folder, folder.alone("lock", LOCK_SECONDS):
            for name in folder.names():
                if name.endswith(UNFINISHED):
                    folder.remove(name)
            yield folder

    # Files

    @contextmanager
    def _opened(self, *, make: bool = False) -> Iterator[OwnFolder]:
        """Open the folder. If `make` is true and the folder is missing, create it.

        If `make` is false and the folder is missing, raise FileNotFoundError. Raise UserError on any other failure.
        """
        place, name = self.folder.parent, self.folder.name
        try:
            with own_folder(place, name, make=make, shared=True, created=_CREATED) as folder:
                yield folder
        except OSError as error:
            if isinstance(error, FileNotFoundError) and not make:
                raise
            why = f"{error.strerror or error}{f'; a shared history {SHARED}' * (error.errno == EACCES)}"
            what = f"{visible(str(self.folder))} cannot be {'written' if make else 'read'} ({why})"
            raise UserError(f"{what}: set CACHETUI_HISTORY to another folder") from None

    def _tags(self, folder: OwnFolder) -> list[str]:
        snapshots = (name.removesuffix(SNAPSHOT) for name in folder.names() if name.endswith(SNAPSHOT))
        return tag_order(f"{self.prefix}{day}" for day in snapshots if is_snapshot(day))

    def _readable(self, folder: OwnFolder, tags: Iterable[str]) -> Iterator[ReadSnapshot]:
        """Yield the snapshots whose own file is readable. Do not read the packs with their rows."""
        older = {name: range(*map(int, name[:19].split("-"))) for name in folder.names() if _NUMBERED.fullmatch(name)}
        for tag in tags:
            with suppress(UserError):
                snapshot, _ = self._read(folder, _file(tag), Snapshot, tag, MAX_SNAPSHOT_BYTES)
                places: dict[str, BitMap] = {}
                try:
                    rows = BitMap.deserialize(snapshot.rows)
                    for name, own in (_numbers(snapshot) if snapshot.packs else older).items():
                        if some := rows & BitMap(own):
                            places[name], rows = some.shift(-own.start), rows - some
                except (ValueError, IndexError, OverflowError) as error:
                    raise self._damaged(tag, error) from None
                yield tag, snapshot, {**places, LOST: rows} if rows else places

    def _loaded(
        self, tags: Sequence[str], selects: Callable[[PackedRow], bool] | None
    ) -> tuple[list[ReadSnapshot], Mapping[str, ReadPack]]:
        """Return the snapshots whose own file is readable, and their readable packs by name.

        The packs contain only rows for which `selects` returns true, or all rows if `selects` is None.
        """
        if not tags:
            return [], {}
        with self._opened() as folder:
            snapshots, needed = list(self._readable(folder, tags)), dict[str, BitMap | None]()
            for name, some in chain.from_iterable(places.items() for _, _, places in snapshots):
                needed[name] = some | (needed.get(name) or BitMap())
            needed.pop(LOST, None)
            return snapshots, self._packs(folder, needed, selects)

    def _whole(self, snapshots: Iterable[ReadSnapshot], packs: Mapping[str, ReadPack]) -> Iterator[ReadSnapshot]:
        """Yield the snapshots whose rows are all in readable packs."""
        for tag, snapshot, places in snapshots:
            sizes = {name: packs[name].size if name in packs else 0 for name in places}
            if lost := sum(len(some - BitMap(range(sizes[name]))) for name, some in places.items()):
                self._damaged(tag, f"it has {plural(lost, 'damaged row')}")
            else:
                yield tag, snapshot, places

    def _packs(
        self, folder: OwnFolder, needed: Mapping[str, BitMap | None], selects: Callable[[PackedRow], bool] | None = None
    ) -> dict[str, ReadPack]:
        """Read packs, and return those that are readable, by name.

        `needed` contains the indexes of the rows to read from each pack, or None to read all rows. If `selects` is
        given, keep only the rows for which it returns true.
        """
        found, left = dict[str, ReadPack](), MAX_HISTORY_BYTES
        for name, places in needed.items():
            with suppress(UserError):
                pack, expanded = self._read(folder, name, Pack, name, MAX_FILE_BYTES)
                size = len(pack.numbers[0])
                left -= max(expanded, size * ROW_BYTES)
                try:
                    if left < 0:
                        raise ValueError(
                            f"the snapshots need more than {MAX_HISTORY_BYTES >> 20} MB: remove some with --remove"
                        )
                    rows = {k: row for k, row in enumerate(pack.rows()) if places is None or k in places}
                except (ValueError, IndexError) as error:
                    raise self._damaged(name, error) from None
                found[name] = ReadPack(size, {k: row for k, row in rows.items() if selects is None or selects(row)})
        return found

    def _damaged(self, name: str, why: object) -> UserError:
        """Return the error for an unreadable snapshot or pack. Add the reason to `damage`."""
        self.damage[name] = visible(str(why))
        return UserError(f"{name} in {visible(str(self.folder))} cannot be read: {self.damage[name]}")

    def _read(self, folder: OwnFolder, name: str, kind: type[Any], shown: str, most: int) -> tuple[Any, int]:
        """Return the decoded content of a file, and its size in bytes after decompression. Raise UserError on failure.

        `kind` is the class of the content. `most` is the maximum size in bytes. `shown` is the file's name in messages.
        """
        try:
            raw = folder.read(name, most)
            if raw is None:
                raise ValueError("it does not exist")
            start, packed = raw[: len(MAGIC) + DIGEST_BYTES], raw[len(MAGIC) + DIGEST_BYTES :]
            checksum = _checksum(packed)
            is_named = kind is Snapshot or _NUMBERED.fullmatch(name) or name == f"{checksum[:NAME_BYTES].hex()}{PACK}"
            if start not in [first + checksum for first in (MAGIC, *OLDER)] or not is_named:
                raise ValueError("it is damaged, or was written by another version")
            expanding = zlib.decompressobj()
            expanded = expanding.decompress(packed, most)
            if expanding.unconsumed_tail:
                raise ValueError(f"it expands to more than {most >> 20} MB")
            return msgspec.msgpack.decode(expanded, type=kind), len(expanded)
        except (OSError, ValueError, zlib.error, msgspec.MsgspecError) as error:
            raise self._damaged(shown, getattr(error, "strerror", None) or error) from None

    def _write(self, folder: OwnFolder, value: Pack | Snapshot, tag: str = "") -> str:
        """Write a pack, or the snapshot with this tag, and return the file name. Raise OSError on failure."""
        expanded = msgspec.msgpack.encode(value)
        if len(expanded) > (MAX_SNAPSHOT_BYTES if tag else MAX_FILE_BYTES):
            raise OSError(EFBIG, "File too large")
        packed = zlib.compress(expanded)
        name = _file(tag) if tag else f"{_checksum(packed)[:NAME_BYTES].hex()}{PACK}"
        with folder.replacing(name, settled=True) as file:
            file.writelines([MAGIC, _checksum(packed), packed])
        return name


def _numbers(snapshot: Snapshot) -> dict[str, range]:
    """Number the rows of all packs of a snapshot consecutively. Return the row numbers of each pack, by file name."""
    starts = accumulate(snapshot.sizes, initial=0)
    names = (f"{snapshot.packs[k : k + NAME_BYTES].hex()}{PACK}" for k in range(0, len(snapshot.packs), NAME_BYTES))
    return {name: range(start, start + size) for name, size, start in zip(names, snapshot.sizes, starts, strict=False)}


def _file(tag: str) -> str:
    return f"{own_tag(tag)}{SNAPSHOT}"


def _checksum(packed: bytes) -> bytes:
    return blake2b(packed, digest_size=DIGEST_BYTES).digest()


# Rows


def rows_of(columns: Columns, tags: Collection[str]) -> Iterator[PackedRow]:
    """Yield the rows of these tags in an index, followed by a row for each graph node that has no row.

    If there are several tags, yield each hash only once.
    """
    tables = [[columns.tables[name].raw(k) for k in range(len(columns.tables[name]))] for name in ROW_COLUMNS]
    numbers = [columns.rows[name] for name in ROW_COLUMNS]
    extras: Once[tuple[bytes, str], bytes] = Once(lambda key: _without_tag(*key))
    nodes = _nodes(columns.graph, tags)
    seen: set[bytes] = set()
    for page, tag in (
        (page, tag) for page, tag in enumerate(map(columns.tags.__getitem__, columns.page_tag)) if tag in tags
    ):
        package = columns.packages.raw(columns.page_package[page])
        for row in range(columns.page_start[page], columns.page_start[page + 1]):
            *values, extra, spec_hash = (table[own[row]] for table, own in zip(tables, numbers, strict=True))
            if spec_hash not in seen or len(tags) == 1:
                yield (package, *values, extras[extra, tag], spec_hash, *nodes.get(spec_hash, NO_NODE)[-len(NO_NODE) :])
            if spec_hash:
                seen.add(spec_hash)
    yield from (row for spec_hash, row in nodes.items() if spec_hash not in seen)


def _nodes(graph: Graph, tags: Collection[str]) -> dict[bytes, PackedRow]:
    """Return the graph nodes of these tags as stored rows, by hash.

    If several tags have a node with the same hash, use the node with the most data.
    """
    found: dict[bytes, PackedRow] = {}
    for part in (each.nodes for each in graph.of_tags if each.tag in tags):
        kinds, hashes = part.edge_kinds(), list(part.hashes.raws())
        marks = list(map(mark, hashes))
        of_edges: Once[tuple[int, ...], bytes] = Once(partial(_edges_text, kinds))
        texts = [list(part.tables[name].raws()) for name in NODE_COLUMNS]
        columns = [part.columns[name] for name in NODE_COLUMNS]
        for k, spec_hash in enumerate(hashes):
            edges = slice(part.first[k], part.first[k + 1])
            name, version, profile, variants, extra = (
                own[column[k]] for own, column in zip(texts, columns, strict=True)
            )
            needs = b"".join(map(marks.__getitem__, part.target[edges]))
            said = b"%d%s" % (part.state[k], extra), of_edges[tuple(part.kind[edges])], needs
            row = (name, profile, version, variants, b"", spec_hash, *said)
            found[spec_hash] = max(found.get(spec_hash, row), row, key=itemgetter(NODE))
    return found


def _edges_text(kinds: Sequence[EdgeKind], numbers: Iterable[int]) -> bytes:
    """Return the kinds of edges with these numbers, as JSON."""
    return msgspec.json.encode([kinds[k] for k in numbers])


def mark(spec_hash: bytes) -> bytes:
    """Return a short checksum of a hash. Edges contain the checksum instead of the hash."""
    return blake2b(spec_hash, digest_size=MARK_BYTES).digest()


def _without_tag(text: bytes, tag: str) -> bytes:
    """Insert the tag into the tarball's address in a value of the column `extra`, and return the new value.

    Without this change, the address would later get the tag of the snapshot. `address_parts` explains the parts of an
    address.
    """
    extra = decode_extra(text)
    if not isinstance(extra.tarball, tuple) or len(extra.tarball) < 3:
        return text
    above, before, after = extra.tarball
    return msgspec.json.encode(replace(extra, tarball=(f"{above}{own_tag(tag)}{before}", after)))


def _keys(rows: Iterable[PackedRow]) -> Iterator[tuple[bytes | int, ...]]:
    """Yield a different key for each row. Rows without a hash may be equal, so their keys contain a counter."""
    seen: Counter[PackedRow] = Counter()
    for row in rows:
        seen[row] += 1
        yield (*row, seen[row]) if seen[row] > 1 else row


def _rows_in(places: RowPlaces, packs: Mapping[str, ReadPack]) -> Iterator[PackedRow]:
    """Yield the stored rows in the set `places`. Skip rows that were not read."""
    for name, some in places.items():
        rows = packs[name].rows
        yield from (rows[place] for place in some if place in rows)


def _figures(rows: Iterable[PackedRow]) -> dict[str, Any]:
    """Return the fields of a `Snapshot` that count specs, packages and stacks in these rows."""
    profile: Once[bytes, Profile] = Once(decode_profile)
    shown = [row for row in rows if _is_index_row(row) and profile[row[PROFILE]].state not in HIDDEN]
    stacks = set(chain.from_iterable(profile[row[PROFILE]].stacks for row in shown))
    specs = {row[HASH] or place for place, row in enumerate(shown)}
    return {"specs": len(specs), "packages": len({row[PACKAGE] for row in shown}), "stacks": len(stacks - {ROOT})}


def _by_stack(rows: Mapping[int, PackedRow], profile: Mapping[bytes, Profile]) -> dict[str, BitMap]:
    """Return the indexes of the visible rows in each stack. The stack `""` has all visible rows.

    Only records of installed specs are visible.
    """
    shown = ((k, profile[row[PROFILE]]) for k, row in rows.items() if _is_index_row(row))
    pairs = ((stack, k) for k, own in shown if own.state not in HIDDEN for stack in {"", *own.stacks})
    return {stack: BitMap(places) for stack, places in grouped(pairs).items()}


def _is_index_row(row: PackedRow) -> bool:
    """Return whether a stored row comes from a row of the index, and not only from a node of the graph."""
    return bool(row[EXTRA]) or not row[NODE]


def segment_of(tag: str, rows: Sequence[PackedRow], nodes: Sequence[PackedRow] | None = None) -> Segment:
    """Convert stored rows to a segment with one tag. Build its graph from `nodes`, by default from all rows.

    Raise ValueError, IndexError or MsgspecError if the rows are damaged.
    """
    ordered = sorted(filter(_is_index_row, rows), key=itemgetter(PACKAGE))
    tables: dict[str, StringTable] = {}
    numbers: dict[str, Ints] = {}
    for place, column in enumerate(ROW_COLUMNS, 1):
        tables[column], numbers[column] = distinct([row[place] for row in ordered])
        for text in map(tables[column].raw, range(len(tables[column]))):
            CHECKS.get(column, _decoded)(text)
    by_package = [(package, len(list(own))) for package, own in groupby(map(itemgetter(PACKAGE), ordered))]
    packages = [_decoded(package) for package, _ in by_package]
    return Segment(
        paths=StringTable.of(f"{tag}{SNAPSHOT_PAGES}{package}" for package in packages),
        packages=StringTable.of(packages),
        tags=StringTable.of([tag]),
        page_package=array("I", range(len(packages))),
        page_tag=array("I", [0] * len(packages)),
        lengths=array("I", [length for _, length in by_package]),
        tables=tables,
        rows=numbers,
        file_path=StringTable.of([]),
        file_size=array("Q"),
        file_time=array("Q"),
        upper_folders=(),
        problems=(),
        graph=_graph(tag, own) if (own := [row for row in (rows if nodes is None else nodes) if row[NODE]]) else None,
    )


def _graph(tag: str, rows: Sequence[PackedRow]) -> TagGraph:
    """Build the graph of a snapshot. Raise ValueError or MsgspecError if the rows are damaged."""
    for row in rows:
        (_profile_of if row[EXTRA] else profile_of)(row[PROFILE])
    for text in {row[NODE] for row in rows}:
        State(int(text[:1]))
        extra_of(_decoded(text[1:]))
    lengths = {text: MARK_BYTES * len(_decode_kinds(text)) for text in {row[KINDS] for row in rows}}
    ends = set(chain.from_iterable(map(_marks, rows)))
    if any(len(row[NEEDS]) != lengths[row[KINDS]] for row in rows) or ends - {mark(row[HASH]) for row in rows}:
        raise ValueError("its dependencies are damaged")
    return TagGraph(f"{tag}{SNAPSHOT_PAGES}", tag, partial(_node_columns, rows))


def _marks(row: PackedRow) -> list[bytes]:
    """Return the `mark` of each direct dependency that a row records."""
    return [row[NEEDS][at : at + MARK_BYTES] for at in range(0, len(row[NEEDS]), MARK_BYTES)]


def _node_columns(rows: Sequence[PackedRow]) -> NodeColumns:
    ordered = sorted({row[HASH]: row for row in rows}.values(), key=itemgetter(HASH))
    profiles: Once[bytes, bytes] = Once(_profile_of)
    texts = (
        (
            row[PACKAGE],
            row[VERSION],
            profiles[row[PROFILE]] if row[EXTRA] else row[PROFILE],
            row[VARIANTS],
            row[NODE][1:],
        )
        for row in ordered
    )
    found = dict(zip(NODE_COLUMNS, map(distinct, zip(*texts, strict=True)), strict=True))
    place = numbered(mark(row[HASH]) for row in ordered)
    kinds: Once[bytes, list[bytes]] = Once(lambda text: list(map(msgspec.json.encode, _decode_kinds(text))))
    edges = list(map(kinds.__getitem__, map(itemgetter(KINDS), ordered)))
    names, numbers = distinct(list(chain.from_iterable(edges)))
    return NodeColumns(
        hashes=StringTable.of_bytes([row[HASH] for row in ordered]),
        tables={name: table for name, (table, _) in found.items()},
        columns={name: column for name, (_, column) in found.items()},
        state=array("I", [int(row[NODE][:1]) for row in ordered]),
        first=array("I", accumulate(map(len, edges), initial=0)),
        target=array("I", map(place.__getitem__, chain.from_iterable(map(_marks, ordered)))),
        kind=small(numbers),
        kinds=names,
    )


def _profile_of(text: bytes) -> bytes:
    """Convert the profile of a row to the profile of a node, which has fewer fields. Both are JSON."""
    row = decode_profile(text)
    return msgspec.json.encode(
        (None if row.compiler == NO_COMPILER else row.compiler, row.os, row.platform, row.target)
    )


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogatepass")
