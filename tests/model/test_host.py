"""Hosts: their spellings, and the verdicts on binaries."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from archspec.cpu import TARGETS  # type: ignore[import-untyped]  # it ships neither annotations nor stubs

from cachetui.model.host import Host, linux_os
from cachetui.model.libc import Libc, libc_of
from cachetui.model.targets import ancestors, is_of_apple, nearest_targets, steps_up
from cachetui.query.query import Query
from cachetui.settings.settings import Settings

ZEN3 = Host("linux", "rhel9", "zen3")


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("linux-rhel8-zen2", Host("linux", "rhel8", "zen2")),
        ("linux-ubuntu22.04-armv8.4a", Host("linux", "ubuntu22.04", "armv8.4a")),
        ("linux-my-own-os-x86_64", Host("linux", "my-own-os", "x86_64")),
        ("cray-sles15-zen4", Host("cray", "sles15", "zen4")),
        ("linux-None-zen3", Host("linux", None, "zen3")),
        ("cray-None-zen3", Host("cray", None, "zen3")),
    ],
)
def test_platform_os_target_triple_is_parsed(text: str, host: Host) -> None:
    assert Host.parse(text) == Host.parse(str(host)) == Host.parse(host.name) == host


@pytest.mark.parametrize(
    ("typed", "host"),
    [
        ("rhel8 zen3", "linux-rhel8-zen3"),
        ("rhel8-zen3", "linux-rhel8-zen3"),
        ("rhel8", "linux-rhel8-zen4"),
        ("zen3", "linux-None-zen3"),
        ("darwin-sequoia-m2", "darwin-sequoia-m2"),
    ],
)
def test_incomplete_host_name_is_completed(typed: str, host: str) -> None:
    assert str(Host.completed(typed, "zen4")) == host


def test_host_given_only_as_target_gets_its_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    assert str(Host.parse("zen3")) == "linux-None-zen3"
    assert str(Host.parse("m2")) == "darwin-None-m2"
    monkeypatch.setattr("os.uname", lambda: os.uname_result(("FreeBSD", "", "", "", "amd64")))
    assert Host.parse("zen3").platform == "freebsd"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("zen33", "zen3"),
        ("x86_64v3", "x86_64_v3"),
        ("linux-rhel9-zenn4", "zen4"),
        ("rhel8", "no target 'rhel8'"),
        ("linux-rhel8", "PLATFORM-OS-TARGET"),
        ("linux--zen3", "PLATFORM-OS-TARGET"),
        ("linux-rhel9-", "PLATFORM-OS-TARGET"),
        ("lunix-rhel9-zen3", "linux"),
        ("linux-debian12-fits=linux-rhel8-zen3", "PLATFORM-OS-TARGET"),
        ("linux-rhel 8-zen3", "PLATFORM-OS-TARGET"),
        ("%%%", "x86_64_v3"),
        ("", "x86_64_v3"),
    ],
)
def test_unreadable_host_gives_one_line_error(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)) as caught:
        Host.parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("platform", "target", "kind", "reason"),
    [
        ("linux", "zen3", "runs", "native: built for zen3"),
        ("linux", "x86_64_v3", "runs", "runs: built for x86_64_v3"),
        ("cray", "zen2", "runs", "runs: built for zen2, unknown glibc"),
        ("linux", "zen4", "target", "needs zen4"),
        ("linux", "x86_64_v4", "target", "needs x86_64_v4"),
        ("linux", "haswell", "target", "needs haswell"),
        ("linux", "neoverse_v1", "target", "needs neoverse_v1"),
        ("linux", "foo", "unknown", "target foo is unknown"),
        ("linux", None, "unknown", "no target is recorded"),
        (None, "zen3", "unknown", "no platform is recorded"),
        ("darwin", "m1", "platform", "built for darwin"),
        ("windows", "x86_64", "platform", "built for windows"),
    ],
)
def test_platform_and_target_decide_whether_binary_runs_on_host(
    platform: str | None, target: str | None, kind: str, reason: str
) -> None:
    fit = ZEN3.fit(platform, "rhel9", target)
    assert (fit.kind, fit.reason) == (kind, reason)
    assert (fit.distance is not None) is (kind == "runs")


@pytest.mark.parametrize(
    ("host", "platform", "os", "kind", "certain", "note"),
    [
        ("linux-rhel9-zen3", "linux", "rhel9", "runs", True, "same os"),
        ("linux-rhel9-zen3", "linux", "rocky8", "runs", True, "with glibc 2.28, the host has 2.34"),
        ("linux-rhel8-zen3", "linux", "ubuntu22.04", "libc", True, "needs glibc 2.35, the host has 2.28"),
        ("linux-debian11-zen3", "linux", "ubuntu20.04", "runs", True, "with glibc 2.31, the host has 2.31"),
        ("linux-rhel9-zen3", "linux", "sles15", "runs", False, "unknown glibc"),
        ("linux-ubuntu24.04-zen3", "linux", "sles15", "runs", True, "with glibc 2.26 to 2.38, the host has 2.39"),
        (
            "linux-sles15-zen3",
            "linux",
            "ubuntu24.04",
            "libc",
            True,
            "needs glibc 2.39, the host has 2.26 to 2.38",
        ),
        ("linux-rhel9-zen3", "linux", "alpine3", "libc", True, "needs musl, the host has glibc 2.34"),
        ("linux-alpine3-zen3", "linux", "rhel6", "libc", True, "needs glibc 2.12, the host has musl"),
        ("linux-rhel9-zen3", "linux", "gentoo2", "runs", False, "unknown glibc"),
        ("linux-gentoo2-zen3", "linux", "rhel6", "runs", False, "unknown glibc"),
        ("linux-gentoo2-zen3", "linux", "gentoo2", "runs", True, "same os"),
        ("linux-rhel9-zen3", "linux", None, "runs", False, "unknown glibc"),
        ("linux-rhel9-zen3", "cray", "sles15", "runs", False, "unknown glibc"),
        ("cray-sles15-zen3", "linux", "rhel7", "runs", False, "unknown glibc"),
        ("linux-rhel9-zen3", "darwin", "sequoia", "platform", True, "another platform"),
        ("linux-None-zen3", "linux", "ubuntu24.04", "runs", True, "glibc not compared: the host has no os"),
        ("darwin-sonoma-m1", "darwin", "sequoia", "runs", False, "another release of the os"),
        ("darwin-sonoma-m1", "darwin", "sonoma", "runs", True, "same os"),
    ],
)
def test_libc_decides_whether_binary_of_other_os_runs(
    host: str, platform: str, os: str | None, kind: str, certain: bool, note: str
) -> None:
    on = Host.parse(host)
    fit = on.fit(platform, os, on.target)
    assert (fit.kind, fit.is_certain, fit.libc_note) == (kind, certain, note)
    assert fit.reason.endswith(note) is (kind == "libc" or not certain)


def test_recorded_libc_of_binary_overrides_libc_of_os() -> None:
    host = Host.parse("linux-rhel8-zen3")
    assert host.fit("linux", "ubuntu24.04", "zen3", Libc("glibc", "2.17", "2.17")).kind == "runs"
    assert (
        host.fit("linux", "rhel8", "zen3", Libc("glibc", "2.39", "2.39")).reason
        == "needs glibc 2.39, the host has 2.28"
    )


@pytest.mark.parametrize(
    ("os", "libc"),
    [
        ("centos7", "glibc 2.17"),
        ("almalinux8", "glibc 2.28"),
        ("oracle9", "glibc 2.34"),
        ("amzn2", "glibc 2.26"),
        ("amzn2023", "glibc 2.34"),
        ("fedora40", "glibc 2.39"),
        ("opensuse_leap15", "glibc 2.26 to 2.38"),
        ("opensuse_leap16", "glibc 2.40"),
        ("sles16", "glibc 2.40"),
        ("ubuntu26.04", "glibc 2.43"),
        ("fedora44", "glibc 2.43"),
        ("fedora45", "glibc 2.44"),
        ("ol10", "glibc 2.39"),
        ("debian12", "glibc 2.36"),
        ("ubuntu18.04", "glibc 2.27"),
        ("alpine3", "musl"),
        ("arch", "None"),
        ("rhel11", "None"),
        ("of tomorrow!", "None"),
    ],
)
def test_libc_version_follows_from_os_name(os: str, libc: str) -> None:
    assert str(libc_of(os)) == libc


FOUND_IN_IMAGES = """\
2.12 oracle6
2.17 amzn2018 centos7 oracle7 rhel7
2.19 debian8 ubuntu14.04
2.23 ubuntu16.04
2.24 debian9
2.26 amzn2
2.27 ubuntu18.04
2.28 almalinux8 centos8 debian10 oracle8 rhel8 rocky8
2.31 debian11 fedora32 ubuntu20.04
2.32 fedora33 ubuntu20.10
2.33 fedora34 ubuntu21.04
2.34 almalinux9 amzn2023 centos9 fedora35 oracle9 rhel9 rocky9 ubuntu21.10
2.35 fedora36 ubuntu22.04
2.36 debian12 fedora37 ubuntu22.10
2.37 fedora38 ubuntu23.04
2.38 fedora39 ubuntu23.10
2.39 almalinux10 centos10 fedora40 rhel10 rocky10 ubuntu24.04
2.40 fedora41 ubuntu24.10
2.41 debian13 fedora42 ubuntu25.04
2.42 fedora43 ubuntu25.10
"""
"""The glibc that https://github.com/mayeut/pep600_compliance (00ac911) found in an image of each release."""


