"""The host that somebody may mean who asks for builds of just its os and target, where there are none: what runs there.

Input: an index and a query. Invariant: it is named only where the query takes nothing, and something with the host.
"""

from __future__ import annotations

from functools import reduce

from msgspec import Struct

from cachetui.model.host import Host, platform_of_os
from cachetui.model.targets import ancestors, family, is_of_apple
from cachetui.query.parts.facets import FitsPart, ValuePart
from cachetui.query.parts.part import Part
from cachetui.query.query import Query
from cachetui.safe_text import plural
from cachetui.search.fits import fit_rows
from cachetui.search.index import Index

_KEYS = ("platform", "os", "target")
"""The facets that name a host together, in the order of a triple."""

_LEAST_TARGET = "x86_64"
"""The target of a host that is named by its os alone: every machine of the most usual family runs it."""


class HostMeant(Struct, frozen=True):
    """A query with `fits=` in place of the platform, the os and the target that it asks for."""

    query: Query
    specs: int
    fits: FitsPart
    old: tuple[str, ...]
    """The parts that it stands in place of, as they were typed."""
    what: str
    """What these specs are: `what runs there`."""

    @property
    def phrase(self) -> str:
        """What it is for, then what it is in place of, without the count."""
        return f"with {self.fits.text}: {self.what}, in place of {' '.join(self.old)}"

    @property
    def counted(self) -> str:
        """The phrase with the count."""
        return f"{plural(self.specs, 'spec')} {self.phrase}"


def host_meant(index: Index, query: Query) -> HostMeant | None:
    """What runs on the host whose os and target a query asks for in vain; None where that is nothing too."""
    parts = [part for part in query.parts if part.key in _KEYS]
    if query.fits or not parts or index.rows(query):
        return None
    fits = _host_of(parts)
    if fits is None:
        return None
    other = reduce(Query.without, parts, query).with_part(fits)
    specs = index.counter(other)(index.rows(other))
    if not specs:
        return None
    old = tuple(text for text in query.texts if set(query.parts_spelled(text)) <= set(parts))
    has_target = any(part.key == "target" for part in parts)
    return HostMeant(other, specs, fits, old, _what(index, other, fits.host, has_target=has_target))


def _host_of(parts: list[Part]) -> FitsPart | None:
    """The host that these parts name with one plain value each; None where they name none that is known."""
    named = {part.key: part.words[0] for part in parts if isinstance(part, ValuePart) and _is_plain(part)}
    if len(named) < len(parts) or not ("os" in named or "target" in named):
        return None
    words = {key: str(word) for key, word in named.items()}
    os_name, target = words.get("os"), words.get("target", _LEAST_TARGET)
    if ancestors(target) is None:
        return None
    platform = words.get("platform") or (os_name and platform_of_os(os_name))
    if os_name and not platform:
        platform = Host.parse(target).platform  # it may be this machine's own
    try:
        fits = FitsPart.of("-".join(filter(None, (platform, os_name, target))))
    except ValueError:
        return None
    if fits.host.platform == "darwin" and _is_of_no_mac(target):
        return None
    if "target" not in words and fits.host.platform != "linux":
        return None
    return fits if fits.host.os is None or (fits.host.os == os_name and fits.host.knows_os) else None


def _is_of_no_mac(target: str) -> bool:
    """Whether it is an arm of another maker than Apple."""
    return family(target) == "aarch64" != target and not is_of_apple(target)


def _is_plain(part: ValuePart) -> bool:
    """Whether it asks for one value, neither a list nor a range, and leaves none out."""
    return not part.is_exclusion and len(part.words) == 1 and isinstance(part.words[0], str) and part.words[0] != ""


def _what(index: Index, query: Query, host: Host, *, has_target: bool) -> str:
    """What these specs are: as far as the os and the target are known, and it is known what they need."""
    if host.os is None:
        return "what this target runs"
    found = index.rows(query)
    doubts = (rows for fit, rows in fit_rows(index, host) if fit.distance is not None and not fit.is_certain)
    runs = "runs or may run" if any(map(found.intersect, doubts)) else "runs"
    return f"what {runs} there" if has_target else f"what {runs} there on any {_LEAST_TARGET}"
