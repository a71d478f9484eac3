"""Content whose files change: changed pages are read again, the index is saved, and users get messages."""

import os
import shutil
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec
import pytest

from cachetui import catalogue as catalogue_module
from cachetui.catalogue import Catalogue
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.settings.settings import Settings
from cachetui.sources import folder as module
from cachetui.sources.folder import FolderSource
from cachetui.sources.kinds import sample_contents
from cachetui.sources.pages import reader as reading
from cachetui.sources.source import ContentError, Progress
from cachetui.store.index_cache import write_index
from cachetui.store.merge import built
from cachetui.store.mtimes import RACY, mtimes_of
from cachetui.workers import threads as parallel_calls
from cachetui.workers.cancelling import Interrupted
from tests.support import sample_mirror
from tests.support.aged import LONG_AGO, aged
from tests.support.caches import CACHES
from tests.support.places import SAMPLE_CONTENT

PAGE = """\
---
title: "{package}"
layout: cache
categories: [package, {tag}]
meta: {{}}
spec_details: [{{"hash": "{hash}", "compiler": "gcc@12.1.0", "os": "{os}", "platform": "linux", "size": "-", \
"stacks": ["e4s"], "target": "zen3", "variants": ["+shared"], "versions": ["1.2"]}}]
---"""


def write(content: Path, tag: str, package: str, letter: str = "a") -> Path:
    page = content / tag / package / "specs.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(PAGE.format(package=package, tag=tag, hash=letter * 32, os="rhel8"))
    return page


@pytest.fixture
def content(tmp_path: Path) -> Path:
    folder = tmp_path / "content"
    for tag in ("develop", "v0.9.0"):
        for package, letter in (("hdf5", "b"), ("zlib", "a")):
            write(folder, tag, package, letter)
    (folder / "README.md").write_text("no page")
    aged(folder)
    return folder


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"CACHETUI_CACHE_DIR": str(tmp_path / "cache")}


@pytest.fixture
def catalogue(content: Path, environ: dict[str, str]) -> Catalogue:
    return Catalogue(str(content), Settings(environ))


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch, catalogue: Catalogue) -> None:
    """Content with an index cache. Commands treat the content as too large to compare all its files."""
    monkeypatch.setattr(module, "MAX_CHEAP_FILES", 0)
    catalogue.load()


def index_file(environ: dict[str, str]) -> Path:
    return next(Path(environ["CACHETUI_CACHE_DIR"]).iterdir())


def rows(index: Index) -> list[str]:
    specs = map(index.spec, range(len(index)))
    return [f"{spec.tag}/{spec.package}/{(spec.hash or '')[:1]}/{spec.os}" for spec in specs]


def answer_of(catalogue: Catalogue, query: str, *, fresh: bool = False) -> list[str]:
    """Return the answer of a command."""
    index = catalogue.current(fresh=fresh)
    while True:
        found = Results.of(index, Query.parse(query)).rows
        confirmed = catalogue.confirmed(index, found)
        if confirmed is index:
            return [rows(index)[row] for row in found]
        index = confirmed


ALL = ["develop/hdf5/b/rhel8", "v0.9.0/hdf5/b/rhel8", "develop/zlib/a/rhel8", "v0.9.0/zlib/a/rhel8"]
CHANGED = [*ALL[:2], "develop/zlib/c/rhel8", ALL[3]]


# Reading and saving


def test_second_start_loads_content_from_index_cache(content: Path, environ: dict[str, str]) -> None:
    first = Catalogue(str(content), Settings(environ))
    assert first.saved() is None
    loaded = first.load()
    assert rows(loaded) == ALL
    saved = Catalogue(str(content), Settings(environ)).saved()
    assert saved is not None
    assert saved.columns == loaded.columns


def test_content_opens_without_index_cache(content: Path, environ: dict[str, str]) -> None:
    catalogue = Catalogue(str(content), Settings(environ), index_cache=False)
    assert catalogue.current() is not None
    assert catalogue.saved() is None
    assert not Path(environ["CACHETUI_CACHE_DIR"]).exists()


def test_single_page_can_be_opened_as_content(content: Path, environ: dict[str, str]) -> None:
    catalogue = Catalogue(str(content / "develop/zlib/specs.md"), Settings(environ))
    assert rows(catalogue.load()) == ["develop/zlib/a/rhel8"]
    assert rows(catalogue.refresh(catalogue.load())) == ["develop/zlib/a/rhel8"]


