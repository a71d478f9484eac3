"""Commands of any user leave the files below an install tree unchanged and unlocked."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.aged import aged
from tests.support.installs import INSTALLS
from tests.support.screens import Terminal
from tests.support.users import user_command, users_folder

GUARDED = """
import os, sys
root = sys.argv.pop(1)
READING = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY | os.O_DIRECTORY | getattr(os, "O_NOATIME", 0)
CHANGES = ("mkdir", "rename", "remove", "rmdir", "link", "symlink", "truncate", "utime", "chmod", "chown", "setxattr")

def guard(event, given):
    below = any(os.path.abspath(os.fsdecode(each)).startswith(root) for each in given if isinstance(each, str | bytes))
    writes = event == "open" and given[2] & ~READING
    if below and (writes or event.removeprefix("os.") in CHANGES) or event.startswith("fcntl.") and LOCKED(given[0]):
        os.write(2, f"FORBIDDEN {event} {given}".encode())
        os._exit(97)

def LOCKED(descriptor):
    return os.readlink(f"/proc/self/fd/{int(descriptor)}").startswith(root)

sys.addaudithook(guard)
from cachetui.cli.main import main
sys.exit(main())
"""
"""A program that runs `cachetui` after a folder, and ends at once before any change below that folder."""

COMMANDS = (
    ("find", "CONTENT", "installed=yes,missing,deprecated", "--fresh"),
    ("find", "CONTENT", "unused=yes"),
    ("unused", "CONTENT"),
    ("which", "CONTENT", "/a"),
    ("deps", "CONTENT", "/bxejg4z", "--dependents"),
    ("check", "CONTENT", "hdf5"),
    ("coverage", "CONTENT"),
    ("tags", "CONTENT"),
    ("unused", "CONTENT", "-E"),
    ("doctor", "CONTENT"),
)


@pytest.fixture
def root(place: Path) -> Path:
    """A read-only Spack whose database was never locked."""
    root = place / "spack"
    shutil.copytree(INSTALLS / "1.1.0", root)
    for name in ("lock", "prefix_lock", "prefix_failures"):
        (root / "opt" / "spack" / ".spack-db" / name).unlink()
    aged(root)
    for path in (root, *root.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    return root


def paths(root: Path) -> dict[str, tuple[int, ...]]:
    """Return the state of each path below a folder, to detect changes."""
    found = {str(path): path.lstat() for path in (root, *sorted(root.rglob("*")))}
    return {path: (each.st_mtime_ns, each.st_ctime_ns, each.st_ino, each.st_mode) for path, each in found.items()}


def test_commands_and_browser_leave_install_tree_unchanged(root: Path, place: Path) -> None:
    before = paths(root)
    *user, _, _ = user_command()
    guarded = [*user, "-c", GUARDED, str(root)]
    environ = {
        "CACHETUI_CACHE_DIR": str(users_folder(place / "cache")),
        "SPACK_ROOT": str(root),
        "SPACK_SYSTEM_CONFIG_PATH": f"{place}/none",
        "SPACK_USER_CONFIG_PATH": f"{place}/none",
    }
    for words in COMMANDS:
        command = [*guarded, *(str(root) if word == "CONTENT" else word for word in words)]
        done = subprocess.run(command, env=os.environ | environ, cwd="/", capture_output=True, text=True)
        assert done.returncode in (0, 1), done.stderr
        assert done.stdout
    for options in (["here"], ["here", "--watch"], ["--watch", str(root / "opt" / "spack")]):
        with Terminal([*guarded, *options], cols=100, env=environ) as terminal:
            terminal.wait_for("Packages 22")  # everything is read
            terminal.send("n")
            terminal.wait_for("dependents")
            terminal.send("qr")
            terminal.wait_for("nothing has changed")
            terminal.send("q")
            assert terminal.exitstatus() == 0, terminal.farewell
    assert paths(root) == before


def test_forbidden_write_to_install_tree_ends_the_test_program(root: Path) -> None:
    """A forbidden call ends the program. Otherwise, the test above could never fail."""
    *user, _, _ = user_command()
    for change in (f"open({str(root)!r} + '/x', 'w')", f"os.mkdir({str(root)!r} + '/x')"):
        script = GUARDED.replace("from cachetui.cli.main import main", change)
        done = subprocess.run([*user, "-c", script, str(root)], capture_output=True, text=True, cwd="/")
        assert (done.returncode, done.stderr[:9]) == (97, "FORBIDDEN")
