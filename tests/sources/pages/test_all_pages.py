"""Reading a folder: which files, in which order, by how many, and what becomes of those that work."""

from __future__ import annotations

import os
import signal
import threading
import time
from functools import partial
from pathlib import Path
from queue import SimpleQueue

import pytest

from cachetui.sources.pages import all_pages as reading
from cachetui.sources.pages import page_forms
from cachetui.sources.pages.all_pages import segments
from cachetui.sources.pages.folders import list_folder
from cachetui.sources.pages.looks import PROBES, SLOW, THREADS, looks, threads_for, timed
from cachetui.sources.pages.page_forms import SHORT
from cachetui.sources.pages.piece_reader import read_piece
from cachetui.sources.pages.plan import FIRST
from cachetui.store.merge import merge
from cachetui.store.stamps import UNREAD_STAMP
from cachetui.workers import driver, processes
from cachetui.workers.cancelling import Cancelled, Interrupted, never
from cachetui.workers.processes import Processes, in_processes
from tests.support.full_catalogue import write_catalogue


@pytest.fixture
def content(tmp_path: Path) -> Path:
    for path in ("_cache/v0.9.0/zlib", "_cache/develop/zlib", "_cache/develop/hdf5", ".git"):
        (tmp_path / path).mkdir(parents=True)
        (tmp_path / path / "specs.md").write_text(
            f"---\ntitle: {path.rpartition('/')[2]}\nlayout: cache\ncategories: [package, {path.split('/')[-2:][0]}]\n"
            "meta: {}\nspec_details: []\n---"
        )
    return tmp_path


def test_a_folder_lists_what_may_be_pages(content: Path) -> None:
    for name in ("A.MD", "b.markdown", "c.txt", "spec-0.json", "spec-x.json", "index.html"):
        (content / name).touch()
    os.symlink(content / "c.txt", content / "d.txt")
    os.symlink(content / "gone", content / "e.txt")
    listing = list_folder(str(content), "")
    assert listing.pages == ("A.MD", "b.markdown", "c.txt", "d.txt", "e.txt")
    assert listing.sidecars == ("spec-0.json",)
    assert listing.folders == ("_cache/",)


def test_linked_folders_are_followed_once(content: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "page.md").touch()
    for name, target in (("out", elsewhere), ("up", content.parent), ("in", content / "_cache"), ("self", content)):
        os.symlink(target, content / name)
    assert list_folder(str(content), "").folders == ("_cache/", "out/")


def test_develop_is_read_first(content: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "FIRST", 1)
    monkeypatch.setattr(reading, "PIECE", 1)
    read = [segment.tags for segment, _ in segments(str(content)) if segment]
    assert [tag for tags in read for tag in tags] == ["develop", "develop", "v0.9.0"]


def test_one_file_is_read_alone(content: Path) -> None:
    ((segment, progress),) = segments(str(content), "_cache/develop/zlib/specs.md")
    assert segment is not None
    assert list(segment.packages) == ["zlib"]
    assert progress.done == progress.total


