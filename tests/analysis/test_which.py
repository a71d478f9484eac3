"""The hash in a string, and the specs that match it."""

from __future__ import annotations

import io
import json
import random
import tracemalloc
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cachetui.analysis import which
from cachetui.analysis.which import LookupAnswer, look_up
from cachetui.catalogue import Catalogue
from cachetui.model.budget import OverBudgetError
from cachetui.report.which import lookup_notes
from cachetui.search import log_hashes as search_log
from cachetui.search.hash_extraction import asked_by, asked_while_typed
from cachetui.search.index import Index
from cachetui.search.log_hashes import asked_in, asked_in_log
from cachetui.settings.settings import Settings
from tests.support.caches import CACHES
from tests.support.commands import answered
from tests.support.installs import index_of as index_of_tree
from tests.support.rows import ALPHABET, index_of, row

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

HASH = "2feova4prghd2gkebr23if6bojkyydpt"
NEXT = "2feovz7prghd2gkebr23if6bojkyydpt"
ZLIB = "2fezzz7prghd2gkebr23if6bojkyydpt"
PY = "w7aicxeprghd2gkebr23if6bojkyydpt"


@pytest.fixture(scope="module")
def index() -> Index:
    return index_of(
        [
            row(hash=HASH),
            row(hash=HASH, tag="v1.0.0", stacks=["hep"]),
            row(hash=NEXT, version="1.12.2", compiler="gcc@13.2.0"),
            row("zlib", "1.3.1", hash=ZLIB),
            row("py-3to2", "1.1.1", hash=PY, variants=[]),
            row("py", "3to2", hash=None, variants=[]),
        ]
    )


def the_answer(index: Index, *words: str, tags: tuple[str, ...] = ()) -> LookupAnswer:
    (answer,) = look_up(index, asked_in(words), tags)
    return answer


def hashes(answer: LookupAnswer) -> list[str | None]:
    return [match.spec.hash for match in answer.matches]


MIRROR = "https://binaries.spack.io/develop"


@pytest.mark.parametrize(
    ("text", "expected", "label"),
    [
        (HASH, HASH, ""),
        (HASH.upper(), HASH, ""),
        (f" /{HASH}\n", HASH, ""),
        ("2Fe", "2fe", ""),
        ("/2fe", "2fe", ""),
        ("hdf5/2fe", "2fe", "hdf5"),
        ("hdf5@1.14.3/2fe", "2fe", "hdf5@1.14.3"),
        ("hdf5@=1.14.3%gcc@11/2fe", "2fe", "hdf5@=1.14.3%gcc@11"),
        (f"hdf5-1.14.3-{HASH}", HASH, "hdf5-1.14.3"),
        ("hdf5-1.14.3-2feova4", "2feova4", "hdf5-1.14.3"),
        ("hdf5-develop-1.17-2feova4", "2feova4", "hdf5-develop-1.17"),
        (
            f"{MIRROR}/build_cache/linux-ubuntu20.04-x86_64-oneapi-2023.0.0-archer-2.0.0-{HASH}.spack",
            HASH,
            "linux-ubuntu20.04-x86_64-oneapi-2023.0.0-archer-2.0.0",
        ),
        (f"{MIRROR}/build_cache/linux-rhel8-x86_64-gcc-11-hdf5-1.14.3-{HASH}.spec.json.sig", HASH, None),
        (f"{MIRROR}/v3/manifests/spec/hdf5/hdf5-1.14.3-{HASH}.spec.manifest.json", HASH, "hdf5-1.14.3"),
        (f"/opt/spack/linux-x86_64_v3/hdf5-1.14.3-{HASH}/lib/libhdf5.so", HASH, "hdf5-1.14.3"),
        (f"{HASH}.spec", HASH, ""),
        ("hdf5@1.14.3 /w7aicxe %gcc@11.4.0 arch=linux-ubuntu22.04-x86_64_v3 E4S", "w7aicxe", "hdf5@1.14.3"),
        ("/w7aicxe\n/w7aicxe", "w7aicxe", ""),
        ("py-mpi4py", "", None),
        ("hdf5@1.14.3", "", None),
        (f"{MIRROR}/blobs/sha256/1f/{'1f8' * 21}0", "", None),
        ("", "", None),
        ("/", "", None),
    ],
)
def test_hash_and_package_name_are_found_in_pasted_text(text: str, expected: str, label: str | None) -> None:
    asked = asked_by(text)
    assert asked.hash == expected
    assert label is None or asked.label == label


