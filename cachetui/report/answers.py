"""The answers of `which` in every format, and the lines that say why a query takes nothing.

Results are for standard output, lines of talk for standard error; the caller decides what goes where.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from cachetui.analysis.lookup import Answer, Match
from cachetui.explain.nearest import NearestBuild
from cachetui.explain.unknown import listed
from cachetui.explain.why import Explanation, left_out
from cachetui.model.problem import UNREAD
from cachetui.model.spec import Spec
from cachetui.query.query import Query
from cachetui.report import paste, report
from cachetui.search.index import Index

HEADER = ("shortest", "hash", "package", "version", "compiler", "os", "target", "stacks", "tags")

_SHOWN = 2
"""So many stacks and tags a terminal shows of each hash; elsewhere all of them stand there."""

_NAMED = 5
"""So many of the missing hashes of a log are named."""


def which_text(answers: Sequence[Answer], form: str, limit: int | None, *, terminal: bool) -> Iterator[str]:
    """The hashes that were found, at most `limit`; as JSON every answer with all that is known."""
    if form == "json":
        yield report.json_text([_document(answer, limit) for answer in answers])
        return
    found = [(answer, match) for answer in answers for match in answer.matches][:limit]
    if form == "csv":
        yield report.csv_line(("asked", "found", "shortest", *report.FIELDS))
        for answer, match in found:
            fields = (report.field_text(match.spec, field) for field in report.FIELDS)
            yield report.csv_line((answer.asked.text, answer.found, match.shortest, *fields))
        return
    rows = [_cells(match, terminal=terminal) for _, match in found]
    yield from report.markdown_table(HEADER, rows) if form == "markdown" else report.text_table(None, rows)


def which_notes(answers: Sequence[Answer], *, log: bool) -> Iterator[str]:
    """What is to be said of hashes that are missing or ambiguous; of those of a log only how many there are."""
    missing = [answer for answer in answers if answer.found == "none"]
    for answer in answers:
        if answer.found == "ambiguous":
            yield f"{answer.asked.text} is ambiguous: {answer.hashes} hashes begin so"
        if answer.unknown:
            yield f"{answer.asked.text} is found by its hash alone: {answer.unknown.phrase}"
    if log:
        if missing:
            names = listed([answer.asked.text for answer in missing], _NAMED)
            yield f"{len(missing)} of {len(answers)} hashes are not in the catalogue: {names}"
        elif not answers:
            yield "no hash in the log: 32 letters a-z and 2-7, or 7 and more of them behind a /"
        return
    for answer in missing:
        yield from _miss(answer)


def nothing_found(index: Index, explanation: Explanation) -> Iterator[str]:
    """Why a query takes nothing, the nearest values in the first line; nothing of a catalogue without a page."""
    if not index.columns.page_path:
        return
    unknown = "; ".join(value.phrase for value in explanation.unknown)
    yield f"nothing found: {unknown or 'no spec meets every part of the query'}"
    if len(explanation.without) > 1:
        helpful = [each for each in explanation.without if each.specs]
        for each in helpful:
            there = (
                f" ({listed(each.instead)} {'is' if len(each.instead) == 1 else 'are'} there)" if each.instead else ""
            )
            yield f"  {_specs(each.specs)} without {each.part.text}{there}"
        if not helpful:
            yield "  nothing either without any one part: two or more stand in the way"
    for build in explanation.nearest:
        yield f"  nearest: {_build(index, build)}"
    if damaged := len({problem.path for problem in index.problems if problem.kind in ("unreadable", UNREAD)}):
        yield f"  {damaged:,} page{'s' if damaged > 1 else ''} cannot be read in full: doctor lists what is wrong"


def left_out_notes(index: Index, query: Query) -> Iterator[str]:
    """What the host of a query leaves out because nobody can tell whether it runs there, in one line."""
    unknown = [each.text for each in left_out(index, query) if each.kind == "unknown"]
    if unknown:
        yield f"left out: {listed(unknown)}"


def _document(answer: Answer, limit: int | None) -> dict[str, object]:
    near = [match.spec for match in (*answer.elsewhere, *answer.like, *answer.builds)]
    specs = [match.spec for match in answer.matches[:limit]]
    return {"asked": answer.asked.text, "found": answer.found, "specs": specs, "near": near}


def _cells(match: Match, *, terminal: bool) -> list[str]:
    spec = match.spec
    fields = (spec.hash, spec.package, spec.version, spec.compiler, spec.os, spec.target)
    most = _SHOWN if terminal else None
    return [f"/{match.shortest}", *(field or "-" for field in fields), _few(spec.stacks, most), _few(spec.tags, most)]


def _few(values: Sequence[str], most: int | None) -> str:
    beyond = f"+{len(values) - most}" if most is not None and len(values) > most else ""
    return ",".join(values[:most]) + beyond or "-"


def _miss(answer: Answer) -> Iterator[str]:
    asked = answer.asked
    if answer.elsewhere:
        owners = list(dict.fromkeys(_name(match.spec) for match in answer.elsewhere))
        yield f"{asked.hash} belongs to {listed(owners)}, not to {asked.label}"
    else:
        yield f"no hash {asked.hash} in the catalogue" if asked.hash else f"there is no hash in {asked.text!r}"
    for match in answer.elsewhere:
        yield f"  it: {_line(match.spec)}"
    for match in answer.like:
        yield f"  like it: {_line(match.spec)}"
    for match in answer.builds:
        yield f"  a build near it: {_line(match.spec)}"


def _line(spec: Spec) -> str:
    fields = (spec.compiler, spec.os, spec.target, spec.tag)
    return " ".join((f"/{spec.hash}", _name(spec), *(field or "-" for field in fields)))


def _name(spec: Spec) -> str:
    return f"{spec.package}@{spec.version}" if spec.version else spec.package


def _build(index: Index, build: NearestBuild) -> str:
    spec = index.spec(build.row)
    word = paste.hash_word(spec)
    # another name is plain to see
    differences = "; ".join(each.phrase for each in build.differences if each.part.key != "name")
    return " ".join(filter(None, (_name(spec), word and word[:8], differences and f"has {differences}")))


def _specs(count: int) -> str:
    return f"{count} spec{'' if count == 1 else 's'}"
