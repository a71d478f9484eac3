"""Snapshots equal separate copies of the content, even after thinning, killed writers, damage and parallel writers."""

import errno
import os
import signal
import struct
import subprocess
import sys
import tracemalloc
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path

import msgspec
import pytest
from pyroaring import BitMap

from cachetui.catalogue import Catalogue
from cachetui.cli.record import outdated
from cachetui.model.problem import UserError
from cachetui.model.spec import Spec
from cachetui.search.index import Index
from cachetui.settings.settings import Settings
from cachetui.store import snapshots as module
from cachetui.store.merge import built, updated
from cachetui.store.snapshots import History
from tests.support.cache_writer import external, node, write_v3
from tests.support.caches import specs_of
from tests.support.places import ROOT
from tests.support.rows import index_of, row
from tests.support.year import Rows, year


def counted(index: Index) -> Counter[bytes]:
    """Return each row without its tag, and the number of such rows."""
    return Counter(msgspec.json.encode(msgspec.structs.replace(spec, tag="", tags=())) for spec in specs_of(index))


def read(history: History, tag: str) -> Counter[bytes]:
    (segment,) = history.segments([tag])
    return counted(Index(built([segment])))


def damage(history: History, tag: str) -> str:
    """Return the reason why a snapshot is unreadable."""
    assert list(history.segments([tag])) == []
    return history.damage[tag]


def all_of(history: History) -> dict[str, Counter[bytes]]:
    """Read all snapshots together, and return their rows by tag."""
    return {
        tag: counted(Index(built([each])))
        for tag, each in zip(history.tags, history.segments(history.tags), strict=True)
    }


def record(history: History, day: str, rows: Rows) -> str | None:
    index = index_of(rows)
    return history.record(day, index.columns, index.tags)


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "snapshots")


THREE = [[row("zlib"), row()], [row("zlib"), row(version="2")], [row("petsc", "3")]]


@pytest.fixture
def three(history: History) -> History:
    for number, rows in enumerate(THREE, 1):
        assert record(history, f"2026-11-0{number}", rows) == f"2026-11-0{number}"
    return history


@pytest.mark.parametrize("days", [50, pytest.param(365, marks=pytest.mark.soak)])
def test_every_snapshot_contains_the_rows_recorded_on_its_day(history: History, days: int) -> None:
    kept: dict[str, Counter[bytes]] = {}
    for day, rows in year(days, 20, 0.1):
        there = counted(index_of(rows))
        changed = there != next(reversed(kept.values()), None)
        assert record(history, day, rows) == (day if changed else None)
        if changed:
            kept[day] = there
    assert all_of(history) == kept
    assert {tag: own[""] for tag, own in history.sizes().items()} == {tag: each.total() for tag, each in kept.items()}
    assert read(history, history.tags[20]) == kept[history.tags[20]]

    stored = sum(path.stat().st_size for path in history.folder.iterdir())
    history.remove([tag for tag in history.tags if not tag.endswith(("5", "0"))])
    history.remove(history.tags[3:])
    assert all_of(history) == {tag: kept[tag] for tag in history.tags}
    assert sum(path.stat().st_size for path in history.folder.iterdir()) < stored
    assert sum(size for _, _, size in history.snapshots()) == sum(
        path.stat().st_size for path in history.folder.glob("*.*")
    )


def test_snapshots_contain_dependencies_of_their_specs(history: History, tmp_path: Path) -> None:
    libc = external("glibc", "2.39")
    lost = node("zlib", needs=[(libc, ["link"], ["libc"])])
    hdf5 = node("hdf5", needs=[(lost, ["build", "link"], []), (libc, ["link"], ["libc"])])
    index = Catalogue(
        str(write_v3(tmp_path / "cache", [libc, lost, hdf5], [hdf5])), Settings(), index_cache=False
    ).load()
    for day, columns in (("2026-11-01", index.columns), ("2026-11-02", index_of([row()]).columns)):
        history.record(day, columns, columns.tags)
    then, after = history.segments(["2026-11-01"]), history.segments(["2026-11-02"])
    (segment,) = then
    assert built([segment]).graph.parts == index.graph.parts
    assert next(after).graph is None
    assert [(each.specs, each.packages) for _, each, _ in history.snapshots()] == [(1, 1), (1, 1)]