def test_libc_table_matches_release_images() -> None:
    for line in FOUND_IN_IMAGES.splitlines():
        version, *systems = line.split()
        assert {str(libc_of(system)) for system in systems} == {f"glibc {version}"}, line
    for releases in ("2.26", "2.31", "2.38"):  # openSUSE 15.1 and 15.2, 15.3 to 15.5, 15.6
        leap = libc_of("opensuse_leap15")
        assert leap is not None
        assert leap.runs_on(Libc("glibc", releases, releases)) is (True if releases == leap.newest else None)


def test_environment_variable_sets_the_host() -> None:
    assert Settings({"CACHETUI_HOST": "linux-rhel8-zen2"}).host() == Host("linux", "rhel8", "zen2")
    with pytest.raises(ValueError, match=r"^CACHETUI_HOST: no target 'zen33'.*zen3"):
        Settings({"CACHETUI_HOST": "zen33"}).host()


def test_host_named_here_is_the_configured_host() -> None:
    named = Settings({"CACHETUI_HOST": "linux-rhel8-zen2"})
    assert (
        str(Host.parse("here", named.host)) == str(Query.parse("fits=here", settings=named).host) == "linux-rhel8-zen2"
    )
    assert Host.parse("here") == Host.parse("here", Settings({"CACHETUI_HOST": "here"}).host)