@pytest.mark.parametrize(
    ("text", "expected", "label"),
    [
        (f" {HASH.upper()}", HASH, ""),
        ("/2fe", "2fe", ""),
        ("/", "", ""),
        ("hdf5/", "", "hdf5"),
        ("hdf5@1.14.3/2Fe", "2fe", "hdf5@1.14.3"),
        (f"hdf5/{HASH}a", f"{HASH}a", "hdf5"),
        (f"hdf5-1.14.3-{HASH}", HASH, "hdf5-1.14.3"),
        ("hdf5-1.14.3-2feova4", "hdf5-1.14.3-2feova4", ""),
        ("py-mpi", "py-mpi", ""),
        ("r-3dplot-abcdef", "r-3dplot-abcdef", ""),
        (f"{MIRROR}/build_cache/linux-rhel8-x86_64-gcc-11-hdf5-1.14.3-{HASH}.spec.json.sig", HASH, None),
        ("hdf5@1.14.3 /w7aicxe %gcc@11.4.0", "w7aicxe", "hdf5@1.14.3"),
    ],
)
def test_hash_and_package_name_are_found_in_partly_typed_text(text: str, expected: str, label: str | None) -> None:
    asked = asked_while_typed(text)
    assert asked.hash == expected
    assert label is None or asked.label == label


def test_title_of_ci_job_contains_only_one_hash() -> None:
    (asked,) = asked_in(["hdf5@1.14.3", "/w7aicxe", "%gcc@11.4.0", "arch=linux-rhel8-zen4", "E4S"])
    assert (asked.hash, asked.label, asked.rest) == ("w7aicxe", "hdf5@1.14.3", "%gcc@11.4.0 arch=linux-rhel8-zen4")


def test_search_for_hash_in_very_long_word_is_quick() -> None:
    assert asked_by("a-1" * 40_000 + "!").hash == ""


# Answers


def test_full_hash_gives_one_exact_match_with_all_its_tags(index: Index) -> None:
    answer = the_answer(index, HASH.upper())
    (match,) = answer.matches
    assert answer.found == "exact"
    assert (match.spec.package, match.spec.tag, match.spec.tags) == ("hdf5", "develop", ("develop", "v1.0.0"))
    assert match.shortest == "2feova"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2feova", [HASH]),
        ("zlib/2fe", [ZLIB]),
        ("hdf5@1.12/2fe", [NEXT]),
        ("hdf5-1.12.2-2feov", [NEXT]),
        ("nosuch/2feova", [HASH]),
        ("hdf5@1.14.3 /2fe %gcc@11", [HASH]),
    ],
)
def test_package_name_limits_specs_found_by_hash_prefix(index: Index, text: str, expected: list[str]) -> None:
    answer = the_answer(index, text)
    assert (answer.found, hashes(answer)) == ("prefix", expected)


def test_hash_that_belongs_to_another_package_is_only_suggested(index: Index) -> None:
    answer = the_answer(index, "zlib/2feova")
    assert (answer.found, hashes(answer)) == ("none", [])
    assert [match.spec.hash for match in answer.elsewhere] == [HASH]
    assert [match.spec.package for match in answer.builds] == ["zlib"]
    assert next(lookup_notes([answer], log=False)) == "2feova belongs to hdf5@1.14.3, not to zlib"
    assert the_answer(index, "hdf5@1.12/2feova").elsewhere == answer.elsewhere


