"""What people copy of specs: hashes, specs, and the commands that install or find them.

Everything here is safe to paste into a shell: words go through `shell_word`, what is read through `visible`.
Input: specs and queries, which quote pages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from cachetui.model.spec import HASH, ROOT, UNTAGGED, Spec, all_signed, own_tag
from cachetui.query.query import Query
from cachetui.safe_text import shell_word, visible
from cachetui.store.graph import NO_GRAPH, Graph

if TYPE_CHECKING:
    from cachetui.analysis.causes import Cause
    from cachetui.search.availability import CacheName

MIRROR = "https://binaries.spack.io/{tag}"
"""Where the merged mirror of a tag is; the one of a stack is below it."""

INSTALL = "install"
"""The name of the command that installs what is copied."""

TRUST = "spack buildcache keys --install --trust"
"""Makes Spack trust the keys that its mirrors have."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
"""The name of a package; what a page says else could be taken for an option of a command."""


IsSigned = Callable[[Spec, str | None], bool | None]
"""Whether a binary in the build cache at a folder or URL is signed, as far as it or another one there tells; None where
that is not known.
"""


def not_known(spec: Spec, cache: str | None) -> bool | None:
    """Say of no binary whether it is signed."""
    return None


def hash_word(spec: Spec) -> str | None:
    """The spec as `/hash`, None where it has no hash or one that Spack would not take."""
    return f"/{spec.hash}" if spec.hash and HASH.fullmatch(spec.hash) else None


def _mirror_commands(mirrors: Mapping[tuple[str, str], bool | None]) -> Iterator[str]:
    """The commands that add mirrors, by name and place; those that are not signed have no keys to trust."""
    for place, signed in mirrors.items():
        unsigned = "--unsigned " if signed is False else ""
        yield f"spack mirror add {unsigned}{' '.join(map(shell_word, place))}"
    if any(signed is not False for signed in mirrors.values()):
        yield TRUST


def mirror_of(tag: str, stacks: Sequence[str], pattern: str | None, mirror: str | None) -> tuple[str, str]:
    """The name and the URL or folder of the build cache of a tag, or of the first of these stacks.

    `mirror` is the folder or URL of a build cache that is on no page of the website. Else the pattern holds `{tag}` and
    `{stack}`; without one it is the mirror of the whole tag where the stacks have `root`, else that of the first.
    """
    named = [stack for stack in stacks if stack and stack != ROOT]
    stack = named[0] if named else ROOT
    whole = ROOT in stacks or not named
    url = pattern or (MIRROR if whole else f"{MIRROR}/{{stack}}")
    url = url.replace("{tag}", own_tag(tag)).replace("{stack}", stack)
    name = (f"spack-{tag}" if whole else f"spack-{tag}-{stack}").replace("/", "-")
    return visible(name), visible(mirror or url)


def cache_lines(graph: Graph, caches: Mapping[CacheName, bool | None], pattern: str | None) -> list[str]:
    """The commands that add build caches of the content, which are signed or not; for `pattern` see `mirror_of`."""
    places = {
        mirror_of(tag, (stack,), pattern, graph.mirror(tag, (stack,))): signed
        for (tag, stack), signed in caches.items()
    }
    return list(_mirror_commands(places))


def copies(
    specs: Sequence[Spec], pattern: str | None = None, graph: Graph = NO_GRAPH, is_signed: IsSigned = not_known
) -> list[tuple[str, str]]:
    """What can be copied of these specs, each with its name: hashes, specs and commands, safe to paste.

    `graph` knows where the build caches are, `pattern` is the URL pattern of the user's own for all else.
    """
    words = [word for spec in specs if (word := hash_word(spec))]
    named = [spec for spec in specs if _NAME.fullmatch(spec.package)]
    mirrors: dict[tuple[str, str], bool | None] = {}
    for spec in specs:
        _add_mirror(mirrors, spec, pattern, graph, is_signed)
    texts = {
        "hash": "\n".join(word.removeprefix("/") for word in words),
        "/hash": " ".join(words),
        "name/hash": " ".join(f"{spec.package}{word}" for spec in named if (word := hash_word(spec))),
        "spec": "\n".join(" ".join(map(shell_word, map(visible, _spec_pieces(spec)))) for spec in named),
        INSTALL: f"spack install --cache-only {' '.join(words)}" if words else "",
        "mirror": "\n".join(_mirror_commands(mirrors)),
    }
    return [(label, text) for label, text in texts.items() if text]


