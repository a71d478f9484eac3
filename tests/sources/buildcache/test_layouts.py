"""The layouts of build caches: tags and stacks from folders, layouts v2 and v3, views, caches without an index."""

import shutil
from pathlib import Path

import pytest

from cachetui.search.index import Index
from cachetui.store.graph import closure
from tests.support.caches import CACHES, index_of_folder, specs_of, stacks_of

V2_DEVELOP = CACHES / "v2" / "spack-0.23.1" / "develop"
TOOLS = CACHES / "v3" / "spack-1.1.0" / "develop" / "tools"
NO_INDEX = CACHES / "v3" / "spack-1.1.0" / "no-index"
MIGRATED = CACHES / "v3" / "migrated-by-1.1.0" / "tools-v2-and-v3"


def hashes(index: Index) -> set[str | None]:
    return {spec.hash for spec in specs_of(index)}


def test_folder_path_of_cache_gives_tag_and_stack(tmp_path: Path) -> None:
    shutil.copytree(TOOLS, tmp_path / "develop" / "tools")
    shutil.copytree(NO_INDEX, tmp_path / "develop", dirs_exist_ok=True)
    shutil.copytree(NO_INDEX, tmp_path / "v1.0.0" / "deep" / "er")
    shutil.copytree(NO_INDEX, tmp_path / "v1.1.0")
    index = index_of_folder(tmp_path)
    assert stacks_of(index) == {"develop": {"root", "tools"}, "v1.0.0": {"deep/er"}, "v1.1.0": {"root"}}
    both = [spec for spec in specs_of(index) if spec.stacks == ("root", "tools")]
    assert both
    assert all(len(spec.tags) == 3 for spec in both)


def test_cache_directly_in_tag_folder_has_stack_name_root() -> None:
    index = index_of_folder(V2_DEVELOP)
    assert stacks_of(index) == {"develop": {"root", "btest", "e4s", "tools"}}
    root = {spec.hash for spec in specs_of(index) if "root" in spec.stacks}
    assert len(root) == 99
    assert len({spec.hash for spec in specs_of(index)}) == len(index)


def test_views_of_build_cache_are_listed_as_stacks() -> None:
    views = CACHES / "v3" / "spack-1.2.0.dev0" / "views"
    assert stacks_of(index_of_folder(views)) == {"views": {"developer-tools", "e4s-neoverse_v1"}}
    assert {spec.stacks for spec in specs_of(index_of_folder(views))} == {
        (),
        ("developer-tools",),
        ("e4s-neoverse_v1",),
    }


def test_spec_file_with_wrong_hash_is_reported_and_skipped(tmp_path: Path) -> None:
    folder = shutil.copytree(CACHES / "v2/spack-0.23.1/no-index", tmp_path / "cache")
    before = len(index_of_folder(folder))
    first, second, *_ = (folder / "build_cache").glob("*.spec.json")
    own = first.name.removesuffix(".spec.json")[-32:]
    first.write_text(first.read_text().replace(own, ""))
    shutil.copy(second, second.with_name(f"x-{'a' * 32}.spec.json"))
    index = index_of_folder(folder)
    assert len(index) == before - 1
    assert [problem.message.partition(" differs from ")[2] for problem in index.problems] == [
        "the hash in the file name"
    ] * 2


@pytest.mark.parametrize("folder", ["v2/spack-0.23.1/no-index", "v3/spack-1.1.0/no-index"])
def test_cache_without_index_is_read_from_spec_files(folder: str) -> None:
    index = index_of_folder(CACHES / folder)
    assert len(index) >= 9
    assert not index.problems
    roots = [number for number in range(len(index.graph)) if index.graph.name(number) == "pigz"]
    assert {"glibc", "gcc-runtime"} < {index.graph.name(number) for number in closure(index.graph, roots)}


def test_layouts_v2_and_v3_in_one_folder_form_one_cache(tmp_path: Path) -> None:
    index = index_of_folder(MIGRATED)
    assert len(index) == 10
    for layout in ("v3", "build_cache"):
        alone = tmp_path / layout
        alone.mkdir()
        for part in (layout, "blobs") if layout == "v3" else (layout,):
            shutil.copytree(MIGRATED / part, alone / part)
        assert hashes(index_of_folder(alone)) == hashes(index)
    assert {spec.compiler for spec in specs_of(index)} == {
        "gcc@12.2.0",
        "gcc@13.2.0",
        "llvm@14.0.6",
    }


def test_database_version_5_lists_only_specs_with_spec_files() -> None:
    index = index_of_folder(CACHES / "v2" / "spack-0.16" / "signed")
    assert {spec.package for spec in specs_of(index)} == {"bt-core", "bt-data"}
    assert len(index.graph) == 37
    core = next(spec for spec in specs_of(index) if spec.package == "bt-core")
    assert (core.version, core.target, core.compiler) == ("1.0", "icelake", "gcc@12.2.0")
    assert core.variants == (
        "~pic",
        "+shared",
        "api=default",
        "fabrics:=ucx,verbs",
        "langs:=c,fortran",
        "patches:=2c786a0",
    )


@pytest.mark.parametrize(
    ("folder", "package"),
    [("mirrors/legacy_yaml", "zlib"), ("mirrors/signed_json", "zlib"), ("mirrors/v2_layout/signed", "libelf")],
)
def test_yaml_and_signed_spec_files_are_read(folder: str, package: str) -> None:
    index = index_of_folder(CACHES / "real" / folder)
    assert package in index.packages
    assert not index.problems


def test_specs_without_binary_are_only_in_the_dependency_graph() -> None:
    index = index_of_folder(CACHES / "v3" / "spack-1.1.0" / "only-roots")
    assert len(index) < len(index.graph)
    missing = [number for number in range(len(index.graph)) if not index.rows_of(index.graph.hash(number))]
    assert {index.graph.state(number).name for number in missing} == {"HOLE", "EXTERNAL"}


def test_pages_and_caches_in_one_folder_are_both_read(tmp_path: Path) -> None:
    page = '---\ntitle: "zlib"\nlayout: cache\ncategories: [package, v1.0]\nspec_details: []\n---\n'
    (tmp_path / "_cache" / "v1.0" / "zlib").mkdir(parents=True)
    (tmp_path / "_cache" / "v1.0" / "zlib" / "specs.md").write_text(page)
    shutil.copytree(TOOLS, tmp_path / "develop" / "tools")
    index = index_of_folder(tmp_path)
    assert sorted(index.tags) == ["develop", "v1.0"]
    assert index.graph.tags == ("develop",)


def test_pages_in_folders_named_like_build_cache_folders_are_read(tmp_path: Path) -> None:
    for name in ("build_cache", "v3", "blobs"):
        page = f'---\ntitle: "{name}"\nlayout: cache\ncategories: [package, v1.0]\nspec_details: []\n---\n'
        (tmp_path / name).mkdir()
        (tmp_path / name / "specs.md").write_text(page)
    assert set(index_of_folder(tmp_path).packages) == {"build_cache", "v3", "blobs"}
