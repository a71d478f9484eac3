"""The recorded days of a content: which rows it had on each of them.

A folder has the rows in packs, and for each day a file with its rows by pack and place, so that a row of many days is
stored once. The name of a pack is its checksum: no other can take its place. Every file is renamed into its place when
it is on the disk, a pack before the day that needs it. A damaged day costs only that day; a damaged pack those days
that have rows of it, and their rows are recorded again. A row of a build cache has its dependencies with it, and there
are rows for what has no binary, such as externals. The first version numbered all rows, and the first two recorded no
dependencies; both are still read.
Input: the columns of an index, and the files, which others may have written and which may be damaged in any way.
"""

import os
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
from cachetui.model.tags import is_day, own_tag, tag_order
from cachetui.safe_text import visible
from cachetui.settings.folders import SHARED, TEMPORARY, UNFINISHED, OwnFolder, own_folder
from cachetui.store.arrays import Ints, numbered, small
from cachetui.store.builder import Segment
from cachetui.store.columns import DAY_PAGES, ROW_COLUMNS, Columns, decode_extra
from cachetui.store.graph import Graph, extra_of
from cachetui.store.string_table import StringTable, decode_variants
from cachetui.store.tag_graph import NODE_COLUMNS, NodeColumns, TagGraph, profile_of

MAGIC = b"cachetui days 3\n"
"""First line of every file. Raise the number whenever the meaning of one changes."""

OLDER = (b"cachetui days 1\n", b"cachetui days 2\n")
"""First lines of the files of older versions."""

DIGEST_BYTES = 16
"""Bytes of the checksum after it."""

NAME_BYTES = 6
"""Bytes of the checksum that name a pack; a year has hundreds of packs, and each day names most of them."""

MAX_FILE_BYTES = 64 * 2**20
"""Maximum bytes of a file, also after decompression. Its lists have at least a byte for each 8 of memory."""

MAX_DAY_BYTES = 2**20
"""The same for the file of a day."""

MAX_HISTORY_BYTES = 256 * 2**20
"""Maximum bytes of all packs that are read at a time, after decompression; a row counts as at least `ROW_BYTES`."""

ROW_BYTES = 64

MAX_PACK_ROWS = 50_000
"""Maximum rows of a new pack."""

LOCK_SECONDS = 60.0
"""Seconds to wait for another writer."""

DAY, PACK = ".day", ".rows"
"""Endings of the files."""

LOST = ""
"""Stands for the pack of rows that are in none."""

_NUMBERED = re.compile(r"\d{9}-\d{9}\.rows")
"""A pack of the first version: the numbers of its rows, without the last one."""

_PACK = re.compile(r"([0-9a-f]{12}|\d{9}-\d{9})\.rows")

_CREATED = re.compile(rf"lock|(\d{{4}}-\d\d-\d\d(\.\d+)?\.day|{_PACK.pattern})({TEMPORARY})?")
"""The names of all files."""

PackedRow: TypeAlias = tuple[bytes, ...]
"""The package, the values of `ROW_COLUMNS` as the tables of columns have them, then three of its node in the graph.

These are its state and `extra`, the kinds of its edges as JSON, and for each edge a `mark` of the hash that it leads
to; all are empty if no dependencies are recorded. A node without a row has no `extra` of a row.
"""

PACKAGE = 0
PROFILE, VERSION, VARIANTS, EXTRA, HASH, NODE, KINDS, NEEDS = range(1, 4 + len(ROW_COLUMNS))
"""The places of the values in a row."""

NO_NODE = (b"",) * 3

MARK_BYTES = 8
"""Bytes of the checksum that an edge names a hash by."""

_decode_kinds = msgspec.json.Decoder(list[EdgeKind]).decode

CHECKS: Mapping[str, Callable[[bytes], object]] = {
    "profile": decode_profile,
    "variants": decode_variants,
    "extra": decode_extra,
}
"""What has to be able to read the texts of a column."""


PackBytes = Annotated[int, Meta(ge=1, le=MAX_FILE_BYTES)]

Number = Meta(min_length=HASH + 1, max_length=NEEDS + 1)
"""How many columns there are; older versions have none of nodes."""


