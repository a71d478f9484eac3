"""Installations, compared with Spack: every recorded answer of `find`, `gc` and `dependents`."""

import re
from typing import Any

import pytest

from cachetui.query.query import Query
from cachetui.search.index import Index
from tests.support.installs import TREES, answers, index_of

FLAGS = {
    (): "",
    ("-x",): "explicit=yes",
    ("-X",): "explicit=no",
    ("-M",): "installed=missing",
    ("-m",): "installed=yes,missing",
    ("-e",): "installed=external",
    ("--deprecated",): "installed=yes,deprecated",
    ("--only-deprecated",): "installed=deprecated",
    ("--install-tree", "local"): "stack=local",
    ("--install-tree", "upstream"): "stack!=local",
    ("--install-tree", "site"): "stack=site",
}
"""The query for each combination of options of `spack find`."""

WITHOUT_MEANING = {"-l", "-L", "-lv", "-I", "-N", "-f", "--no-groups", "--specfile-format"}
"""Options that change only the output format of `spack find`."""

RECIPES = {"zlib-api", "mpi"}
"""Virtual packages: recipes name all their providers, edges only those in use."""

HASH = re.compile(r"^\s*(?:\[.\]\s+)?([a-z2-7]{7,32}) ", re.MULTILINE)


def hashes(index: Index, text: str) -> list[str]:
    return sorted({index.hash_of(row) for row in index.rows(Query.parse(text, has_graph=True))})


def cases(kind: str, command: str = "") -> list[Any]:
    """Return each request with its tree, if the version of Spack that wrote the tree supports the request."""
    return [
        pytest.param(tree, each, id=" ".join((name, each.get("query", ""), *each.get("flags", each.get("argv", ())))))
        for name, tree in TREES.items()
        for each in answers(name)[kind]
        if each["exit"] != 2 and command in each.get("argv", [command])
    ]


@pytest.mark.parametrize(("tree", "asked"), cases("queries"))
def test_queries_select_same_specs_as_spack(tree: str, asked: dict[str, Any]) -> None:
    if '"' in asked["query"] or (tree == "0.21.3" and "namespace=" in asked["query"]):
        return  # Spack read the quotes as characters of the flags; 0.21 did not know this key
    form = FLAGS[tuple(asked["flags"])]
    found = hashes(index_of(tree), f"{asked['query']} {form}")
    assert found == asked["hashes"] or (asked["query"] in RECIPES and {*found} < {*asked["hashes"]})


@pytest.mark.parametrize(("tree", "asked"), cases("commands", "find"))
def test_find_lists_same_specs_as_spack_find(tree: str, asked: dict[str, Any]) -> None:
    *environment, _ = asked["argv"][: asked["argv"].index("find") + 1]
    flags = asked["argv"][len(environment) + 1 :]
    combined = {"-lm": "-m", "-lM": "-M", "-lx": "-x", "-lc": ""}
    form = tuple(combined.get(flag, flag) for flag in flags if flag not in WITHOUT_MEANING)
    if not HASH.search(asked["stdout"] if isinstance(asked["stdout"], str) else "") or form not in FLAGS:
        return  # answers without hashes, by date or in another format: see `test_queries_select_same_specs_as_spack`
    text = f"{FLAGS[form]} {''.join(f'env={name}' for name in environment[1:])}"
    found = [each[:7] for each in hashes(index_of(tree), text)]
    assert found == sorted({each[:7] for each in HASH.findall(asked["stdout"])})


def test_install_states_of_specs_match_those_in_spack() -> None:
    """Difficult cases: deprecated in favour of itself, uninstalled by force, removed prefix, external, upstream."""

    def states(tree: str) -> dict[str, set[str]]:
        index = index_of(tree)
        found: dict[str, set[str]] = {}
        for row in index.all_rows:
            spec = index.spec(row)
            found.setdefault(spec.state or "", set()).add(spec.package)
        return {state: found[state] for state in ("gone", "missing", "deprecated") if state in found}

    assert states("0.16.3") == {"missing": {"readline"}, "deprecated": {"libpng", "zlib"}}
    assert states("0.23.1") == {"gone": {"bzip2"}, "missing": {"ncurses"}, "deprecated": {"zlib"}}
    assert states("1.1.0") == {
        "gone": {"oniguruma"},
        "missing": {"ncurses", "m4", "bison", "libsigsegv"},
        "deprecated": {"libpng"},
    }
    assert states("reindexed-0.21.3") == {"missing": {"ncurses"}, "deprecated": {"libpng", "zlib-ng"}}