def test_filtering_all_snapshots_agrees_with_filtering_each_snapshot(history: History) -> None:
    kept = {}
    for day, rows in year(20, 30, 0.2):
        record(history, day, rows)
        kept[day] = counted(index_of([each for each in rows if each["package"] == "hdf5"]))
    history = History(history.folder, "site/")
    segments = list(history.segments(history.tags, lambda each: each[module.PACKAGE] == b"hdf5"))
    found: dict[str, list[Spec]] = {day: [] for day in kept}
    for spec in specs_of(Index(built(list(segments)))):
        found[spec.tag.removeprefix("site/")].append(msgspec.structs.replace(spec, tag="", tags=()))
    assert {day: Counter(map(msgspec.json.encode, specs)) for day, specs in found.items()} == kept


def test_unchanged_content_adds_no_snapshot(three: History) -> None:
    assert record(three, "2026-11-04", [row("petsc", "3")]) is None
    assert record(three, "2026-11-03", [row("petsc", "4")]) == "2026-11-03.2"
    assert record(three, "2026-11-03", [row("petsc", "3")]) == "2026-11-03.3"
    assert three.tags == ["2026-11-03.3", "2026-11-03.2", "2026-11-03", "2026-11-02", "2026-11-01"]
    assert record(three, "2026-11-05", []) == "2026-11-05"
    assert read(three, "2026-11-05") == Counter()
    joint = updated(index_of(THREE[0]).columns, list(three.segments(["2026-11-05", "2026-11-01"])))
    assert list(joint.tags) == ["develop", "2026-11-05", "2026-11-01"]
    assert [(each.specs, each.packages, each.stacks) for _, each, _ in three.snapshots()][-1] == (2, 2, 1)


def test_hash_in_several_tags_is_recorded_once(history: History) -> None:
    rows = [row(hash="a" * 32, tag="prod"), row(hash="a" * 32, tag="test"), row("zlib", tag="test")]
    assert record(history, "2026-11-01", rows) == "2026-11-01"
    assert read(history, "2026-11-01") == counted(index_of(rows[1:]))


def harms(path: Path) -> Iterable[bytes]:
    """Yield damaged versions of a file: with each byte changed, and cut to each length."""
    whole = path.read_bytes()
    yield from (whole[:place] + bytes([whole[place] ^ 0x20]) + whole[place + 1 :] for place in range(len(whole)))
    yield from (whole[:length] for length in range(len(whole)))


def test_damaged_snapshot_does_not_affect_other_snapshots(three: History) -> None:
    path = three.folder / "2026-11-02.day"
    for harmed in harms(path):
        path.write_bytes(harmed)
        history = History(three.folder)
        assert [tag for tag, _, _ in history.snapshots()] == ["2026-11-03", "2026-11-01"]
        assert set(history.damage) == {"2026-11-02"}
        assert damage(history, "2026-11-02")
    assert read(three, "2026-11-01") == counted(index_of(THREE[0]))


def first_pack(history: History) -> Path:
    """Return the path of the pack with the rows of the oldest of three snapshots."""
    snapshot = msgspec.msgpack.decode(unpacked(history.folder / "2026-11-01.day"), type=module.Snapshot)
    return history.folder / f"{snapshot.packs.hex()}.rows"


def unpacked(path: Path) -> bytes:
    return zlib.decompress(path.read_bytes()[len(module.MAGIC) + module.DIGEST_BYTES :])


def put(path: Path, value: object, magic: bytes = module.MAGIC) -> None:
    """Write a file of a history with any value, like a faulty or hostile program."""
    packed = zlib.compress(value if isinstance(value, bytes) else msgspec.msgpack.encode(value))
    path.write_bytes(magic + module._checksum(packed) + packed)


def put_snapshot(history: History, **fields: object) -> None:
    given = {"sizes": [1], "rows": BitMap([0]).serialize(), "specs": 1, "packages": 1, "stacks": 0}
    put(history.folder / "2026-11-01.day", given | fields)


