"""Expected specs: names, and the expanded specs of a `spack.yaml`."""

from collections.abc import Sequence
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.environments import manifest
from cachetui.environments.files import FileError
from cachetui.environments.manifest import read_spec
from cachetui.environments.wanted import Expectations
from cachetui.model.host import Host
from cachetui.query.parser import QueryError
from tests.support.environments import parse

ENVIRONMENT = """\
spack:
  view: false
  definitions:
  - compilers: ['%gcc@11.4', '%clang']
  - mpis: [mpich, openmpi]
  - packages: [hdf5+mpi, zlib]
    when: arch.satisfies('target=x86_64:')
  - packages: [zfp cuda_arch=80]
  specs:
  - $packages
  - boost@1.80 ^zlib
  - matrix:
    - [$packages]
    - [$^mpis]
    - [$compilers]
    exclude: ['hdf5 %gcc@11 ^mpich', zfp, 'zlib ^openmpi', '%clang ^openmpi']
"""


TENS = "- d0: [zlib]\n" + "".join(f"- d{number + 1}: {[f'$d{number}'] * 10}\n" for number in range(7))


def texts(found: Expectations) -> list[str]:
    return [entry.text for entry in found.entries]


PIECES = (
    *("+mpi", "~shared", "%gcc@11", "%c=clang", "^openmpi", "^zlib+pic", "target=x86_64_v4", "@1.2", "/abc"),
    *("cflags=-O2", "%cmake", "%%gcc", "++pic"),
)


@given(st.lists(st.sampled_from(PIECES), unique=True))
def test_root_of_environment_survives_printing_and_parsing(pieces: Sequence[str]) -> None:
    with suppress(QueryError):
        query = read_spec(["hdf5", *pieces], {})
        assert read_spec([str(query)], {}) == query


def test_specs_of_manifest_are_expanded_into_queries() -> None:
    found = parse(ENVIRONMENT, host=Host.parse("linux-ubuntu22.04-zen3")).answerable(has_graph=False)
    assert texts(found) == [
        "hdf5+mpi",
        "zlib",
        "zfp cuda_arch=80",
        "boost@1.80",
        "hdf5 +mpi %llvm",
        "hdf5 +mpi %gcc@11.4",
        "zlib %gcc@11.4",
        "zlib %llvm",
    ]
    assert ["of 5 specs" in note for note in found.notes] == [True]


def test_dependencies_in_expected_specs_are_compared_if_recorded() -> None:
    found = parse(ENVIRONMENT, host=Host.parse("linux-ubuntu22.04-zen3")).answerable(has_graph=True)
    assert texts(found)[3:6] == ["boost@1.80 ^zlib", "hdf5 +mpi %llvm ^mpich", "hdf5 +mpi %gcc@11.4 ^openmpi"]
    assert not found.notes
    assert [entry.fault for entry in parse("hdf5 ^mpich os=x os=y").entries] == [
        "os=y contradicts os=x (column 18); expected only one of them, because a spec must match all terms"
    ]


HOST = Host.parse("linux-rhel9-zen3")


@pytest.mark.parametrize(
    ("condition", "met"),
    [
        ("os == 'rhel9'", True),
        ("os in ['rhel8', 'rhel9'] and platform != 'darwin'", True),
        ("target == 'zen4' or not target == 'zen3'", False),
        ("arch.satisfies('target=x86_64_v3:')", True),
        ("arch.satisfies('target=aarch64:')", False),
        ("arch.satisfies('zen3')", False),
        ("arch.satisfies('x86_64:')", None),
        ("'os=' in arch_str", None),
        ("'zen3' in arch_str", True),
        ("any(x in hostname for x in ['login', 'front'] if x)", True),
        ("'rhel9' if platform == 'linux' else ''", True),
        ("int(os[4:]) >= 8 and len(target.split('z')) == 2", True),
        ("(os, target) == ('rhel9', 'zen3')", True),
        (r"re.match('LOGIN[0-9]+[.]', hostname, re.I) is not None", True),
        ("re.search('(l+)+x', hostname)", None),  # exponential
        ("re.search('.*.*.*.*.*x', hostname)", None),
        ("env.get('CACHETUI_TEST', '') == 'on'", True),
        ("env['CACHETUI_TEST'] == 'off'", False),
        ("'CACHETUI_NOWHERE' in env", False),
        ("env['CACHETUI_NOWHERE'] == 'x'", None),
        ("hostname == 'no host of this name'", False),
        ("re.search('x', hostname)", True),
        ("os == 'rhel8' and re.search('(x)+', hostname)", False),
        ("os == 'rhel9' or nothing", True),
        ("__import__('os').system('true')", None),
        ("(" * 500, None),
        ("", None),
        ("True" + " " * 2000 + "and False", None),  # too long
    ],
)
def test_condition_of_manifest_definition_is_evaluated_for_the_host(
    monkeypatch: pytest.MonkeyPatch, condition: str, met: bool | None
) -> None:
    monkeypatch.setenv("CACHETUI_TEST", "on")
    monkeypatch.setattr("socket.gethostname", lambda: "login1.example.org")
    text = f'definitions: [{{more: [zlib], when: "{condition}"}}, {{more: [hdf5]}}]\nspecs: [$more]\n'
    found = parse(text, host=HOST)
    assert found.notes == ((f"$more when {condition} is not applied",) if met is None else ())
    assert texts(found) == ["zlib"] * (met is True) + ["hdf5"]
    assert not parse(text.replace("[$more]", "[zlib]"), host=HOST).notes


