"""The order in which a folder is read: the tag that is looked at first before all others, each file once."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from random import Random

import pytest

from cachetui.sources.pages import all_pages, plan
from cachetui.sources.pages.all_pages import segments
from cachetui.sources.pages.folders import add_listing, list_folder
from cachetui.sources.pages.piece_reader import read_piece
from cachetui.sources.pages.plan import FIRST, Plan
from cachetui.store.merge import merge
from cachetui.store.segment import Encoder
from cachetui.workers.cancelling import Interrupted, never

EVERY_FORM = sorted(path for path in (Path(__file__).parents[2] / "pages").iterdir() if path.is_file())
TAGS = ["develop", "develop-2024-01-07", "develop-2024-01-14", "v0.9.0", "v0.10.0", "vtk", "main"]


def add_page(path: Path, tag: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    head = f"title: {path.parent.name}\nlayout: cache\ncategories: [package, {tag}]"
    path.write_text(f"---\n{head}\nmeta: {{}}\nspec_details: []\n---")


def add_tag(content: Path, tag: str, packages: int) -> None:
    for number in range(packages):
        add_page(content / "_cache" / tag / f"p{number:03}" / "specs.md", tag)


def in_reading_order(content: Path, enough: int) -> list[str]:
    rest = Plan(str(content), enough, lambda: None, never).rest()
    return [path.removeprefix("_cache/") for path in rest]


def test_the_pages_of_one_package_follow_each_other(tmp_path: Path) -> None:
    for path in ("v0.9.0/zlib", "develop/zlib", "develop/hdf5", "v0.10.0/hdf5", "v0.10.0/zlib", "v0.9.0/hdf5"):
        add_page(tmp_path / "_cache" / path / "specs.md", path.partition("/")[0])
    assert in_reading_order(tmp_path, 4) == [
        "develop/hdf5/",
        "develop/zlib/",
        "v0.10.0/hdf5/",
        "v0.9.0/hdf5/",
        "v0.10.0/zlib/",
        "v0.9.0/zlib/",
    ]


@pytest.mark.parametrize(
    ("tags", "first"),
    [
        (["v1.0", "develop", "develop-2024-01-07"], "develop"),
        (["v1.0", "develop-2024-01-07", "develop-2024-01-14"], "develop-2024-01-14"),
        (["main", "v0.9.0", "v0.10.0"], "v0.10.0"),
    ],
)
def test_pages_of_the_tag_that_is_looked_at_first_come_before_other_tags_are_listed(
    tmp_path: Path, tags: list[str], first: str
) -> None:
    for tag in tags:
        add_tag(tmp_path, tag, FIRST + 1)
    read = segments(str(tmp_path))
    segment, progress = next(read)
    assert segment is not None
    assert set(segment.tags) == {first}
    assert len(segment.paths) == FIRST
    assert progress.done == 0
    other = tags[0] if tags[0] != first else tags[1]
    add_page(tmp_path / "_cache" / other / "too-late-if-it-was-listed" / "specs.md", other)
    columns = merge(None, [segment, *(each for each, _ in read if each is not None)])
    assert len(columns.page_path) == (FIRST + 1) * len(tags) + 1
    assert columns.problems == ()


def test_the_rest_of_the_first_tag_is_known_before_other_tags_are_listed(tmp_path: Path) -> None:
    for tag in ("develop", "v1.0", "v0.9.0"):
        add_tag(tmp_path, tag, FIRST + 3)
    given: list[list[str]] = []
    listing = Plan(str(tmp_path), FIRST + 6, lambda: given.append(listing.more_of_first()), never)
    first = listing.first()
    assert len(first) == FIRST
    assert not any(given)
    rest = listing.rest()
    (more,) = filter(None, given)
    assert [path[-5:] for path in more] == [f"p{number:03}/" for number in range(FIRST, FIRST + 3)]
    assert all("develop/" in path for path in more)
    assert sorted([*first, *more, *rest]) == sorted(
        f"_cache/{tag}/p{number:03}/" for tag in ("develop", "v1.0", "v0.9.0") for number in range(FIRST + 3)
    )


@pytest.mark.parametrize(
    "packages", [{"develop": FIRST, "v1.0": 2}, {"develop": FIRST + 1}, {"main": FIRST + 1, "test": 1}]
)
def test_nothing_is_read_ahead_where_that_is_no_faster(tmp_path: Path, packages: dict[str, int]) -> None:
    for tag, count in packages.items():
        add_tag(tmp_path, tag, count)
    found = [(segment, progress.done) for segment, progress in segments(str(tmp_path)) if segment is not None]
    assert [done for _, done in found][:1] == [1]
    assert len(merge(None, [segment for segment, _ in found]).page_path) == sum(packages.values())


def test_reading_ahead_is_given_up_when_nobody_wants_it(tmp_path: Path) -> None:
    for tag in ("develop", "v1.0"):
        add_tag(tmp_path, tag, FIRST + 1)
    answers = iter([False] * 20)
    with pytest.raises(Interrupted):
        next(segments(str(tmp_path), cancelled=lambda: next(answers, True)))


@pytest.mark.parametrize("seed", range(8))
def test_all_is_read_once_whatever_is_read_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    """Folders and pages of every form, at random; the same as where they are read in one piece."""
    random = Random(seed)
    monkeypatch.setattr(plan, "FIRST", random.randrange(1, 6))
    monkeypatch.setattr(all_pages, "PIECE", random.randrange(1, 6))
    monkeypatch.setattr(all_pages, "FEW", random.choice([10, 60, 10_000]))
    for number in range(60):
        folder = tmp_path / random.choice(["", "_cache", "_cache/more"]) / random.choice(TAGS)
        folder /= random.choice(["", f"package-{random.randrange(9)}"])
        folder.mkdir(parents=True, exist_ok=True)
        form = random.choice(EVERY_FORM)
        shutil.copy(form, folder / f"{number}{form.suffix}")
    read = [segment for segment, _ in segments(str(tmp_path)) if segment is not None]
    top, listing = Encoder(), list_folder(str(tmp_path), "")
    add_listing(top, listing, time.time_ns())
    below = read_piece(str(tmp_path), [*listing.pages, *listing.folders])
    assert merge(None, read) == merge(None, [top.segment(), below])
    paths = [path for segment in read for path in segment.files.paths]
    assert len(paths) == len(set(paths))