def put_pack(history: History, value: object) -> None:
    """Write a pack with any value. The oldest of three snapshots then consists of the first row of this pack."""
    put(history.folder / "new", value)
    name = (history.folder / "new").read_bytes()[len(module.MAGIC) :][: module.NAME_BYTES].hex()
    (history.folder / "new").rename(history.folder / f"{name}.rows")
    put_snapshot(history, packs=bytes.fromhex(name))


def test_rows_of_damaged_pack_file_are_recorded_again(three: History) -> None:
    path = first_pack(three)
    for harmed in list(harms(path))[::7]:
        path.write_bytes(harmed)
        history = History(three.folder)
        assert [tag for tag, _, _ in history.snapshots()] == ["2026-11-03"]
        assert set(history.damage) == {path.name, "2026-11-01", "2026-11-02"}
    assert damage(three, "2026-11-01") == "it has 2 damaged rows"
    assert damage(three, "2026-11-02") == "it has 1 damaged row"
    assert read(three, "2026-11-03") == counted(index_of(THREE[2]))
    assert record(three, "2026-11-04", THREE[0]) == "2026-11-04"
    assert read(three, "2026-11-04") == counted(index_of(THREE[0]))
    three.remove(["2026-11-03"])
    assert path.exists()


@pytest.mark.parametrize(
    "rows",
    [
        [(b"hdf5", b"{", b"1", b"[]", b"[null,null,[]]", b"a")],
        [(b"hdf5", b"[]", b"1", b"[1]", b"[null,null,[]]", b"a")],
        [(b"hdf5", b"[]", b"1", b"[]", b"null", b"a")],
        [(b"\xff", b"[]", b"1", b"[]", b"[null,null,[]]", b"a")],
        [(b"hdf5", b"[]", b"\xff", b"[]", b"[null,null,[]]", b"a")],
        [(b"hdf5", b"[]")],
    ],
)
def test_invalid_row_in_pack_file_affects_only_its_snapshot(three: History, rows: Sequence[module.PackedRow]) -> None:
    put_pack(three, module.Pack.of([*rows, *rows]))
    assert list(three.segments(["2026-11-01"], lambda each: each[module.HASH] == b"a")) == []
    assert "2026-11-01" in three.damage
    assert damage(three, "2026-11-01")
    assert {"2026-11-02", "2026-11-03"} <= three.sizes().keys()


EXTRA, KIND = b'["builtin",null,null,null,[],[]]', b'[[["link"],[]]]'
NODE = (b"hdf5", b"[]", b"1", b"[]", b"[null,null,[]]", b"a", b"3" + EXTRA, KIND, module.mark(b"a"))
"""A row of a build cache that needs itself."""


@pytest.mark.parametrize(
    "row",
    [
        NODE[:7],
        *((*NODE[:8], needs) for needs in (b"", module.mark(b"b"), module.mark(b"a")[1:])),
        *((*NODE[:6], *own, NODE[8]) for own in ((b"9" + EXTRA, KIND), (b"3[]", KIND), (b"3" + EXTRA, b"[1]"))),
        (b"glibc", b"{", *NODE[2:4], b"", *NODE[5:]),
    ],
)
def test_snapshot_with_invalid_node_is_reported_as_damaged(three: History, row: module.PackedRow) -> None:
    put_pack(three, module.Pack.of([NODE, NODE]))
    (segment,) = three.segments(["2026-11-01"])
    assert len(segment.graph.nodes) == 1 if segment.graph else False
    put_pack(three, module.Pack.of([row, row]))
    assert damage(three, "2026-11-01")


def test_pack_file_without_rows_is_reported_as_damaged(three: History) -> None:
    put_pack(three, {"tables": [[b"hdf5"]] * 6, "numbers": []})
    assert {tag for tag, _, _ in three.snapshots()} == {"2026-11-02", "2026-11-03"}
    assert len(three.damage) == 2


RUN = struct.pack("<I", 12347) + b"\xff" + struct.pack("<HHHHH", 0, 10, 1, 65000, 65535)
"""A bitmap with a run that ends beyond its container."""


