"""Which binaries are signed: in `find`, `which`, `check` and `doctor`, on caches that Spack wrote."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from cachetui.report.paste import TRUST
from tests.support.caches import CACHES, files_of
from tests.support.commands import answered
from tests.support.locks import ENVS
from tests.support.mirror_server import serving
from tests.support.places import SAMPLE_CONTENT

V2, V3 = CACHES / "v2/spack-0.23.1/develop/tools", CACHES / "v3/spack-1.1.0/develop/tools"

UNSIGNED = CACHES / "v3/spack-1.1.0/no-index"


@pytest.mark.parametrize(
    ("content", "word", "signed"),
    [
        (V2, "zlib", True),
        (V3, "zlib", True),
        (UNSIGNED, "zlib", False),
        (CACHES / "v2/spack-0.23.1/develop/btest", "/v2dn6bl", False),
        (CACHES / "v2/spack-0.23.1/develop/btest", "/e36i7la", None),  # its spec file was not kept
        (CACHES / "v2/spack-0.16/signed", "bt-core", None),  # a signature would be inside of the tarball
        (SAMPLE_CONTENT, "py-mpi4py/2feova4", None),
    ],
)
def test_documents_say_whether_a_spec_is_signed(
    capsys: pytest.CaptureFixture[str], content: Path, word: str, signed: bool | None
) -> None:
    text = {True: "true", False: "false", None: ""}[signed]
    _, out, _ = answered(capsys, "find", str(content), word, "--format", "json")
    found = json.loads(out)
    assert {spec["signed"] for spec in found} == {signed}
    _, out, _ = answered(capsys, "find", str(content), word, "--format", "csv")
    assert {row["signed"] for row in csv.DictReader(io.StringIO(out))} == {text}
    assert set(answered(capsys, "find", str(content), word, "--format", "{signed}")[1].splitlines()) == {text}
    _, out, _ = answered(capsys, "which", str(content), f"/{found[0]['hash']}", "--format", "json")
    assert [spec["signed"] for spec in json.loads(out)[0]["specs"]] == [signed]
    _, out, _ = answered(capsys, "which", str(content), f"/{found[0]['hash']}", "--format", "csv")
    assert {row["signed"] for row in csv.DictReader(io.StringIO(out))} == {text}


def test_specs_are_sorted_by_their_signature(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("find", "-C", str(UNSIGNED), "-C", str(V3), "zlib", "--format", "{signed}", "--sort")
    assert answered(capsys, *words, "signed")[1].splitlines() == ["false"] * 2 + ["true"] * 2
    assert answered(capsys, *words, "-signed")[1].splitlines() == ["true"] * 2 + ["false"] * 2


@pytest.mark.parametrize(
    ("cache", "lock", "signed"),
    [
        (UNSIGNED, "spack-1.1/tools", False),
        (V3, "spack-1.1/tools", True),
        (CACHES / "v2/spack-0.16/signed", "spack-0.16/btest", None),
    ],
)
def test_the_commands_of_check_are_those_that_work_with_unsigned_caches(
    capsys: pytest.CaptureFixture[str], cache: Path, lock: str, signed: bool | None
) -> None:
    words = ("check", str(cache), str(ENVS / lock), str(ENVS / "spack-1.1/btest"))  # of which nothing is there
    _, out, _ = answered(capsys, *words)
    assert f"spack mirror add {'--unsigned ' if signed is False else ''}spack-{cache.name} {cache}" in out
    assert (TRUST in out) == (signed is not False)
    assert ("signed: yes\n" in out, "signed: no\n" in out) == (signed is True, signed is False)
    assert json.loads(answered(capsys, *words, "--format", "json")[1])["signed"] is signed


def test_of_a_cache_on_a_server_the_manifests_tell_that_were_brought(capsys: pytest.CaptureFixture[str]) -> None:
    def found(*options: str) -> set[bool | None]:
        _, out, _ = answered(capsys, "find", server.url, "zlib", "--format", "json", *options)
        return {spec["signed"] for spec in json.loads(out)}

    with serving(files_of(V3)) as server:
        assert found() == {None}
        _, out, _ = answered(capsys, "check", server.url, "zlib", "--format", "json")  # asks for the sizes
        assert json.loads(out)["signed"] is True
        asked = len([path for path in server.paths if "/manifests/spec/" in path])
        assert asked
        assert True in found()
        assert True in found("--offline")
        assert asked == len([path for path in server.paths if "/manifests/spec/" in path])


SIGNED_WITH = "signed with a key that the cache does not have, "


def notes(capsys: pytest.CaptureFixture[str], cache: Path) -> list[str]:
    """What `doctor` says of signatures."""
    _, out, _ = answered(capsys, "doctor", str(cache), "--format", "json")
    return [each["message"] for each in json.loads(out) if each["kind"] == "signature"]


@pytest.mark.parametrize("cache", [V2, V3, CACHES / "real/mirrors/v2_layout/signed", UNSIGNED])
def test_a_cache_with_the_keys_of_its_signatures_is_sound(capsys: pytest.CaptureFixture[str], cache: Path) -> None:
    assert notes(capsys, cache) == []


@pytest.mark.parametrize(("cache", "keys"), [(V2, "build_cache/_pgp"), (V3, "v3/manifests/key")])
def test_a_key_that_the_cache_does_not_have_is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, cache: Path, keys: str
) -> None:
    shutil.copytree(cache, tmp_path / "cache")
    shutil.rmtree(tmp_path / "cache" / keys)
    (note,) = notes(capsys, tmp_path / "cache")
    assert f"{SIGNED_WITH}23A6548A1C5FBD5F; the first is " in note


def test_a_real_signature_without_its_key_and_unsigned_binaries_among_signed_ones(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (note,) = notes(capsys, CACHES / "real/mirrors/signed_json")
    assert note.startswith(f"1 spec {SIGNED_WITH}4344E0F76500AF9D; the first is linux-ubuntu18.04-haswell-gcc-8.4.0-")
    (note,) = notes(capsys, CACHES / "v3/spack-1.2.0.dev0/views")
    assert note.startswith("2 of 10 specs are not signed, the first is v3/manifests/spec/bt-data/bt-data-2023.10-beta_")
