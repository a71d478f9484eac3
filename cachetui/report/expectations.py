"""What there is of each thing that is expected, in one line.

Input: the verdicts of `analysis.expectations` and the index that they are of.
"""

from __future__ import annotations

from collections.abc import Sequence

from cachetui.analysis.expectations import Verdict, VerdictKind
from cachetui.report.formats import TableBlock
from cachetui.report.markdown import Code
from cachetui.search.index import Index

VERDICTS: tuple[VerdictKind, ...] = ("missing", "differs", "unreadable", "covered")
"""What is missing first, what is covered last."""


COLUMNS = ("verdict", "specs", "expected", "stacks", "last_seen", "remark")


def verdict_table(verdicts: Sequence[Verdict], index: Index, limit: int | None = None, nothing: str = "") -> TableBlock:
    """At most `limit` verdicts, those first that something should be done about.

    A stack stands with the number of its specs that meet what is expected; `nothing` stands where there is nothing.
    """
    ordered = sorted(verdicts, key=lambda verdict: VERDICTS.index(verdict.kind))[:limit]
    rows = [[cell or nothing for cell in _cells(verdict, index)] for verdict in ordered]
    return TableBlock(COLUMNS, rows, right=(1,), shrinking=(2, 3, 5))


def _cells(verdict: Verdict, index: Index) -> Sequence[str]:
    stacks = " ".join(f"{stack}:{specs}" for stack, specs in verdict.stacks.items() if specs)
    text, seen = Code(verdict.expectation.text), verdict.last_seen or ""
    return verdict.kind, str(verdict.specs), text, stacks, seen, _remark(verdict, index)


def verdict_document(verdict: Verdict, index: Index) -> object:
    """A verdict for JSON."""
    return {
        "spec": verdict.expectation.text,
        "verdict": verdict.kind,
        "required": verdict.expectation.required,
        "specs": verdict.specs,
        "stacks": verdict.stacks,
        "last_seen": verdict.last_seen,
        "nearest": index.spec(verdict.nearest.row) if verdict.nearest else None,
        "remark": _remark(verdict, index),
    }


def _remark(verdict: Verdict, index: Index) -> str:
    """Why an expectation cannot be read, or what the nearest build has instead; empty where it is covered."""
    if verdict.nearest is None:
        return verdict.expectation.fault
    spec = index.spec(verdict.nearest.row)
    differences = "; ".join(each.phrase for each in verdict.nearest.differences)
    return f"nearest: {spec.package}@{spec.version or '?'} /{(spec.hash or '')[:7]} has {differences}"