@pytest.mark.parametrize(
    "fields",
    [
        {"rows": RUN},
        {"rows": b"junk"},
        {"rows": BitMap(range(1 << 32)).serialize()},
        {"sizes": [-1]},
        {"sizes": []},
        {"packs": bytes(6) * 2, "sizes": [1 << 25] * 200},
        {"packs": "../../other"},
        {"packs": bytes(module.MAX_SNAPSHOT_BYTES)},
    ],
)
def test_snapshot_with_invalid_fields_is_reported_as_damaged(three: History, fields: dict[str, object]) -> None:
    put_snapshot(three, **{"packs": bytes(6)} | fields)
    assert {tag for tag, _, _ in three.snapshots()} == {"2026-11-02", "2026-11-03"}
    assert damage(three, "2026-11-01")


@pytest.mark.parametrize("lists", [b"\x96" + b"\x91\xc4\0" * 6, b"\xdd" + struct.pack(">I", 10**6)])
@pytest.mark.parametrize("number", [10**6, 10**7])
def test_pack_file_that_expands_over_memory_limit_is_refused(
    three: History, monkeypatch: pytest.MonkeyPatch, lists: bytes, number: int
) -> None:
    monkeypatch.setattr(module, "MAX_FILE_BYTES", 1 << 20)
    many = b"\xdd" + struct.pack(">I", number) + bytes(number)
    put_pack(three, b"\x82\xa6tables" + lists + b"\xa7numbers\x96" + many + b"\x90" * 5)
    tracemalloc.start()
    try:
        assert {tag for tag, _, _ in three.snapshots()} == {"2026-11-02", "2026-11-03"}
        assert tracemalloc.get_traced_memory()[1] < 10 << 20
    finally:
        tracemalloc.stop()


def test_pack_files_beyond_size_limit_of_history_are_reported(three: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_HISTORY_BYTES", 3 * module.ROW_BYTES)
    assert len(three.snapshots()) < 3
    assert any("remove some with --remove" in why for why in three.damage.values())


def test_missing_pack_file_is_reported(three: History) -> None:
    first_pack(three).unlink()
    assert record(three, "2026-11-04", [row("curl"), row("bzip2")]) == "2026-11-04"
    assert [tag for tag, _, _ in three.snapshots()] == ["2026-11-04", "2026-11-03"]
    assert damage(three, "2026-11-01") == "it has 2 damaged rows"


def test_old_format_of_snapshots_is_still_supported(three: History) -> None:
    rows = [*module.rows_of(index_of([*THREE[0], *THREE[2]]).columns, ["develop"])]
    for path in three.folder.glob("*.*"):
        path.unlink()
    put(three.folder / "000000000-000000003.rows", module.Pack.of(rows), module.OLDER[0])
    put(three.folder / "999999990-999999999.rows", module.Pack.of(rows), module.OLDER[0])
    for day, numbers in (("2026-11-01", [0, 1, 2]), ("2026-11-02", [1, 2]), ("2026-11-03", [2, 3])):
        figures = {"specs": len(numbers), "packages": 1, "stacks": 0}
        put(three.folder / f"{day}.day", {"rows": BitMap(numbers).serialize(), **figures}, module.OLDER[0])
    assert [tag for tag, _, _ in three.snapshots()] == ["2026-11-02", "2026-11-01"]
    assert read(three, "2026-11-01") == counted(index_of([*THREE[0], *THREE[2]]))
    assert record(three, "2026-11-04", THREE[0]) == "2026-11-04"
    three.remove(["2026-11-03", "2026-11-02", "2026-11-01"])
    assert all_of(three) == {"2026-11-04": counted(index_of(THREE[0]))}
    assert len(list(three.folder.glob("*.rows"))) == 1


def test_snapshot_with_future_date_is_sorted_last(three: History) -> None:
    (three.folder / "2026-11-02.day").rename(three.folder / "2999-01-01.day")
    assert three.tags == ["2026-11-03", "2026-11-01", "2999-01-01"]
    assert record(three, "2026-11-04", THREE[1]) == "2026-11-04"
    assert record(three, "2026-11-04", THREE[1]) is None
    assert outdated(["2999-01-01", "2026-11-03", "2026-11-01"], 1, 0, date(2026, 11, 25)) == ["2026-11-01"]


def test_foreign_files_in_history_folder_are_ignored(three: History) -> None:
    for name in ("9.day", "2026-99-99.day", "2026-11-03.x.day", "0-99999999999.rows", "999999990-1000000000.rows"):
        (three.folder / name).write_bytes(b"")
    os.mkfifo(three.folder / "999999990-999999999.rows")
    (three.folder / "000000100-000000110.rows").symlink_to("nowhere")
    (three.folder / "thesis.new").touch()
    assert three.tags == ["2026-11-03", "2026-11-02", "2026-11-01"]
    assert record(three, "2026-11-03", [row("petsc", "4")]) == "2026-11-03.2"
    assert (three.folder / "thesis.new").exists()
    assert len(three.snapshots()) == 4
    assert three.damage.keys() <= {path.name for path in three.folder.iterdir()}


WRITER = """
import sys
from pathlib import Path
from cachetui.store.snapshots import History
from tests.support.rows import index_of, row
history = History(Path(sys.argv[1]))
for number in range(int(sys.argv[3]), int(sys.argv[4])):
    index = index_of([row(version=f"{sys.argv[2]}.{k}") for k in range(number)])
    history.record("2026-11-01", index.columns, index.tags)
"""


def writer(folder: Path, *arguments: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(folder), *map(str, arguments)], cwd=ROOT)


