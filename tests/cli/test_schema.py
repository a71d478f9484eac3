"""`schema`: the JSON of every command matches its schema, and each changed schema is named in CHANGELOG."""

import json
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cachetui.cli.commands import documented
from cachetui.settings.saved_views import SavedView, save_view
from cachetui.settings.settings import Settings
from tests.support.answers import FILE, commands, prepare
from tests.support.caches import CACHES
from tests.support.commands import answered
from tests.support.installs import INSTALLS, TREES
from tests.support.locks import ENVS
from tests.support.manual import MANUAL
from tests.support.mirror_server import serving
from tests.support.places import CACHETUI, ROOT, SAMPLE_CONTENT
from tests.support.schemas import faults, frozen, hashes

JQ = re.findall(r"^(cachetui \w.*) \| jq (-r )?'(.*)'$", MANUAL, re.MULTILINE)
"""Command lines in the manual, each with its jq filter."""


def json_of(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Return the JSON of a command, or an empty string if it prints none."""
    kept = [word for word in words if word != "--count" and not word.startswith("--format=")]
    if "--format" in kept:
        del kept[kept.index("--format") :][:2]
    at = kept.index("--") if "--" in kept else len(kept)
    status, out, err = answered(capsys, *kept[:at], "--format=json", *kept[at:])
    assert "Traceback" not in err
    return out if status < 2 else ""


def test_stored_json_output_of_each_command_matches_its_schema(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CACHETUI_HISTORY", f"{tmp_path}/history")
    seen = set()
    for line, shown in commands(FILE.read_text()):
        words = shlex.split(line)
        if words[0] in documented() and "\n? 2" not in f"\n{shown}" and ";" not in words:
            out = json_of(capsys, *words)
            assert out or not shown.startswith("  "), line
            if out:
                assert faults(words[0], out) == [], line
                seen.add(words[0])
    assert seen == documented().keys() - {"views", "config", "cache", "record", "history", "report"}


def test_json_examples_in_manual_match_their_schemas(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    lines = re.findall(r"^\$ cachetui (.*)$", MANUAL, re.MULTILINE)
    assert len(lines) > 4
    for line in lines:
        command, *words = shlex.split(line)
        out = json_of(capsys, command, *words)
        assert faults(command, out) == [], line


def every_command(content: list[str], spec_hash: str) -> Iterator[list[str]]:
    """Yield the command lines that print JSON about the content with the given hash."""
    yield ["find", *content]
    yield ["find", *content, "--packages"]
    yield ["which", *content, f"/{spec_hash}", "nosuch77"]
    yield ["coverage", *content]
    yield ["deps", *content, spec_hash]
    yield ["deps", *content, spec_hash, "--dependents", "--all"]
    yield ["tags", *content]
    yield ["stacks", *content]
    yield ["check", *content, f"/{spec_hash}", "nosuch", str(ENVS / "spack-1.1/btest/spack.lock")]
    yield ["check", *content, "--all"]
    yield ["doctor", *content]
    yield ["diff", *content, f"/{spec_hash}../{spec_hash}"]


def check_all(capsys: pytest.CaptureFixture[str], content: list[str]) -> None:
    """Run every command with JSON output and validate it."""
    found = json.loads(json_of(capsys, "find", *content))
    for words in every_command(content, found[-1]["hash"]):
        out = json_of(capsys, *words)
        assert out, words
        assert faults(words[0], out) == [], words


@pytest.mark.parametrize("tree", sorted(set(TREES.values())))
def test_json_output_for_installation_matches_schemas(capsys: pytest.CaptureFixture[str], tree: str) -> None:
    check_all(capsys, ["-C", str(INSTALLS / tree)])
    assert faults("unused", json_of(capsys, "unused", "-C", str(INSTALLS / tree))) == []


@pytest.mark.parametrize("cache", ["v2/spack-0.23.1/develop/btest", "v3/spack-1.1.0", "v3/spack-1.1.0/only-roots"])
def test_json_output_for_caches_matches_schemas(capsys: pytest.CaptureFixture[str], cache: str) -> None:
    check_all(capsys, ["-C", str(CACHES / cache)])
    check_all(capsys, ["-C", str(CACHES / cache), "-C", str(INSTALLS / "1.1.0"), "-C", SAMPLE_CONTENT])


def test_json_output_for_url_and_local_copy_matches_schemas(capsys: pytest.CaptureFixture[str]) -> None:
    folder = CACHES / "v3/spack-1.1.0/develop/tools"
    files = {f"tools/{path.relative_to(folder)}": path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with serving(files) as server:
        check_all(capsys, [f"--content={server.url}/tools"])
        files.clear()
        check_all(capsys, [f"--content={server.url}/tools", "--offline"])
    kept = json_of(capsys, "cache")
    assert {each["kind"] for each in json.loads(kept)} == {"copy", "indexes"}
    assert faults("cache", kept) == []


def test_json_output_of_config_and_views_matches_schemas(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    save_view(Settings(os.environ).views_path(SAMPLE_CONTENT), SAMPLE_CONTENT, "weekly", SavedView(query="hdf5"))
    monkeypatch.setenv("CACHETUI_HOST", "zen4")
    for words in (["config"], ["config", "--keys"], ["views"]):
        out = json_of(capsys, *words)
        assert len(json.loads(out)) > 0
        assert faults(words[0], out) == []


def test_changelog_lists_each_changed_schema() -> None:
    known, changelog = frozen(), " ".join((ROOT / "CHANGELOG.md").read_text().split())
    changed = {name for name, digest in hashes().items() if known.get(name, ("", ""))[0] != digest}
    assert changed == set(), "say in CHANGELOG what changes, then freeze the hash with these words in schemas.txt"
    assert known.keys() == hashes().keys()
    assert [words for _, words in known.values() if words not in changelog] == []


@pytest.mark.parametrize("name", documented())
def test_command_schema_prints_the_schema_used_by_tests(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A new process is needed, because it must import msgspec without its schemas."""
    done = subprocess.run([*CACHETUI, "schema", name], capture_output=True, text=True, check=True)
    assert done.stdout == answered(capsys, "schema", name)[1]
    documents = re.findall(r'"cachetui/([a-z-]+)/\d+"', done.stdout)
    assert all(each == name or each.startswith(f"{name}-") for each in documents)


def test_schema_validation_finds_missing_keys_and_wrong_types() -> None:
    row = {"content": "c", "tag": "t", "specs": 1, "packages": 1, "stacks": 0}
    assert faults("tags", json.dumps([row])) == []
    for wrong in ({**row, "name": "x"}, {**row, "specs": "1"}, {key: row[key] for key in row if key != "content"}):
        assert len(faults("tags", json.dumps([wrong]))) == 1


# The jq lines of the manual


@pytest.mark.parametrize(("line", "raw", "wanted"), JQ)
def test_jq_example_finds_values_under_existing_keys(
    line: str, raw: str, wanted: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    _, command, *words = shlex.split(line)
    out = json_of(capsys, command, *words)
    named = set(re.findall(r"\.([a-z_0-9]+)", wanted)) - {"0"}
    assert named
    assert named <= set(re.findall(r'"([a-z_0-9]+)":', out))
    if jq := shutil.which("jq"):
        done = subprocess.run([jq, *raw.split(), wanted], input=out, capture_output=True, text=True, check=True)
        assert done.stdout.strip()


def test_documentation_has_jq_examples() -> None:
    assert len(JQ) > 2
