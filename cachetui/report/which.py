"""The output of `which`: the facts about each hash, and notes on missing hashes."""

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from cachetui.analysis.which import FoundKind, LookupAnswer, Match
from cachetui.model.spec import Spec
from cachetui.model.tags import gone_since
from cachetui.report.formats import Block, TableBlock, cell_text
from cachetui.report.specs import FIELDS, Places, SpecRecord, spec_name, with_spans
from cachetui.safe_text import listed, plural

COLUMNS = ("shortest", "hash", "package", "version", "compiler", "os", "target", "stacks", "tags")

_MAX_NAMED_HASHES = 5
"""Maximum number of removed hashes, or of missing hashes from a log, that a note names."""


class MatchRecord(SpecRecord, frozen=True, kw_only=True):
    """A spec, and the shortest prefix of its hash that no other hash begins with."""

    shortest: str
    gone_since: str | None
    """The first snapshot after the spec was removed, or `now`. None if the spec still exists, or is in no snapshot."""


class AnswerRecord(Struct, frozen=True):
    """The facts about one hash."""

    asked: str
    found: FoundKind
    specs: Sequence[MatchRecord]
    near: Sequence[MatchRecord]
    """Specs with a similar hash or of the same package, if the hash is missing."""
    line: int | None
    """The line number in a log, counted from 1; None if the hash is an argument."""


class LookupReport(Struct, frozen=True):
    """The facts about all hashes, in all formats. Only JSON and CSV list missing hashes."""

    answers: Sequence[LookupAnswer]
    with_signature: Callable[[Spec], Spec]
    places: Places
    snapshots: Sequence[str] = ()
    """All snapshots."""

    @property
    def found(self) -> list[tuple[LookupAnswer, Match]]:
        """All specs that were found. Each pair has the result for a hash, and a spec with this hash."""
        return [(answer, match) for answer in self.answers for match in answer.matches]

    def document(self) -> list[AnswerRecord]:
        return [self._answer(answer) for answer in self.answers]

    def _answer(self, answer: LookupAnswer) -> AnswerRecord:
        near = [self._spec(match) for match in (*answer.elsewhere, *answer.like, *answer.builds)]
        return AnswerRecord(
            answer.asked.text, answer.found, [self._spec(match) for match in answer.matches], near, answer.asked.line
        )

    def _spec(self, match: Match) -> MatchRecord:
        spec, gone = self.with_signature(match.spec), gone_since(match.spec.tags, self.snapshots)
        return self.places.record(MatchRecord, spec, shortest=match.shortest, gone_since=gone)

    def records(self) -> TableBlock:
        rows = [
            (
                *(answer.asked.text, answer.found, match.shortest),
                *(cell_text(getattr(spec, field)) for field in FIELDS),
                cell_text(gone_since(spec.tags, self.snapshots)),
            )
            for answer, match in self.found
            for spec in [self.with_signature(match.spec)]
        ]
        nothing = ("",) * (2 + len(FIELDS))
        rows += [(answer.asked.text, answer.found, *nothing) for answer in self.answers if not answer.matches]
        return TableBlock(("asked", "found", "shortest", *FIELDS, "gone_since"), rows)

    def blocks(self, width: int | None) -> Iterator[Block]:
        columns = (*COLUMNS, "state") if any(match.spec.state for _, match in self.found) else COLUMNS
        yield TableBlock(
            columns, (_cells(match, columns, self.snapshots) for _, match in self.found), headed=False, shrinking=(7, 8)
        )  # stacks and tags may be too many for a line


def lookup_notes(answers: Sequence[LookupAnswer], *, log: bool, snapshots: Sequence[str] = ()) -> Iterator[str]:
    """Yield notes on removed, missing or ambiguous hashes. With `log`, one note summarizes the missing hashes.

    `snapshots`: all snapshots, which show when a hash was removed.
    """
    gone = [
        (match.shortest, match.spec, since)
        for answer in answers
        for match in answer.matches
        if (since := gone_since(match.spec.tags, snapshots))
    ]
    for shortest, spec, since in gone[:_MAX_NAMED_HASHES]:
        yield f"/{shortest} {spec_name(spec)}: removed since {since}; it was in {', '.join(spec.stacks) or 'no stack'}"
    if gone[_MAX_NAMED_HASHES:]:
        yield f"{plural(len(gone[_MAX_NAMED_HASHES:]), 'more hash')} removed: to list all, give --format json"
    missing = [answer for answer in answers if answer.found == "none"]
    recorded = [answer.matches[0].spec for answer in answers if answer.found == "recorded"]
    if recorded:
        names = listed([f"/{spec.hash:.7} {spec_name(spec)} ({spec.state})" for spec in recorded], _MAX_NAMED_HASHES)
        yield f"in the index, but without a binary: {names}"
    for answer in answers:
        if answer.found == "ambiguous":
            yield f"{answer.asked.text} is ambiguous: {answer.hashes} hashes begin with it"
    if log:
        for answer in missing:
            if answer.tags or answer.elsewhere:
                yield _place_of(answer)
        if missing:
            names = listed([f"{each.asked.text} (line {each.asked.line})" for each in missing], _MAX_NAMED_HASHES)
            yield f"{len(missing):,} of {len(answers):,} hashes are missing: {names}"
        elif not answers:
            yield "no hash in the log: expected a whole hash (32 characters), /2feova4, or 2feova4 in front of a spec"
        return
    for answer in missing:
        yield from _miss(answer)


def _cells(match: Match, columns: Sequence[str], snapshots: Sequence[str]) -> list[str]:
    spec = with_spans(match.spec, snapshots)
    return [f"/{match.shortest}", *(cell_text(getattr(spec, field)) or "-" for field in columns[1:])]


def _miss(answer: LookupAnswer) -> Iterator[str]:
    asked = answer.asked
    if answer.tags or answer.elsewhere:
        yield _place_of(answer)
    else:
        is_package = any(match.spec.package == asked.hash for match in answer.builds)
        missing = f"{asked.hash} is a package, not a hash" if is_package else f"no hash {asked.hash} in this content"
        yield missing if asked.hash else f"no hash in {asked.text!r}"
    for what, matches in (("hash", answer.elsewhere), ("similar hash", answer.like), ("nearest build", answer.builds)):
        yield from (f"  {what}: {_line(match.spec)}" for match in matches)


def _place_of(answer: LookupAnswer) -> str:
    """Return a note on a hash that was not found as requested. It is in other tags, or belongs to another package."""
    if answer.tags:
        from cachetui.suggest.no_match import in_other_tags  # late, because most hashes are found

        return in_other_tags(f"/{answer.asked.hash}", answer.tags)
    owners = list(dict.fromkeys(spec_name(match.spec) for match in answer.elsewhere))
    return f"{answer.asked.hash} belongs to {listed(owners)}, not to {answer.asked.label}"


def _line(spec: Spec) -> str:
    fields = (spec.compiler, spec.os, spec.target, spec.tag)
    return " ".join((f"/{spec.hash}", spec_name(spec), *(field or "-" for field in fields)))
