"""A folder of build caches, compared with a new reading after each change."""

import os
import shutil
from pathlib import Path

import pytest

from cachetui.catalogue import Catalogue
from cachetui.report.specs import copies
from cachetui.settings.settings import Settings
from tests.support.aged import aged
from tests.support.caches import CACHES, placed, specs_of, stacks_of
from tests.support.rows import row, write

TOOLS = CACHES / "v3" / "spack-1.1.0" / "develop" / "tools"
BTEST = CACHES / "v3" / "spack-1.1.0" / "develop" / "btest"
NO_INDEX = CACHES / "v3" / "spack-1.1.0" / "no-index"
BARE = CACHES / "v2" / "spack-0.23.1" / "no-index"


@pytest.fixture
def content(tmp_path: Path) -> Path:
    placed(TOOLS, tmp_path / "content" / "develop" / "tools")
    placed(NO_INDEX, tmp_path / "content" / "v1.0.0" / "e4s")
    return aged(tmp_path / "content")


def catalogue(content: Path) -> Catalogue:
    return Catalogue(str(content), Settings(os.environ))


def stacks(content: Path) -> dict[str, set[str]]:
    return stacks_of(catalogue(content).current())


def test_changed_index_is_read_without_affecting_other_tag(content: Path) -> None:
    index = catalogue(content).load()
    v1 = [(spec.hash, spec.variants) for spec in specs_of(index) if spec.tag == "v1.0.0"]
    for part in ("v3", "blobs"):
        shutil.rmtree(content / "develop" / "tools" / part)
    placed(BTEST, content / "develop" / "tools")
    current = catalogue(content).current()
    assert "bt-app" in current.packages
    assert "pigz" in current.packages
    assert [(spec.hash, spec.variants) for spec in specs_of(current) if spec.tag == "v1.0.0"] == v1
    assert not {"pigz"} & {spec.package for spec in specs_of(current) if spec.tag == "develop"}
    assert current.columns == catalogue(content).load().columns


def test_new_stack_and_new_tag_are_found(content: Path) -> None:
    catalogue(content).load()
    placed(BTEST, content / "develop" / "btest")
    assert stacks(content) == {"develop": {"tools", "btest"}, "v1.0.0": {"e4s"}}
    placed(BTEST, content / "v2.0.0")
    assert stacks(content) == {"develop": {"tools", "btest"}, "v1.0.0": {"e4s"}, "v2.0.0": {"root"}}
    current = catalogue(content).current()
    assert current.columns == Catalogue(str(content), Settings(os.environ), index_cache=False).load().columns


def test_index_is_read_again_after_its_blob_is_restored(content: Path, tmp_path: Path) -> None:
    whole = len(catalogue(content).load())
    blobs = content / "develop" / "tools" / "blobs"
    blobs.rename(tmp_path / "blobs")
    assert len(catalogue(content).current()) < whole
    assert any(problem.kind == "unread_index" for problem in catalogue(content).current().problems)
    (tmp_path / "blobs").rename(blobs)
    current = catalogue(content).current()
    assert len(current) == whole
    assert not current.problems


def test_mirror_commands_use_cache_that_contains_spec(content: Path) -> None:
    placed(NO_INDEX, content / "develop")
    catalogue(content).load()
    index = catalogue(content).saved()
    assert index is not None
    graph = index.graph
    assert graph.mirror("develop", ("root", "tools")) == f"{content}/develop"
    assert graph.mirror("develop", ("tools",)) == f"{content}/develop/tools"
    assert graph.mirror("v1.0.0", ("e4s",)) == f"{content}/v1.0.0/e4s"
    assert graph.mirror("v2.0.0", ("e4s",)) is None
    alone = Catalogue(str(content / "develop" / "tools"), Settings(os.environ)).load()
    assert alone.graph.mirror("tools", ()) == f"{content}/develop/tools"
    for pattern in (None, "https://example.org/{tag}"):
        texts = dict(copies(specs_of(alone)[:1], pattern, alone.graph))
        assert f"spack mirror add spack-tools {content}/develop/tools" in texts["mirror"].splitlines()


def test_rereading_a_tag_keeps_its_symlinked_caches(content: Path, tmp_path: Path) -> None:
    placed(NO_INDEX, tmp_path / "elsewhere")
    (content / "develop" / "linked").symlink_to(tmp_path / "elsewhere")
    assert stacks(content)["develop"] == {"tools", "linked"}
    placed(BTEST, content / "develop" / "btest")
    assert stacks(content)["develop"] == {"tools", "linked", "btest"}


def test_folder_with_added_spec_files_becomes_cache(tmp_path: Path) -> None:
    content = tmp_path / "bare"
    write(content, [row(tag="v1")])
    assert set(stacks(content)) == {"v1"}
    placed(BARE / "build_cache", content)
    assert stacks(content) == {"bare": set(), "v1": {"e4s"}}
    placed(BTEST, content / "develop" / "btest")
    placed(TOOLS, content / "v9" / "tools")
    assert stacks(content) == {"develop": {"btest"}, "v1": {"e4s"}, "v9": {"tools"}}
    current = catalogue(content).current(fresh=True)
    assert current.columns == Catalogue(str(content), Settings(os.environ), index_cache=False).load().columns