def test_hash_prefix_of_several_packages_finds_all_of_them() -> None:
    twice = index_of([row("a", hash=HASH), row("b", hash=HASH), row("b", tag="v1.0.0", hash=HASH)])
    for text, kind in ((HASH, "exact"), ("2feova", "prefix")):
        answer = the_answer(twice, text)
        assert (answer.found, [match.spec.package for match in answer.matches]) == (kind, ["a", "b"])
    assert [match.spec.package for match in the_answer(twice, "b/2feova").matches] == ["b"]


@pytest.mark.parametrize(
    "typed",
    [
        HASH[:-1] + "a",
        HASH[:4] + HASH[5] + HASH[4] + HASH[6:],
        HASH[:9] + HASH[10:],
        "3" + HASH,
        HASH[:7] + "10" + HASH[9:],
    ],
)
def test_misspelled_hash_is_only_suggested(index: Index, typed: str) -> None:
    answer = the_answer(index, typed)
    assert (answer.found, hashes(answer)) == ("none", [])
    assert answer.like[0].spec.hash == HASH


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("hdf5@1.12.2 /zzzzzzz %gcc@13.2.0", NEXT),
        (f"linux-rhel8-zen4-gcc-11.4.0-py-3to2-1.1.1-{'z' * 32}.spack", PY),
        (f"linux-rhel8-zen4-gcc-11.4.0-zlib-9.9-{'z' * 32}.spack", ZLIB),
        ("hdf5", HASH),
    ],
)
def test_missing_hash_with_package_name_suggests_nearest_builds(index: Index, text: str, nearest: str) -> None:
    answer = the_answer(index, text)
    assert answer.found == "none"
    assert answer.builds[0].spec.hash == nearest


def test_hash_lookup_with_tag_ignores_specs_of_other_tags(index: Index) -> None:
    assert the_answer(index, HASH, tags=("v1.0.0",)).matches[0].spec.stacks == ("hep",)
    missing = the_answer(index, NEXT, tags=("v1.0.0",))
    assert (missing.found, [match.spec.hash for match in missing.builds]) == ("none", [])


@pytest.mark.parametrize(
    ("text", "package", "state"),
    [
        ("g5i4w5mhrg5g2syqxaycvm4mbp4cbdgm", "bt-gen", "missing"),
        ("g5i4w5m", "bt-gen", "missing"),
        ("glibc/2dxfl3z", "glibc", "external"),
        ("bt-gen/2dxfl3z", None, None),
    ],
)
def test_lookup_finds_recorded_spec_without_binary(text: str, package: str | None, state: str | None) -> None:
    catalogue = Catalogue(str(CACHES / "v3/spack-1.1.0/only-roots"), Settings(), index_cache=False)
    answer = the_answer(catalogue.load(), text)
    assert answer.found == ("recorded" if package else "none")
    assert [(match.spec.package, match.spec.state, match.row) for match in answer.matches] == (
        [(package, state, None)] if package else []
    )


