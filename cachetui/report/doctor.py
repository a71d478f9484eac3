"""The documents of `doctor`: problems, and who signed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import cast

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


class HealthReport(ListDocument, frozen=True, kw_only=True):
    """A line for each problem."""

    items: Sequence[Problem]
    fields: Sequence[str] = Problem.__struct_fields__
    content: str = ""

    def cases(self) -> Iterator[Case]:
        return problem_cases(self.items)

    def figures(self) -> Iterator[Figures]:
        content, counts = {"content": self.content}, Counter((each.level, each.kind) for each in self.items)
        values = [({**content, "level": level, "kind": kind}, count) for (level, kind), count in counts.items()]
        faults = sum(count for labels, count in values if labels["level"] == "fault")
        yield "doctor_faults", "Faults of a content.", [(content, faults)]
        yield "doctor_problems", "Faults and notes of a content.", values

    def blocks(self, width: int | None) -> Iterator[Block]:
        yield ReportBlock([TitleBlock("The health of the catalogue")])
        rows = [
            [
                each.level,
                f"{each.path}:{each.line}" if each.line else each.path,
                each.kind.replace("_", " "),
                each.message,
            ]
            for each in self.items[: self.limit]
        ]
        columns = ("level", "place", "kind", "message")
        yield TableBlock(columns, rows, headed=False, fold="problem", named=1, alike=(2, 0))


def problem_cases(problems: Iterable[Problem]) -> Iterator[Case]:
    """Yield a case for each problem; a note passes."""
    for each in problems:
        text, reason = f"{each.path}: {each.message}", each.kind if each.level == "fault" else None
        yield Case(command="doctor", name=text, reason=reason, message=text, path=each.path, line=each.line)


class SignerRecord(Signer, frozen=True, kw_only=True):
    """The binaries of one cache that are signed with one key, or those that are not signed."""

    content: str
    """As the user named it."""


class SignerList(ListDocument, frozen=True):
    """A line for each signer."""

    def cases(self) -> Iterator[Case]:
        return signer_cases(cast(Iterable[Signer], self.document()))


def signer_list(signers: Sequence[Signer], limit: int | None, places: Places) -> SignerList:
    """Return a document of who signed, in tables and CSV at most `limit` of them."""
    as_json, fields = partial(places.record, SignerRecord), Signer.__struct_fields__
    return SignerList(signers, fields, right=(5,), shrinking=(6,), as_json=as_json, limit=limit)


def signer_cases(signers: Iterable[Signer]) -> Iterator[Case]:
    """Yield a case for each signer; one whose key is published passes."""
    for each in signers:
        who = f"signed with {each.key or 'an unnamed key'}" if each.signed else "not signed"
        name = f"{mirror_name(CacheName(each.tag, each.stack))}: {who}"
        reason = None if each.published else "unpublished" if each.signed else "unsigned"
        message = f"{name}: {plural(each.specs, 'spec')}, the first is {each.first}"
        yield Case(command="doctor", name=name, reason=reason, message=message, path=each.first)
