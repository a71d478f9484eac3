"""The output of `doctor`: the errors and warnings in the content, and the signers of the binaries."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from msgspec.structs import asdict

from cachetui.model.problem import Problem, Signer
from cachetui.report.formats import (
    Block,
    Case,
    CaseKey,
    ErrorState,
    FactsBlock,
    Judged,
    ReportBlock,
    TableBlock,
    TitleBlock,
    cell_text,
    numbered,
)
from cachetui.report.specs import Places
from cachetui.search.availability import CacheName, mirror_name

_COLUMNS = ("path", "line", "level", "kind", "message")

_FIGURE = re.compile(r"[0-9][0-9,.]*")


class ProblemRecord(Problem, frozen=True, kw_only=True):
    """An error or a warning. For an error, `state` is the result of the comparison with the baseline."""

    state: ErrorState | None
    """Whether the error is new, known or fixed since the baseline; None for a warning.

    Without a baseline, every error is new.
    """


class HealthReport(Judged, frozen=True, kw_only=True):
    """The errors and warnings in all formats."""

    items: Sequence[Problem]

    def document(self) -> list[ProblemRecord]:
        """Return the errors and warnings with their states, then a warning for each fixed error."""
        records = []
        for each, own in zip(self.items, _keys(self.items), strict=True):
            state: ErrorState = "known" if self.before and self.before.keys() >= {*own} else "new"
            records.append(ProblemRecord(**asdict(each), state=state if each.level == "fault" else None))
        fixed = [each for each in self.errors() if each.state == "fixed"]
        notes = (Problem(path=each.key[1], level="note", kind=each.key[0], message=each.message) for each in fixed)
        return [*records, *(ProblemRecord(**asdict(note), state="fixed") for note in notes)]

    def cases(self) -> Iterator[Case]:
        return self.marked(problem_cases(self.items))

    def records(self) -> TableBlock:
        return TableBlock(_COLUMNS, [[cell_text(getattr(each, name)) for name in _COLUMNS] for each in self.items])

    def blocks(self, width: int | None) -> Iterator[Block]:
        yield ReportBlock([TitleBlock("The health of the content")])
        rows = [
            [
                each.level,
                f"{each.path}:{each.line}" if each.line else each.path,
                each.kind.replace("_", " "),
                each.message,
            ]
            for each in self.items
        ]
        table = TableBlock(("level", "place", "kind", "message"), rows, headed=False, fold="problem")
        yield table if rows else ReportBlock([FactsBlock([("found", "no errors")])])


def problem_cases(problems: Sequence[Problem]) -> Iterator[Case]:
    """Yield a test case for each error, or for each hash of an error. A warning becomes a passing test case."""
    for each, keys in zip(problems, _keys(problems), strict=True):
        name, reason = f"{each.path}: {each.kind}", each.kind if each.level == "fault" else None
        for key in keys if reason else [()]:
            spec = f"/{key[2]}: " if each.hashes and key else ""
            message = f"{each.path}: {spec}{each.message}"
            yield Case(
                command="doctor", name=name, key=key, reason=reason, message=message, path=each.path, line=each.line
            )


def _keys(problems: Iterable[Problem]) -> Iterator[list[CaseKey]]:
    """Yield a list of keys for each error or warning. The list has one key for each hash, or a single key without hash.

    A key consists of the kind, the path, and the hash or the message. In the message, `#` replaces each number, because
    numbers may change.
    """
    own = [[(each.kind, each.path, of) for of in each.hashes or [_FIGURE.sub("#", each.message)]] for each in problems]
    keys = numbered(chain.from_iterable(own))
    yield from (list(islice(keys, len(each))) for each in own)


class SignerRecord(Signer, frozen=True, kw_only=True):
    """The binaries of a build cache that are signed with the same key, or all unsigned binaries of the cache."""

    content: str
    """The content, as given on the command line."""

    states: Mapping[str, ErrorState]
    """For each binary that is not signed with a published key: its hash, and whether the error is new or known."""


class SignerReport(Judged, frozen=True, kw_only=True):
    """The output of `doctor --signed` in all formats: the signers of the binaries."""

    items: Sequence[Signer]
    places: Places

    def document(self) -> list[SignerRecord]:
        states = {each.key: each.state for each in self.errors()}
        found = []
        for each in self.items:
            own = {case.key[2]: states[case.key] for case in signer_cases([each]) if case.key}
            found.append(self.places.record(SignerRecord, each, states=own))
        return found

    def cases(self) -> Iterator[Case]:
        return self.marked(signer_cases(self.items))

    def records(self) -> TableBlock:
        fields = Signer.__struct_fields__[:-1]
        return TableBlock(
            fields,
            [[cell_text(getattr(each, field)) for field in fields] for each in self.items],
            right=(5,),
            shrinking=(6,),
        )

    def blocks(self, width: int | None) -> Iterator[Block]:
        yield self.records()


def signer_cases(signers: Iterable[Signer]) -> Iterator[Case]:
    """Yield a passing test case for each published key. Yield a failing test case for each other binary.

    The other binaries are unsigned, or signed with an unpublished key.
    """
    for each in signers:
        who = f"signed with {each.key or 'an unnamed key'}" if each.signed else "not signed"
        name = f"{mirror_name(CacheName(each.tag, each.stack))}: {who}"
        reason = None if each.published else "unpublished" if each.signed else "unsigned"
        for spec_hash in each.hashes if reason else [""]:
            key = (reason, name, spec_hash) if reason else ()
            yield Case(
                command="doctor", name=name, key=key, reason=reason, message=f"{name}: /{spec_hash}", path=each.first
            )