def _add_mirror(
    mirrors: dict[tuple[str, str], bool | None],
    spec: Spec,
    pattern: str | None,
    graph: Graph,
    is_signed: IsSigned,
) -> None:
    """Add the mirror of a spec, and whether all of it that was looked at is signed."""
    if own_tag(spec.tag) != UNTAGGED:
        cache = graph.mirror(spec.tag, spec.stacks)
        place = mirror_of(spec.tag, spec.stacks, pattern, cache)
        known = mirrors.get(place, True)
        if known is not False:
            mirrors[place] = all_signed((known, is_signed(spec, cache)))


def environment(
    specs: Iterable[Spec], pattern: str | None = None, graph: Graph = NO_GRAPH, is_signed: IsSigned = not_known
) -> Iterator[str]:
    """A spack.yaml with these specs and the mirrors that they are in, line by line.

    A spec without a hash that Spack takes is left out. `pattern` and `graph` say where the mirrors are, as in `copies`.
    """
    yield "spack:\n  specs:\n"
    packages: Counter[str] = Counter()
    mirrors: dict[tuple[str, str], bool | None] = {}
    for spec in specs:
        word = hash_word(spec)
        if word:
            packages[spec.package] += 1
            name = f"{spec.package}@{spec.version}" if spec.version else spec.package
            yield f"  - {_quoted(f'{name}{word}')}\n"
            _add_mirror(mirrors, spec, pattern, graph, is_signed)
    if any(signed is not False for signed in mirrors.values()):
        yield f"# Spack installs what is signed with a key that it trusts; once: {TRUST}\n"
    if mirrors:
        yield "  mirrors:\n"
    for (name, url), signed in mirrors.items():
        address = f"{{url: {_quoted(url)}, signed: false}}" if signed is False else _quoted(url)
        yield f"    {_quoted(name)}: {address}\n"
    if any(number > 1 for number in packages.values()):
        # Spack takes several builds of a package only where they need not fit together
        yield "  concretizer:\n    unify: false\n"


def command(name: str, content: str | None, words: Iterable[str], query: Query | None = None) -> str:
    """The command line that asks for the same; `content`, quoted for a shell, and the words stand before the query."""
    fuzzy = ["--fuzzy"] if query and query.package and query.package.fuzzy else []
    asked = [str(query)] if query else []
    return " ".join(("cachetui", name, content or "CONTENT", *map(shell_word, (*words, *fuzzy, *asked))))


def requirements_text(causes: Iterable[Cause]) -> str:
    """What to write into `packages.yaml` to meet the content; empty where nothing written there would do."""
    required = {cause.package: cause.requirement for cause in causes if cause.requirement}
    lines = [f"  {_quoted(package)}:\n    require: {_quoted(spec)}" for package, spec in required.items()]
    return "\n".join(["packages:", *lines]) if lines else ""


def _quoted(text: str) -> str:
    return msgspec.json.encode(visible(text)).decode()


def spec_text(spec: Spec) -> str:
    """The spec in Spack's syntax, with its hash after it; for the eye, not quoted for a shell."""
    return visible(" ".join(_spec_pieces(spec)))


def _spec_pieces(spec: Spec) -> list[str]:
    """The spec in Spack's syntax, in pieces with blanks between them: a bare value would take in what touches it."""
    # with an @ no word of a page is the name of a command
    text = f"{spec.package}@{spec.version or ':'}"
    if spec.compiler and spec.compiler != "none":
        text += f"%{spec.compiler}"
    switches = [variant for variant in spec.variants if variant.startswith(("+", "~"))]
    pieces = [text + "".join(switches), *(variant for variant in spec.variants if variant not in switches)]
    if spec.platform or spec.os or spec.target:
        pieces.append(f"arch={spec.platform or None}-{spec.os or None}-{spec.target or None}")
    return [*pieces, f"/{spec.hash}"] if spec.hash else pieces
