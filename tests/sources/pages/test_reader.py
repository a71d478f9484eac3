"""Reading a folder of pages: the files and their order; each file is read once."""

import os
import shutil
import threading
import time
from pathlib import Path
from random import Random

import pytest

from cachetui.sources.pages import reader
from cachetui.sources.pages.listing import add_listing, list_folder
from cachetui.sources.pages.reader import FIRST_PAGES, read_piece, segments
from cachetui.store.columns import Columns, SegmentBuilder
from cachetui.store.merge import built
from cachetui.store.mtimes import UNREAD_MTIMES
from cachetui.workers import threads as parallel_calls
from cachetui.workers.cancelling import Interrupted, never
from cachetui.workers.threads import PROBE_CALLS, SLOW_SECONDS, THREADS, parallel
from tests.support.full_catalogue import write_catalogue

EVERY_FORM = sorted(path for path in (Path(__file__).parents[2] / "pages").iterdir() if path.is_file())
TAGS = ["develop", "develop-2024-01-07", "develop-2024-01-14", "v0.9.0", "v0.10.0", "vtk", "main"]


def add_page(content: Path, tag: str, package: str) -> None:
    page = content / "_cache" / tag / package / "specs.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    head = f"title: {package}\nlayout: cache\ncategories: [package, {tag}]"
    page.write_text(f"---\n{head}\nmeta: {{}}\nspec_details: []\n---")


def add_tag(content: Path, tag: str, packages: int) -> None:
    for number in range(packages):
        add_page(content, tag, f"p{number:03}")


@pytest.fixture
def content(tmp_path: Path) -> Path:
    for tag, package in (("v0.9.0", "zlib"), ("develop", "zlib"), ("develop", "hdf5")):
        add_page(tmp_path, tag, package)
    (tmp_path / ".git").mkdir()
    shutil.copy(tmp_path / "_cache/develop/zlib/specs.md", tmp_path / ".git")
    return tmp_path


def columns_of(content: Path) -> Columns:
    return built([segment for segment, _ in segments(str(content)) if segment])


