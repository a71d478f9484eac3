"""The documents of `doctor`: problems, and who signed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from cachetui.model.problem import Problem, Signer
from cachetui.report.formats import (
    Block,
    Case,
    Figures,
    ListDocument,
    ReportBlock,
    TableBlock,
    TitleBlock,
)
from cachetui.report.places import Places
from cachetui.safe_text import plural
from cachetui.search.availability import CacheName, mirror_name


class JudgedList(ListDocument, frozen=True, kw_only=True):
    """A line for each item; `items` are perhaps not all of those that the cases are of."""

    cases: Callable[[], Iterator[Case]]


class HealthReport(JudgedList, frozen=True, kw_only=True):
    """A line for each problem."""

    problems: Sequence[Problem]
    content: str

    def figures(self) -> Iterator[Figures]:
        content, counts = {"content": self.content}, Counter((each.level, each.kind) for each in self.problems)
        values = [({**content, "level": level, "kind": kind}, count) for (level, kind), count in counts.items()]
        faults = sum(count for labels, count in values if labels["level"] == "fault")
        yield "doctor_faults", "Faults of a content.", [(content, faults)]
        yield "doctor_problems", "Faults and notes of a content.", values


def health_document(problems: Sequence[Problem], content: str = "", limit: int | None = None) -> HealthReport:
    """Return a document of the problems of a content, at most `limit` of them in a list."""
    items, columns = problems[:limit], ("level", "place", "kind", "message")
    rows = [
        [each.level, f"{each.path}:{each.line}" if each.line else each.path, each.kind.replace("_", " "), each.message]
        for each in items
    ]
    blocks: list[Block] = [
        ReportBlock([TitleBlock("The health of the catalogue")]),
        TableBlock(columns, rows, headed=False, fold="problem", named=1, alike=(2, 0)),
    ]
    return HealthReport(
        items,
        Problem.__struct_fields__,
        shown=lambda _: blocks,
        cases=partial(problem_cases, problems),
        problems=problems,
        content=content,
    )


def problem_cases(problems: Iterable[Problem]) -> Iterator[Case]:
    """Yield a case for each problem; a note passes."""
    for each in problems:
        text, reason = f"{each.path}: {each.message}", each.kind if each.level == "fault" else None
        yield Case(command="doctor", name=text, reason=reason, message=text, path=each.path, line=each.line)


class SignerRecord(Signer, frozen=True, kw_only=True):
    """The binaries of one cache that are signed with one key, or those that are not signed."""

    content: str
    """As the user named it."""


def signer_list(signers: Sequence[Signer], limit: int | None, places: Places) -> JudgedList:
    """Return a document of who signed, at most `limit` of them in a list."""
    items, as_json = signers[:limit], partial(places.record, SignerRecord)
    cases = partial(signer_cases, signers)
    return JudgedList(items, Signer.__struct_fields__, right=(5,), shrinking=(6,), as_json=as_json, cases=cases)


def signer_cases(signers: Iterable[Signer]) -> Iterator[Case]:
    """Yield a case for each signer; one whose key is published passes."""
    for each in signers:
        who = f"signed with {each.key or 'an unnamed key'}" if each.signed else "not signed"
        name = f"{mirror_name(CacheName(each.tag, each.stack))}: {who}"
        reason = None if each.published else "unpublished" if each.signed else "unsigned"
        message = f"{name}: {plural(each.specs, 'spec')}, the first is {each.first}"
        yield Case(command="doctor", name=name, reason=reason, message=message, path=each.first)
