"""A tree that Spack changes while cachetui reads it: each reading is consistent, and changes are detected."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

import pytest

from cachetui.catalogue import Catalogue
from cachetui.settings.settings import Settings
from cachetui.sources.installation.source import InstallationSource
from cachetui.sources.source import Asking
from tests.support.aged import LONG_AGO
from tests.support.places import CACHETUI, ROOT
from tests.support.screens import Terminal
from tests.support.trees import key, record, write_index, write_tree

WRITES = 200

PATIENCE = 60.0
"""Seconds after which an expected change is overdue."""

WRITER = f"""
import json, select, sys
from pathlib import Path
from tests.support.trees import key, record, write_index
count = 0
while count < {WRITES} or not select.select([sys.stdin], [], [], 0)[0]:
    count += 1
    records = {{key(k): record("p" * 400) for k in range(1 + count % 60)}}
    for each in records.values():
        each["spec"]["version"] = str(len(records))
    write_index(Path(sys.argv[1]), json.dumps({{"database": {{"version": "8", "installs": records}}}}))
"""
"""A program that replaces a database repeatedly until its input ends; each record states the number of records."""


def test_tree_read_during_writes_is_consistent(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {key(0): record("p")})
    catalogue = Catalogue(str(tree), Settings(os.environ), index_cache=False)
    index = catalogue.load()
    seen: set[int] = set()
    command = [sys.executable, "-c", WRITER, str(tree)]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE) as writer:
        assert writer.stdin is not None
        while len(seen) < 20:
            index = catalogue.refresh(index)
            assert not [problem for problem in index.problems if problem.kind not in ("prefix", "leftover")]
            said = {index.spec(row).version for row in index.all_rows}
            if said != {"1.0"}:
                assert said == {str(len(index))}
                seen.add(len(index))
        writer.stdin.close()
    assert writer.returncode == 0


class StoppedClock:
    """The module `os` on a machine with a stopped clock."""

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def stat(self, path: str) -> SimpleNamespace:
        status = os.stat(path)
        times = {"st_mtime_ns": LONG_AGO * 10**9, "st_ctime_ns": LONG_AGO * 10**9}
        return SimpleNamespace(st_size=status.st_size, st_ino=status.st_ino, **times)


def test_second_database_write_within_one_clock_tick_is_detected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = write_tree(tmp_path, {key(0): record("zlib")})
    monkeypatch.setattr("cachetui.store.mtimes.os", StoppedClock())
    catalogue = Catalogue(str(tree), Settings(), index_cache=False)
    index = catalogue.load()
    assert catalogue.refresh(index) is index
    write_index(tree, (tree / ".spack-db" / "index.json").read_text().replace("zlib", "curl"))
    assert list(catalogue.refresh(index).packages) == ["curl"]


@contextmanager
def changing(change: Callable[[], object]) -> Iterator[None]:
    """Repeat a change while the block runs, because nothing reports when a watcher has started."""
    ended = threading.Event()

    def work() -> None:
        while not ended.wait(0.05):
            change()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@pytest.mark.parametrize("what", ["database", "upstream", "lock"])
def test_replaced_files_of_watched_install_tree_are_reported(tmp_path: Path, what: str) -> None:
    root, upstream = tmp_path / "spack", tmp_path / "upstream"
    for folder in (root / "bin", root / "lib" / "spack" / "spack", root / "var" / "spack" / "environments" / "lab"):
        folder.mkdir(parents=True)
    (root / "bin" / "spack").touch()
    tree = write_tree(root / "opt" / "spack", {key(0): record("zlib")})
    write_tree(upstream, {key(1): record("curl")})
    source = InstallationSource(str(root), Settings(), Asking(upstreams=(f"site={upstream}",)))
    lock = root / "var" / "spack" / "environments" / "lab" / "spack.lock"
    lock.with_name("spack.yaml").touch()
    changes: dict[str, Callable[[], object]] = {
        "database": lambda: write_index(tree, "{}"),
        "upstream": lambda: write_index(upstream, "{}"),
        "lock": lambda: lock.write_text("{}"),
    }
    ended, seen = threading.Event(), SimpleQueue[None]()

    def watch() -> None:
        for _ in source.watch(ended.is_set):
            seen.put(None)

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        with changing(changes[what]):
            seen.get(timeout=PATIENCE)
    finally:
        ended.set()
        watcher.join()


def test_browser_reloads_a_tree_after_changes(tmp_path: Path) -> None:
    tree = write_tree(tmp_path, {key(0): record("zlib")})
    with Terminal([*CACHETUI, "--watch", str(tree)]) as terminal:
        terminal.wait_for("1 of 1 spec")
        more = {key(k): record(f"zlib{k}", path=str(tree)) for k in range(7)}
        text = json.dumps({"database": {"version": "8", "installs": more}})
        with changing(lambda: write_index(tree, text)):
            terminal.wait_for("7 of 7 specs")
        terminal.send("q")
        assert terminal.exitstatus() == 0