def test_folder_listing_omits_files_that_cannot_be_pages(
    content: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name in ("A.MD", "b.markdown", "c.txt", "spec-0.json", "spec-x.json", "index.html"):
        (content / name).touch()
    links = (("out", elsewhere), ("up", content.parent), ("in", content / "_cache"), ("self", content))
    for name, target in (("d.txt", content / "c.txt"), ("e.txt", content / "gone"), *links):
        os.symlink(target, content / name)
    listing = list_folder(str(content), "")
    assert listing.pages == ("A.MD", "b.markdown", "c.txt", "d.txt", "e.txt")
    assert listing.sidecars == ("spec-0.json",)
    assert listing.folders == ("_cache/", "out/")


def test_unreadable_folder_is_reported(content: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def refuse(path: str) -> object:
        if path.endswith("hdf5/"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(os, "scandir", refuse)
        columns = columns_of(content)
    assert [(problem.path, problem.message) for problem in columns.problems] == [
        ("_cache/develop/hdf5/", "cannot be read: Permission denied")
    ]
    assert len(columns.page_path) == 2


def test_folder_that_disappears_during_reading_is_recorded_as_unread(content: Path) -> None:
    segment = read_piece(str(content), ["_cache/gone/", "_cache/develop/hdf5/"])
    assert list(segment.packages) == ["hdf5"]
    assert [(problem.path, problem.kind) for problem in segment.problems] == [("_cache/gone/", "unread")]
    assert dict(zip(segment.file_path, segment.file_time, strict=True))["_cache/gone/"] == UNREAD_MTIMES[1]


def test_missing_content_folder_is_an_error(content: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(segments(str(content / "none")))


def test_several_threads_read_same_pages_as_one_thread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_catalogue(tmp_path / "content", 0.0003, 0)
    found = sorted((tmp_path / "content").rglob("specs.md"))
    text = found[0].read_text()
    assert '"hash"' in text
    found[0].write_text(text.replace('"hash"', '"hush"', 1))
    (tmp_path / "content" / "flat.md").write_text(text.replace("---", "--", 1))
    found[1].with_name("spec-0.json").write_text("{}")
    alone = built([read_piece(str(tmp_path), ["content/"])])
    monkeypatch.setattr(parallel_calls, "SLOW_SECONDS", -1)
    assert built([read_piece(str(tmp_path), ["content/"])]) == alone
    assert len(alone.page_path) >= len(found)
    assert len(alone.problems) >= 2


# The order


@pytest.mark.parametrize(
    ("tags", "first"),
    [
        (["v1.0", "develop", "develop-2024-01-07"], "develop"),
        (["v1.0", "develop-2024-01-07", "develop-2024-01-14"], "develop-2024-01-14"),
        (["main", "v0.9.0", "v0.10.0"], "v0.10.0"),
    ],
)
def test_pages_of_default_tag_are_read_first(tmp_path: Path, tags: list[str], first: str) -> None:
    for tag in tags:
        add_tag(tmp_path, tag, FIRST_PAGES + 1)
    read = segments(str(tmp_path))
    segment, progress = next(read)
    assert segment is not None
    assert set(segment.tags) == {first}
    assert len(segment.paths) == FIRST_PAGES
    assert progress.done == 0
    add_page(tmp_path, tags[0] if tags[0] != first else tags[1], "too-late-if-it-was-listed")
    columns = built([segment, *(each for each, _ in read if each is not None)])
    assert len(columns.page_path) == (FIRST_PAGES + 1) * len(tags) + 1
    assert columns.problems == ()


def test_tag_develop_is_read_before_all_other_tags(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for tag, package in (("v1", "zlib"), ("develop", "zlib"), ("develop", "hdf5"), ("v2", "hdf5"), ("v1", "hdf5")):
        add_page(tmp_path, tag, package)
    monkeypatch.setattr(reader, "FIRST_PAGES", 1)
    monkeypatch.setattr(reader, "MAX_PIECE_FILES", 1)
    monkeypatch.setattr(reader, "MAX_ONE_PROCESS_FILES", 4)
    read = [segment.paths[0] for segment, _ in segments(str(tmp_path)) if segment and segment.paths]
    in_order = [path.removeprefix("_cache/").removesuffix("/specs.md") for path in read]
    assert in_order[:2] == ["develop/hdf5", "develop/zlib"]
    assert sorted(in_order[2:4]) == ["v1/hdf5", "v2/hdf5"]
    assert in_order[4:] == ["v1/zlib"]


@pytest.mark.parametrize("calls", [1, 20])
def test_reader_of_pages_stops_on_request(tmp_path: Path, calls: int) -> None:
    for tag in ("develop", "v1.0"):
        add_tag(tmp_path, tag, FIRST_PAGES + 1)
    answers = iter([False] * calls)
    with pytest.raises(Interrupted):
        list(segments(str(tmp_path), cancelled=lambda: next(answers, True)))


@pytest.mark.parametrize("seed", range(8))
def test_every_page_is_read_exactly_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """For random folders and pages of every form, the result equals that of a single reading."""
    random = Random(seed)
    monkeypatch.setattr(reader, "FIRST_PAGES", random.randrange(1, 6))
    monkeypatch.setattr(reader, "MAX_PIECE_FILES", random.randrange(1, 6))
    monkeypatch.setattr(reader, "MAX_ONE_PROCESS_FILES", random.choice([10, 60, 10_000]))
    for number in range(60):
        folder = tmp_path / random.choice(["", "_cache", "_cache/more"]) / random.choice(TAGS)
        folder /= random.choice(["", f"package-{random.randrange(9)}"])
        folder.mkdir(parents=True, exist_ok=True)
        form = random.choice(EVERY_FORM)
        shutil.copy(form, folder / f"{number}{form.suffix}")
    read = [segment for segment, _ in segments(str(tmp_path)) if segment is not None]
    top, listing = SegmentBuilder(), list_folder(str(tmp_path), "")
    add_listing(top, "", listing)
    below = read_piece(str(tmp_path), [*listing.pages, *listing.folders])
    assert built(list(read)) == built([top.segment(), below])
    paths = [path for segment in read for path in segment.file_path]
    assert len(paths) == len(set(paths))


@pytest.mark.parametrize("files", [1, 63, 64, 65, 576, 577, 2000, 20_000])
def test_work_is_split_into_shrinking_pieces_without_losing_paths(monkeypatch: pytest.MonkeyPatch, files: int) -> None:
    monkeypatch.setattr(reader, "cores", lambda: 2)
    paths = [str(number) for number in range(files)]
    pieces = reader._pieces(paths)
    assert [path for piece in pieces for path in piece] == paths
    sizes = [len(piece) for piece in pieces]
    assert min(sizes) > 0
    assert sizes[0] <= FIRST_PAGES
    assert sizes[1:-1] == sorted(sizes[1:-1], reverse=True)
    assert sizes[-3:-1] == [reader.MIN_PIECE_FILES] * 2 or files < 20_000


# Calls of the file system


def test_slow_file_system_calls_run_in_parallel() -> None:
    together = threading.Barrier(THREADS, timeout=10)

    def call(path: str) -> str:
        if path == "probe":
            time.sleep(0.001)
        else:
            together.wait()
        return path

    paths = ["probe"] * PROBE_CALLS + [str(number) for number in range(THREADS)]
    assert list(parallel(call, paths, never)) == paths


def busy(_: str) -> int:
    """Keep the processor busy, as listing a large folder does; threads would only wait for each other."""
    started = time.thread_time()
    while time.thread_time() - started < 4 * SLOW_SECONDS:
        pass
    return threading.get_ident()


@pytest.mark.parametrize("call", [busy, lambda _: threading.get_ident()])
def test_fast_or_busy_file_system_calls_run_in_one_thread(call: object) -> None:
    assert callable(call)
    assert set(parallel(call, ["path"] * 3 * PROBE_CALLS, never)) == {threading.get_ident()}


@pytest.mark.parametrize(("slow", "wanted", "most"), [(-1, 10, 1000), (1, 10, 10), (1, 3, 3)])
def test_parallel_calls_stop_soon_after_cancellation(
    monkeypatch: pytest.MonkeyPatch, slow: float, wanted: int, most: int
) -> None:
    monkeypatch.setattr(parallel_calls, "SLOW_SECONDS", slow)
    made: list[str] = []

    def call(path: str) -> None:
        made.append(path)
        time.sleep(0.001)

    with pytest.raises(Interrupted):
        list(parallel(call, ["path"] * 10_000, lambda: len(made) >= wanted))
    assert len(made) <= most
