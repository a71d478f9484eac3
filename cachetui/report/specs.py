"""Specs as records, as the output of `find`, as texts that people copy, and as named fields with all facts.

JSON has separate fields for content and tag. In an index of several contents, a tag is `LABEL/TAG`, and the label means
the content. All texts to copy are safe to paste into a shell: words go through `shell_word`, and text for people
through `visible`.
Input: specs and queries with text from the content.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import asdict, replace
from pyroaring import BitMap

from cachetui.mappings import grouped
from cachetui.model.dependency import LINK_RUN
from cachetui.model.host import Host
from cachetui.model.installed import PRESENT, age
from cachetui.model.problem import UserError
from cachetui.model.spec import HASH, ROOT, Spec, all_signed, at_version, normal_compiler
from cachetui.model.tags import UNTAGGED, is_snapshot, own_tag, spans
from cachetui.query.query import Query
from cachetui.report.formats import AnyStruct, Block, ListDocument, TableBlock, cell_text, quoted
from cachetui.safe_text import listed, shell_word, visible
from cachetui.search.availability import CacheName
from cachetui.search.index import Index, newest_versions
from cachetui.search.results import Results
from cachetui.store.graph import NO_GRAPH, Graph


class Place(Struct, frozen=True):
    """The location of a build cache: its content, tag and stack."""

    content: str
    """The content, as given on the command line."""
    tag: str
    stack: str
    """The stack; empty if the cache has no stacks."""


class SpecRecord(Spec, frozen=True, kw_only=True):
    """A spec in one tag. If several contents are open, each entry of `tags` is written as `LABEL/TAG`."""

    content: str
    """The content, as given on the command line."""


class Places(Struct, frozen=True):
    """The content that a command searches."""

    contents: Sequence[tuple[str, str]] = ()
    """For each CONTENT: the prefix of its tags (such as `LABEL/`), and the content as given on the command line."""

    def of(self, mirror: CacheName) -> Place:
        """Return the content, tag and stack of a build cache."""
        return Place(*self.apart(mirror.tag), mirror.stack)

    def spec(self, spec: Spec) -> SpecRecord:
        """Return the record of a spec. The record includes the content of the spec."""
        return self.record(SpecRecord, spec)

    def record(self, kind: type[AnyStruct], item: Any, **more: object) -> AnyStruct:
        """Return a record of type `kind`. It has the fields of `item` and `more`, and the content that has the tag."""
        fields = asdict(item)
        content, fields["tag"] = self.apart(item.tag)
        return kind(**fields, **more, content=content)

    def apart(self, tag: str) -> tuple[str, str]:
        """Split `LABEL/TAG`. Return the content with this label, and the tag. A path may have a label, too.

        If no content has this label, return an empty string, and the tag unchanged.
        """
        for prefix, content in self.contents:
            if tag.startswith(prefix):
                return content, tag.removeprefix(prefix)
        return "", tag


# The documents of `find`

FIELDS = Spec.__struct_fields__
"""The fields of a spec, in the order of the JSON output."""

COLUMNS = ("hash", "package", "version", "compiler", "os", "target", "stacks", "tag")
"""The fields of a spec that a table shows."""


class PackageRow(Struct, frozen=True):
    """The facts that `find --packages` prints about a package."""

    package: str
    specs: int
    versions: tuple[str, ...]
    """The versions, the newest first."""


def hidden_notes(index: Index, query: Query) -> Iterator[str]:
    """Yield a note if specs are hidden because they are not installed. The note names a query term to show them."""
    if hidden := index.hidden(query):
        counts = " and ".join(f"{count:,} {state}" for state, count in hidden.items())
        yield f"there are hidden specs ({counts}): to show them, add installed={','.join(hidden)}"


def spec_name(spec: Spec) -> str:
    """Return the package and version, such as `hdf5@1.14.3`, or only the package if the version is unknown."""
    return at_version(spec.package, spec.version)


def with_spans(spec: Spec, snapshots: Sequence[str]) -> Spec:
    """Return the spec with shorter `tags`: adjacent snapshots are joined into `FIRST..LAST`.

    `snapshots`: the tags of all snapshots of the content.
    """
    return replace(spec, tags=(*(tag for tag in spec.tags if tag not in snapshots), *spans(spec.tags, snapshots)))


def spec_list(
    specs: Iterable[Spec], places: Places, snapshots: Sequence[str] = (), *, with_state: bool = False
) -> ListDocument:
    """Return the list of these specs for output. The specs are iterated only once.

    If `snapshots` is not empty, the table shows all tags of each spec, and joins adjacent snapshots into
    `FIRST..LAST`. `with_state`: show the installation state.
    """
    columns = (*COLUMNS[:-1], *["tags" if snapshots else "tag"], *["state"] * with_state)

    def table(width: int | None) -> Iterator[Block]:
        """Yield the table. On a terminal, it shows the first seven characters of each hash, like Spack."""
        length = None if width is None else 7
        shown = (with_spans(spec, snapshots) if snapshots else spec for spec in specs)
        cells = ([cell_text(getattr(spec, field)) or "-" for field in columns] for spec in shown)
        yield TableBlock(columns, ([spec_hash[:length], *others] for spec_hash, *others in cells), headed=False)

    return ListDocument(specs, FIELDS, shown=table, as_json=places.spec)


def template(text: str) -> Callable[[Spec], str]:
    """Return a function that formats a spec according to a template; raises UserError.

    The template contains text, `{field}`, `{field:N}` (cut to N characters), `\\n` and `\\t`.
    """
    pieces: list[str | tuple[str, int | None]] = []
    at = 0
    for match in re.finditer(r"\{\{|\}\}|\{([a-z]+)(?::([^{}]*))?\}|[{}]|\\[nt]", text):
        pieces.append(text[at : match.start()])
        at = match.end()
        found = match.group()
        if match.group(1):
            pieces.append(_placeholder(match.group(1), match.group(2)))
        elif found in "{}":
            raise UserError(f"--format has a single {found!r} at column {match.start() + 1}: write {found * 2!r}")
        else:
            pieces.append({"{{": "{", "}}": "}", "\\n": "\n", "\\t": "\t"}[found])
    pieces.append(text[at:])

    def line(spec: Spec) -> str:
        return "".join(p if isinstance(p, str) else visible(cell_text(getattr(spec, p[0])))[: p[1]] for p in pieces)

    return line


def _placeholder(name: str, width: str | None) -> tuple[str, int | None]:
    """Read a placeholder such as `{hash:7}`. Return the field of a spec, and the maximum number of characters.

    Raises UserError.
    """
    field = "package" if name == "name" else name
    if field not in FIELDS:
        raise UserError(f"--format has an unknown field {name!r}: choose one of {', '.join(('name', *FIELDS))}")
    if width is not None and not re.fullmatch(r"[0-9]{1,4}", width):
        raise UserError(f"--format has an invalid width {width!r}: write a number of characters, such as {{{field}:7}}")
    return field, int(width) if width else None


# Texts to copy

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
"""A function that returns whether a spec is signed; None if unknown. The second argument is the spec's build cache.

