"""Targets, hosts and verdicts: facts of archspec, and the spellings that a user may give."""

from __future__ import annotations

import re

import pytest

from cachetui.model.host import (
    Host,
    ancestors,
    family,
    linux_os,
    mac_os,
    nearest_targets,
    this_host,
)

ZEN3 = Host("linux", "rhel9", "zen3")


@pytest.mark.parametrize(
    ("target", "ancestor", "holds"),
    [
        ("zen3", "x86_64_v3", True),
        ("zen3", "haswell", False),
        ("zen3", "x86_64_v4", False),
        ("icelake", "skylake_avx512", True),
        ("skylake_avx512", "x86_64_v4", True),
        ("neoverse_v1", "armv8.4a", True),
        ("m1", "armv8.4a", True),
        ("neoverse_v2", "neoverse_v1", False),
        ("x86_64", "x86_64", True),
    ],
)
def test_ancestry(target: str, ancestor: str, holds: bool) -> None:
    known = ancestors(target)
    assert known is not None
    assert (ancestor in known) is holds


def test_a_root_is_its_own_only_ancestor() -> None:
    assert ancestors("aarch64") == frozenset({"aarch64"})


def test_an_unknown_target_has_no_ancestry() -> None:
    assert ancestors("zen33") is None
    assert family("zen33") is None
    assert "zen3" in nearest_targets("zen33")


def test_families() -> None:
    assert [family(target) for target in ("zen3", "m1", "power9le", "i686")] == [
        "x86_64",
        "aarch64",
        "ppc64le",
        "x86",
    ]


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("linux-rhel8-zen2", Host("linux", "rhel8", "zen2")),
        ("linux-ubuntu22.04-armv8.4a", Host("linux", "ubuntu22.04", "armv8.4a")),
        ("linux-my-own-os-x86_64", Host("linux", "my-own-os", "x86_64")),
        ("cray-sles15-zen4", Host("cray", "sles15", "zen4")),
        ("linux-None-zen3", Host("linux", None, "zen3")),
    ],
)
def test_a_triple_is_read_and_printed_back(text: str, host: Host) -> None:
    assert Host.parse(text) == host
    assert str(host) == text


def test_a_target_alone_takes_the_platform_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    assert str(Host.parse("zen3")) == "linux-None-zen3"
    assert str(Host.parse("m2")) == "darwin-None-m2"
    monkeypatch.setattr("sys.platform", "win32")
    assert Host.parse("zen3").platform == "windows"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("zen33", "zen3"),
        ("x86_64v3", "x86_64_v3"),
        ("linux-rhel9-zenn4", "zen4"),
        ("linux-zen3", "platform-os-target"),
        ("linux--zen3", "platform-os-target"),
        ("linux-rhel9-", "platform-os-target"),
        ("lunix-rhel9-zen3", "linux"),
        ("%%%", "x86_64_v3"),
        ("", "x86_64_v3"),
    ],
)
def test_what_cannot_be_read_says_so_in_one_line(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)) as caught:
        Host.parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("platform", "target", "kind", "reason"),
    [
        ("linux", "zen3", "native", "native: built for zen3"),
        ("linux", "x86_64_v3", "runs", "runs: built for x86_64_v3"),
        ("cray", "zen2", "runs", "runs: built for zen2"),
        ("linux", "zen4", "needs", "needs zen4"),
        ("linux", "x86_64_v4", "needs", "needs x86_64_v4"),
        ("linux", "haswell", "needs", "needs haswell"),
        ("linux", "neoverse_v1", "family", "built for aarch64"),
        ("linux", "foo", "unknown", "target foo is unknown here"),
        ("linux", None, "unknown", "the page names no target"),
        (None, "zen3", "unknown", "the page names no platform"),
        ("darwin", "m1", "platform", "built for darwin"),
        ("windows", "x86_64", "platform", "built for windows"),
    ],
)
def test_verdicts_on_zen3(platform: str | None, target: str | None, kind: str, reason: str) -> None:
    verdict = ZEN3.verdict(platform, "rhel9", target)
    assert (verdict.kind, verdict.reason) == (kind, reason)
    assert (verdict.distance is not None) is (kind in {"native", "runs"})
    assert ZEN3.runs(platform, target) is (kind in {"native", "runs"})


def test_zen2_runs_x86_64_v3() -> None:
    assert Host.parse("linux-rhel8-zen2").runs("linux", "x86_64_v3")


def test_the_nearest_target_is_the_least_distant() -> None:
    wanted = ["zen3", "zen2", "zen", "x86_64_v3", "x86_64_v2", "x86_64"]
    assert [ZEN3.verdict("linux", None, target).distance for target in wanted] == list(range(6))


def test_distance_is_the_shortest_way_up() -> None:
    assert Host("linux", None, "zen4").verdict("linux", None, "x86_64_v4").distance == 1


def test_a_host_that_archspec_does_not_know_runs_its_own_builds() -> None:
    host = Host("linux", None, "loongarch64")
    assert host.runs("linux", "loongarch64")
    assert host.verdict("linux", None, "x86_64").kind == "family"


@pytest.mark.parametrize(
    ("host", "platform", "os", "note"),
    [
        (ZEN3, "linux", "rhel9", "same os"),
        (ZEN3, "linux", "ubuntu22.04", "another Linux: depends on libc"),
        (ZEN3, "cray", "sles15", "another Linux: depends on libc"),
        (ZEN3, "darwin", "sequoia", "another platform"),
        (ZEN3, "linux", None, "os not known"),
        (Host("linux", None, "zen3"), "linux", "rhel9", "os not known"),
        (Host("darwin", "sonoma", "m1"), "darwin", "sequoia", "another release of the os"),
    ],
)
def test_the_os_is_noted_and_never_decides(host: Host, platform: str, os: str | None, note: str) -> None:
    verdict = host.verdict(platform, os, host.target)
    assert verdict.os_note == note
    assert host.runs(platform, host.target) is (note != "another platform")


def test_the_environment_names_the_host() -> None:
    assert this_host({"CACHETUI_HOST": "linux-rhel8-zen2"}) == Host("linux", "rhel8", "zen2")
    with pytest.raises(ValueError, match=r"^CACHETUI_HOST: unknown target 'zen33'"):
        this_host({"CACHETUI_HOST": "zen33"})


def test_here_is_the_host_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CACHETUI_HOST", "linux-rhel8-zen2")
    assert str(Host.parse("here")) == "linux-rhel8-zen2"
    monkeypatch.setenv("CACHETUI_HOST", "here")
    assert Host.parse("here") == this_host({})


def test_this_machine_runs_what_is_built_for_it() -> None:
    host = this_host({})
    assert host.target
    assert host.verdict(host.platform, host.os, host.target).kind == "native"


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
def test_linux_as_spack_spells_it(name: str, version: str, spelling: str) -> None:
    assert linux_os({"ID": name, "VERSION_ID": version}) == spelling


def test_linux_that_says_little() -> None:
    assert linux_os({"ID": "arch"}) == "arch"
    assert linux_os({}) is None


def test_macos_goes_by_its_code_name() -> None:
    assert [mac_os(version) for version in ("15.3.1", "14.0", "11.7", "9.9", "")] == [
        "sequoia",
        "sonoma",
        "bigsur",
        None,
        None,
    ]
