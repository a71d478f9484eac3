"""Several build caches and installations as one source, and the mirrors of a `mirrors.yaml`."""

import os
import shutil
from pathlib import Path

import msgspec
import pytest

from cachetui.catalogue import Catalogue, lacking
from cachetui.settings.settings import Settings
from cachetui.sources import folder
from cachetui.sources.mirrors import is_mirrors_file
from cachetui.sources.source import Asking, ContentError
from tests.support.aged import LONG_AGO, aged
from tests.support.caches import CACHES, files_of, placed, specs_of, stacks_of
from tests.support.mirror_server import serving
from tests.support.rows import row, write

V3 = CACHES / "v3" / "spack-1.1.0"
TOOLS, BTEST, NO_INDEX = V3 / "develop" / "tools", V3 / "develop" / "btest", V3 / "no-index"


def catalogue(*contents: Path) -> Catalogue:
    return Catalogue(tuple(map(str, contents)), Settings(os.environ))


def stacks(*contents: Path) -> dict[str, set[str]]:
    return stacks_of(catalogue(*contents).current())


def test_tag_of_each_content_begins_with_content_name(tmp_path: Path) -> None:
    pages = write(tmp_path / "pages", [row(tag="develop")])
    tools = placed(TOOLS, tmp_path / "tools")
    assert stacks(pages, tools) == {"pages/develop": {"e4s"}, "tools/tools": set()}
    index = catalogue(pages, tools).current()
    assert index.graph.tags == ("tools/tools",)
    assert index.columns == Catalogue((str(pages), str(tools)), Settings(os.environ), index_cache=False).load().columns


def test_tag_begins_with_shortest_unique_suffix_of_content_path(tmp_path: Path) -> None:
    here, there = placed(TOOLS, tmp_path / "here" / "mirror"), placed(BTEST, tmp_path / "there" / "mirror")
    assert set(stacks(here, there)) == {"here/mirror/mirror", "there/mirror/mirror"}
    pages = [write(tmp_path / name, [row(tag="develop"), row(tag=name)]) for name in ("one", "two")]
    assert set(stacks(*pages)) == {"one/develop", "two/develop", "one/one", "two/two"}
    nested = [write(tmp_path / name, [row(tag="v1")]) for name in ("p/x", "q/x/y", "r/z/y")]
    assert set(stacks(*nested)) == {"p/x/v1", "x/y/v1", "z/y/v1"}


def test_tarball_url_is_correct_for_equal_tags_of_two_contents(tmp_path: Path) -> None:
    rows = [row(tag="develop", tarball=f"https://a/develop/{letter * 32}.spack", hash=letter * 32) for letter in "ab"]
    pages = [write(tmp_path / each["hash"][0], [each]) for each in rows]
    found = {spec.tag: spec.tarball for spec in specs_of(catalogue(*pages).current())}
    assert found == {"a/develop": rows[0]["tarball"], "b/develop": rows[1]["tarball"]}


def test_change_in_any_of_several_contents_is_read(tmp_path: Path) -> None:
    pages, others = write(tmp_path / "a", [row(tag="develop")]), write(tmp_path / "b", [row(tag="v1.0.0")])
    tools = placed(TOOLS, tmp_path / "tools")
    assert set(stacks(pages, others, tools)) == {"a/develop", "b/v1.0.0", "tools/tools"}
    write(tmp_path / "b", [row(tag="v1.0.0"), row(package="zlib", tag="v1.0.0")])
    current = catalogue(pages, others, tools).current()
    assert {spec.package for spec in specs_of(current) if spec.tag == "b/v1.0.0"} == {"hdf5", "zlib"}
    shutil.rmtree(tmp_path / "b")
    write(tmp_path / "b", [row(tag="develop")])
    assert set(stacks(pages, others, tools)) == {"a/develop", "b/develop", "tools/tools"}


