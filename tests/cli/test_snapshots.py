"""`record` and `history`: snapshots of every kind of content; content that cannot be read is not recorded."""

import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cachetui import catalogue as catalogue_module
from cachetui.catalogue import Catalogue
from cachetui.cli.browse import BrowseOptions, _opened
from cachetui.model.spec import Spec
from cachetui.query.query import Query
from cachetui.report.specs import copies
from cachetui.settings.saved_views import SavedView, save_last
from cachetui.settings.settings import Settings
from cachetui.sources import folder
from tests.support.cache_list import listed_files
from tests.support.cache_writer import node, write_v3
from tests.support.caches import files_of
from tests.support.commands import answered, refusal
from tests.support.installs import INSTALLS
from tests.support.mirror_server import serving
from tests.support.rows import row, write
from tests.support.schemas import faults

OLD, NEW = [node("zlib", "1.2"), node("hdf5", "1.14")], [node("zlib", "1.3"), node("hdf5", "1.14")]


def snapshots_in(home: Path) -> list[Path]:
    return sorted(home.glob("history/*/*.day"))


def make_older(home: Path, day: str) -> None:
    """Change the date of today's snapshot to the given day."""
    for path in snapshots_in(home):
        if path.stem > "2026-01-31":
            path.rename(path.with_name(f"{day}.day"))


def cache(folder: Path, is_new: bool) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    some = NEW if is_new else OLD
    write_v3(folder, some, some)


