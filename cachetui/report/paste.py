"""The texts that people copy: hashes, specs, and the commands that install or find specs.

All texts are safe to paste into a shell: words go through `shell_word`, and text for people through `visible`.
Input: specs and queries with text from pages.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from cachetui.model.installed import PRESENT
from cachetui.model.spec import HASH, ROOT, Spec, all_signed, at_version
from cachetui.model.tags import UNTAGGED, is_snapshot, own_tag
from cachetui.query.query import Query
from cachetui.report.formats import quoted
from cachetui.safe_text import shell_word, visible
from cachetui.search.availability import CacheName
from cachetui.store.graph import NO_GRAPH, Graph

MIRROR = "https://binaries.spack.io/{tag}"
"""The URL of the mirror with all binaries of a tag. The mirror of a stack is a folder inside this mirror."""

INSTALL = "install"
"""The name of the copied text with the install command."""

LOAD, PREFIX = "load", "prefix"
"""The names of two copied texts: the command that loads installed specs, and the folders of these specs."""

TRUST = "spack buildcache keys --install --trust"
"""The command that makes Spack trust the keys of its mirrors."""

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
"""A package name that a command cannot read as an option. Pages may contain other names."""


IsSigned = Callable[[Spec, str | None], bool | None]
"""A function that returns whether a spec in the build cache at this folder or URL is signed; None if unknown.