def test_parallel_writers_keep_all_snapshots(history: History) -> None:
    writers = [writer(history.folder, name, 1, 12) for name in (1, 2)]
    assert [each.wait() for each in writers] == [0, 0]
    snapshots = history.snapshots()
    assert history.damage == {}
    found = Counter(each.specs for _, each, _ in snapshots)
    assert found == Counter([*range(1, 12), *range(1, 12)])
    assert all(read(history, tag).total() == each.specs for tag, each, _ in snapshots)


def test_killed_writer_leaves_snapshots_readable(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kill the writer before each system call that changes a file, and after each number of written bytes."""
    record(history, "2026-11-01", THREE[0])
    for step in range(200):
        process = os.fork()
        if not process:
            left = step

            def killed(name: str) -> object:
                call = getattr(os, name)

                def counted_call(*arguments: object, **more: object) -> object:
                    nonlocal left
                    left -= 1
                    if left < 0:
                        os.kill(os.getpid(), signal.SIGKILL)
                    return call(*arguments, **more)

                return counted_call

            for name in ("open", "replace", "unlink", "fsync", "mkdir"):
                monkeypatch.setattr(os, name, killed(name))
            record(history, "2026-11-02", THREE[1])
            history.remove(["2026-11-01"])
            os._exit(0)
        _, status = os.waitpid(process, 0)
        again = History(history.folder)
        for tag, _, _ in again.snapshots():
            assert read(again, tag) == counted(index_of(THREE[0] if tag == "2026-11-01" else THREE[1]))
        assert again.damage == {}
        again.remove(["2026-11-02"])
        assert not list(again.folder.glob("*.new"))
        if not status:
            break
        record(again, "2026-11-01", THREE[0])
    assert 10 < step < 199


def test_full_disk_leaves_recorded_snapshots_readable(three: History, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(UserError, match=r"cannot be written \(No space left on device\): set CACHETUI_HISTORY"):
            record(three, "2026-11-04", THREE[0])
    assert [tag for tag, _, _ in three.snapshots()] == ["2026-11-03", "2026-11-02", "2026-11-01"]
    assert record(three, "2026-11-04", THREE[0]) == "2026-11-04"


def test_thinning_keeps_recent_snapshots_and_one_per_week() -> None:
    today = date(2026, 11, 25)
    ages = range(2, 500)
    tags = [(today - timedelta(age)).isoformat() for age in ages]
    tags.insert(1, "2026-11-22.2")
    gone = outdated(tags, 90, 52, today)
    kept = [date.fromisoformat(day[:10]) for day in tags if day not in gone]
    assert [(today - day).days for day in kept[:89]] == [2, 3, *range(3, 90)]
    assert {day.isoweekday() for day in kept[89:]} == {7}
    assert len(kept[89:]) == 52 - 13
    assert outdated(["2020-01-01", "2019-01-01"], 1, 0, today) == ["2019-01-01"]
    assert outdated([tags[0], "2026-02-30"], 90, 0, today) == ["2026-02-30"]