def on_two_dates(home: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Return a cache with a snapshot of 1 January and another one of today, with different specs."""
    for is_new in (False, True):
        cache(folder, is_new)
        answered(capsys, "record", str(folder))
        if not is_new:
            make_older(home, "2026-01-01")
    return str(folder)


def pages(folder: Path, is_new: bool) -> None:
    write(folder, [row("zlib", "1.3" if is_new else "1.2"), row("zlib", "1.0", tag="v1.0")])


def tree(folder: Path, is_new: bool) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(INSTALLS / "1.1.0", folder, symlinks=True)
    if is_new:
        (index,) = folder.rglob("index.json")
        index.write_text(
            index.read_text()
            .replace('"explicit":true', '"explicit":false')
            .replace('"explicit": true', '"explicit": false')
        )


def stacks(folder: Path, is_new: bool) -> None:
    cache(folder / "develop" / "e4s", is_new)
    cache(folder / "v1.0" / "e4s", False)


@pytest.mark.parametrize("make", [cache, pages, tree, stacks])
def test_diff_compares_every_kind_of_content_with_its_snapshot(
    make: Callable[[Path, bool], None], home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = str(tmp_path / "content")
    make(Path(content), False)
    before = answered(capsys, "find", content, "--tag", "now", "--format", "{package}@{version} {hash} {explicit}")[1]
    assert answered(capsys, "record", content)[0] == 0
    make_older(home, "2026-01-02")
    assert answered(capsys, "record", content, "--format=csv")[1].splitlines()[1] == f"{content},"
    make(Path(content), True)
    assert answered(capsys, "record", content)[0] == 0
    assert len(snapshots_in(home)) == 2
    then = answered(
        capsys,
        *("find", content, "--history", "--tag", "2026-01-03"),
        "--format",
        "{package}@{version} {hash} {explicit}",
    )
    assert sorted(then[1].splitlines()) == sorted(before.splitlines())
    changed, _, _ = answered(capsys, "diff", content, "--since", "2026-01-02", "--by", "hash", "--exit-code")
    assert changed == (make is not tree)
    assert answered(capsys, "diff", content, "--since", "0d", "--by", "hash", "--exit-code")[0] == 0


def test_snapshots_of_two_contents_are_recorded_and_listed_separately(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    cache(Path(one), False)
    cache(Path(two), True)
    assert answered(capsys, "history", one)[0] == 1
    recorded = answered(capsys, "record", "-C", one, "-C", two, "--format=json")[1]
    assert faults("record", recorded) == []
    make_older(home, "2026-01-01")
    cache(Path(two), False)
    new = json.loads(answered(capsys, "record", "-C", one, "-C", two, "--format=json")[1])
    assert [each["tag"] is None for each in new] == [True, False]
    listed = answered(capsys, "history", "-C", one, "-C", two, "--format=json")[1]
    assert faults("history", listed) == []
    assert [(each["content"], each["specs"]) for each in json.loads(listed)] == [(one, 2), (two, 2), (two, 2)]
    tags = json.loads(answered(capsys, "tags", "-C", one, "-C", two, "--history", "--format=json")[1])
    assert [each["tag"] for each in tags].count("2026-01-01") == 2
    found = answered(capsys, "diff", "-C", one, "-C", two, "two/2026-01-01..two/now", "--history", "--format=csv")[1]
    assert "zlib,version,1.3,1.2" in found
    assert answered(capsys, "diff", "-C", one, "-C", two, "--since", "two/2026-01-01", "--format=csv")[1] == found
    assert answered(capsys, "record", two, "--keep", "1d,1w")[0] == 0
    assert len(json.loads(answered(capsys, "history", two, "--format=json")[1])) == 1
    assert answered(capsys, "history", one, "--remove", "2026-01-01")[0] == 1
    for words, why in (
        (["record", one, "zlib"], "takes no query"),
        (["record", one, "--keep", "soon"], "--keep cannot be soon"),
        (["history", one, "--remove", "2026-01-01"], "no snapshot 2026-01-01"),
    ):
        assert why in refusal(capsys, words)


def test_unreachable_server_is_not_recorded(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cache(tmp_path / "cache", False)
    with serving({f"m/{path}": data for path, data in files_of(tmp_path / "cache").items()}) as server:
        url = f"{server.url}/m"
        assert answered(capsys, "find", url, "--count")[0] == 0
        found, out, err = answered(capsys, "record", url, "--offline")
        assert (found, out, "not all of the content could be read" in err) == (2, "", True)
        assert snapshots_in(home) == []


def test_downloaded_content_is_recorded_automatically(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = Path(os.environ["HOME"]) / ".config" / "cachetui" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("record = true\ndays = true\n")
    cache(tmp_path / "cache", False)
    answered(capsys, "find", str(tmp_path / "cache"))
    assert snapshots_in(home) == []
    with serving({f"m/{path}": data for path, data in files_of(tmp_path / "cache").items()}) as server:
        url = f"{server.url}/m"
        for count in (1, 1):
            assert answered(capsys, "find", url, "--count")[0] == 0
            assert len(snapshots_in(home)) == count
        make_older(home, "2026-01-01")
        cache(tmp_path / "cache", True)
        server.files = {f"m/{path}": data for path, data in files_of(tmp_path / "cache").items()}
        assert answered(capsys, "find", url, "--count", "--fresh")[0] == 0
        assert len(snapshots_in(home)) == 2
        assert "1.2" in answered(capsys, "find", url, "zlib", "--tag=2026-01-01")[1]
        make_older(home, "2026-01-02")
        cache(tmp_path / "cache", False)
        server.files = {f"m/{path}": data for path, data in files_of(tmp_path / "cache").items()}
        new = json.loads(answered(capsys, "record", url, "--format=json")[1])
        assert [each["tag"] for each in new] == [snapshots_in(home)[-1].stem]


def test_recording_a_server_with_several_tags_requires_option_all_tags(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(listed_files("prod", "test")) as server:
        found, _, err = answered(capsys, "record", server.url)
        assert (found, "to record them, give --all-tags" in err, snapshots_in(home)) == (2, True, [])
        assert answered(capsys, "record", server.url, "--all-tags")[0] == 0
    with serving(listed_files("develop", "v1.0")) as server:
        assert answered(capsys, "find", server.url, "--tag=v1.0")[0] == 0
        assert answered(capsys, "record", server.url)[0] == 0
    assert len(snapshots_in(home)) == 2


def test_spec_in_tag_named_like_snapshot_is_never_reported_missing(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cache(tmp_path / "content" / "2026-01-01" / "e4s", False)
    content = str(tmp_path / "content")
    answered(capsys, "record", content)
    for path in snapshots_in(home):
        path.rename(path.with_name("2026-01-01.day"))
    found, _, err = answered(capsys, "which", content, OLD[0]["hash"], "--history")
    assert (found, "gone" in err) == (0, False)
    index = Catalogue(content, Settings(), index_cache=False).load()
    (row_number,) = index.rows_of(OLD[0]["hash"])
    assert "install" in dict(copies([index.spec(row_number)], graph=index.graph))


def test_all_pages_are_compared_before_a_removal_is_reported(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    content, (there, away) = tmp_path / "content", (row("hdf5"), row("zlib", "1.2"))
    write(content, [there, away])
    answered(capsys, "record", str(content))
    make_older(home, "2026-01-01")
    monkeypatch.setattr(folder, "MAX_CHEAP_FILES", 0)
    write(content, [there, row("zlib", "1.3")])
    answered(capsys, "find", str(content), "--fresh")
    write(content, [there, away])
    found, _, err = answered(capsys, "which", str(content), there["hash"], away["hash"], "--history")
    assert (found, "gone" in err) == (0, False)
    write(content, [there, row("zlib", "1.3")])
    monkeypatch.setattr(catalogue_module, "MAX_COMPARED_FILES", 0)
    assert answered(capsys, "record", str(content))[0] == 0
    assert len(snapshots_in(home)) == 2


def test_specs_of_unreadable_cache_are_not_reported_as_removed(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, some in (("e4s", OLD), ("hep", NEW)):
        write_v3(tmp_path / "content" / "develop" / name, some, some)
    content = str(tmp_path / "content")
    answered(capsys, "record", content)
    (tmp_path / "content/develop/hep/v3/manifests/index/index.manifest.json").write_text("junk")
    found, out, err = answered(capsys, "which", content, NEW[0]["hash"], "--history")
    assert (found, "1.3" in out, "its specs are missing from the results" in err, "gone" in err) == (
        0,
        True,
        True,
        False,
    )


def test_resumed_browser_reads_snapshot_that_saved_view_names(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = on_two_dates(home, tmp_path / "content", capsys)
    identity = Catalogue(content, Settings()).source.identity
    save_last(Settings(os.environ).views_path(identity), identity, SavedView(query="tag=2026-01-01"))
    options = BrowseOptions(content=(content,), resume=True, history=True, settings=Settings(os.environ))
    catalogue, _ = _opened(options, Query())
    assert "2026-01-01" in catalogue.load().tags


def test_check_reports_missing_if_only_a_snapshot_has_the_spec(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, gone = str(tmp_path / "content"), f"/{OLD[0]['hash']}"
    cache(Path(content), False)
    answered(capsys, "record", content)
    make_older(home, "2026-01-01")
    cache(Path(content), True)
    assert answered(capsys, "check", content, gone, "--history", "--all-tags")[0] == 1
    installed = tmp_path / "tree"
    tree(installed, False)
    answered(capsys, "record", str(installed))
    hashes = answered(capsys, "find", str(installed), "zlib-ng", "--format", "/{hash}")[1].split()
    assert answered(capsys, "check", str(installed), *hashes)[0] == 0
    (index,) = installed.rglob("index.json")
    index.write_text(index.read_text().replace('"installed":true', '"installed":false'))
    assert answered(capsys, "check", str(installed), *hashes, "--history", "--tag=0d")[0] == 1


def test_damaged_snapshot_is_an_error_only_if_tag_selects_it(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = on_two_dates(home, tmp_path / "content", capsys)
    (old, _) = snapshots_in(home)
    old.write_bytes(old.read_bytes()[:-1])
    why = "it is damaged, or was written by another version"
    assert f"2026-01-01 cannot be read: {why}" in refusal(capsys, ["find", content, "--history", "--tag=2026-01-01"])
    found, _, err = answered(capsys, "which", content, NEW[0]["hash"], "--history")
    assert (found, f"2026-01-01 was skipped: {why}" in err) == (0, True)
    listed = answered(capsys, "history", content, "--format=json")
    assert (listed[0], len(json.loads(listed[1]))) == (2, 1)
    assert answered(capsys, "history", content, "--remove", "2026-01-01")[0] == 0
    cache(Path(content), False)
    answered(capsys, "record", content)
    snapshots_in(home)[0].write_bytes(b"")
    assert "removed since now" in answered(capsys, "which", content, NEW[0]["hash"], "--history")[2]


def test_recording_into_unwritable_folder_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cache(tmp_path / "content", False)
    monkeypatch.setenv("CACHETUI_HISTORY", "/proc/nowhere")
    assert "set CACHETUI_HISTORY to another folder" in refusal(capsys, ["record", str(tmp_path / "content")])


def test_spec_of_snapshot_has_no_mirror_command(tmp_path: Path) -> None:
    spec = Spec(
        package="zlib",
        version="1.3",
        hash="a" * 32,
        tag="2026-01-01",
        tags=("2026-01-01",),
        variants=(),
        stacks=("e4s",),
        compiler=None,
        os=None,
        platform=None,
        target=None,
        bytes=None,
        tarball=None,
    )
    assert [label for label, _ in copies([spec])] == ["hash", "/hash", "name/hash", "spec"]


def test_hash_lookup_with_history_limits_the_list_of_removed_specs(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content, many = str(tmp_path / "content"), [node("zlib", f"1.{k}") for k in range(8)]
    write_v3(Path(content), many, many)
    answered(capsys, "record", content)
    cache(Path(content), True)
    err = answered(capsys, "which", content, "--history", *(each["hash"] for each in many))[2]
    lines = err.splitlines()
    named = [rf"cachetui: /\w+ zlib@1.{k}: removed since now; it was in no stack" for k in (0, 1, 2, 4, 5)]
    assert all(map(re.fullmatch, named, lines))
    assert lines[5:] == ["cachetui: 2 more hashes removed: to list all, give --format json"]


def test_history_shows_when_spec_was_removed_and_restored(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = str(tmp_path / "content")
    for day, is_new in (("2026-01-01", False), ("2026-01-02", True), ("2026-01-03", False)):
        cache(Path(content), is_new)
        answered(capsys, "record", content)
        make_older(home, day)
    away, always = OLD[0]["hash"], OLD[1]["hash"]
    found = answered(capsys, "which", content, away, always, "--history")[1].splitlines()
    assert "2026-01-01,2026-01-03" in found[0]
    assert "2026-01-01..2026-01-03" in found[1]
    assert "2026-01-01,2026-01-03" in answered(capsys, "find", content, "zlib@1.2", "--history")[1]
    write_v3(Path(content), NEW[1:], NEW[1:])
    answered(capsys, "record", content)
    make_older(home, "2026-01-04")
    over = json.loads(answered(capsys, "coverage", content, "zlib", "--cols=tag", "--history", "--format=json")[1])
    assert [each["name"] for each in over["columns"] if not each["specs"]] == ["content", "2026-01-04"]
    assert over["gaps"] == 2
    changed = answered(capsys, "diff", content, "2026-01-01..2026-01-02", "--format=csv")[1]
    assert "zlib,version,1.2,1.3" in changed


def test_unreadable_history_folder_is_an_error(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = on_two_dates(home, home / "content", capsys)
    (folder,) = (home / "history").iterdir()
    folder.rename(home / "elsewhere")
    folder.symlink_to(home / "elsewhere")
    for words in (["history", content], ["find", content, "--history", "--tag=0d"], ["record", content]):
        assert "is a link or a file" in refusal(capsys, words)