If the spec's own spec file is unknown, another spec file of the cache may decide.
"""


def not_known(spec: Spec, cache: str | None) -> bool | None:
    """Return None, because the signature is unknown."""
    return None


def hash_word(spec: Spec) -> str | None:
    """Return `/hash` of a spec; None if Spack cannot use the hash."""
    return f"/{spec.hash}" if spec.hash and HASH.fullmatch(spec.hash) else None


def _hash_words(specs: Iterable[Spec]) -> list[str]:
    return [word for spec in specs if (word := hash_word(spec))]


def _mirror_commands(mirrors: Mapping[tuple[str, str], bool | None]) -> Iterator[str]:
    """Yield commands that add these mirrors, given by name and URL. If a mirror may be signed, also yield `TRUST`."""
    for place, signed in mirrors.items():
        unsigned = "--unsigned " if signed is False else ""
        yield f"spack mirror add {unsigned}{' '.join(map(shell_word, place))}"
    if any(signed is not False for signed in mirrors.values()):
        yield TRUST


def mirror_of(tag: str, stacks: Sequence[str], pattern: str | None, mirror: str | None) -> tuple[str, str]:
    """Return the name, and the URL or folder, of the mirror for a spec in a tag and in these stacks.

    If the content is a build cache, `mirror` is its folder or URL. If the content is pages, `mirror` is None. Then
    `pattern` with `{tag}` and `{stack}`, or `MIRROR`, makes the URL. The URL is for the whole tag if the stacks include
    `root`, else for the first stack.
    """
    named = [stack for stack in stacks if stack and stack != ROOT]
    stack = named[0] if named else ROOT
    whole = ROOT in stacks or not named
    url = pattern or (MIRROR if whole else f"{MIRROR}/{{stack}}")
    url = url.replace("{tag}", own_tag(tag)).replace("{stack}", stack)
    name = (f"spack-{tag}" if whole else f"spack-{tag}-{stack}").replace("/", "-")
    return visible(name), visible(mirror or url)


def cache_lines(graph: Graph, caches: Mapping[CacheName, bool | None], pattern: str | None) -> list[str]:
    """Return the commands that add these build caches as mirrors. For `pattern`, see `mirror_of`.

    `caches`: for each build cache, whether it is signed.
    """
    places = {
        mirror_of(tag, (stack,), pattern, graph.mirror(tag, (stack,))): signed
        for (tag, stack), signed in caches.items()
    }
    return list(_mirror_commands(places))


def copies(
    specs: Sequence[Spec], pattern: str | None = None, graph: Graph = NO_GRAPH, is_signed: IsSigned = not_known
) -> list[tuple[str, str]]:
    """Return the texts to copy for these specs as pairs of name and text: hashes, specs and commands.

    `graph` contains the folders and URLs of build caches. `pattern` is the user's URL pattern, see `mirror_of`.
    """
    words = _hash_words(specs)
    named = [spec for spec in specs if _NAME.fullmatch(spec.package)]
    present = [spec for spec in specs if spec.state in PRESENT]
    installable = _hash_words(
        each
        for each in specs
        if each.state is None and any(not is_snapshot(tag) or graph.mirror(tag, each.stacks) for tag in each.tags)
    )
    mirrors: dict[tuple[str, str], bool | None] = {}
    for spec in specs:
        _add_mirror(mirrors, spec, pattern, graph, is_signed)
    texts = {
        INSTALL: f"spack install --cache-only {' '.join(installable)}" if installable else "",
        "hash": "\n".join(word.removeprefix("/") for word in words),
        "/hash": " ".join(words),
        "name/hash": " ".join(f"{spec.package}{word}" for spec in named if (word := hash_word(spec))),
        "spec": "\n".join(" ".join(map(shell_word, map(visible, _spec_pieces(spec)))) for spec in named),
        LOAD: f"spack load {' '.join(loadable)}" if (loadable := _hash_words(present)) else "",
        PREFIX: "\n".join(shell_word(visible(spec.prefix)) for spec in present if spec.prefix),
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
    """Add the mirror of a spec to `mirrors`. The value of each mirror says whether its specs are signed.

    Installations and snapshots are not mirrors.
    """
    cache = graph.mirror(spec.tag, spec.stacks)
    if own_tag(spec.tag) != UNTAGGED and spec.state is None and (cache or not is_snapshot(spec.tag)):
        place = mirror_of(spec.tag, spec.stacks, pattern, cache)
        known = mirrors.get(place, True)
        if known is not False:
            mirrors[place] = all_signed((known, is_signed(spec, cache)))


def environment(
    specs: Iterable[Spec], pattern: str | None = None, graph: Graph = NO_GRAPH, is_signed: IsSigned = not_known
) -> Iterator[str]:
    """Yield the lines of a spack.yaml with these specs and their mirrors.

    A spec is skipped if Spack cannot use its hash. For `pattern` and `graph`, see `copies`.
    """
    yield "spack:\n  specs:\n"
    packages: Counter[str] = Counter()
    mirrors: dict[tuple[str, str], bool | None] = {}
    for spec in specs:
        word = hash_word(spec)
        if word:
            packages[spec.package] += 1
            yield f"  - {quoted(f'{at_version(spec.package, spec.version)}{word}')}\n"
            _add_mirror(mirrors, spec, pattern, graph, is_signed)
    if any(signed is not False for signed in mirrors.values()):
        yield f"# Spack installs binaries signed with a trusted key; once: {TRUST}\n"
    if mirrors:
        yield "  mirrors:\n"
    for (name, url), signed in mirrors.items():
        address = f"{{url: {quoted(url)}, signed: false}}" if signed is False else quoted(url)
        yield f"    {quoted(name)}: {address}\n"
    if any(number > 1 for number in packages.values()):
        # by default, Spack refuses several builds of a package in one environment
        yield "  concretizer:\n    unify: false\n"


def command(name: str, content: str | None, words: Iterable[str], query: Query | None = None) -> str:
    """Return a command line of cachetui. `content` is already quoted for a shell; `words` precede the query."""
    fuzzy = ["--fuzzy"] if query and query.package and query.package.fuzzy else []
    asked = [str(query)] if query else []
    return " ".join(("cachetui", name, content or "CONTENT", *map(shell_word, (*words, *fuzzy, *asked))))


def spec_text(spec: Spec) -> str:
    """Return the spec in Spack's syntax with its hash, as text for people. It is not quoted for a shell."""
    return visible(" ".join(_spec_pieces(spec)))


def _spec_pieces(spec: Spec) -> list[str]:
    """Return the spec in Spack's syntax as a list of words. A variant with a value is a separate word."""
    # a word with an @ cannot be the name of a command
    text = f"{spec.package}@{spec.version or ':'}"
    if spec.compiler and spec.compiler != "none":
        text += f"%{spec.compiler}"
    switches = [variant for variant in spec.variants if variant.startswith(("+", "~"))]
    pieces = [text + "".join(switches), *(variant for variant in spec.variants if variant not in switches)]
    if spec.platform or spec.os or spec.target:
        pieces.append(f"arch={spec.platform or None}-{spec.os or None}-{spec.target or None}")
    return [*pieces, f"/{spec.hash}"] if spec.hash else pieces
