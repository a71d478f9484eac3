"""What there is of each thing that is expected, in one line.

Input: the verdicts of the engine and the index that they are of.
"""

from __future__ import annotations

from collections.abc import Sequence

from cachetui.analysis.expectations import Verdict, VerdictKind
from cachetui.report.formats import Table
from cachetui.search.index import Index

VERDICTS: tuple[VerdictKind, ...] = ("missing", "differs", "unreadable", "covered")
"""What is missing first, what is covered last."""


def verdict_table(verdicts: Sequence[Verdict], index: Index) -> Table:
    """The verdicts for people, those first that something should be done about."""
    ordered = sorted(verdicts, key=lambda verdict: VERDICTS.index(verdict.kind))
    rows = [(each.kind, str(each.specs), each.expectation.text, _remark(each, index)) for each in ordered]
    return Table(("verdict", "specs", "expected", "remark"), rows, right=(1,))


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
    seen = f"last seen in {verdict.last_seen}; " if verdict.last_seen else ""
    return f"{seen}nearest: {spec.package}@{spec.version or '?'} /{(spec.hash or '')[:7]} has {differences}"