def test_refresh_finds_new_pages_in_any_of_several_contents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "MAX_CHEAP_FILES", 0)
    one, other, flat = (tmp_path / name for name in ("one", "other", "flat"))
    for place, tag in ((one / "v1" / "hdf5", "v1"), (other / "v2" / "hdf5", "v2"), (flat, "v3")):
        write(place, [row(tag=tag)])
    aged(tmp_path)
    read = catalogue(one, other, flat)
    assert read.load().columns.upper_folders == ("", "one/", "one/v1/", "other/", "other/v2/")
    for place, tag in ((one / "v1" / "zlib", "v1"), (other / "v4" / "hdf5", "v4")):
        write(place, [row("zlib", tag=tag)])
    write(flat, [row(tag="v3"), row("zlib", tag="v3")])
    index = catalogue(one, other, flat).current()
    assert {(spec.package, spec.tag) for spec in specs_of(index)} == {
        *(("hdf5", tag) for tag in ("one/v1", "other/v2", "flat/v3")),
        *(("zlib", tag) for tag in ("one/v1", "other/v4", "flat/v3")),
    }
    assert index.columns.upper_folders == catalogue(one, other, flat).load().columns.upper_folders


def test_empty_content_is_reported_even_if_another_has_specs(tmp_path: Path) -> None:
    pages, empty = write(tmp_path / "pages", [row()]), tmp_path / "empty"
    empty.mkdir()
    read = catalogue(pages, empty)
    for _ in range(2):
        assert list(lacking(read.source, read.current())) == [(str(empty), [])]
    write(empty, [row("zlib")])
    assert list(lacking(read.source, read.current())) == []


# mirrors.yaml


@pytest.fixture
def mirrors(tmp_path: Path) -> Path:
    placed(TOOLS, tmp_path / "tools mirror")
    placed(BTEST, tmp_path / "btest")
    placed(CACHES / "v3" / "spack-1.2.0.dev0" / "views", tmp_path / "views")
    file = tmp_path / "mirrors.yaml"
    file.write_text(
        f"""mirrors:
  tools: file://{tmp_path}/tools%20mirror
  btest: {{url: btest, signed: false}}
  seen: {{fetch: {{url: {tmp_path}/views, view: e4s-neoverse_v1}}, push: nowhere}}
  sources: {{url: {tmp_path}/tools, binary: false, source: true}}
  far: https://user:secret@mirror.example.org/x
  gone: /nowhere/at/all
"""
    )
    os.utime(file, (LONG_AGO, LONG_AGO))
    return file


def test_each_binary_mirror_in_mirrors_yaml_is_a_stack(mirrors: Path) -> None:
    assert stacks(mirrors) == {"mirrors": {"tools", "btest", "seen"}}
    index = catalogue(mirrors).current()
    problems = sorted(problem.message for problem in index.problems)
    assert problems[0] == "/nowhere/at/all is not a build cache"
    assert problems[1].startswith("the mirror far cannot be read: https://mirror.example.org/x cannot be opened: ")
    assert len(problems) == 2
    assert "secret" not in str(problems)
    assert msgspec.json.encode(index.problems)
    seen = [spec for spec in specs_of(index) if "seen" in spec.stacks]
    assert seen
    assert {spec.target for spec in seen} <= {"neoverse_v1", "aarch64"}


def test_changed_mirror_or_mirrors_yaml_is_read_again(mirrors: Path) -> None:
    known = catalogue(mirrors)
    index = known.load()
    assert known.refresh(index) is index
    (manifest,) = (mirrors.parent / "btest").glob("v3/manifests/index/*.json")
    manifest.unlink()
    assert stacks(mirrors)["mirrors"] == {"tools", "btest", "seen"}
    assert len(catalogue(mirrors).current()) < len(index)
    mirrors.write_text(f"mirrors:\n  only: {mirrors.parent}/btest\n")
    assert stacks(mirrors) == {"mirrors": {"only"}}