def test_matrix_rows_of_manifest_give_same_specs_in_any_order() -> None:
    found = parse("specs:\n- matrix:\n  - ['%gcc']\n  - ['@1.2', '@1.3']\n  - [cmake, cuda_arch=80]\n")
    assert [str(entry.query) for entry in found.entries if entry.query] == ["cmake@1.2 %gcc", "cmake@1.3 %gcc"]
    assert [entry.fault for entry in found.entries if not entry.query] == ["the package name is missing"] * 2


@pytest.mark.parametrize(
    ("spec", "excluded", "stays"),
    [
        ("zlib@1.14", "@1.10:1.16", False),
        ("zlib@1.14:", "@1.10:1.16", True),
        ("zlib@1.14", "@=1.14", True),
        ("zlib@=1.14.1", "@1.14", False),
        ("zlib %gcc@11.4", "%gcc@11", False),
        ("zlib %gcc", "%gcc@11", True),
        ("zlib +pic", "+pic", False),
        ("zlib +pic", "~pic", True),
        ("zlib cuda_arch=70,80", "cuda_arch=80", False),
        ("zlib target=zen4", "target=zen4", False),
        ("zlib target=zen4", "target=x86_64_v3:", True),  # without the colon, see ENVIRONMENTS 1.1
        ("zlib target=zen4", "zlib@: target=x86_64_v3:", True),
        ("zlib@1 target=zen4", "@: target=x86_64_v3:", False),
        ("zlib", "target=zen4", True),
        ("zlib", "^mpich", True),
    ],
)
def test_manifest_matrix_omits_its_excluded_specs(spec: str, excluded: str, stays: bool) -> None:
    text = f"specs:\n- other\n- matrix:\n  - ['{spec}']\n  exclude: ['{excluded}']\n"
    assert (len(parse(text).entries) == 2) is stays


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file has no spec"),
        ("spack:\n  specs: hdf5", "the file has no list of specs: write 'specs:"),
        ("spack: [a", "the YAML cannot be read: .* in line 2"),
        (
            "specs:\n- $mpi\ndefinitions:\n- mpis: [mpich]\n",
            r"\$mpi is used before its definition.*; did you mean \$mpis\?",
        ),
        ("specs:\n- $a\ndefinitions:\n- a: [$b]\n- b: [$a]\n", r"\$b is used before its definition"),
        ("specs:\n- hdf5@1:\n", "hdf5@1 is not a spec or a matrix: quote specs"),
        ("specs:\n- matrix: [hdf5]\n", "a row of a matrix is not a list"),
        ("specs: &s\n- matrix: [*s]\n", "the YAML cannot be read: .* in line 1"),
        (f"definitions:\n{TENS}specs: [$d7]\n", "too many specs from definitions"),
        ("specs: [{matrix: [[hdf5, zlib]], excludes: [zlib]}]", "a matrix must have only the keys matrix and exclude"),
        (f"specs:\n- matrix: {[['a', 'b']] * 20}\n  exclude: [a, b]\n", "too many specs in this environment"),
    ],
)
def test_manifest_without_valid_specs_is_refused(monkeypatch: pytest.MonkeyPatch, text: str, message: str) -> None:
    monkeypatch.setattr(manifest, "MAX_SPECS", 1_000)
    with pytest.raises(FileError, match=message):
        parse(text)


def test_values_from_different_matrix_rows_are_separated_by_spaces() -> None:
    found = parse("specs: [matrix: [[os=rhel8], [trilinos+mpi]]]")
    assert texts(found) == ["trilinos +mpi os=rhel8"]