class Pack(Struct, frozen=True):
    """Some rows, as columns."""

    tables: Annotated[list[list[bytes]], Number]
    """The distinct values of each column."""
    numbers: Annotated[list[list[int]], Number]
    """For each column the place of each row's value in its table."""

    @classmethod
    def of(cls, rows: Iterable[PackedRow]) -> "Pack":
        """Return a pack of these rows, of which there are some."""
        columns = list(zip(*rows, strict=True))
        tables = [list(dict.fromkeys(column)) for column in columns]
        numbers = ([*map(numbered(table).__getitem__, own)] for table, own in zip(tables, columns, strict=True))
        return cls(tables, list(numbers))

    def rows(self) -> Iterator[PackedRow]:
        """Yield the rows; raises ValueError or IndexError where they are none."""
        columns = zip(self.tables, self.numbers, strict=True)
        rows = zip(*(map(table.__getitem__, own) for table, own in columns), strict=True)
        return rows if len(self.tables) > NODE else (row + NO_NODE for row in rows)


class Day(Struct, frozen=True, kw_only=True):
    """What there was on one day."""

    packs: bytes = b""
    """The names of its packs, one after the other; none in the first version, which finds packs by numbers."""
    sizes: list[PackBytes] = []
    """How many rows each of these has."""
    rows: bytes
    """The numbers of its rows, in a bitmap: they go on from each pack to the next."""
    specs: int
    """Distinct hashes of what is not hidden; a row without a hash counts by itself."""
    packages: int
    stacks: int
    """Without `root`."""


class ReadPack(Struct, frozen=True):
    """What was read of a pack."""

    size: int
    """All its rows."""
    rows: Mapping[int, PackedRow]
    """Those that are needed, by place."""


RowPlaces: TypeAlias = Mapping[str, BitMap]
"""Some rows: for the file of each pack the places of its rows."""

ReadDay: TypeAlias = tuple[str, Day, RowPlaces]
"""A tag, its day, and the rows of that."""


