"""The recorded days of a content: which rows it had on each of them.

A folder has the rows in packs, and for each day a file with the numbers of its rows, so that a row of many days is
stored once. Every file is renamed into its place when it is on the disk, a pack before the day that needs it. A damaged
day costs that day alone; a damaged pack those days that have rows of it, and their rows are recorded anew.
Input: the columns of an index, and the files, which others may have written and which may be damaged in any way.
"""

from __future__ import annotations

import re
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.model.installed import HIDDEN
from cachetui.model.problem import UserError
from cachetui.model.spec import ROOT, Profile, decode_profile
from cachetui.model.tags import is_day, own_tag, tag_order
from cachetui.safe_text import visible
from cachetui.settings.folders import UNFINISHED, alone, make_private, read_bounded, replacing
from cachetui.store.arrays import Ints, Once, numbered
from cachetui.store.builder import Files, Segment
from cachetui.store.columns import DAY_PAGES, ROW_COLUMNS, Columns, decode_extra
from cachetui.store.string_table import StringTable, decode_variants

MAGIC = b"cachetui days 1\n"
"""First line of every file. Raise the number whenever the meaning of one changes."""

DIGEST = 16
"""Bytes of the checksum behind it."""

LARGEST = 1 << 30
"""Most bytes of a file, also of what it unpacks to."""

SHARED = 0o666
"""The permissions of the files, as far as the umask leaves them: the folder decides who may read them."""

PATIENCE = 60.0
"""Seconds to wait for another writer."""

Row: TypeAlias = tuple[bytes, ...]
"""The package, and the values of `ROW_COLUMNS` as the tables of columns have them."""

PACKAGE = 0
PROFILE, _, _, _, HASH = range(1, 1 + len(ROW_COLUMNS))
"""The places of the values in a row."""

CHECKS: Mapping[str, Callable[[bytes], object]] = {
    "profile": decode_profile,
    "variants": decode_variants,
    "extra": decode_extra,
}
"""What has to be able to read the texts of a column."""


class Pack(Struct, frozen=True):
    """Some rows, as columns."""

    tables: Sequence[Sequence[bytes]]
    """The distinct values of each column."""
    numbers: Sequence[Sequence[int]]
    """For each column the place of each row's value in its table."""

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Pack:
        """Return a pack of these rows, of which there are some."""
        columns = list(zip(*rows, strict=True))
        tables = [list(dict.fromkeys(column)) for column in columns]
        return cls(
            tables, [[*map(numbered(table).__getitem__, own)] for table, own in zip(tables, columns, strict=True)]
        )

    def rows(self) -> Iterator[Row]:
        """Yield the rows; raises ValueError or IndexError where they are none."""
        columns = zip(("package", *ROW_COLUMNS), self.tables, self.numbers, strict=True)
        return zip(*(map(table.__getitem__, own) for _, table, own in columns), strict=True)