def test_mirrors_on_servers_are_read_from_mirrors_yaml(tmp_path: Path) -> None:
    views = CACHES / "v3" / "spack-1.2.0.dev0" / "views"
    served = {f"tools/{path}": data for path, data in files_of(TOOLS).items()}
    served |= {f"views/{path}": data for path, data in files_of(views).items()}
    file = tmp_path / "mirrors.yaml"
    with serving(served) as server:
        file.write_text(
            f"""mirrors:
  here: {placed(BTEST, tmp_path / "btest")}
  tools: {server.url}/tools
  seen: {{url: {server.url}/views, view: e4s-neoverse_v1}}
  gone: {server.url}/nowhere
  container: gs://bucket/cache
"""
        )
        assert stacks(file) == {"mirrors": {"here", "tools", "seen"}}
        index = catalogue(file).current()
        seen = [spec for spec in specs_of(index) if "seen" in spec.stacks]
        assert {spec.target for spec in seen} <= {"neoverse_v1", "aarch64"}
        gone, container = sorted(problem.message for problem in index.problems if problem.kind == "unread_cache")[::-1]
        assert gone.startswith("the mirror gone cannot be read: ")
        assert "is not a build cache" in gone
        assert container.startswith("the mirror container cannot be read: gs:")
        server.files |= {f"nowhere/{path}": data for path, data in files_of(TOOLS).items()}
        server.requests.clear()
        assert stacks(file) == {"mirrors": {"here", "tools", "seen", "gone"}}
        assert len(server.paths) == len(set(server.paths))  # each changed file is requested once
    away = Catalogue(str(file), Settings(os.environ), asking=Asking(until=0))
    assert specs_of(away.current())
    assert len(away.notes) == 3
    assert all("using the local copy from less than a minute ago" in note for note in away.notes)


@pytest.mark.parametrize("place", ["own configuration", "elsewhere", "elsewhere, allowed"])
def test_only_trusted_mirrors_yaml_can_use_credential_variables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    monkeypatch.setenv("SITE_TOKEN", "geheim")
    if place == "own configuration":
        monkeypatch.setenv("SPACK_USER_CONFIG_PATH", str(tmp_path))
    file = tmp_path / "mirrors.yaml"
    with serving({f"{name}/{path}": data for name in "abc" for path, data in files_of(TOOLS).items()}) as server:
        file.write_text(
            f"""mirrors:
  a: {{url: {server.url}/a, access_token_variable: SITE_TOKEN}}
  b: {{fetch: {{url: {server.url}/b, access_pair: {{id: me, secret_variable: NO_SUCH_VARIABLE}}}}}}
  c: {server.url}/c
"""
        )
        known = Catalogue(str(file), Settings(os.environ), asking=Asking(allow_env=place == "elsewhere, allowed"))
        index = known.load()
        sent = {path[0]: headers["Authorization"] for path, headers in server.requests}
    if place == "elsewhere":
        assert sent == {"a": None, "b": None, "c": None}
        assert [(note[0], "--allow-env" in note) for note in known.notes] == [("a", True), ("b", True)]
    else:
        assert sent == {"a": "Bearer geheim", "b": None, "c": None}
        assert known.notes == ["b: NO_SUCH_VARIABLE is not set"]
    assert {stack for spec in specs_of(index) for stack in spec.stacks} == {"a", "b", "c"}
    assert "geheim" not in "".join(path.read_text(errors="replace") for path in tmp_path.rglob("*") if path.is_file())


@pytest.mark.parametrize("url", ["file:///a%00b", '"/a\\0b"', '"~a\\0b/c"'])
def test_mirror_path_with_null_byte_gives_one_line_error(tmp_path: Path, url: str) -> None:
    file = tmp_path / "mirrors.yaml"
    file.write_text(f'mirrors:\n  "\\e[31m": {url}\n')
    with pytest.raises(ContentError, match=r"mirrors\.yaml cannot be read \([^\x1b]*(zero|null) byte"):
        Catalogue(str(file), Settings(os.environ), index_cache=False).load()


@pytest.mark.parametrize("text", ["spack:\n  specs: [zlib]\n", "mirrors: [a\n", "mirrors: []\n", "- mirrors\n"])
def test_yaml_without_mirrors_is_not_a_mirrors_file(tmp_path: Path, text: str) -> None:
    (tmp_path / "spack.yaml").write_text(text)
    assert not is_mirrors_file(f"{tmp_path}/spack.yaml")
