"""The trees of the content, and their names."""

import os
from pathlib import Path

import pytest

from cachetui.catalogue import Catalogue
from cachetui.settings.settings import Settings
from cachetui.sources.installation.places import find_trees, managed
from cachetui.sources.installation.source import InstallationSource
from cachetui.sources.source import Asking, ContentError
from tests.support.trees import key, record, write_tree

PADDING = "__spack_path_placeholder__"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A Spack with a tree, and an upstream next to it."""
    root = tmp_path / "spack"
    for folder in ("bin", "lib/spack/spack", "etc/spack", "var/spack/environments/lab/.spack-env"):
        (root / folder).mkdir(parents=True)
    (root / "bin" / "spack").touch()
    write_tree(root / "opt" / "spack", {key(0): record("zlib")})
    write_tree(tmp_path / "site", {key(1): record("curl")})
    return root


def trees(content: Path | str, *upstreams: str) -> tuple[str, dict[str, str]]:
    """Return the label of the content, and its trees."""
    place = find_trees(str(content), Settings(), upstreams)
    return place.label, dict(place.trees)


def configure(root: Path, **upstreams: Path | str) -> None:
    lines = [f"  {name}: {{install_tree: {path}}}" for name, path in upstreams.items()]
    (root / "etc" / "spack" / "upstreams.yaml").write_text("\n".join(["upstreams:", *lines]))


def test_every_path_inside_an_installation_opens_the_same_tree(root: Path) -> None:
    tree = root / "opt" / "spack"
    for content in (root, tree, f"{tree}/", tree / ".spack-db", tree / ".spack-db" / "index.json"):
        assert trees(content) == ("spack", {"local": str(tree)})
    environment = root / "var" / "spack" / "environments" / "lab"
    assert trees(environment) == ("lab", {"local": str(tree)})


def test_installation_tree_and_environment_have_separate_index_caches(root: Path) -> None:
    tree, environment = root / "opt" / "spack", root / "var" / "spack" / "environments" / "lab"
    contents = {
        str(path): InstallationSource(str(path), Settings(), Asking()).identity
        for path in (root, tree, environment, tree / ".spack-db", f"{tree}/")
    }
    assert len(set(contents.values())) == 3, contents


def test_file_in_environments_folder_is_ignored(root: Path) -> None:
    (root / "var" / "spack" / "environments" / "README").touch()
    assert not Catalogue(str(root), Settings(os.environ), index_cache=False).load().problems


def test_environments_in_subfolders_and_symlinks_are_found(tmp_path: Path) -> None:
    for folder in ("b", "team/a", "team/deep/c", "b/inner", ".hidden/d", "empty", "elsewhere/e"):
        (tmp_path / folder).mkdir(parents=True)
        if folder != "empty":
            (tmp_path / folder / ("spack.yaml" if folder == "b" else "spack.lock")).touch()
    (tmp_path / "team" / "link").symlink_to(tmp_path / "b")
    (tmp_path / "team" / "loop").symlink_to(tmp_path)
    (tmp_path / "README").touch()
    assert managed(str(tmp_path)) == ["b", "elsewhere/e", "team/a", "team/deep/c", "team/link", "team/loop"]
    assert managed("") == managed(f"{tmp_path}/missing") == []


def test_upstreams_of_command_line_override_configured_upstreams(root: Path) -> None:
    tree, site = str(root / "opt" / "spack"), str(root.parent / "site")
    configure(root, site=site)
    assert trees(root)[1] == {"local": tree, "site": site}
    assert trees(root, "more=/more", "site=/other")[1] == {"local": tree, "more": "/more", "site": "/other"}


def test_tree_configured_as_several_upstreams_is_read_once(root: Path) -> None:
    tree, site = root / "opt" / "spack", root.parent / "site"
    (root.parent / "link").symlink_to(site)
    configure(root, itself=f"{tree}/../spack/", local=site, site=site, again=root.parent / "link")
    assert trees(root)[1] == {"local": str(tree), "site": str(site)}


@pytest.mark.parametrize("padding", [PADDING, f"{PADDING}/{PADDING}/__sp", f"{PADDING}/{PADDING}_"])
def test_install_tree_is_found_below_padded_path(tmp_path: Path, padding: str) -> None:
    tree = write_tree(tmp_path / "tree" / padding, {key(0): record("zlib")})
    assert trees(tmp_path / "tree") == ("tree", {"local": str(tree)})
    assert Catalogue(f"{tmp_path}/tree", Settings(), index_cache=False).load().packages


def test_symlink_loop_named_like_padding_is_refused(tmp_path: Path) -> None:
    (tmp_path / PADDING).symlink_to(".")
    (tmp_path / "_").symlink_to("_")
    with pytest.raises(ContentError, match=r"no Spack found for the environment .*: set SPACK_ROOT"):
        trees(tmp_path)


@pytest.mark.parametrize("upstream", ["", "site", "site=", "=/srv", "local=/srv"])
def test_upstream_without_name_or_path_is_refused(root: Path, upstream: str) -> None:
    with pytest.raises(ContentError, match="write NAME=PATH"):
        trees(root / "opt" / "spack", upstream)


def test_tag_of_each_installation_begins_with_content_name(root: Path) -> None:
    contents = (str(root), str(root.parent / "site"))
    asking = Asking(upstreams=("more=/more",))
    index = Catalogue(contents, Settings(os.environ), index_cache=False, asking=asking).load()
    assert set(index.tags) == {"spack/spack", "site/site"}