def test_missing_content_is_an_error(tmp_path: Path, environ: dict[str, str]) -> None:
    for path in (str(tmp_path / "none"), "a\0b"):
        with pytest.raises(ContentError, match="give a build cache, its URL, an installation or a folder of pages"):
            Catalogue(path, Settings(environ))


def test_sample_content_is_read_without_errors(environ: dict[str, str]) -> None:
    pages = Catalogue(SAMPLE_CONTENT, Settings(environ), index_cache=False).load()
    both = Catalogue(sample_contents(), Settings(environ), index_cache=False).load()
    assert list(both.tags) == [*(f"sample/{tag}" for tag in pages.tags), "sample_mirror/site"]
    assert not pages.graph
    assert both.graph
    assert not both.problems


def test_sample_cache_in_package_equals_newly_generated_sample_cache(tmp_path: Path) -> None:
    written = dict(sample_mirror.documents(sample_mirror.write(tmp_path)))
    there = dict(sample_mirror.documents(Path(sample_contents()[1])))
    assert len(there) == 11
    assert there == written, "run `python -m tests.support.sample_mirror`"


def test_printed_commands_quote_content_paths_for_the_shell(content: Path, environ: dict[str, str]) -> None:
    odd = content.rename(content.with_name("a b"))
    assert Catalogue([str(odd), SAMPLE_CONTENT], Settings(environ)).content_words == f"-C '{odd}' -C {SAMPLE_CONTENT}"


