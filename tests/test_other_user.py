"""Files that an ordinary user cannot read: the answer is right, a line states the reason, and all data are kept."""

import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.aged import aged
from tests.support.rows import row, write
from tests.support.users import NOBODY, needs_root, user_command, users_folder

ALL = ["hdf5", "mpich", "zlib"]


@pytest.fixture
def content(place: Path) -> Path:
    return aged(write(place / "content", [row(name) for name in ("hdf5", "mpich", "zlib")]))


@pytest.fixture
def cache(place: Path) -> Path:
    """The user's own cache folder."""
    return users_folder(place / "cache")


Find = Callable[..., tuple[list[str], list[str]]]


@pytest.fixture
def find(content: Path, cache: Path) -> Find:
    """Run `cachetui find` as the user; return the found packages, and the lines of standard error above the count.

    The count is printed only with the expected status."""
    user = user_command()

    def run(*options: str, status: int = 0) -> tuple[list[str], list[str]]:
        command = [*user, "find", "--content", str(content), "--format", "{name}", *options]
        environ = {**os.environ, "CACHETUI_CACHE_DIR": str(cache)}
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False, cwd="/")
        assert done.returncode == status, done.stderr
        said = done.stderr.splitlines()
        assert status or re.fullmatch(r"cachetui: \d+ specs; searched: develop", said.pop())
        return sorted(done.stdout.split()), said

    return run


@needs_root
def test_cache_folder_owned_by_root_gives_two_warnings(find: Find, cache: Path) -> None:
    find()
    before = {path.name: path.read_bytes() for path in cache.iterdir()}
    for path in (cache, *cache.iterdir()):
        os.chown(path, 0, 0)
    for _ in range(2):
        packages, [unread, unsaved] = find()
        assert packages == ALL
        assert unread.endswith("cannot be read (Permission denied)")
        assert "Permission denied" in unsaved
    assert {path.name: path.read_bytes() for path in cache.iterdir()} == before


@needs_root
@pytest.mark.parametrize("mode", [0o644, 0o600])
def test_index_cache_owned_by_root_is_replaced_without_reading(
    find: Find, cache: Path, content: Path, mode: int
) -> None:
    find()
    [file] = cache.iterdir()
    os.chown(file, 0, 0)
    file.chmod(mode)
    packages, [said] = find()
    assert packages == ALL
    assert "the index cache " in said
    assert file.stat().st_uid == NOBODY
    assert find() == (ALL, [])
    assert [path.name for path in cache.iterdir()] == [file.name]


@needs_root
def test_cache_folder_writable_by_others_is_refused(find: Find, cache: Path) -> None:
    find()
    [file] = cache.iterdir()
    os.chown(cache, 0, 0)
    os.chown(file, 0, 0)
    cache.chmod(0o1777)
    before = file.read_bytes()
    packages, [unused, unsaved] = find()
    assert packages == ALL
    assert "other users must not be able to write to it" in unused
    assert "other users must not be able to write to it" in unsaved
    assert file.read_bytes() == before
    assert [path.name for path in cache.iterdir()] == [file.name]


def test_unwritable_cache_folder_gives_one_warning(find: Find, cache: Path, content: Path) -> None:
    cache.chmod(0o500)
    packages, [said] = find()
    assert packages == ALL
    assert "the index cache was not saved: Permission denied" in said
    cache.chmod(0o700)
    assert find() == (ALL, [])
    cache.chmod(0o500)
    assert find() == (ALL, [])  # the saved index cache is still used


def test_unreadable_page_is_reported_until_access_is_restored(find: Find, content: Path) -> None:
    page = content / "1.md"
    page.chmod(0)
    for _ in range(2):
        packages, [said] = find()
        assert packages == ["hdf5", "zlib"]
        assert said == "cachetui: 1.md cannot be read: Permission denied; its specs are missing from the results"
    page.chmod(0o644)
    assert find() == (ALL, [])


def test_unreadable_folders_are_reported_until_access_is_restored(find: Find, content: Path) -> None:
    folders = [write(content / name, [row(name)]) for name in ("one", "two")]
    for folder in folders:
        folder.chmod(0)
    packages, [said] = find()
    assert packages == ALL
    assert (
        said
        == "cachetui: one/ cannot be read: Permission denied (and 1 more); their specs are missing from the results"
    )
    for folder in folders:
        folder.chmod(0o755)
    assert find() == (sorted([*ALL, "one", "two"]), [])


@pytest.mark.parametrize("mode", [0, 0o444])
@pytest.mark.parametrize("is_known", [True, False])
def test_temporarily_unreadable_folder_is_read_again(find: Find, content: Path, mode: int, is_known: bool) -> None:
    folder = aged(write(content / "sub", [row("one"), row("two")]))
    aged(content)
    if is_known:
        assert find() == (sorted([*ALL, "one", "two"]), [])
    folder.chmod(mode)
    for _ in range(2):
        packages, [said] = find()
        assert packages == ALL
        assert "cannot be read: Permission denied" in said
    folder.chmod(0o755)
    assert find() == (sorted([*ALL, "one", "two"]), [])


@pytest.mark.parametrize("mode", [0, 0o444, 0o311])
def test_index_cache_of_temporarily_unreadable_content_is_kept(
    find: Find, content: Path, cache: Path, mode: int
) -> None:
    assert find() == (ALL, [])
    [file] = cache.iterdir()
    saved = file.read_bytes()
    content.chmod(mode)
    for option in ([], ["--fresh"]):
        packages, [said] = find(*option, status=2)
        assert packages == []
        assert said.startswith(f"cachetui: {content} cannot be read (Permission denied): give ")
    assert file.read_bytes() == saved
    content.chmod(0o755)
    assert find() == (ALL, [])


@pytest.mark.parametrize("is_home", [True, False])
def test_unreadable_config_file_in_readable_home_is_an_error(place: Path, content: Path, is_home: bool) -> None:
    home, config = users_folder(place / "home"), users_folder(place / "config")
    users_folder(config / "cachetui").chmod(0o700 if is_home else 0)
    home.chmod(0 if is_home else 0o700)
    user = [word for word in user_command() if not word.startswith("HOME=")]
    command = [*user, "find", str(content), "--count"]
    given = [f"HOME={home}", f"XDG_CONFIG_HOME={'' if is_home else config}", "XDG_CACHE_HOME=", "CACHETUI_CACHE_DIR="]
    command[(at := command.index("env") + 2) : at] = given
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd="/")
    assert done.returncode == (0 if is_home else 2), done.stderr
    assert done.stderr.count("cachetui ignores the settings") == is_home
    assert len(done.stderr.splitlines()) == (2 if is_home else 1)