def test_log_with_only_external_packages_gives_status_0(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = b"[+] /usr (external glibc-2.36-2dxfl3zus4n6g2gz4iarmmuluwuxaqmn)\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(log)))
    status, out, err = answered(capsys, "which", str(CACHES / "v3/spack-1.1.0/only-roots"), "-")
    assert (status, out.split()[1:4], err) == (
        0,
        ["2dxfl3zus4n6g2gz4iarmmuluwuxaqmn", "glibc", "2.36"],
        "cachetui: in the index, but without a binary: /2dxfl3z glibc@2.36 (external)\n",
    )


# Logs


def in_log(text: str) -> list[str]:
    """Return the hashes of a log, without uncertain ones."""
    return [asked.hash for asked in asked_in_log(io.BytesIO(text.encode())) if not asked.doubtful]


def test_each_hash_of_log_is_listed_once_in_original_order() -> None:
    log = f"""\
==> hdf5: \x1b[0;90m{HASH}\x1b[0m from {MIRROR}/linux-zlib-1.3.1-{ZLIB}.spack
[+] /opt/spack/hdf5-1.14.3-{HASH}
[==>] hdf5@1.14.3 /w7aicxe %gcc@11.4.0 (/2feova4), '/2feovz7' hdf5@1.14/abcdefg
"""
    assert in_log(log) == [HASH, ZLIB, "w7aicxe", "2feovz7", "abcdefg"]
    assert in_log(f"build-{HASH}.log: see /2feovz4. Or /w7aicxe...") == [HASH, "2feovz4", "w7aicxe"]


@pytest.mark.parametrize(
    "text",
    [
        "/usr/lib /usr/install/lib cd /opt/scratch7/x /scratch7/x /scratch7.log /scratch7-x lib/install",
        "git@github.com/project2 https://host/abcdefg2 /abcdef",
        f"x{HASH} {HASH}a {HASH}8 {HASH.upper()} {HASH}{HASH}",
        "sha256:0f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0",
    ],
)
def test_words_and_paths_in_log_are_not_read_as_hashes(text: str) -> None:
    assert in_log(text) == []


def test_short_hash_in_log_needs_an_adjacent_package_name(index: Index) -> None:
    log = b"hdf5/2feova4 zlib/missing lib/2feovz7 /opt/hdf5/2feovz7 (py-3to2/w7aicxe) /2feova4,/2fezzz7;/abc2345"
    asked = list(asked_in_log(io.BytesIO(log), index.packages))
    assert [(each.label, each.hash, each.doubtful) for each in asked] == [
        ("hdf5", "2feova4", False),
        ("zlib", "missing", True),
        ("/opt/hdf5", "2feovz7", True),
        ("py-3to2", "w7aicxe", False),
        ("", "2fezzz7", False),
        ("", "abc2345", False),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "[+]  2feova4      ^hdf5@1.14.3%gcc@11.4.0",
        " -   2feova4  hdf5@1.14.3%gcc@11.4.0+mpi arch=linux-ubuntu22.04-x86_64_v3",
        "[^]  2feova4          ^hdf5@1.14.3",
        "2feova4 hdf5@1.14.3",
        "    ^hdf5/2feova4",
        "see hdf5-1.14.3-2feova4, please",
        "https://cache.spack.io/?name=hdf5/2feova4",
        "[b]  2feova4 hdf5@1.14.3",
        "[x] 2feova4 hdf5@1.14.3 failed",
        "[\\] 2feova4 hdf5@1.14.3 building",
        "2feova4  [b   ]  ^hdf5@1.14.3",
        "/opt/hdf5@1.14.3/2feova4/lib",
        "module load hdf5/1.14.3-gcc-12.2.0-2feova4",
        "file : /opt/modules/linux-debian12-zen3/hdf5-1.14.3-2feova4.lua",
        "2026-11-28T05:00:00.1234567Z 2feova4 hdf5@feature.x: starting",
        "2026-11-28T05:00:00.123456Z 01O+2feova4 hdf5@1.14.3",
        "#12 34.56 ##[group]2feova4 hdf5@1.14.3",
        "[2026-11-28T05:00:00.123Z] [branch] + spack load /2feova",
        "\x1b[3F\x1b[1mhdf5\x1b[1E\x1b[32m[+]\x1b[0m \x1b[90m2feova4\x1b[0m hdf5\x1b[36m@1.14.3\x1b[0m",
        "hdf5@1.14.3 /2feova4 %gcc@11.4.0 arch=linux-ubuntu22.04-x86_64_v3 E4S",
        "2026-11-28T05:00:00.123456789Z stdout F 2feova4 hdf5@1.14.3",
        "[+]\u00a0\u00a02feova4\u00a0hdf5@1.14.3",
        "│2feova4 hdf5@1.14.3            │",
        "::error::hdf5@1.14.3/2feova4: build failed",
        "[CI/build-1]   | ::error::hdf5@1.14.3/2feova4",
        "RUN spack -e /env install --cache-only /2feova",
        "In package hdf5@1.14.3/2feova4:",
        "==> [ 1/12] Pushed hdf5@1.14.3/2feova4 to file:///mirror",
        " => => # 2feova4 hdf5@1.14.3: fetching from build cache",
        "[Pipeline] sh [2026-11-28T05:00:00.123Z] + spack install --no-build /2feova4",
        "section_end:1764300000:step_script\r\x1b[0K2feova4 hdf5@1.14.3: pushed",
        "\x1b[0;90m2feova4\x1b[0m hdf5\x1b[0;36m@1.14.3\x1b[0m\x1b[0;94m+mpi\x1b[0m  /opt/hdf5",
        "CMAKE_PREFIX_PATH=/opt/sw/hdf5-1.14.3-2feova4;/opt/sw/include",
        "Nov 28 05:00:01 runner spack[123]: [+] 2feova4 hdf5@1.14.3",
    ],
)
def test_hash_is_found_in_every_form_of_log_line(index: Index, line: str) -> None:
    log = f"==> 3 installed packages\n{line}\n".encode()
    answers = list(look_up(index, asked_in_log(io.BytesIO(log), index.packages), offer=False))
    assert [(each.asked.hash[:6], each.asked.line, each.found) for each in answers] == [("2feova", 2, "prefix")]


