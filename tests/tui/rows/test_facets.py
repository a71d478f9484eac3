"""The facets as rows: which of many values are shown, and where they stand."""

from __future__ import annotations

from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.tui.rows.facets import FacetRows
from tests.support.rows import index_of, row

STACKS = "abcdefghijkl"
"""The first has the most specs."""


def many() -> Index:
    rows = [
        row(hash=f"{k:x}{number:x}".rjust(32, "a"), stacks=[stack], os="late" if stack in "kl" else "early")
        for number, stack in enumerate(STACKS)
        for k in range(len(STACKS) - number)
    ]
    return index_of(rows)


def stacks(query: str) -> list[str]:
    """The lines of the stacks, without their counts."""
    rows = FacetRows(Results.of(many(), Query.parse(query)), room=0)
    names = [line.cells[0] for (facet, value), line in rows.lines if facet == "stack" and value is not None]
    return [(name if isinstance(name, str) else name.text).strip() for name in names]


def test_a_value_that_falls_to_zero_stays_in_its_place_where_values_are_folded() -> None:
    assert stacks("") == ["a", "b", "c", "9 more"]
    assert stacks("os=late") == ["a", "b", "c", "k", "l", "7 more"]
    assert stacks("stack=l") == ["a", "b", "c", "+ l", "8 more"]
    assert stacks("os=early") == ["a", "b", "c", "9 more"]


def test_counts_that_are_alike_have_bars_of_one_length_in_all_facets() -> None:
    lines = FacetRows(Results.of(many(), Query.parse("stack=l")), room=99, bar_width=12).lines
    drawn = {key: [cell if isinstance(cell, str) else cell.text for cell in line.cells][1:] for key, line in lines}
    assert drawn["stack", "l"] == drawn["os", "late"]
    assert drawn["stack", "l"][0] == "1"
    assert drawn["stack", "l"][1].strip()


def test_the_heading_of_a_facet_with_a_filter_says_that_each_value_counts_alone() -> None:
    """Else the count of a stack and that in the title are two numbers for one thing, as it seems."""
    both = [["a", "b"], ["a"], ["b"]]
    index = index_of([row(hash=f"{k}".rjust(32, "a"), stacks=stacks) for k, stacks in enumerate(both)])

    def heading(query: str, width: int = 26) -> str:
        rows = FacetRows(Results.of(index, Query.parse(query)), room=99, width=width)
        cell = next(line.cells[0] for key, line in rows.lines if key == ("stack", None))
        return cell if isinstance(cell, str) else cell.text

    for query in ("stack=a stack!=b", "stack=a", "stack=a,b", "stack!=b", "os!=rhel8 stack=a"):
        assert heading(query) == "stack (2), if ticked alone", query
    assert heading("stack=a", 80) == "stack (2), any that is ticked will do, counts as if ticked alone"
    assert heading("stack!=a", 80) == "stack (2), counts as if ticked alone"
    for query in ("", "os!=rhel8"):
        assert heading(query, 80) == "stack (2)", query


def test_a_value_of_which_another_one_leaves_nothing_is_dimmed_with_its_number() -> None:
    stacks = [["a", "b"], ["a", "c"], ["c"], ["a"]]
    index = index_of([row(hash=f"{k}".rjust(32, "a"), stacks=each) for k, each in enumerate(stacks)])

    def drawn(query: str) -> dict[str | None, tuple[str, str]]:
        lines = FacetRows(Results.of(index, Query.parse(query)), room=99).lines
        cells = {value: line.cells for (facet, value), line in lines if facet == "stack" and value}
        return {key: (cell[0].tone, cell[1].text) for key, cell in cells.items()}  # type: ignore[union-attr]  # no strings

    assert drawn("") == {"a": ("", "3"), "b": ("", "1"), "c": ("", "2")}
    assert drawn("stack!=a") == {"a": ("cross", "3"), "b": ("dim", "1"), "c": ("", "2")}
    assert drawn("stack!=a os=amzn2")["c"] == ("dim", "0")


def test_names_that_are_cut_to_the_same_are_cut_elsewhere() -> None:
    stacks = [f"developer-tools-{machine}-linux-gnu" for machine in ("aarch64", "x86_64", "x86_64_v3")]
    index = index_of([row(hash=f"{k}".rjust(32, "a"), stacks=[stack]) for k, stack in enumerate([*stacks, "e4s"])])

    def shown(width: int) -> list[str]:
        lines = FacetRows(Results.of(index, Query()), room=99, name_width=width).lines
        cells = [line.cells[0] for (facet, value), line in lines if facet == "stack" and value is not None]
        return sorted((cell if isinstance(cell, str) else cell.text).strip() for cell in cells)

    assert shown(0) == shown(40) == sorted([*stacks, "e4s"])
    narrow = shown(22)
    assert len(set(narrow)) == len(narrow)
    assert max(map(len, narrow)) == 20
    assert "e4s" in narrow
