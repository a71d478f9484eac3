"""The verdict of `check`, compared with real `spack install --cache-only`, on caches that real Spack wrote.

SPACK names a checkout of Spack, of 1.1 or newer, and SPACK_PYTHON a Python that has clingo. Each line of
real_spack/cases.txt is a case. SPACK_OLD names a checkout of 0.23. It writes the caches of the cases `v2-...`, which
SPACK reads, and those of `old-...`, which it reads itself.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

SPACK = os.environ.get("SPACK", "")
PROGRAMS = {name: os.environ[name] for name in ("SPACK", "SPACK_PYTHON", "SPACK_OLD") if name in os.environ}
HERE = Path(__file__).parent / "real_spack"
CASES = dict(re.findall(r"^([\w-]+): (.*)$", (HERE / "cases.txt").read_text(), re.MULTILINE))

pytestmark = [pytest.mark.soak, pytest.mark.skipif(not SPACK, reason="needs SPACK=checkout")]


class Server(SimpleHTTPRequestHandler):
    """Serve files without a log."""

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def bash(folder: Path, script: str, *words: str, **environment: str) -> str:
    """Run a script in a folder, on the real machine; return its standard output."""
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        ["bash", HERE / f"{script}.sh", *words],
        cwd=folder, env=os.environ | PROGRAMS | environment | {"PYTHONPATH": ""},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The caches, locks and hashes that Spack wrote."""
    bash(folder := tmp_path_factory.mktemp("spack") / "base", "caches")
    if "SPACK_OLD" in PROGRAMS:
        bash(folder / "v2", "caches_old", SPACK=PROGRAMS["SPACK_OLD"])
    return folder


@pytest.fixture(scope="session")
def url(base: Path) -> Iterator[str]:
    """The URL of a server with the caches of all cases."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Server, directory=base.parent)) as server:
        Thread(target=server.serve_forever).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("name", CASES)
def test_check_verdict_agrees_with_real_spack_install_from_cache(name: str, base: Path, url: str) -> None:
    steps, roots = CASES[name].split(" -> ")
    folder, given = base.parent / name, {"BASE": str(base), "CONFIG": str(base)}
    if name.startswith(("v2-", "old-")):
        if "SPACK_OLD" not in PROGRAMS:
            pytest.skip("needs SPACK_OLD=checkout")
        given["BASE"] = str(base / "v2")
        if name.startswith("old-"):
            given |= {"CONFIG": given["BASE"], "SPACK": PROGRAMS["SPACK_OLD"]}
    bash(folder, "case", steps, roots, SERVED=f"{url}/{name}", **given)
    checked = bash(folder, "check", sys.executable, **given)
    installed = bash(folder, "install", **given).splitlines()
    assert checked.splitlines()[-1] == installed[-1], "\n".join([checked, *installed])