OF_JOBS = [
    # get_job_name of lib/spack/spack/ci.py from v0.14 to v0.20: with a phase, then without a phase
    ("(specs) hdf5/2feova4 1.14.3 gcc@11.4.0 linux-ubuntu22.04-x86_64_v3 E4S", "hdf5"),
    ("(bootstrap) hdf5/2feova4 1.14.3 linux-ubuntu22.04-x86_64_v3 ", "hdf5"),
    (" hdf5/2feova4 1.14.3 gcc@11.4.0 linux-ubuntu22.04-x86_64_v3", "hdf5"),
    # JOB_NAME_FORMAT of v0.21 and v0.22, of v0.23, of lib/spack/spack/ci/gitlab.py in v1.0 and v1.1
    ("hdf5@1.14.3 /2feova4 %gcc@11.4.0arch=linux-ubuntu22.04-x86_64_v3 E4S", "hdf5@1.14.3"),
    ("hdf5@=1.14.3 /2feova4 %gcc@=11.4.0 arch=linux-ubuntu22.04-x86_64_v3 E4S", "hdf5@=1.14.3"),
    (f"hdf5@1.14.3 /{HASH} E4S", "hdf5@1.14.3"),
    (f"hdf5@develop /{HASH}", "hdf5@develop"),
    ("hdf5@git.abc123=1.14.3 /2feova4 %gcc@11.4.0", "hdf5@git.abc123=1.14.3"),
    ("hdf5@v1.14 /2feova4 %gcc@11.4.0", "hdf5@v1.14"),
    # as GitLab writes them into logs and lists
    ("hdf5 /2feova4 gcc@11.4.0 linux-ubuntu22.04-x86_64_v3 E4S", "hdf5"),
    ("export CI_JOB_NAME='(specs) hdf5/2feova4 1.14.3 gcc@11.4.0 linux-ubuntu22.04-x86_64_v3 E4S'", "hdf5"),
    ('"hdf5@1.14.3 /2feova4 %gcc@11.4.0": {"stage": "stage-3"}', "hdf5@1.14.3"),
    ("[#12345](https://gitlab.spack.io/-/jobs/12345) hdf5@1.14.3 /2feova4 failed", "hdf5@1.14.3"),
    # other formats of these releases: printed stages, nodes of graphs, whole specs
    ("[x] hdf5@1.14.3%gcc@11.4.0/2feova4", "hdf5@1.14.3%gcc@11.4.0"),
    ("[x] hdf5@1.14.3/2feova4%c,cxx=gcc@11.4.0", "hdf5@1.14.3"),
    ("hdf5@@1.14.3/2feova4", "hdf5@@1.14.3"),
    ("hdf5@1.14.3%gcc@11.4.0+mpi build_type=Release arch=linux-ubuntu22.04-zen2/2feova4", "hdf5@1.14.3%gcc@11.4.0+mpi"),
]


