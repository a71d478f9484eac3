"""Signed binaries in `find`, `which`, `check` and `doctor`, on caches that Spack wrote."""

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from cachetui.report.specs import TRUST
from cachetui.sources.buildcache.manifests import without_signature
from tests.support.cache_writer import node, write_v3
from tests.support.caches import CACHES, files_of
from tests.support.commands import answered, refusal
from tests.support.installs import INSTALLS
from tests.support.locks import ENVS
from tests.support.mirror_server import serving
from tests.support.places import SAMPLE_CONTENT
from tests.support.schemas import faults

KEY = "23A6548A1C5FBD5F"
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
        (CACHES / "v2/spack-0.16/signed", "bt-core", None),  # its signature would be inside the tarball
        (SAMPLE_CONTENT, "py-mpi4py/2feova4", None),
    ],
)
def test_json_and_csv_state_whether_a_spec_is_signed(
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


def test_option_sort_signed_lists_unsigned_specs_first(capsys: pytest.CaptureFixture[str]) -> None:
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
def test_check_prints_unsigned_mirror_command_for_unsigned_cache(
    capsys: pytest.CaptureFixture[str], caches: Path, cache: Path, lock: str, signed: bool | None
) -> None:
    cache = caches / cache.relative_to(CACHES)
    words = ("check", str(cache), str(ENVS / lock), str(ENVS / "spack-1.1/btest"))  # the cache lacks the second lock
    _, out, _ = answered(capsys, *words)
    assert f"spack mirror add {'--unsigned ' if signed is False else ''}spack-{cache.name} {cache}" in out
    assert (TRUST in out) == (signed is not False)
    assert ("signed: yes\n" in out, "signed: no\n" in out) == (signed is True, signed is False)
    assert json.loads(answered(capsys, *words, "--format", "json")[1])["signed"] is signed


def test_downloaded_manifests_show_which_specs_are_signed(capsys: pytest.CaptureFixture[str]) -> None:
    def found(*options: str) -> set[bool | None]:
        _, out, _ = answered(capsys, "find", server.url, "zlib", "--format", "json", *options)
        return {spec["signed"] for spec in json.loads(out)}

    with serving(files_of(V3)) as server:
        assert found() == {None}
        _, out, _ = answered(capsys, "check", server.url, "zlib", "--format", "json")  # requests the sizes
        assert json.loads(out)["signed"] is True
        asked = len([path for path in server.paths if "/manifests/spec/" in path])
        assert asked
        assert True in found()
        assert True in found("--offline")
        assert asked == len([path for path in server.paths if "/manifests/spec/" in path])


# In `check`


@pytest.mark.parametrize("layout", ["v2/spack-0.23.1/develop/tools", "v3/spack-1.1.0/develop/tools"])
@pytest.mark.parametrize("on_server", [False, True])
@pytest.mark.parametrize(
    ("harm", "keyring", "rule", "complete", "is_unverified"),
    [
        ("", None, None, True, False),
        ("", None, "true", True, False),
        ("", "trusting", "true", True, False),
        ("", "other", None, False, True),
        ("", "other", "true", False, True),
        ("", "missing", "true", False, True),
        ("", "other", "false", True, False),  # Spack verifies nothing
        ("no key", None, None, True, True),
        ("no key", None, "true", True, True),
        ("no key", "trusting", "true", True, True),
        ("no key", "other", "true", False, True),
        ("unsigned", None, None, True, False),
        ("unsigned", "trusting", None, True, False),
        ("unsigned", None, "true", False, False),
        ("unsigned", None, "false", True, False),
    ],
)
def test_check_verdict_depends_on_trusted_signing_keys(
    capsys: pytest.CaptureFixture[str],
    caches: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    layout: str,
    on_server: bool,
    harm: str,
    keyring: str | None,
    rule: str | None,
    complete: bool,
    is_unverified: bool,
) -> None:
    cache = shutil.copytree(caches / layout, tmp_path / "cache")
    for path in [*cache.rglob("_pgp"), *cache.rglob("v3/manifests/key")] if harm == "no key" else ():
        shutil.rmtree(path)
    for path in [*cache.rglob("*.sig"), *cache.rglob("*.spec.manifest.json")] if harm == "unsigned" else ():
        text, _ = without_signature(path.read_bytes())
        path.unlink()
        path.with_name(path.name.removesuffix(".sig")).write_bytes(text)
    monkeypatch.setenv("SPACK_GNUPGHOME", str(INSTALLS / "keyrings" / (keyring or "")))
    with serving(files_of(cache)) as server:
        content = server.url if on_server else str(cache)
        if rule is not None:
            (tmp_path / "mirrors.yaml").write_text(f"mirrors: {{m: {{url: '{content}', signed: {rule}}}}}")
            content = str(tmp_path / "mirrors.yaml")
        tree = ["-C", str(INSTALLS / "1.1.0")] * (keyring is not None)
        status, out, _ = answered(capsys, "check", "--ask", "-C", content, *tree, "zlib@1.3.1 %gcc")
    assert (status, f"signed by {KEY}, not verified" in out) == (int(not complete), is_unverified)


UNPUBLISHED = "the cache does not have the key"


def notes(capsys: pytest.CaptureFixture[str], cache: Path) -> list[str]:
    """Return the notes of `doctor` on signatures."""
    _, out, _ = answered(capsys, "doctor", str(cache), "--format", "json")
    return [each["message"] for each in json.loads(out) if each["kind"] == "signature"]


@pytest.mark.parametrize("cache", [V2, V3, CACHES / "real/mirrors/v2_layout/signed", UNSIGNED])
def test_doctor_accepts_cache_with_all_signing_keys(capsys: pytest.CaptureFixture[str], cache: Path) -> None:
    assert notes(capsys, cache) == []


@pytest.mark.parametrize(("cache", "keys"), [(V2, "build_cache/_pgp"), (V3, "v3/manifests/key")])
def test_doctor_reports_missing_signing_key(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, cache: Path, keys: str
) -> None:
    shutil.copytree(cache, tmp_path / "cache")
    shutil.rmtree(tmp_path / "cache" / keys)
    (note,) = notes(capsys, tmp_path / "cache")
    assert f"{UNPUBLISHED} 23A6548A1C5FBD5F, which signed" in note


def test_doctor_reports_unsigned_specs_and_missing_keys_of_real_caches(
    capsys: pytest.CaptureFixture[str],
) -> None:
    (note,) = notes(capsys, CACHES / "real/mirrors/signed_json")
    assert note.startswith(
        f"{UNPUBLISHED} 4344E0F76500AF9D, which signed 1 spec; the first is linux-ubuntu18.04-haswell-gcc-8.4.0-"
    )
    (note,) = notes(capsys, CACHES / "v3/spack-1.2.0.dev0/views")
    assert note.startswith("2 of 10 specs are not signed; the first is v3/manifests/spec/bt-data/bt-data-2023.10-beta_")


# As a gate


def signers(capsys: pytest.CaptureFixture[str], content: Path, *words: str) -> tuple[int, list[list[object]]]:
    """Return the status of `doctor --signed`, and for each signer: signed, key, published, number of specs."""
    status, out, err = answered(capsys, "doctor", str(content), "--signed", "--format", "json", *words)
    assert err == ""
    assert faults("doctor", out) == []
    return status, [[each[key] for key in ("signed", "key", "published", "specs")] for each in json.loads(out)]


@pytest.mark.parametrize("source", [V2, V3])
def test_doctor_with_option_signed_reports_unsigned_specs_and_unpublished_keys(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, source: Path
) -> None:
    cache = tmp_path / "tools"
    shutil.copytree(source, cache)
    signed = sorted([*cache.rglob("*.spec.json.sig"), *cache.rglob("*.spec.manifest.json")])
    specs, first = len(signed), signed[0]
    assert signers(capsys, cache) == (0, [[True, KEY, True, specs]])
    text, _ = without_signature(first.read_bytes())
    first.unlink()
    first.with_name(first.name.removesuffix(".sig")).write_bytes(text)
    assert signers(capsys, cache) == (1, [[False, None, False, 1], [True, KEY, True, specs - 1]])
    assert answered(capsys, "doctor", str(cache), "--signed", "--limit=1")[1].count("\n") == 2
    shutil.rmtree(cache / "build_cache" / "_pgp", ignore_errors=True)
    shutil.rmtree(cache / "v3" / "manifests" / "key", ignore_errors=True)
    assert signers(capsys, cache) == (1, [[False, None, False, 1], [True, KEY, False, specs - 1]])


def test_doctor_with_option_signed_ignores_errors_of_baseline(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    zlib = node("zlib")
    cache, before = write_v3(tmp_path / "mirror", [zlib], [zlib]), tmp_path / "before.json"
    before.write_text(answered(capsys, "doctor", str(cache), "--signed", "--format", "json")[1])
    words = ("doctor", str(cache), "--signed", "--baseline", str(before))
    assert answered(capsys, *words)[0] == 0
    before.write_text("[]")
    status, _, err = answered(capsys, *words)
    assert (status, f"1 new (mirror: not signed: /{zlib['hash']})" in err) == (1, True)


def test_doctor_with_option_signed_fails_for_signature_without_key_id(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    zlib = node("zlib")
    assert signers(capsys, write_v3(tmp_path, [zlib], [zlib], signed=True)) == (1, [[True, None, False, 1]])


def test_doctor_with_option_signed_refuses_unreadable_manifests(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    zlib = node("zlib")
    cache = write_v3(tmp_path, [zlib], [zlib], signed=True)
    manifest = next(cache.rglob("*.spec.manifest.json"))
    text = manifest.read_text()
    manifest.write_text("{")
    assert "the signers cannot be determined" in refusal(capsys, ["doctor", str(cache), "--signed"])
    manifest.write_text(text)
    manifest.parent.rename(tmp_path / "elsewhere")
    manifest.parent.symlink_to(tmp_path / "elsewhere")
    assert "is a link to a folder" in refusal(capsys, ["doctor", str(cache), "--signed"])
    assert answered(capsys, "doctor", str(cache))[0] == 1
    manifest.parent.unlink()
    assert "no manifest or spec file" in refusal(capsys, ["doctor", str(cache), "--signed"])


def test_doctor_with_option_signed_refuses_server_without_downloaded_manifests(
    capsys: pytest.CaptureFixture[str],
) -> None:
    files = {f"tools/{path.relative_to(V3)}": path.read_bytes() for path in V3.rglob("*") if path.is_file()}
    with serving(files) as server:
        assert "no manifest or spec file" in refusal(capsys, ["doctor", f"{server.url}/tools", "--signed"])