class Day(Struct, frozen=True, kw_only=True):
    """What there was on one day."""

    rows: bytes
    """The numbers of its rows, as a bitmap."""
    specs: int
    """Distinct hashes of what is not hidden; a row without a hash counts by itself."""
    packages: int
    stacks: int
    """Without `root`."""


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
        """The recorded days as tags, from the newest."""
        return tag_order(f"{self.prefix}{path.stem}" for path in self.folder.glob("*.day") if is_day(path.stem))

    def days(self) -> list[tuple[str, Day, int]]:
        """Return the days that can be read, from the newest, each with its tag and its bytes on the disk.

        These are of its file, and of the packs of which no older day has rows. `damage` says what is wrong with others.
        """
        found = []
        packs = [(BitMap(pack), path.lstat().st_size) for pack, path in self._packs]
        _, lost = self._rows(BitMap.union(BitMap(), *(BitMap(pack) for pack, _ in self._packs)))
        for tag, day, rows in self._readable(reversed(self.tags), lost):
            own = [each for each in packs if rows.intersect(each[0])]
            packs = [each for each in packs if each not in own]
            found.append((tag, day, sum((size for _, size in own), self._file(tag).lstat().st_size)))
        return found[::-1]

    def segments(self, tags: Collection[str], wanted: Callable[[Row], bool] | None = None) -> Iterator[Segment]:
        """Yield those of these tags that are days which can be read, with the rows that are `wanted`; see `damage`."""
        own = [tag for tag in self.tags if tag in tags]
        rows, lost = self._rows(BitMap.union(BitMap(), *(numbers for _, _, numbers in self._readable(own))), wanted)
        for tag, _, numbers in self._readable(own, lost):
            try:
                yield segment_of(tag, [rows[number] for number in numbers if number in rows])
            except (ValueError, IndexError, msgspec.MsgspecError) as error:
                self._damaged(tag, error)

    # Changes, one process at a time; they raise UserError

    def record(self, day: str, columns: Columns, tags: Collection[str]) -> str | None:
        """Record the rows of these tags as a day; return its tag, None where they are those of the newest day.

        The second record of a day is `DAY.2`.
        """
        with self._alone():
            stored, _ = self._rows(BitMap.union(BitMap(), *(BitMap(pack) for pack, _ in self._packs)))
            numbers = dict(zip(_keys(stored.values()), stored, strict=True))
            state = list(rows_of(columns, tags))
            keys = list(_keys(state))
            newest = next(self._readable(self.tags), None)
            if newest and set(keys) == set(_keys(filter(None, map(stored.get, newest[2])))):
                return None
            new = {key: row for key, row in zip(keys, state, strict=True) if key not in numbers}
            if new:
                first = max((pack.stop for pack, _ in self._packs), default=0)
                numbers |= zip(new, range(first, first + len(new)), strict=True)
                self._write(self.folder / f"{first:09}-{first + len(new):09}.rows", Pack.of(new.values()))
            again = [int(own_tag(tag)[11:] or 1) for tag in self.tags if own_tag(tag)[:10] == day]
            tag = f"{self.prefix}{day}{f'.{max(again) + 1}' if again else ''}"
            rows = BitMap(map(numbers.__getitem__, keys))
            self._write(self._file(tag), Day(rows=rows.serialize(), **_figures(state)))
            return tag

    def remove(self, tags: Iterable[str]) -> None:
        """Remove days, and the packs of which no other day has a row."""
        with self._alone():
            for tag in tags:
                self._file(tag).unlink(missing_ok=True)
            used = BitMap.union(BitMap(), *(rows for _, _, rows in self._readable(self.tags)))
            for pack, path in self._packs:
                if not self.damage and not used.intersect(BitMap(pack)):
                    path.unlink()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other writers out, and remove what a writer that was killed has left."""
        try:
            make_private(self.folder.parent)
            self.folder.mkdir(exist_ok=True)
            with alone(self.folder / "lock", PATIENCE, SHARED):
                for path in self.folder.glob(f"*{UNFINISHED}"):
                    path.unlink()
                yield
        except OSError as error:
            where, why = visible(str(self.folder)), error.strerror or error
            raise UserError(f"{where} cannot be written ({why}): CACHETUI_HISTORY names another folder") from None

    # Files

    @property
    def _packs(self) -> list[tuple[range, Path]]:
        """The numbers of the rows of each pack, and its file."""
        named = ((re.fullmatch(r"(\d{9})-(\d{9})", path.stem), path) for path in sorted(self.folder.glob("*.rows")))
        return [(range(*map(int, name.groups())), path) for name, path in named if name]

    def _file(self, tag: str) -> Path:
        return self.folder / f"{own_tag(tag)}.day"

    def _readable(self, tags: Iterable[str], lost: BitMap | None = None) -> Iterator[tuple[str, Day, BitMap]]:
        """Yield the tags of days that can be read, with the numbers of their rows, none of which is lost."""
        for tag in tags:
            with suppress(UserError):
                day = self._read(self._file(tag), Day, tag)
                try:
                    rows = BitMap.deserialize(day.rows)
                    if lost and rows.intersect(lost):
                        raise ValueError(f"{len(rows & lost):,} of its rows are damaged")
                except (ValueError, IndexError) as error:
                    raise self._damaged(tag, error) from None
                yield tag, day, rows

    def _rows(self, numbers: BitMap, wanted: Callable[[Row], bool] | None = None) -> tuple[dict[int, Row], BitMap]:
        """Return what is wanted of the rows of these numbers, by number, and the numbers that cannot be read."""
        found: dict[int, Row] = {}
        for pack, path in ((pack, path) for pack, path in self._packs if numbers.intersect(BitMap(pack))):
            with suppress(UserError):
                read = self._read(path, Pack, path.name)
                try:
                    own = {k: row for k, row in zip(pack, read.rows(), strict=True) if k in numbers}
                except (ValueError, IndexError) as error:
                    raise self._damaged(path.name, error) from None
                found |= {k: row for k, row in own.items() if wanted is None or wanted(row)}
                numbers = numbers - BitMap(pack)
        return found, numbers

    def _damaged(self, name: str, why: object) -> UserError:
        """Return the error for a day or a file, and note it."""
        self.damage[name] = visible(str(why))
        return UserError(f"{visible(str(self.folder))}: {name} cannot be read: {self.damage[name]}")

    def _read(self, path: Path, kind: type[Any], name: str) -> Any:
        """Return what is in a file, which has this name for the user; raises UserError."""
        try:
            raw = read_bounded(path, LARGEST) or b""
            start, packed = raw[: len(MAGIC) + DIGEST], raw[len(MAGIC) + DIGEST :]
            if start != MAGIC + _checksum(packed):
                raise ValueError("it is damaged, or of another version")
            return msgspec.msgpack.decode(zlib.decompressobj().decompress(packed, LARGEST), type=kind)
        except (OSError, ValueError, zlib.error, msgspec.MsgspecError) as error:
            raise self._damaged(name, getattr(error, "strerror", None) or error) from None

    def _write(self, path: Path, value: Struct) -> None:
        """Write a file, which is on the disk when this returns; raises OSError."""
        packed = zlib.compress(msgspec.msgpack.encode(value))
        with replacing(path, SHARED, settled=True) as file:
            file.writelines([MAGIC, _checksum(packed), packed])


def _checksum(packed: bytes) -> bytes:
    return blake2b(packed, digest_size=DIGEST).digest()


# Rows


def rows_of(columns: Columns, tags: Collection[str]) -> Iterator[Row]:
    """Yield the rows of some tags of an index; of several tags each hash once."""
    tables = [[columns.tables[name].raw(k) for k in range(len(columns.tables[name]))] for name in ROW_COLUMNS]
    numbers = [columns.rows[name] for name in ROW_COLUMNS]
    extras: Once[tuple[bytes, str], bytes] = Once(lambda key: _without_tag(*key))
    seen: set[bytes] = set()
    for page, tag in (
        (page, tag) for page, tag in enumerate(map(columns.tags.__getitem__, columns.page_tag)) if tag in tags
    ):
        package = columns.packages.raw(columns.page_package[page])
        for row in range(columns.page_start[page], columns.page_start[page + 1]):
            *values, extra, spec_hash = (table[own[row]] for table, own in zip(tables, numbers, strict=True))
            if spec_hash not in seen:
                yield (package, *values, extras[extra, tag], spec_hash)
            if spec_hash and len(tags) > 1:
                seen.add(spec_hash)


def _without_tag(text: bytes, tag: str) -> bytes:
    """Return a text of the column `extra`, the tag written out in the address of its tarball; see `address_parts`."""
    extra = decode_extra(text)
    if not isinstance(extra.tarball, tuple) or len(extra.tarball) < 3:
        return text
    above, before, after = extra.tarball
    return msgspec.json.encode(replace(extra, tarball=(f"{above}{own_tag(tag)}{before}", after)))


def _keys(rows: Iterable[Row]) -> Iterator[tuple[bytes | int, ...]]:
    """Yield a key for each row; equal rows, as those without a hash may be, have different ones."""
    seen: Counter[Row] = Counter()
    for row in rows:
        seen[row] += 1
        yield (*row, seen[row]) if seen[row] > 1 else row


def _figures(rows: Iterable[Row]) -> dict[str, int]:
    """Return what a `Day` says of its rows."""
    profile: Once[bytes, Profile] = Once(decode_profile)
    shown = [row for row in rows if profile[row[PROFILE]].state not in HIDDEN]
    stacks = set(chain.from_iterable(profile[row[PROFILE]].stacks for row in shown))
    specs = {row[HASH] or place for place, row in enumerate(shown)}
    return {"specs": len(specs), "packages": len({row[PACKAGE] for row in shown}), "stacks": len(stacks - {ROOT})}


def segment_of(tag: str, rows: Iterable[Row]) -> Segment:
    """Return rows as the pages of a tag; raises ValueError, IndexError or MsgspecError for what are none."""
    ordered = sorted(rows, key=itemgetter(PACKAGE))
    tables: dict[str, StringTable] = {}
    numbers: dict[str, Ints] = {}
    for place, column in enumerate(ROW_COLUMNS, 1):
        texts = sorted({row[place] for row in ordered})
        for text in texts:
            CHECKS.get(column, _decoded)(text)
        tables[column] = StringTable.of_bytes(texts)
        numbers[column] = array("I", map(numbered(texts).__getitem__, map(itemgetter(place), ordered)))
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
        files=Files(StringTable.of([]), array("Q"), array("Q")),
        upper_folders=(),
        problems=(),
    )


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogatepass")