If the spec's own spec file is unknown, the result may come from another spec file of the build cache.
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
    """Yield commands that add mirrors. If a mirror may be signed, also yield `TRUST`.

    `mirrors`: for each mirror (name and URL), whether it is signed; None if unknown.
    """
    for place, signed in mirrors.items():
        unsigned = "--unsigned " if signed is False else ""
        yield f"spack mirror add {unsigned}{' '.join(map(shell_word, place))}"
    if any(signed is not False for signed in mirrors.values()):
        yield TRUST


def mirror_of(tag: str, stacks: Sequence[str], pattern: str | None, mirror: str | None) -> tuple[str, str]:
    """Return the name, and the URL or folder, of the mirror for a spec in a tag and in these stacks.

    `mirror`: the folder or URL of a build cache; None if the content consists of web pages. If `mirror` is None, the
    URL comes from `pattern` with `{tag}` and `{stack}` (default: `MIRROR`). If the stacks include `root`, the URL is
    for the whole tag. Otherwise, it is for the first stack.
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
    """Add the mirror of a spec to `mirrors`. The value of a mirror says whether the specs in this mirror are signed.

    Installed specs, and specs in snapshots of web pages, have no mirror.
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
        yield f"# Spack installs only binaries signed with a trusted key; to trust the keys, run once: {TRUST}\n"
    if mirrors:
        yield "  mirrors:\n"
    for (name, url), signed in mirrors.items():
        address = f"{{url: {quoted(url)}, signed: false}}" if signed is False else quoted(url)
        yield f"    {quoted(name)}: {address}\n"
    if any(number > 1 for number in packages.values()):
        # by default, Spack refuses several builds of a package in one environment
        yield "  concretizer:\n    unify: false\n"


def command(name: str, content: str | None, words: Iterable[str], query: Query | None = None) -> str:
    """Return a command line of cachetui: the command `name`, then `content`, `words` and the query.

    `content` is already quoted for a shell.
    """
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


# Details

Means = Literal["", "runs", "fails", "unknown", "gain", "loss", "changed", "missing"]
"""The meaning of a field, which decides its colour. The text of the field also expresses the meaning."""


class Field(NamedTuple):
    """A named field of a spec or a package."""

    label: str
    lines: tuple[str, ...]
    """The lines of text, already made `visible`."""
    is_command: bool = False
    is_list: bool = False
    """Whether each line is one of many values. Several values may share a line of the screen."""
    means: Means = ""
    """The meaning of the first line."""