def test_a_folder_that_cannot_be_listed_is_a_problem(content: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("hdf5/"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(os, "scandir", refuse)
        columns = merge(None, [segment for segment, _ in segments(str(content)) if segment])
    assert [(problem.path, problem.message) for problem in columns.problems] == [
        ("_cache/develop/hdf5/", "cannot be read: Permission denied")
    ]
    assert len(columns.page_path) == 2


@pytest.mark.usefixtures("two_cores")
@pytest.mark.parametrize("threads", [1, 2])
def test_every_page_is_read_where_processes_begin_with_the_first_tag(
    content: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    text = (content / "_cache/develop/zlib/specs.md").read_text()
    for tag in ("develop", "v0.9.0"):
        for number in range(FIRST + 30):
            package = content / "_cache" / tag / f"p{number}"
            package.mkdir(parents=True)
            (package / "specs.md").write_text(text.replace("zlib", package.name).replace("develop", tag))
    monkeypatch.setattr(reading, "FEW", FIRST + 40)
    monkeypatch.setattr(reading, "_threads", lambda *_: threads)
    early: list[bool] = []
    results = Processes.results

    def noted(self: Processes, *given: object) -> object:
        early.append(self.have_begun)
        return results(self, *given)  # type: ignore[arg-type]  # whatever it was given

    monkeypatch.setattr(Processes, "results", noted)
    columns = merge(None, [segment for segment, _ in segments(str(content)) if segment])
    whole = merge(None, [read_piece(str(content), ["_cache/develop/", "_cache/v0.9.0/"])])
    assert list(columns.page_path) == list(whole.page_path)
    assert early == [threads == 1]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_piece_is_given_up_between_two_files(content: Path, threads: int) -> None:
    answers = iter([False, True])
    with pytest.raises(Interrupted):
        read_piece(str(content), ["_cache/develop/hdf5/", "_cache/develop/zlib/"], threads, lambda: next(answers, True))


def test_a_folder_that_goes_away_while_it_is_read_is_tried_again(content: Path) -> None:
    segment = read_piece(str(content), ["_cache/gone/", "_cache/develop/hdf5/"])
    assert list(segment.packages) == ["hdf5"]
    assert [(problem.path, problem.kind) for problem in segment.problems] == [("_cache/gone/", "unread")]
    assert dict(zip(segment.files.paths, segment.files.times, strict=True))["_cache/gone/"] == UNREAD_STAMP[1]


def test_the_content_folder_itself_must_be_there(content: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(segments(str(content / "none")))


def test_threads_read_the_same(content: Path) -> None:
    paths = ["_cache/develop/", "_cache/v0.9.0/"]
    alone = merge(None, [read_piece(str(content), paths)])
    assert merge(None, [read_piece(str(content), paths, threads=4)]) == alone


# Looks


def test_looks_that_take_long_are_made_side_by_side() -> None:
    together = threading.Barrier(THREADS, timeout=10)

    def look(path: str) -> str:
        if path == "probe":
            time.sleep(0.001)
        else:
            together.wait()
        return path

    paths = ["probe"] * 20 + [str(number) for number in range(THREADS)]
    assert list(looks(look, paths, never)) == paths


def test_a_few_looks_tell_how_many_threads_are_to_make_them() -> None:
    looked: list[str] = []

    def slow(path: str) -> None:
        looked.append(path)
        time.sleep(2 * SLOW)

    paths = [f"path {k}" for k in range(1000)]
    assert threads_for(slow, paths) == THREADS
    assert looked == paths[:PROBES]
    assert threads_for(lambda _: None, paths) == 1
    assert threads_for(slow, paths[:PROBES]) == 1
    assert looked == paths[:PROBES]


def test_looks_that_keep_the_processor_busy_are_made_by_one_thread() -> None:
    """As listing a large folder does; threads would only wait for each other."""

    def busy(_: str) -> None:
        started = time.thread_time()
        while time.thread_time() - started < 4 * SLOW:
            pass

    assert threads_for(busy, ["path"] * 2 * PROBES) == 1


def test_looks_that_are_fast_are_made_by_one_thread() -> None:
    paths = [str(number) for number in range(100)]
    assert set(looks(lambda _: threading.get_ident(), paths, never)) == {threading.get_ident()}


@pytest.mark.parametrize("threads", [1, 4])
def test_looks_end_soon_after_nobody_wants_them(threads: int) -> None:
    looked: list[str] = []

    def look(path: str) -> None:
        looked.append(path)
        time.sleep(0.001)

    with pytest.raises(Interrupted):
        list(looks(look, ["path"] * 10_000, lambda: len(looked) > 10, threads))
    assert len(looked) < 1000


# Processes


class Answers:
    """Gathers the pieces and who did them; some pieces are hard on whoever does them elsewhere."""

    def __init__(self) -> None:
        self.given: list[tuple[int, int]] = []

    def add(self, piece: int, cancelled: Cancelled) -> None:
        if piece < 0 and os.getpid() != -piece:
            os.kill(os.getpid(), signal.SIGKILL)
        self.given.append((piece, os.getpid()))

    def result(self) -> list[tuple[int, int]]:
        given, self.given = self.given, []
        return given


class PatientAnswers(Answers):
    """Takes longer than telling of it, in the process `parent` so long that the others do nearly all."""

    def __init__(self, parent: int) -> None:
        super().__init__()
        self._seconds = 0.05 if os.getpid() == parent else 0.002

    def add(self, piece: int, cancelled: Cancelled) -> None:
        time.sleep(self._seconds)
        super().add(piece, cancelled)


class SlowAnswers(Answers):
    """Takes too long, but for the first piece."""

    def add(self, piece: int, cancelled: Cancelled) -> None:
        while piece and not cancelled():
            time.sleep(0.01)
        super().add(piece, cancelled)


@pytest.fixture
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (processes, reading):
        monkeypatch.setattr(module, "cores", lambda: 2)


@pytest.mark.usefixtures("two_cores")
def test_every_piece_is_done_once_also_where_a_process_dies() -> None:
    deadly = -os.getpid()
    pieces = [1, 2, 3, deadly, *range(4, 40)]
    reports = list(in_processes(Answers, pieces, never))
    results = [result for _, result in reports if result is not None]
    answers = [answer for result in results for answer in result]
    assert sorted(piece for piece, _ in answers) == sorted(pieces)
    assert (deadly, os.getpid()) in answers
    assert results[0] == [(1, os.getpid())]


@pytest.mark.usefixtures("two_cores")
def test_every_piece_is_told_of_and_results_grow_up_to_some_size() -> None:
    reports = list(in_processes(partial(PatientAnswers, os.getpid()), range(400), never))
    assert sum(done for done, _ in reports) == 400
    results = [result for _, result in reports if result is not None]
    assert sorted(piece for result in results for piece, _ in result) == list(range(400))
    lengths = [len(result) for result in results if result[0][1] != os.getpid()]
    assert min(lengths[:2]) <= driver.GROWTH
    assert driver.MOST <= max(lengths) <= driver.MOST + driver.AHEAD
    assert len(lengths) <= 400 // driver.MOST + 12


@pytest.mark.usefixtures("two_cores")
@pytest.mark.parametrize("begun", [[], [1, 2, 3], [1, -os.getpid(), 3]])
def test_processes_begin_before_all_pieces_are_known(begun: list[int]) -> None:
    others = list(range(4, 40))
    with Processes(__name__) as some:
        some.start()
        some.begin(Answers, begun)
        reports = list(some.results(Answers, others, never))
    answers = [answer for _, result in reports for answer in result or ()]
    assert sorted(piece for piece, _ in answers) == sorted([*begun, *others])


@pytest.mark.usefixtures("two_cores")
def test_a_process_that_was_refused_at_first_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    refusals = [False, True]

    class Refused(driver.Driver):
        def __init__(self, module: str) -> None:
            if refusals and refusals.pop(0):
                raise BlockingIOError
            super().__init__(module)

    monkeypatch.setattr(driver, "Driver", Refused)
    with Processes(__name__) as some:
        some.start()
        some.begin(Answers, [1, 2, 3])
        some.start()  # as `Plan` does with each folder more
        assert all(one._thread.ident for one in some._drivers), "one that has not begun is waited for without end"
        reports = list(some.results(Answers, [4, 5], never))
    assert sorted(piece for _, result in reports for piece, _ in result or ()) == [1, 2, 3, 4, 5]


@pytest.mark.usefixtures("two_cores")
def test_processes_wait_for_more_pieces_until_nobody_wants_these() -> None:
    with Processes(__name__) as some:
        some.start()
        some.begin(Answers, [1, 2, 3])
        handed_over: list[int] = []
        while len(handed_over) < 3:
            _, answers = some._reports.get(timeout=10)
            handed_over += [piece for piece, _ in answers or ()]
        for one in some._drivers:
            one._thread.join(0.01)
            assert one._thread.is_alive()
    assert sorted(handed_over) == [1, 2, 3]


def test_a_process_that_was_ended_before_it_began_gives_its_work_back() -> None:
    """As where Ctrl+C comes while the threads start."""
    one = driver.Driver("cachetui.workers")
    one.end()
    left, reports = driver.Pieces([1, 2]), SimpleQueue[object]()
    one.begin(Answers, left, reports)
    assert reports.get(timeout=10) is driver.ENDED
    one.end()
    assert list(left) == [1, 2]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux to see the processes")
@pytest.mark.usefixtures("two_cores")
def test_whoever_gives_up_leaves_no_process_behind() -> None:
    started = time.monotonic()
    before = children()
    with pytest.raises(Interrupted):
        list(in_processes(SlowAnswers, range(4), lambda: time.monotonic() - started > 0.1))
    assert children() == before
    assert time.monotonic() - started < 5


def test_without_processes_the_work_is_done_here(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> object:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(driver, "Driver", refuse)
    assert list(in_processes(Answers, [1, 2], never)) == [(1, [(1, os.getpid())]), (1, [(2, os.getpid())])]
    with pytest.raises(Interrupted):
        list(in_processes(Answers, [1, 2], lambda: True))


def children() -> list[str]:
    """The processes that this one has started and that have not ended."""
    return Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text().split()


@pytest.mark.parametrize("threads", [1, 8])
@pytest.mark.parametrize("files", [0, 1, 63, 64, 65, 576, 577, 2000, 20_000])
def test_pieces_hold_every_path_once_and_the_first_is_small(files: int, threads: int) -> None:
    paths = [str(number) for number in range(files)]
    pieces = reading._pieces(paths, threads)
    assert [path for piece in pieces for path in piece] == paths
    assert all(map(len, pieces))
    assert all(len(piece) <= FIRST for piece in pieces[:1])


@pytest.mark.usefixtures("two_cores")
def test_the_last_pieces_are_short_so_that_no_process_waits_for_another() -> None:
    paths = [str(number) for number in range(20_000)]
    sizes = [len(piece) for piece in reading._pieces(paths, 1)]
    assert sizes[0] == FIRST
    assert sizes[1:-1] == sorted(sizes[1:-1], reverse=True)
    assert sizes[1:10] == [reading.PIECE] * 9
    assert sizes[-3:-1] == [reading.LAST_PIECE] * 2


@pytest.mark.usefixtures("two_cores")
def test_where_looks_take_long_pieces_are_long_first_and_short_in_the_end() -> None:
    paths = [str(number) for number in range(20_000)]
    sizes = [len(piece) for piece in reading._pieces(paths, 8)]
    assert sizes[0] == FIRST
    assert sizes[1:-1] == sorted(sizes[1:-1], reverse=True)
    assert sizes[1] == (len(paths) - FIRST) // 8
    assert sizes[-2] == reading.SLOW_PIECE


@pytest.mark.parametrize("short", [0, 1000, SHORT])
def test_pages_are_read_the_same_where_threads_leave_them_for_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, short: int
) -> None:
    monkeypatch.setattr(page_forms, "SHORT", short)
    write_catalogue(tmp_path / "content", 0.0003, 0)
    found = sorted((tmp_path / "content").rglob("specs.md"))
    text = found[0].read_text()
    assert '"hash"' in text
    found[0].write_text(text.replace('"hash"', '"hush"', 1))
    (tmp_path / "content" / "flat.md").write_text(text.replace("---", "--", 1))
    found[1].with_name("spec-0.json").write_text("{}")
    alone = merge(None, [read_piece(str(tmp_path), ["content/"])])
    assert merge(None, [read_piece(str(tmp_path), ["content/"], threads=4)]) == alone
    assert len(alone.page_path) >= len(found)
    assert len(alone.problems) >= 2


def test_several_threads_read_where_opening_takes_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [f"{number}.md" for number in range(40)]
    opening = os.open

    def slowly(path: str, flags: int) -> int:
        time.sleep(0.002)
        return opening(path, flags)

    for path in paths:
        (tmp_path / path).touch()
    monkeypatch.setattr(os, "open", slowly)
    assert 1 < reading._threads(str(tmp_path), paths) <= THREADS
    assert reading._threads(str(tmp_path), paths[:20]) == 1


def test_one_look_that_is_interrupted_makes_no_disk_slow() -> None:
    pauses = iter([0.05, *[0.0] * 19])
    _, seconds = timed(lambda _: time.sleep(next(pauses)), ["path"] * 20)
    assert seconds < 0.05


def test_what_a_look_raises_in_a_thread_is_raised_here() -> None:
    def look(path: str) -> str:
        raise MemoryError

    with pytest.raises(MemoryError):
        list(looks(look, ["path"] * 100, never, 4))