class History:
    """The days of one content, in a folder that need not exist."""

    def __init__(self, folder: Path, prefix: str = "") -> None:
        """`prefix` is what the tags of the content begin with."""
        self.folder = folder
        self.prefix = prefix
        self.damage: dict[str, str] = {}
        """Why something could not be read, by day or file."""

    @property
    def tags(self) -> list[str]:
        """The recorded days as tags, from the newest; raises UserError where they cannot be listed."""
        try:
            with self._opened() as folder:
                return self._tags(folder)
        except FileNotFoundError:
            return []

    def days(self) -> list[tuple[str, Day, int]]:
        """Return the days that can be read, from the newest, each with its tag and its bytes on the disk.

        These are of its file, and of the packs of which no older day has rows. `damage` says what is wrong with others.
        """
        found: list[tuple[str, Day, int]] = []
        if tags := self.tags:
            counted: set[str] = set()
            with self._opened() as folder:
                for tag, day, places in self._whole(*self._loaded(tags[::-1], lambda _: False)):
                    own = {pack for pack, some in places.items() if some} - counted
                    found.append((tag, day, sum(folder.status(name).st_size for name in (_file(tag), *own))))
                    counted |= own
        return found[::-1]

    def segments(
        self, tags: Collection[str], wanted: Callable[[PackedRow], bool] | None = None, *, has_graph: bool = False
    ) -> Iterator[Segment]:
        """Yield those of these tags that are days which can be read, with the rows that are `wanted`; see `damage`.

        If not all rows are wanted, `has_graph` adds one graph of all rows of these days to the first segment.
        """
        read, there = self._loaded([tag for tag in self.tags if tag in tags], None if has_graph else wanted)
        every = list(chain.from_iterable(pack.rows.values() for pack in there.values())) if has_graph else None
        for tag, _, places in self._whole(read, there):
            try:
                rows = [row for row in _rows_in(places, there) if wanted is None or wanted(row)]
                yield segment_of(tag, rows, rows if wanted is None else every or ())
                every = None
            except (ValueError, IndexError, msgspec.MsgspecError) as error:
                self._damaged(tag, error)

    def holding(self, hashes: Collection[bytes]) -> list[str]:
        """Return the days on which there were binaries of all these hashes, from the newest; see `damage`."""
        wanted = frozenset(hashes)
        days, there = self._loaded(self.tags, lambda row: row[HASH] in wanted and _is_page(row))
        whole = self._whole(days, there)
        return [tag for tag, _, places in whole if wanted <= {row[HASH] for row in _rows_in(places, there)}]

    def sizes(self) -> dict[str, Mapping[str, int]]:
        """Return the size of each stack in each snapshot; the stack without a name has all specs. See `damage`."""
        days, there = self._loaded(self.tags, None)
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
            for tag, _, places in self._whole(days, {name: there[name] for name in stacks})
        }

    # Changes, one process at a time; they raise UserError

    def record(self, day: str, columns: Columns, tags: Collection[str]) -> str | None:
        """Record the rows of these tags as a day; return its tag, None if they are those of the newest day.

        That is the newest one not after this day. The second record of a day is `DAY.2`.
        """
        with self._alone() as folder:
            known = self._tags(folder)
            there = self._packs(folder, dict.fromkeys(name for name in folder.names() if _PACK.fullmatch(name)))
            state = list(rows_of(columns, tags))
            keys = list(_keys(state))
            past = (tag for tag in known if own_tag(tag)[:10] <= day)
            newest = next(self._whole(self._readable(folder, past), there), None)
            if newest and set(keys) == set(_keys(_rows_in(newest[2], there))):
                return None
            # rows of the first version are stored again: the names of its packs are not checksums
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
            self._write(folder, Day(packs=names, sizes=list(used.values()), rows=rows, **_figures(state)), tag)
            return tag

    def remove(self, tags: Iterable[str]) -> list[str]:
        """Remove days, and the packs of which no other day has a row; return the days of others, which stay."""
        with self._alone() as folder:
            left = [tag for tag in tags if not folder.remove(_file(tag))]
            days = list(self._readable(folder, known := self._tags(folder)))
            used = set(chain.from_iterable(places for _, _, places in days))
            for name in folder.names():
                if len(days) == len(known) and _PACK.fullmatch(name) and name not in used:
                    folder.remove(name)
            return left

    @contextmanager
    def _alone(self) -> Iterator[OwnFolder]:
        """Keep other writers out, and remove what a writer that was killed has left."""
        with self._opened(make=True) as folder, folder.alone("lock", LOCK_SECONDS):
            for name in folder.names():
                if name.endswith(UNFINISHED):
                    folder.remove(name)
            yield folder

    # Files

    @contextmanager
    def _opened(self, *, make: bool = False) -> Iterator[OwnFolder]:
        """Open the folder; raises UserError, and without `make` FileNotFoundError for a missing one."""
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
        days = (name.removesuffix(DAY) for name in folder.names() if name.endswith(DAY))
        return tag_order(f"{self.prefix}{day}" for day in days if is_day(day))

    def _readable(self, folder: OwnFolder, tags: Iterable[str]) -> Iterator[ReadDay]:
        """Yield the days that can be read, whether or not their rows can."""
        older = {name: range(*map(int, name[:19].split("-"))) for name in folder.names() if _NUMBERED.fullmatch(name)}
        for tag in tags:
            with suppress(UserError):
                day, _ = self._read(folder, _file(tag), Day, tag, MAX_DAY_BYTES)
                places: dict[str, BitMap] = {}
                try:
                    rows = BitMap.deserialize(day.rows)
                    for name, own in (_numbers(day) if day.packs else older).items():
                        if some := rows & BitMap(own):
                            places[name], rows = some.shift(-own.start), rows - some
                except (ValueError, IndexError, OverflowError) as error:
                    raise self._damaged(tag, error) from None
                yield tag, day, {**places, LOST: rows} if rows else places

    def _loaded(
        self, tags: Sequence[str], wanted: Callable[[PackedRow], bool] | None
    ) -> tuple[list[ReadDay], Mapping[str, ReadPack]]:
        """Return the days that can be read, and those of their packs that can; nothing for no days."""
        if not tags:
            return [], {}
        with self._opened() as folder:
            days, needed = list(self._readable(folder, tags)), dict[str, BitMap | None]()
            for name, some in chain.from_iterable(places.items() for _, _, places in days):
                needed[name] = some | (needed.get(name) or BitMap())
            needed.pop(LOST, None)
            return days, self._packs(folder, needed, wanted)

    def _whole(self, days: Iterable[ReadDay], there: Mapping[str, ReadPack]) -> Iterator[ReadDay]:
        """Yield the days with all their rows there."""
        for tag, day, places in days:
            sizes = {name: there[name].size if name in there else 0 for name in places}
            if lost := sum(len(some - BitMap(range(sizes[name]))) for name, some in places.items()):
                self._damaged(tag, f"{lost:,} of its rows are damaged")
            else:
                yield tag, day, places

    def _packs(
        self, folder: OwnFolder, needed: Mapping[str, BitMap | None], wanted: Callable[[PackedRow], bool] | None = None
    ) -> dict[str, ReadPack]:
        """Return the packs that can be read, with those of their rows that are needed (None: all) and wanted."""
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
                found[name] = ReadPack(size, {k: row for k, row in rows.items() if wanted is None or wanted(row)})
        return found

    def _damaged(self, name: str, why: object) -> UserError:
        """Return the error for a day or a file, and note it."""
        self.damage[name] = visible(str(why))
        return UserError(f"{visible(str(self.folder))}: {name} cannot be read: {self.damage[name]}")

    def _read(self, folder: OwnFolder, name: str, kind: type[Any], shown: str, most: int) -> tuple[Any, int]:
        """Return the value in a file, called `shown` in messages, and its bytes when expanded; raises UserError."""
        try:
            raw = folder.read(name, most)
            if raw is None:
                raise ValueError("it does not exist")
            start, packed = raw[: len(MAGIC) + DIGEST_BYTES], raw[len(MAGIC) + DIGEST_BYTES :]
            checksum = _checksum(packed)
            is_named = kind is Day or _NUMBERED.fullmatch(name) or name == f"{checksum[:NAME_BYTES].hex()}{PACK}"
            if start not in [first + checksum for first in (MAGIC, *OLDER)] or not is_named:
                raise ValueError("it is damaged, or of another version")
            expanding = zlib.decompressobj()
            expanded = expanding.decompress(packed, most)
            if expanding.unconsumed_tail:
                raise ValueError(f"it expands to more than {most >> 20} MB")
            return msgspec.msgpack.decode(expanded, type=kind), len(expanded)
        except (OSError, ValueError, zlib.error, msgspec.MsgspecError) as error:
            raise self._damaged(shown, getattr(error, "strerror", None) or error) from None

    def _write(self, folder: OwnFolder, value: Pack | Day, tag: str = "") -> str:
        """Write the pack, or the day of a tag, and return its name: it is on the disk then. Raises OSError."""
        expanded = msgspec.msgpack.encode(value)
        if len(expanded) > (MAX_DAY_BYTES if tag else MAX_FILE_BYTES):
            raise OSError(EFBIG, os.strerror(EFBIG))
        packed = zlib.compress(expanded)
        name = _file(tag) if tag else f"{_checksum(packed)[:NAME_BYTES].hex()}{PACK}"
        with folder.replacing(name, settled=True) as file:
            file.writelines([MAGIC, _checksum(packed), packed])
        return name


