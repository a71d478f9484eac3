"""cachetui's own folders: only safe folders are used, and only own files are removed."""

import os
import re
from contextlib import nullcontext
from pathlib import Path

import pytest

from cachetui.settings.folders import own_folder

ME, OTHER = True, False

OWN = re.compile("known|lock")


@pytest.mark.parametrize(
    ("is_mine", "mode", "in_group", "shared", "make", "is_used"),
    [
        (ME, 0o700, False, False, True, True),
        (ME, 0o755, False, True, True, True),
        (ME, 0o775, False, False, True, False),
        (ME, 0o2775, True, False, True, False),
        (ME, 0o2775, True, True, True, True),
        (ME, 0o775, True, True, True, False),
        (OTHER, 0o700, False, False, True, False),
        (OTHER, 0o755, True, True, True, False),
        (OTHER, 0o755, True, True, False, True),
        (OTHER, 0o777, True, True, False, False),
        (OTHER, 0o1777, True, True, True, False),
        (OTHER, 0o2775, True, True, True, True),
        (OTHER, 0o3777, True, True, True, True),
        (OTHER, 0o2775, False, True, True, False),
    ],
)
def test_folder_is_used_only_with_safe_owner_and_mode(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    is_mine: bool,
    mode: int,
    in_group: bool,
    shared: bool,
    make: bool,
    is_used: bool,
) -> None:
    tmp_path.chmod(mode)
    status = tmp_path.stat()
    monkeypatch.setattr(os, "geteuid", lambda: status.st_uid + (not is_mine))
    monkeypatch.setattr(os, "getegid", lambda: status.st_gid + 1)
    monkeypatch.setattr(os, "getgroups", lambda: [status.st_gid] if in_group else [])
    refused = pytest.raises(PermissionError, match="2775" if shared else "go-w")
    with nullcontext() if is_used else refused, own_folder(tmp_path, make=make, shared=shared):
        pass


@pytest.mark.parametrize("umask", [0o002, 0o022, 0o077])
def test_group_can_write_shared_folder_with_any_umask(tmp_path: Path, umask: int) -> None:
    tmp_path.chmod(0o2770)
    before = os.umask(umask)
    try:
        with own_folder(tmp_path, "a/b", make=True, shared=True) as folder, folder.replacing("known"):
            os.close(folder.open("lock", os.O_RDWR | os.O_CREAT, 0o666))
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o7777 for path in tmp_path.rglob("*")}
    assert modes == {"a": 0o2770, "b": 0o2770, "lock": 0o660, "known": 0o640}


def test_symlinks_in_own_folder_are_refused(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.mkdir()
    (victim / "known").write_text("precious")
    (tmp_path / "link").symlink_to(victim)
    for root, below in ((tmp_path / "link", ""), (f"{tmp_path}/link/", ""), (tmp_path, "link"), (tmp_path, "link/a")):
        with pytest.raises(PermissionError), own_folder(root, below, make=True):
            raise AssertionError
    own = tmp_path / "own"
    with own_folder(own, make=True, created=OWN) as folder:
        for name in ("known", "lock"):
            (own / name).symlink_to(victim / name)
            for flags in (os.O_RDONLY, os.O_RDWR | os.O_CREAT, os.O_RDWR | os.O_CREAT | os.O_EXCL):
                with pytest.raises(OSError, match=f"{name}"):
                    folder.open(name, flags)
        own.rename(tmp_path / "moved")
        own.symlink_to(victim)
        assert folder.remove("known")
        with folder.replacing("lock") as file:
            file.write(b"new")
    assert [path.name for path in victim.iterdir()] == ["known"]


def test_only_own_files_with_known_names_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("below/known", "below/more/known", "other/thesis"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    with own_folder(tmp_path, created=OWN) as folder:
        folder.clear("below")
        with pytest.raises(OSError, match="not empty"):
            folder.clear("other")
        (tmp_path / "known").touch()
        with monkeypatch.context() as another:
            another.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
            assert not folder.remove("known")
        assert [folder.remove(name) for name in ("known", "known", "thesis")] == [True, True, False]
    assert [path.name for path in tmp_path.rglob("*")] == ["other", "thesis"]


def test_special_file_in_own_folder_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "known")
    with own_folder(tmp_path) as folder:
        for flags in (os.O_RDONLY, os.O_RDWR | os.O_CREAT):
            with pytest.raises(OSError, match="regular"):
                folder.open("known", flags)