def test_unwritable_cache_folder_is_a_warning(content: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    catalogue = Catalogue(str(content), Settings({"CACHETUI_CACHE_DIR": str(tmp_path / "cache")}))
    assert answer_of(catalogue, "") == ALL
    unused, unsaved = catalogue.notes
    assert "is a link or a file, not a folder)" in unused
    assert "was not saved: File exists" in unsaved


def test_read_only_cache_folder_is_a_warning(
    catalogue: Catalogue, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    assert rows(catalogue.load()) == ALL
    assert [note.partition(" (")[0] for note in catalogue.notes] == ["the index cache was not saved: Permission denied"]
    assert not os.listdir(environ["CACHETUI_CACHE_DIR"])


def test_error_in_changed_page_is_printable_as_json(content: Path, catalogue: Catalogue) -> None:
    index = catalogue.load()
    write(content, "develop", "zlib").write_text(PAGE.format(package="zlib", tag="develop", hash="x", os="rhel8"))
    (problem,) = catalogue.refresh(index).problems
    assert problem.path == "develop/zlib/specs.md"
    assert msgspec.json.encode(problem)


def test_newly_unreadable_folder_is_reported_as_json(
    content: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, scandir = catalogue.load(), os.scandir

    def refuse(path: str) -> object:
        if "develop" in str(path):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    write(content, "develop", "new")
    monkeypatch.setattr(os, "scandir", refuse)
    problems = catalogue.refresh(index).problems
    assert "develop/" in {problem.path for problem in problems}
    assert msgspec.json.encode(problems)


@pytest.mark.parametrize("damage", [b"", b"cachetui index 0\n", b"\x7fELF" * 100])
def test_unusable_index_cache_is_rewritten(content: Path, environ: dict[str, str], damage: bytes) -> None:
    Catalogue(str(content), Settings(environ)).load()
    index_file(environ).write_bytes(damage)
    catalogue = Catalogue(str(content), Settings(environ))
    assert answer_of(catalogue, "zlib tag=develop") == ["develop/zlib/a/rhel8"]
    assert "cannot be used" in catalogue.notes[0]
    again = Catalogue(str(content), Settings(environ))
    assert again.saved() is not None
    assert again.notes == []


# Growing, and cancelling


@pytest.fixture
def pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each folder one piece of work, and read it in this process."""
    monkeypatch.setattr(reading, "FIRST_PAGES", 1)
    monkeypatch.setattr(reading, "MAX_PIECE_FILES", 1)
    monkeypatch.setattr(reading, "MAX_ONE_PROCESS_FILES", 1000)


@pytest.mark.usefixtures("pieces")
def test_partial_index_grows_until_complete(content: Path, environ: dict[str, str]) -> None:
    for number in range(27):
        write(content, "develop", f"package-{number:02}")
    grown: list[tuple[int, Progress]] = []
    loaded = Catalogue(str(content), Settings(environ)).load(
        lambda index, progress: grown.append((len(index), progress))
    )
    sizes = [size for size, _ in grown]
    assert sizes == sorted(set(sizes))
    assert len(sizes) > 1
    assert sizes[-1] == len(loaded) == 31
    assert grown[-1][1].done == grown[-1][1].total
    # Each further index takes three times as long, and comes only in the first fifth of the work.
    assert [progress.done for _, progress in grown] == [0, 3, 32]


@pytest.mark.usefixtures("pieces")
def test_cancelled_load_writes_no_index_cache(content: Path, environ: dict[str, str]) -> None:
    answers = iter([False] * 5 + [True])
    with pytest.raises(Interrupted):
        Catalogue(str(content), Settings(environ)).load(cancelled=lambda: next(answers))
    assert not Path(environ["CACHETUI_CACHE_DIR"]).exists()


def test_cancelled_refresh_keeps_the_index(content: Path, catalogue: Catalogue) -> None:
    index = catalogue.load()
    write(content, "develop", "zlib", "c")
    with pytest.raises(Interrupted):
        catalogue.refresh(index, cancelled=lambda: True)
    assert rows(index) == ALL


# Changes


CHANGES: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "page changed": (
        lambda content: write(content, "develop", "zlib", "c"),
        CHANGED,
    ),
    "package added": (
        lambda content: write(content, "develop", "cmake", "d"),
        ["develop/cmake/d/rhel8", *ALL],
    ),
    "tag added": (
        lambda content: write(content, "v1.0.0", "hdf5", "e"),
        [ALL[0], "v1.0.0/hdf5/e/rhel8", *ALL[1:]],
    ),
    "package removed": (lambda content: shutil.rmtree(content / "develop/hdf5"), ALL[1:]),
    "tag removed": (lambda content: shutil.rmtree(content / "v0.9.0"), [ALL[0], ALL[2]]),
    "page removed": (lambda content: (content / "develop/zlib/specs.md").unlink(), [*ALL[:2], ALL[3]]),
    "page renamed": (
        lambda content: (content / "develop/zlib/specs.md").rename(content / "develop/zlib/other.md"),
        ALL,
    ),
    "file became a page": (
        lambda content: (content / "README.md").write_text(
            PAGE.format(package="cmake", tag="develop", hash="f" * 32, os="rhel9")
        ),
        ["develop/cmake/f/rhel9", *ALL],
    ),
    "everything removed": (lambda content: [*map(shutil.rmtree, (content / "develop", content / "v0.9.0"))], []),
}


@pytest.mark.parametrize("change", CHANGES)
def test_refreshed_index_equals_full_read_of_changed_content(
    content: Path, catalogue: Catalogue, environ: dict[str, str], change: str
) -> None:
    catalogue.load()
    make, expected = CHANGES[change]
    make(content)
    index = catalogue.saved()
    assert index is not None
    refreshed = catalogue.refresh(index)
    assert rows(refreshed) == expected
    assert rows(Catalogue(str(content), Settings(environ), index_cache=False).load()) == expected
    aged(content)
    settled = catalogue.refresh(refreshed)
    assert settled.columns == Catalogue(str(content), Settings(environ), index_cache=False).load().columns
    assert catalogue.refresh(settled) is settled


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("change", [name for name in CHANGES if name not in ("page renamed", "file became a page")])
def test_command_rereads_changed_pages_that_contribute_to_its_result(
    content: Path, environ: dict[str, str], change: str
) -> None:
    make, expected = CHANGES[change]
    make(content)
    assert answer_of(Catalogue(str(content), Settings(environ)), "") == expected


@pytest.mark.usefixtures("large")
def test_specs_of_moved_folder_disappear_until_the_folder_returns(content: Path, environ: dict[str, str]) -> None:
    tag, elsewhere = content / "v0.9.0", content.with_name("elsewhere")
    tag.rename(elsewhere)
    index = Catalogue(str(content), Settings(environ)).current()
    assert (rows(index), index.tags) == ([ALL[0], ALL[2]], ("develop",))
    elsewhere.rename(tag)
    index = Catalogue(str(content), Settings(environ)).current()
    assert (rows(index), index.problems) == (ALL, ())


def test_changes_of_equal_size_within_one_second_are_detected(content: Path, environ: dict[str, str]) -> None:
    page = write(content, "develop", "zlib", "c")
    Catalogue(str(content), Settings(environ)).load()
    status = page.stat()
    write(content, "develop", "zlib", "d")
    os.utime(page, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert page.stat().st_size == status.st_size
    assert answer_of(Catalogue(str(content), Settings(environ)), "zlib tag=develop") == ["develop/zlib/d/rhel8"]


@pytest.mark.usefixtures("large")
def test_replaced_page_with_same_size_and_time_is_detected(content: Path, environ: dict[str, str]) -> None:
    page = content / "develop/zlib/specs.md"
    before = page.stat()
    other = page.with_name("other")
    other.write_text(page.read_text().replace("a" * 32, "d" * 32))
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(page)
    assert (page.stat().st_size, page.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    for fresh in (False, True):
        assert answer_of(Catalogue(str(content), Settings(environ)), "zlib tag=develop", fresh=fresh)[0].startswith(
            "develop/zlib/d/"
        )


@pytest.mark.usefixtures("large")
def test_changed_page_with_future_date_is_read(content: Path, environ: dict[str, str]) -> None:
    page = write(content, "develop", "zlib", "c")
    os.utime(page, (2**32, 2**32))
    Catalogue(str(content), Settings(environ)).load()
    assert answer_of(Catalogue(str(content), Settings(environ)), "zlib tag=develop") == ["develop/zlib/c/rhel8"]


def test_recently_changed_page_is_read_again_once(
    content: Path, catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = write(content, "develop", "zlib")
    index = catalogue.load()
    assert (index.columns.file_mtimes("develop/zlib/specs.md") or (0, 0))[0] & RACY
    later = time.time_ns() + 10**10
    monkeypatch.setattr(time, "time_ns", lambda: later)
    refreshed = catalogue.refresh(index)
    assert refreshed is not index
    status = page.stat()
    assert refreshed.columns.file_mtimes("develop/zlib/specs.md") == mtimes_of(status.st_size, status)


def test_second_page_of_package_replaces_removed_first_page(content: Path, catalogue: Catalogue) -> None:
    copy = content / "develop/zlib/the-copy.md"
    copy.write_text(PAGE.format(package="zlib", tag="develop", hash="c" * 32, os="rhel8"))
    aged(content)
    index = catalogue.load()
    assert rows(index) == ALL
    assert [(problem.path, problem.kind) for problem in index.problems] == [
        ("develop/zlib/the-copy.md", "duplicate_page")
    ]
    (content / "develop/zlib/specs.md").unlink()
    refreshed = catalogue.refresh(index)
    assert rows(refreshed) == CHANGED
    assert refreshed.problems == ()


def test_changed_sidecar_file_updates_hash_of_spec_on_page(tmp_path: Path, environ: dict[str, str]) -> None:
    folder = tmp_path / "old" / "zlib"
    folder.mkdir(parents=True)
    (folder / "specs.md").write_text(
        "---\ntitle: zlib\nlayout: cache\ncategory: package\nspec_files:\n  - spec-0.json\n"
        'spec_names:\n  - "zlib@1.2%gcc@12.1.0 arch=linux-rhel8-zen3"\n---'
    )
    aged(tmp_path / "old")
    catalogue = Catalogue(str(tmp_path / "old"), Settings(environ))
    index = catalogue.load()
    assert rows(index) == ["untagged/zlib//rhel8"]
    for letter in "gh":
        node = f'{{"name": "zlib", "version": "1.2", "hash": "{letter * 32}"}}'
        (folder / "spec-0.json").write_text(f'{{"spec": {{"nodes": [{node}]}}}}')
        index = catalogue.refresh(index)
        assert rows(index) == [f"untagged/zlib/{letter}/rhel8"]


def test_error_in_folder_is_still_reported_after_refresh(content: Path, catalogue: Catalogue) -> None:
    elsewhere = content.with_name("elsewhere")
    (elsewhere / "below").mkdir(parents=True)
    os.symlink(content.parent, elsewhere / "link")
    os.symlink(elsewhere, content / "linked")
    index = catalogue.load()
    assert [problem.path for problem in index.problems] == ["linked/"]
    (elsewhere / "page.md").write_text(PAGE.format(package="cmake", tag="develop", hash="f" * 32, os="rhel9"))
    refreshed = catalogue.refresh(index)
    assert refreshed.problems == index.problems
    assert rows(refreshed) == ["develop/cmake/f/rhel9", *ALL]


def test_symlinked_page_is_read_again_when_its_target_changes(content: Path, catalogue: Catalogue) -> None:
    target = content.with_name("target.md")
    (content / "cmake.md").symlink_to(target)
    (content / ".#cmake.md").symlink_to("someone@somewhere.4711")  # the lock file of an editor
    index = catalogue.load()
    assert [problem.message for problem in index.problems] == ["cannot be read: No such file or directory"]
    assert rows(index) == ALL
    assert rows(catalogue.refresh(index)) == ALL
    target.write_text(PAGE.format(package="cmake", tag="develop", hash="f" * 32, os="rhel9"))
    index = catalogue.refresh(index)
    assert rows(index) == ["develop/cmake/f/rhel9", *ALL]
    assert not index.problems
    target.unlink()
    index = catalogue.refresh(index)
    assert rows(index) == ALL
    assert [problem.path for problem in index.problems] == ["cmake.md"]


# Temporarily missing content


def away(content: Path) -> None:
    content.rename(content.with_name("away"))


def back(content: Path) -> None:
    if content.is_dir():
        content.rmdir()
    elif content.exists():
        content.unlink()
    content.with_name("away").rename(content)


def replaced_by_a_file(content: Path) -> None:
    away(content)
    content.write_text("no folder")


@pytest.mark.parametrize("go", [away, replaced_by_a_file])
def test_index_cache_is_kept_while_content_is_temporarily_away(
    content: Path, catalogue: Catalogue, environ: dict[str, str], go: Callable[[Path], None]
) -> None:
    index = catalogue.load()
    other = Catalogue(str(content), Settings(environ))
    saved = index_file(environ).read_bytes()
    go(content)
    for read in (catalogue.load, partial(catalogue.refresh, index), partial(other.confirmed, index, [0])):
        with pytest.raises(ContentError, match="content cannot be read"):
            read()
    assert index_file(environ).read_bytes() == saved
    back(content)
    assert rows(catalogue.refresh(index)) == ALL
    assert answer_of(Catalogue(str(content), Settings(environ)), "") == ALL


def test_index_cache_is_kept_after_the_only_page_is_removed(content: Path, environ: dict[str, str]) -> None:
    page = content / "develop/zlib/specs.md"
    catalogue = Catalogue(str(page), Settings(environ))
    index = catalogue.load()
    saved = index_file(environ).read_bytes()
    away(page)
    with pytest.raises(ContentError, match="cannot be read"):
        catalogue.refresh(index)
    with pytest.raises(ContentError, match="cannot be read"):
        catalogue.load()
    page.mkdir()
    with pytest.raises(ContentError, match="not a regular file"):
        catalogue.refresh(index)
    assert index_file(environ).read_bytes() == saved
    back(page)
    assert rows(catalogue.refresh(index)) == ["develop/zlib/a/rhel8"]


@pytest.mark.parametrize("cache", [None, "", "e4s"])
def test_index_cache_of_unmounted_content_is_kept(
    content: Path, tmp_path: Path, environ: dict[str, str], cache: str | None
) -> None:
    if cache is not None:
        content = tmp_path / "mirror"
        shutil.copytree(CACHES / "v3/spack-1.1.0/develop/btest", content / cache)
    whole = answer_of(Catalogue(str(content), Settings(environ)), "")
    saved = index_file(environ).read_bytes()
    away(content)
    content.mkdir()
    for fresh in (False, True):
        with pytest.raises(ContentError, match=r"is empty now, but was not before: mount it"):
            Catalogue(str(content), Settings(environ)).current(fresh=fresh)
    assert index_file(environ).read_bytes() == saved
    assert answer_of(Catalogue(str(content), Settings(environ), index_cache=False), "") == []
    back(content)
    assert answer_of(Catalogue(str(content), Settings(environ)), "") == whole != []


@pytest.mark.parametrize("moment", range(2, 16))
@pytest.mark.parametrize("large", [False, True])
def test_index_cache_of_content_moved_during_comparison_is_kept(
    content: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, moment: int, large: bool
) -> None:
    if large:
        monkeypatch.setattr(module, "MAX_CHEAP_FILES", 0)
    monkeypatch.setattr(parallel_calls, "PROBE_CALLS", 1)
    monkeypatch.setattr(parallel_calls, "SLOW_SECONDS", 1)
    assert answer_of(Catalogue(str(content), Settings(environ)), "") == ALL
    write(content, "develop", "zlib", "c")
    looked = 0
    stat_of = os.stat

    def moving(path: str, **options: bool) -> os.stat_result:
        nonlocal looked
        looked += str(path).startswith(str(content))
        if looked == moment and os.path.lexists(content):
            content.rename(content.with_name("away"))
        elif looked == moment + 3 and not os.path.lexists(content):
            content.with_name("away").rename(content)
        return stat_of(path, **options)

    catalogue = Catalogue(str(content), Settings(environ))
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(os, "stat", moving)
        with suppress(ContentError):
            assert answer_of(catalogue, "") == CHANGED
    if not content.exists():
        back(content)
    assert answer_of(Catalogue(str(content), Settings(environ)), "") == CHANGED


def test_index_cache_that_records_no_root_folder_is_refused(content: Path, environ: dict[str, str]) -> None:
    Catalogue(str(content), Settings(environ)).load()
    write_index(str(index_file(environ)), FolderSource(str(content)).identity, built([]), time.time(), "")
    assert answer_of(Catalogue(str(content), Settings(environ)), "") == ALL


# The files that a command compares


@pytest.mark.usefixtures("large")
def test_command_ignores_changed_pages_that_cannot_affect_its_result(content: Path, environ: dict[str, str]) -> None:
    write(content, "develop", "zlib", "c")
    catalogue = Catalogue(str(content), Settings(environ))
    assert answer_of(catalogue, "hdf5") == [ALL[0], ALL[1]]
    assert catalogue.notes == []
    assert rows(catalogue.current(fresh=True)) == CHANGED


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    ("hours", "said"), [(0.9, []), (5, ["5 hours ago"]), (72, ["3 days ago"]), (-5, ["at a future time"])]
)
def test_command_warns_about_result_from_old_index_cache(
    content: Path, environ: dict[str, str], hours: float, said: list[str]
) -> None:
    then = time.time() - 3600 * hours
    os.utime(index_file(environ), (then, then))
    catalogue = Catalogue(str(content), Settings(environ))
    assert answer_of(catalogue, "zlib tag=develop") == ["develop/zlib/a/rhel8"]
    assert len(catalogue.notes) == len(said)
    assert all(text in note and "--fresh" in note for text, note in zip(said, catalogue.notes, strict=True))


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("is_written_before", [False, True])
@pytest.mark.parametrize("is_worktree", [False, True])
def test_next_command_after_git_pull_compares_all_pages_once(
    content: Path, environ: dict[str, str], is_written_before: bool, is_worktree: bool
) -> None:
    git = content.parent / ".git"
    if is_worktree:
        git.write_text("gitdir: main/worktrees/one\n")
        git = content.parent / "main/worktrees/one"
    git.mkdir(parents=True)
    (git / "index").write_text("1")
    Catalogue(str(content), Settings(environ)).load()
    if is_written_before:
        write(content, "develop", "zlib", "c")
        assert rows(Catalogue(str(content), Settings(environ)).current()) == ALL
    (git / "index").write_text("22")
    expected = CHANGED if is_written_before else ALL
    assert rows(Catalogue(str(content), Settings(environ)).current()) == expected
    write(content, "develop", "zlib", "d")
    assert rows(Catalogue(str(content), Settings(environ)).current()) == expected


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("place", ["develop/zlib/specs.md", "develop/hdf5/new/specs.md"])
def test_empty_result_is_given_only_after_all_pages_were_compared(
    content: Path, environ: dict[str, str], place: str
) -> None:
    page = content / place
    page.parent.mkdir(exist_ok=True)
    page.write_text(PAGE.format(package="cmake", tag="v9", hash="c" * 32, os="rhel8"))
    catalogue = Catalogue(str(content), Settings(environ))
    assert answer_of(catalogue, "/cc") == ["v9/cmake/c/rhel8"]
    assert catalogue.notes == []


@pytest.mark.usefixtures("large")
def test_interrupted_comparison_reports_time_of_previous_comparison(
    content: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue_module, "MAX_COMPARED_FILES", 0)
    write(content, "develop", "zlib", "c")
    catalogue = Catalogue(str(content), Settings(environ))
    assert answer_of(catalogue, "/cc") == []
    assert catalogue.notes == [
        "the files were last checked for changes less than a minute ago: to check them now, give --fresh"
    ]
    assert answer_of(Catalogue(str(content), Settings(environ)), "/cc", fresh=True) == ["develop/zlib/c/rhel8"]


def test_comparison_without_changes_updates_time_of_index_cache(catalogue: Catalogue, environ: dict[str, str]) -> None:
    index = catalogue.load()
    os.utime(index_file(environ), (LONG_AGO, LONG_AGO))
    assert catalogue.refresh(index) is index
    assert index_file(environ).stat().st_mtime > LONG_AGO
    assert stat.S_IMODE(index_file(environ).stat().st_mode) == 0o600