def _numbers(day: Day) -> dict[str, range]:
    """Return the numbers that the rows of each pack have in a day; raises ValueError."""
    starts = accumulate(day.sizes, initial=0)
    names = (f"{day.packs[k : k + NAME_BYTES].hex()}{PACK}" for k in range(0, len(day.packs), NAME_BYTES))
    return {name: range(start, start + size) for name, size, start in zip(names, day.sizes, starts, strict=False)}


def _file(tag: str) -> str:
    return f"{own_tag(tag)}{DAY}"


def _checksum(packed: bytes) -> bytes:
    return blake2b(packed, digest_size=DIGEST_BYTES).digest()


# Rows


def rows_of(columns: Columns, tags: Collection[str]) -> Iterator[PackedRow]:
    """Yield the rows of some tags of an index, of several tags each hash once, then the nodes without a row."""
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
    """Return the nodes of some tags as rows, by hash; of several tags the one of which most is known."""
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
    """Return the kinds of these numbers as JSON."""
    return msgspec.json.encode([kinds[k] for k in numbers])


def mark(spec_hash: bytes) -> bytes:
    """Return what names a hash in an edge."""
    return blake2b(spec_hash, digest_size=MARK_BYTES).digest()


def _without_tag(text: bytes, tag: str) -> bytes:
    """Return a text of the column `extra`, the tag written out in the address of its tarball; see `address_parts`."""
    extra = decode_extra(text)
    if not isinstance(extra.tarball, tuple) or len(extra.tarball) < 3:
        return text
    above, before, after = extra.tarball
    return msgspec.json.encode(replace(extra, tarball=(f"{above}{own_tag(tag)}{before}", after)))


def _keys(rows: Iterable[PackedRow]) -> Iterator[tuple[bytes | int, ...]]:
    """Yield a key for each row; equal rows, as those without a hash may be, have different ones."""
    seen: Counter[PackedRow] = Counter()
    for row in rows:
        seen[row] += 1
        yield (*row, seen[row]) if seen[row] > 1 else row