def detail(
    index: Index, row: int, host: Host, mirror: str | None = None, is_signed: IsSigned = not_known
) -> list[Field]:
    """Return all facts about a spec. The first fields say whether it runs on the host, and how to install or load it.

    `mirror` is the user's URL pattern, see `mirror_of`.
    """
    spec = index.spec(row)
    stacks = [stack for stack in spec.stacks if stack != ROOT]
    needs = index.columns.extra(row).dependencies or _linked(index, spec.hash)
    arch = f"arch={spec.platform or 'None'}-{spec.os or 'None'}-{spec.target or 'None'}"
    compiler = normal_compiler(spec.compiler) if spec.compiler else "?"
    signed = is_signed(spec, index.graph.mirror(spec.tag, spec.stacks))
    texts = dict(copies([spec], mirror, index.graph, lambda *_: signed))
    mirrors = tuple(texts.get("mirror", "").splitlines())
    fit = index.fit(row, host)
    fails = "" if fit.kind in ("runs", "unknown") else "does not run: "
    libc = "" if fit.kind == "platform" or fit.libc_note in fit.reason else f": {fit.libc_note}"
    return [
        Field(
            "host",
            (visible(f"{fails}{fit.reason}"), visible(f"on {host.name}{libc}")),
            means="fails" if fails else "runs" if fit.is_certain and fit.distance is not None else "unknown",
        ),
        *([Field(LOAD, (texts[LOAD],), True)] if LOAD in texts else []),
        *([] if spec.state else [Field("install", (texts.get(INSTALL, "no hash, so no command"),), True)]),
        Field("hash", (visible(spec.hash or "none: the page does not record it"),)),
        Field("spec", (visible(f"{spec.package}@{spec.version or '?'} %{compiler} {arch}"),)),
        *([Field("variants", (visible(" ".join(spec.variants)),))] if spec.variants else []),
        *([Field("stacks", tuple(map(visible, stacks)), is_list=True)] if stacks else []),
        *([Field("tags", tuple(map(visible, spec.tags)), is_list=True)] if len(spec.tags) > 1 else []),
        *([Field("mirror", mirrors, True)] if mirrors and not spec.state else []),
        *([] if mirrors or spec.state else [Field("mirror", ("none: the page has no tag",))]),
        *_record_fields(index, row),
        *([Field("signed", ("yes" if signed else "no",))] if signed is not None else []),
        *([Field("size", (f"{spec.bytes:,} bytes",))] if spec.bytes is not None else []),
        *([Field("tarball", (visible(spec.tarball),), True)] if spec.tarball else []),
        *([Field("depends on", tuple(map(visible, needs)), is_list=True)] if needs else []),
        *([] if spec.state else [Field("read from", (visible(index.columns.page_path[index.columns.page(row)]),))]),
    ]


def _linked(index: Index, spec_hash: str | None) -> list[str]:
    """Return the names and versions of a spec's direct link and run dependencies, as recorded in the graph."""
    graph = index.graph
    number = graph.number(spec_hash or "") if graph else None
    nodes = map(graph.node, graph.direct_dependencies(number, LINK_RUN)) if number is not None else ()
    return sorted(at_version(node.name, node.version) for node in nodes)


def _record_fields(index: Index, row: int) -> list[Field]:
    """Return the facts that an installation records about a spec; empty if the spec is a binary of a build cache."""
    record = index.columns.extra(row).record
    if record is None:
        return []
    spec = index.spec(row)
    since = age(spec.installed) if spec.installed else "date unknown"
    environments = [name for name in index.values("env") if row in index.value_rows("env", name)]
    replaced = [f"replaced by /{record.deprecated_for}"] if record.deprecated_for else []
    return [
        Field("state", (record.state, "explicit" if record.explicit else "implicit", since, *map(visible, replaced))),
        Field("prefix", (visible(record.prefix or "unknown"),)),
        *([Field("needed by", (visible(f"environments {listed(environments)}"),))] if environments else []),
    ]


def package_detail(results: Results, number: int, *, tags: bool = False) -> list[Field]:
    """Return the versions, compilers, oses, targets and stacks of a package in a search result. With `tags`, add tags.

    `number`: the position of the package in the index. Versions are sorted from new to old. Other values are sorted by
    the number of specs, most frequent first. If only some specs have a value, their number follows the value.
    """
    index = results.index
    rows = results.rows & index.package_rows(number)
    version, table = index.columns.rows["version"], index.columns.tables["version"]
    whole = results.count(rows)
    of_version = grouped((version[row], row) for row in rows)
    versions = {table[value]: results.count(BitMap(of_it)) for value, of_it in of_version.items()}

    def listed(label: str, counts: Iterable[tuple[str, int]]) -> Field:
        texts = (f"{visible(value)} ({count})" if count < whole else visible(value) for value, count in counts)
        return Field(label, tuple(texts) or ("none",), is_list=True)

    def by_count(key: str) -> list[tuple[str, int]]:
        count = len if key == "tag" else index.counter(results.query)
        counts = dict(zip(index.values(key), index.value_counts(key, rows, count), strict=True)) | {ROOT: 0}
        return sorted((each for each in counts.items() if each[1]), key=lambda each: -each[1])

    return [
        listed("versions", ((value, versions[value]) for value in newest_versions(versions))),
        listed("compilers", by_count("compiler")),
        listed("oses", by_count("os")),
        listed("targets", by_count("target")),
        listed("stacks", by_count("stack")),
        *([listed("tags", by_count("tag"))] if tags else []),
    ]
