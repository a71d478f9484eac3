"""What the host of a query (`fits=`) makes of the specs: how many run, how many may run, and what is left out and why.

Input: an index and a query. The phrases quote both, so escape them before they are shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec import Struct

from cachetui.model.host import FitKind
from cachetui.query.query import Query
from cachetui.safe_text import listed, plural
from cachetui.search.fits import fit_rows
from cachetui.search.index import Index


class LeftOut(Struct, frozen=True):
    """Specs that a query would take if they ran on its host, and why they do not."""

    kind: FitKind
    reason: str
    specs: int

    @property
    def text(self) -> str:
        """The reason, and how many specs it is one for."""
        return f"{self.reason} ({self.specs:,})"


class HostFit(Struct, frozen=True):
    """What becomes of the specs that a query would take without its host."""

    host: str
    """As the query spells it."""
    certain: int
    """Specs that run there."""
    uncertain: int
    """Specs whose target runs there, where it is not known whether the libc or the release of the os does."""
    left_out: tuple[LeftOut, ...]
    """The most frequent reason first."""
    doubt: str = ""
    """What is not known of most of the uncertain ones."""

    @property
    def counts(self) -> str:
        """How many run and how many may, in one phrase."""
        if not self.uncertain:
            return f"{self.certain:,} {'runs' if self.certain == 1 else 'run'} on {self.host}"
        may = f"{self.uncertain:,} may ({self.doubt})"
        return f"{self.certain:,} {'runs' if self.certain == 1 else 'run'} on {self.host}, {may}"

    def reasons(self, *kinds: FitKind) -> str:
        """What is left out for these kinds of reasons (for any where none is given), in one phrase; may be empty."""
        texts = [each.text for each in self.left_out if not kinds or each.kind in kinds]
        return f"left out: {listed(texts)}" if texts else ""

    def fewer_reasons(self, key: str) -> Sequence[str]:
        """What is left out, in phrases with fewer and fewer of the most frequent reasons; the last one is empty.

        `key`: it shows them all.
        """
        texts = [each.text for each in self.left_out]
        if not texts:
            return [""]
        shorter = [
            f"{', '.join(texts[:most])} and {plural(len(texts) - most, 'more reason')} ({key})"
            for most in range(len(texts))[:0:-1]
        ]
        if shorter:
            shorter.append(f"{texts[0]} and {len(texts) - 1} more ({key})")
        specs = sum(each.specs for each in self.left_out)
        return [*(f"left out: {each}" for each in (", ".join(texts), *shorter, f"{specs:,}, {key} says why")), ""]


def host_notes(index: Index, query: Query) -> list[str]:
    """What is odd about the host of a query: that another one was typed before it, that nothing knows its os."""
    part = query.fits
    if part is None:
        return []
    from cachetui.explain.unknown_values import unknown_values  # late, as few queries name a host

    unknown = unknown_values(index, query.only_key(part.key))
    return list(filter(None, [part.said_of_second, *(value.phrase for value in unknown)]))


def host_fit(index: Index, query: Query) -> HostFit | None:
    """What the host of the query makes of its specs; None for a query without a host."""
    part = query.fits
    if part is None:
        return None
    others = query.without_key(part.key)
    open_to_all, count = index.rows(others), index.counter(others)
    certain, doubts = 0, Counter[str]()
    left_out: Counter[tuple[FitKind, str]] = Counter()
    for fit, rows in fit_rows(index, part.host):
        specs = count(open_to_all & rows)
        if specs:
            if fit.distance is None:
                left_out[fit.kind, fit.reason] += specs
            elif fit.is_certain:
                certain += specs
            else:
                doubts[fit.libc_note] += specs
    reasons = [LeftOut(kind, reason, specs) for (kind, reason), specs in left_out.items()]
    reasons.sort(key=lambda each: (-each.specs, each.reason))
    doubt = max(doubts, key=lambda note: (doubts[note], note), default="")
    return HostFit(part.text.removeprefix("fits="), certain, doubts.total(), tuple(reasons), doubt)