@pytest.mark.parametrize(("line", "label"), OF_JOBS)
def test_spec_is_found_by_title_of_ci_job_in_log(index: Index, line: str, label: str) -> None:
    log = f"Running with gitlab-runner 17.0.0\n{line}\n".encode()
    asked = list(asked_in_log(io.BytesIO(log), index.packages))
    assert [(each.hash in HASH, each.label, each.doubtful, each.line) for each in asked] == [(True, label, False, 2)]
    (answer,) = look_up(index, asked, offer=False)
    assert answer.found in ("exact", "prefix") or answer.elsewhere


@pytest.mark.parametrize(
    "line",
    [
        "(specs) hdf5 1.14.3 gcc@11.4.0 linux-ubuntu22.04-x86_64 E4S",  # v0.13, without a hash
        "rebuild-index no-specs-to-rebuild sign-pkgs cleanup copy protected-publish stage-rebuild-index",
        "e4s-generate e4s-neoverse-v2-build ml-linux-x86_64-cpu-generate .generate-x86_64_v4",
        "stage-0 /builds/spack/spack /rebuild hdf5 /signing hdf5 /install and hdf5-1.14.3-rebuild",
        "Created fresh repository. Checking out 2feova4e as detached HEAD (ref is pr51536_develop)",
        "install hdf5@1.14.3 abc2345 somebody@example.org git@github.com/abc2345 /opt/hdf5@1.14.3/release/lib",
        "/tmp/2feova4/lib x-2feova4 hdf5-2feova4-1 /hdf5/2feova4.1 https://host/hdf5@1/abc2345 mpich/2feova4",
        "section_start:1700000000:prepare_executor Preparing the kubernetes executor of hdf5",
    ],
)
def test_words_of_ci_pipelines_are_not_read_as_hashes(index: Index, line: str) -> None:
    asked = asked_in_log(io.BytesIO(f"{line}\n".encode()), index.packages)
    assert list(look_up(index, asked, offer=False)) == []


LOGS = Path(__file__).parents[1] / "search" / "logs"
EXPECTED: dict[str, str] = json.loads((LOGS / "expected.json").read_bytes())


@pytest.mark.parametrize("name", EXPECTED)
def test_real_log_gives_exactly_the_installed_hashes(name: str) -> None:
    tree = index_of_tree(str(LOGS.parents[1] / "queries" / "tree"))
    with open(LOGS / name, "rb") as log:
        answers = list(look_up(tree, asked_in_log(log, frozenset(tree.packages)), offer=False))
    found = [match.spec.hash or "" for each in answers for match in each.matches]
    assert " ".join(sorted(each[:7] for each in found)) == EXPECTED[name]
    assert {each.found for each in answers} <= {"exact", "prefix"}


@pytest.mark.parametrize("name", ["install hdf5-1.14.3-", "2feova4 hdf5@1.14.3: finished\n[+] /opt/hdf5-1.14.3-"])
def test_short_and_full_hash_in_log_give_one_match(index: Index, name: str) -> None:
    log = f"{name}{HASH} spack load /2feov\nzzzzzz2 zlib@1: failed\nzlib@1/zzzzzz2{'z' * 25} and zlib/1-zzzzzz2\n"
    answers = look_up(index, asked_in_log(io.BytesIO(log.encode()), frozenset(index.packages)), offer=False)
    assert [(each.found, each.asked.hash[:7]) for each in answers][:2] == [("exact", HASH[:7]), ("none", "zzzzzz2")]


