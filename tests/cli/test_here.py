"""`here`: opens the trees and mirrors of this machine's Spack in the browser."""

import os
import shutil
from pathlib import Path

import pytest

from cachetui.catalogue import Catalogue
from cachetui.cli.main import main
from cachetui.settings.settings import Settings
from cachetui.sources.scopes.scopes import find_spack
from cachetui.sources.source import Asking
from tests.support.aged import LONG_AGO
from tests.support.caches import CACHES, files_of, placed, stacks_of
from tests.support.commands import refusal
from tests.support.installs import INSTALLS
from tests.support.mirror_server import serving
from tests.support.places import CACHETUI, QUERIES
from tests.support.screens import Terminal

TOOLS = CACHES / "v3" / "spack-1.1.0" / "develop" / "tools"


@pytest.fixture
def spack(tmp_path: Path) -> Path:
    """A Spack that records each of its runs."""
    root = tmp_path / "spack"
    shutil.copytree(INSTALLS / "1.1.0", root)
    script = root / "bin" / "spack"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/run\n")
    script.chmod(0o755)
    return root


def test_argument_here_finds_spack_without_running_spack(spack: Path, tmp_path: Path) -> None:
    links = tmp_path / "links"
    links.mkdir()
    (links / "spack").symlink_to(spack / "bin" / "spack")
    (tmp_path / "wrapper").mkdir()
    (tmp_path / "wrapper" / "spack").write_text("#!/bin/sh\n")
    assert find_spack({"SPACK_ROOT": str(spack)}) == str(spack)
    for path in (f"{spack}/bin", str(links), f"::/nowhere:{tmp_path}/wrapper:{links}"):
        assert find_spack({"PATH": path}) == str(spack)
    for environ in ({}, {"PATH": ""}, {"PATH": f"{tmp_path}/wrapper"}, {"SPACK_ROOT": "/usr", "PATH": str(links)}):
        assert find_spack(environ) == ""
    assert not (tmp_path / "run").exists()


def test_toolchains_of_user_configuration_work_in_queries(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPACK_USER_CONFIG_PATH", str(tmp_path))
    (tmp_path / "toolchains.yaml").write_text("toolchains: {lab: '%c=gcc@12'}\n")
    for query in ("bzip2 %c=gcc@12", "bzip2 %lab"):
        assert main(["find", str(QUERIES / "tree"), query]) == 0
        assert capsys.readouterr().out.startswith("2q7ayfc")
    with Terminal([*CACHETUI, str(QUERIES / "tree")]) as terminal:
        terminal.send("/bzip2 %lab")
        terminal.wait_for("1 of ")
    (tmp_path / "toolchains.yaml").write_text("toolchains: {")
    assert "toolchains.yaml cannot be read" in refusal(capsys, ["find", str(QUERIES / "tree"), "bzip2 %lab"])


def test_argument_here_without_spack_suggests_setting_spack_root(capsys: pytest.CaptureFixture[str]) -> None:
    assert "set SPACK_ROOT" in refusal(capsys, ["here"])
    assert "set SPACK_ROOT" in refusal(capsys, ["here", "./hdf5", "+mpi"])


def test_error_message_states_path_of_broken_configuration_file(
    spack: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (spack / "etc" / "spack" / "config.yaml").write_text("config: {")
    assert f"{spack}/etc/spack/config.yaml cannot be read" in refusal(capsys, ["find", str(spack)])
    (spack / "etc" / "spack" / "config.yaml").unlink()
    (spack / "etc" / "spack" / "mirrors.yaml").write_text("mirrors: {")
    monkeypatch.setenv("SPACK_ROOT", str(spack))
    assert f"{spack}/etc/spack/mirrors.yaml cannot be read" in refusal(capsys, ["here"])


def test_argument_here_opens_install_tree_and_mirrors_of_all_scopes(spack: Path, tmp_path: Path) -> None:
    placed(TOOLS, tmp_path / "mirror")
    (tmp_path / "home").mkdir()
    written = {
        spack / "etc" / "spack" / "site": f"mirrors: {{near: {{url: {tmp_path}/mirror, signed: false}}}}",
        spack / "etc" / "spack": "mirrors: {sources: {url: /nowhere, binary: false}}",
        tmp_path / "home": "mirrors: {near: {signed: true}, far: https://mirror.example.org, gone: /nowhere}",
    }
    for folder, text in written.items():
        folder.mkdir(exist_ok=True)
        (folder / "mirrors.yaml").write_text(text)
    environ = {"PATH": f"{spack}/bin:{os.environ['PATH']}", "SPACK_USER_CONFIG_PATH": f"{tmp_path}/home"}
    with Terminal([*CACHETUI, "here", "hdf5", "stack=local,near"], cols=200, env=environ) as terminal:
        terminal.wait_for("1 of 31 specs")
        assert f"{spack}/etc/spack/mirrors.yaml"[-30:] in terminal.lines[0]
        terminal.send("q")
        assert terminal.exitstatus() == 0
    assert not (tmp_path / "run").exists()


def test_argument_here_opens_install_tree_despite_unreadable_mirrors(spack: Path, tmp_path: Path) -> None:
    mirrors = tmp_path / "mirrors.yaml"
    mirrors.write_text("mirrors: {far: https://mirror.example.org, gone: /nowhere}")
    index = Catalogue((str(spack), str(mirrors)), Settings(os.environ), asking=Asking(found=True)).load()
    assert {problem.path for problem in index.problems} >= {f"mirrors.yaml/./{name}/" for name in ("far", "gone")}
    assert index.packages


def test_argument_here_reads_mirrors_on_servers_only_on_request(tmp_path: Path) -> None:
    mirrors = tmp_path / "mirrors.yaml"
    with serving({f"tools/{path}": data for path, data in files_of(TOOLS).items()}) as server:
        mirrors.write_text(f"mirrors: {{tools: {server.url}/tools}}")
        os.utime(mirrors, (LONG_AGO, LONG_AGO))
        catalogue = Catalogue(str(mirrors), Settings(os.environ), asking=Asking(found=True))
        index = catalogue.load()
        assert catalogue.refresh(index) is index
        assert (stacks_of(index), server.requests) == ({}, [])
        catalogue.source.ask_servers()
        assert stacks_of(catalogue.refresh(index)) == {"mirrors": {"tools"}}
        server.requests.clear()
        again = Catalogue(str(mirrors), Settings(os.environ), asking=Asking(found=True))
        assert (stacks_of(again.current()), server.requests) == ({"mirrors": {"tools"}}, [])
        assert [stale.sign for stale in again.stale] == ["offline"]


def test_help_of_command_here_shows_optional_query(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["here", "--help"]) == 0
    assert "cachetui here [QUERY...]" in capsys.readouterr().out
