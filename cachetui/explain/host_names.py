"""The hosts to choose from: those that a catalogue has builds for, and those that a text stands for.

Input: an index, and what a user typed. The texts quote both, so escape them before they are shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace
from pyroaring import BitMap

from cachetui.model.host import PLATFORMS, Host, platform_of_os
from cachetui.model.libc import known_oses
from cachetui.model.likeness import nearest_names, only_slip
from cachetui.model.targets import ancestors, nearest_targets, slipped_target
from cachetui.query.query import Query
from cachetui.search.index import Index

LEAST_WORD = 3
"""Letters from which on a platform, an os or a target that nobody knows may be a mistyped one."""


class NamedHost(Struct, frozen=True):
    """A host to choose."""

    host: Host
    text: str
    """As users spell it; `Host.parse` reads it."""
    specs: int = 0
    """How many specs are built for just this platform, os and target."""


def known_hosts(index: Index, *first: Host) -> Sequence[NamedHost]:
    """The hosts that are to stand first, then every other one that there are builds for, the most frequent first."""
    rows = {host: BitMap() for host in first}
    for number, profile in enumerate(index.profiles):
        if profile.platform and profile.os and profile.target:
            host = Host(profile.platform, profile.os, profile.target)
            rows[host] = rows.get(host, BitMap()) | index.profile_rows([number])
    count = index.counter(Query())
    named = [NamedHost(host, host.name, count(found)) for host, found in rows.items()]
    number = len(set(first))
    others = [each for each in named[number:] if each.specs and _host_of(each.text) == each.host]
    return [*named[:number], *sorted(others, key=lambda each: -each.specs)]


def hosts_meant(hosts: Sequence[NamedHost], text: str, oses: Collection[str]) -> tuple[Sequence[NamedHost], str]:
    """The hosts that a text may stand for, and why it names none by itself; empty where the first one is meant.

    First the host that it names, if it names one, but behind the one that it is surely a slip of; then those of `hosts`
    that it is a part of. For an os that stands alone, they are followed by it with the other targets of its platform.
    Where there is none of these, the text with its mistyped word put right, and the nearest by their names.
    `oses`: those of pages.
    """
    text = text.strip()
    words = text.lower().split()
    within = [each for each in hosts if all(word in each.text.lower() for word in words)]
    if not text:
        return within, ""
    try:
        host = Host.parse(text)
    except ValueError as error:
        problem = str(error)
    else:
        known = next((each for each in hosts if each.host == host), None)
        named = known or NamedHost(host, str(host) if host.os else text)
        is_known = not has_unknown_os(host, oses)
        mended = [] if known and is_known else _named(mended_hosts(text, oses), hosts)
        meant = "" if is_known else surely_meant(text, oses)
        first = _named([meant], hosts) if meant else []
        return list(dict.fromkeys([*first, named, *mended, *within])), f"no os {host.os}" if meant else ""
    os_name = text.rpartition("-")[2]
    if platform := platform_of_os(os_name):
        targets = dict.fromkeys(each.host.target for each in hosts if each.host.platform == platform)
        built = {each.host for each in within}
        others = (Host(platform, os_name, target) for target in targets)
        listed = [*within, *(NamedHost(each, str(each)) for each in others if each not in built)]
        return listed, "" if len(within) == 1 else problem
    if within:
        return within, ""
    near = nearest_names(text, [each.text for each in hosts])
    return _named(dict.fromkeys([*mended_hosts(text, oses), *near]), hosts), problem


def has_unknown_os(host: Host, oses: Collection[str]) -> bool:
    """Whether it names an os of which neither the libc is known nor any page has it; `oses`: those of pages."""
    return host.os is not None and not host.knows_os and host.os not in oses


def surely_meant(text: str, oses: Collection[str]) -> str:
    """The host that a text is surely a slip of; empty where that is not clear."""
    meant = mended_hosts(text, oses, surely=True)
    return meant[0] if len(meant) == 1 else ""


def mended_hosts(text: str, oses: Collection[str], *, surely: bool = False) -> list[str]:
    """The host with its mistyped platform, os or target put right, the likeliest first; `oses`: those of pages.

    Nothing where nothing is mistyped, or nothing known is like it. `surely`: only where each of these is clear.
    """
    like = _slipped if surely else _like
    if own_platform := _platform_of(text, oses, like):
        text = f"{own_platform}-{text}"
    platform, dash, rest = text.partition("-")
    os_name, _, target = rest.rpartition("-")
    if platform_of_os(target) or "-" in os_name:
        return []
    if not dash:
        return [] if ancestors(text) is not None else _targets_like(text, surely=surely)
    platforms = [platform] if platform in PLATFORMS else like(platform, PLATFORMS)
    targets = [target] if ancestors(target) is not None else _targets_like(target, surely=surely)
    mended = []
    for host in (Host(one, os_name or None, other) for one in platforms for other in targets):
        known = tuple(dict.fromkeys([*oses, *host.known_oses]))
        is_known = host.knows_os or os_name in known
        mended += [replace(host, os=each) for each in ([host.os] if is_known else like(os_name, known)[:1])]
    names = [str(host) if host.os else f"{host.platform}-{host.target}" for host in mended]
    return [name for name in names if name != text]


def _platform_of(text: str, oses: Collection[str], like: Callable[[str, Sequence[str]], Sequence[str]]) -> str | None:
    """The platform of a host that begins with its os, though that may be mistyped; None for any other."""
    first, _, rest = text.partition("-")
    if platform := platform_of_os(first):
        return platform
    if not rest or "-" in rest or first in PLATFORMS or like(first, PLATFORMS):
        return None
    return next((platform_of_os(each) for each in like(first, [*dict.fromkeys([*oses, *known_oses()])])[:1]), None)


def _slipped(word: str, names: Sequence[str]) -> Sequence[str]:
    return [each for each in [only_slip(word, names)] if each and len(word) >= LEAST_WORD]


def _like(word: str, names: Sequence[str]) -> Sequence[str]:
    return nearest_names(word, names) if len(word) >= LEAST_WORD else ()


def _targets_like(word: str, *, surely: bool) -> list[str]:
    if len(word) < LEAST_WORD:
        return []
    return [each for each in [slipped_target(word)] if each] if surely else nearest_targets(word)


def _named(names: Iterable[str], hosts: Sequence[NamedHost]) -> list[NamedHost]:
    """The hosts of these names, as they are listed where they are."""
    known = {each.text: each for each in hosts}
    return [known.get(name) or NamedHost(Host.parse(name), name) for name in names]


def is_host(text: str) -> bool:
    """Whether a text names a host."""
    return _host_of(text) is not None


def _host_of(text: str) -> Host | None:
    """The host of a text that pages have written, which may be none."""
    try:
        return Host.parse(text)
    except ValueError:
        return None