def _rows_in(places: RowPlaces, there: Mapping[str, ReadPack]) -> Iterator[PackedRow]:
    """Yield those of some rows that were read."""
    for name, some in places.items():
        rows = there[name].rows
        yield from (rows[place] for place in some if place in rows)


def _figures(rows: Iterable[PackedRow]) -> dict[str, Any]:
    """Return what a `Day` says of its rows."""
    profile: Once[bytes, Profile] = Once(decode_profile)
    shown = [row for row in rows if _is_page(row) and profile[row[PROFILE]].state not in HIDDEN]
    stacks = set(chain.from_iterable(profile[row[PROFILE]].stacks for row in shown))
    specs = {row[HASH] or place for place, row in enumerate(shown)}
    return {"specs": len(specs), "packages": len({row[PACKAGE] for row in shown}), "stacks": len(stacks - {ROOT})}


def _by_stack(rows: Mapping[int, PackedRow], profile: Mapping[bytes, Profile]) -> dict[str, BitMap]:
    """Return the places of the rows of each stack, and of all that are not hidden without a name."""
    shown = ((k, profile[row[PROFILE]]) for k, row in rows.items() if _is_page(row))
    pairs = ((stack, k) for k, own in shown if own.state not in HIDDEN for stack in {"", *own.stacks})
    return {stack: BitMap(places) for stack, places in grouped(pairs).items()}


def _is_page(row: PackedRow) -> bool:
    """Return whether a row is one of a page, not only a node of the graph."""
    return bool(row[EXTRA]) or not row[NODE]


def segment_of(tag: str, rows: Sequence[PackedRow], nodes: Sequence[PackedRow] | None = None) -> Segment:
    """Return rows as the pages of a tag, with the graph of all `nodes` among these or other rows.

    Raises ValueError, IndexError or MsgspecError for what are none.
    """
    ordered = sorted(filter(_is_page, rows), key=itemgetter(PACKAGE))
    tables: dict[str, StringTable] = {}
    numbers: dict[str, Ints] = {}
    for place, column in enumerate(ROW_COLUMNS, 1):
        tables[column], numbers[column] = _column([row[place] for row in ordered])
        for text in map(tables[column].raw, range(len(tables[column]))):
            CHECKS.get(column, _decoded)(text)
    by_package = [(package, len(list(own))) for package, own in groupby(map(itemgetter(PACKAGE), ordered))]
    packages = [_decoded(package) for package, _ in by_package]
    return Segment(
        paths=StringTable.of(f"{tag}{DAY_PAGES}{package}" for package in packages),
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


def _column(values: Sequence[bytes]) -> tuple[StringTable, "array[int]"]:
    """Return the distinct values of a column, sorted, and the number of each value."""
    texts = sorted(set(values))
    return StringTable.of_bytes(texts), array("I", map(numbered(texts).__getitem__, values))


def _graph(tag: str, rows: Sequence[PackedRow]) -> TagGraph:
    """Return the graph of a day, whose nodes are made later; raises ValueError or MsgspecError for what is none."""
    for row in rows:
        (_profile_of if row[EXTRA] else profile_of)(row[PROFILE])
    for text in {row[NODE] for row in rows}:
        State(int(text[:1]))
        extra_of(_decoded(text[1:]))
    lengths = {text: MARK_BYTES * len(_decode_kinds(text)) for text in {row[KINDS] for row in rows}}
    ends = set(chain.from_iterable(map(_marks, rows)))
    if any(len(row[NEEDS]) != lengths[row[KINDS]] for row in rows) or ends - {mark(row[HASH]) for row in rows}:
        raise ValueError("its dependencies are damaged")
    return TagGraph(f"{tag}{DAY_PAGES}", tag, partial(_node_columns, rows))


def _marks(row: PackedRow) -> list[bytes]:
    """Return what names the end of each edge of a node."""
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
    found = dict(zip(NODE_COLUMNS, map(_column, zip(*texts, strict=True)), strict=True))
    place = numbered(mark(row[HASH]) for row in ordered)
    kinds: Once[bytes, list[bytes]] = Once(lambda text: list(map(msgspec.json.encode, _decode_kinds(text))))
    edges = list(map(kinds.__getitem__, map(itemgetter(KINDS), ordered)))
    names, numbers = _column(list(chain.from_iterable(edges)))
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
    """Return the profile of a node from that of its row."""
    row = decode_profile(text)
    compiler = None if row.compiler == NO_COMPILER else row.compiler
    return msgspec.json.encode((compiler, row.os, row.platform, row.target))


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogatepass")