def test_this_machine_runs_its_own_builds() -> None:
    host = Host.parse("here")
    assert host == Host("linux", "testos1", "sparc64")
    assert host.fit(host.platform, host.os, host.target).kind == "runs"


@pytest.mark.parametrize(
    ("name", "version", "spelling"),
    [
        ("ubuntu", "22.04", "ubuntu22.04"),
        ("rhel", "9.4", "rhel9"),
        ("centos", "7", "centos7"),
        ("sles", "15.5", "sles15"),
        ("amzn", "2", "amzn2"),
        ("debian", "12", "debian12"),
        ("rocky", "9.3", "rocky9"),
        ("almalinux", "9.5", "almalinux9"),
        ("opensuse-leap", "15.6", "opensuse15"),
        ("ol", "8.9", "oracle8"),
    ],
)
def test_os_release_file_gives_the_os_name_used_by_spack(name: str, version: str, spelling: str) -> None:
    assert linux_os({"ID": name, "VERSION_ID": version}) == spelling


def test_targets_and_ancestors_match_those_of_archspec() -> None:
    for name, target in TARGETS.items():
        known = ancestors(name) or frozenset()
        assert set(known) == {name, *(ancestor.name for ancestor in target.ancestors)}
        assert is_of_apple(name) == (target.vendor == "Apple")
        assert nearest_targets(name)[0] == name
        parents = {ancestor for ancestor in known if steps_up(name, ancestor) == 1}
        assert parents == {parent.name for parent in target.parents}
    assert ancestors("no-such-target") is None


def test_user_defined_archspec_targets_are_known(tmp_path: Path) -> None:
    written = {"vendor": "generic", "features": [], "from": ["zen3"]}
    (tmp_path / "microarchitectures.json").write_text(json.dumps({"microarchitectures": {"zen9": written}}))
    code = """if True:
        from archspec.cpu import TARGETS
        import os
        from cachetui.model.targets import ancestors, use_folders
        use_folders(os.environ)
        print(ancestors("zen9") == {"zen9", *(each.name for each in TARGETS["zen9"].ancestors)})
    """
    environ = {"ARCHSPEC_EXTENSION_CPU_DIR": str(tmp_path)}
    assert subprocess.check_output([sys.executable, "-c", code], env=environ, text=True) == "True\n"