@pytest.mark.parametrize(
    "words",
    [
        ["[+]  2feova4  hdf5@1.14.3~mpi build_system=cmake"],
        ["[+]", "/opt/lab/hdf5-1.14.3-" + HASH],
        ["2feova4", "hdf5@1.14.3:", "starting"],
        ["==> Installing hdf5-1.14.3-" + HASH + " [3/8]"],
        ["module load hdf5/1.14.3-gcc-12.2.0-2feova4"],
        ["hdf5/1.14.3-2feova4"],
    ],
)
def test_pasted_line_contains_only_one_hash(index: Index, words: list[str]) -> None:
    answers = look_up(index, asked_in(words, frozenset(index.packages)))
    assert [each.matches[0].spec.hash for each in answers] == [HASH]


def test_argument_without_a_hash_does_not_affect_other_arguments() -> None:
    assert [each.hash for each in asked_in(["c-d/e-f", "2feova4", "a-b"])] == ["", "2feova4", ""]


def test_line_numbers_of_hashes_are_correct_in_long_logs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_log, "BLOCK_BYTES", 100)
    lines = [
        f"{'x ' * (k % 90)}{'' if k % 7 else f'/2feov{ALPHABET[k % 32]}{ALPHABET[24 + k % 8]}'}" for k in range(300)
    ]
    wanted: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if "/" in line:
            wanted.setdefault(line.rpartition("/")[2], number)
    found = {each.hash: each.line for each in asked_in_log(io.BytesIO("\n".join(lines).encode()))}
    assert found == wanted


def test_hash_split_between_two_blocks_of_log_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(7)
    wanted = ["".join(chance.choices(ALPHABET, k=32)) for _ in range(40)]
    filler = ("\n", " and so on ", "\x1b[32m-\x1b[0m", "." * 300)
    log = "".join(f"{chance.choice(filler)} hdf5@1.14.3 /{each[:7]} x-{each}" for each in wanted)
    for block in (300, 997, 4096, 1 << 20):
        monkeypatch.setattr(search_log, "BLOCK_BYTES", block)
        assert in_log(log) == wanted


def test_log_with_too_many_hashes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_log, "MAX_HASHES", 3)
    assert len(in_log("/abcdef2 /abcdef3 /abcdef4\n" * 9)) == 3
    with pytest.raises(OverBudgetError, match=r"too many hashes in the log \(limit: 3\)"):
        in_log("/abcdef2 /abcdef3 /abcdef4 /abcdef5")


class Endless(io.RawIOBase):
    """A log of the given number of bytes, generated while it is read."""

    def __init__(self, size: int, line: bytes) -> None:
        self.left = size
        self.block = line * (search_log.BLOCK_BYTES // len(line) + 1)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        room = memoryview(buffer)
        size = min(len(room), self.left, len(self.block))
        self.left -= size
        room[:size] = self.block[:size]
        return size


@pytest.mark.parametrize("line", [b"one line of many, /usr/lib and 12:00\n", b"nolineends"])
def test_long_log_is_read_in_constant_memory(monkeypatch: pytest.MonkeyPatch, line: bytes) -> None:
    monkeypatch.setattr(search_log, "BLOCK_BYTES", 1 << 17)
    log = io.BufferedReader(Endless(10 * search_log.BLOCK_BYTES, line))
    tracemalloc.start()
    try:
        assert list(asked_in_log(log)) == []
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 6 * search_log.BLOCK_BYTES


def test_suggestions_stop_after_a_maximum_number_of_missing_hashes(index: Index) -> None:
    misspelt = "2feovb4prghd2gkebr23if6bojkyydpt"
    asked = list(asked_in([misspelt] * (which.SEARCHED_HASHES + 2)))
    answers = list(look_up(index, asked))
    assert [bool(answer.like) for answer in answers] == [True] * which.SEARCHED_HASHES + [False] * 2
    assert {answer.found for answer in answers} == {"none"}
