"""`unused`: list the specs of an installation that `spack gc` would remove. The command removes nothing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Annotated

from cachetui.analysis.unused import UnusedSpec, open_in_full, unused
from cachetui.cli.options import Option, QueryResultOptions, UsageError
from cachetui.cli.output import FOUND, NOTHING, print_document, print_notes
from cachetui.cli.session import answer, no_such, open_catalogue, query_of, settled
from cachetui.environments.files import environment_file, read_text
from cachetui.environments.lock import parse_lock
from cachetui.model.problem import UNREAD, UNREAD_CACHES
from cachetui.report.formats import Block, Code, FactsBlock, ListDocument, TableBlock
from cachetui.report.specs import Places, hash_word, spec_name
from cachetui.safe_text import joined, listed, plural, shell_word, size_text
from cachetui.search.index import Index
from cachetui.sources.buildcache.remote_binaries import installed_size
from cachetui.suggest.no_match import unmatched

HELP = """\
CONTENT is a Spack checkout, an install tree or an environment. Like `spack gc`,
unused keeps explicit specs and their link and run dependencies. With several
trees (-C TREE), unused also shows which specs another tree needs. `spack gc`
does not know the other trees. -b, -e and -E have the same meaning as in
`spack gc` since 0.22.
The output ends with commands that you can run. `spack gc` removes all unused
specs of a tree. --uninstall prints a command that removes fewer specs: it keeps
externals, and specs that another open tree needs.
The status is 0 if a spec is unused, and otherwise 1.
"""


class UnusedOptions(QueryResultOptions, frozen=True, kw_only=True):
    with_build: Annotated[bool, Option("keep build dependencies too", short="-b")] = False
    env: Annotated[
        tuple[str, ...],
        Option(
            "keep the specs of this environment instead of the explicit specs; repeatable",
            "ENV",
            short="-e",
            completed_by="env",
        ),
    ] = ()
    all_envs: Annotated[bool, Option("keep the specs of all environments", short="-E")] = False
    uninstall: Annotated[
        bool, Option("also print a spack uninstall command; it keeps externals and specs that another tree needs")
    ] = False


class UnusedRecord(UnusedSpec, frozen=True, kw_only=True):
    """An unused spec, and the content to which it belongs."""

    content: str
    """The content, as given on the command line."""


DOCUMENT = (list[UnusedRecord],)


def run(options: UnusedOptions) -> int:
    """Print the unused specs."""
    typed = query_of(options)
    named = [word for word in options.env if not _is_path(word)]
    kept = list(chain.from_iterable(_roots(word) for word in options.env if _is_path(word)))

    def ask(index: Index) -> tuple[list[UnusedSpec], Iterable[int]]:
        every = [*chain.from_iterable(index.graph.trees.values())] if options.all_envs else named
        tags, query = _tags(index, options, named), settled(index, typed, ())
        environments = every if options.all_envs or options.env else None
        return unused(index, query, tags, environments, kept, size=installed_size, with_build=options.with_build), ()

    catalogue = open_catalogue(options)
    index, found = answer(catalogue, options, ask)
    flags = [*["-b"] * options.with_build, *["-E"] * options.all_envs, *(f"-e {shell_word(e)}" for e in options.env)]
    gc = {} if typed else dict.fromkeys(open_in_full(index), " ".join(["spack gc", *flags]))
    print_document(unused_list(found, Places(catalogue.contents), gc, uninstall=options.uninstall), options, len(found))
    if options.all_envs:
        without = (tag for tag, environments in index.graph.trees.items() if not environments)
        print_notes(
            f"the environments of {tag} are unknown, so -E keeps nothing: open the Spack checkout of this tree"
            for tag in without
        )
    if not found:
        print_notes(["no unused spec", *(each.phrase for each in unmatched(index, typed))])
    return FOUND if found else NOTHING


def _is_path(word: str) -> bool:
    return word == "." or "/" in word


def _roots(word: str) -> list[str]:
    """Return the hashes of the roots of an environment. `word`: the folder or file of the environment."""
    text = read_text(environment_file(word))
    if not text.lstrip().startswith("{"):
        raise UsageError(
            f"{word} has no spack.lock, so its roots are unknown: run spack -e {shell_word(word)} concretize"
        )
    return [root.hash for root in parse_lock(text).roots]


def _tags(index: Index, options: UnusedOptions, named: Sequence[str]) -> list[str]:
    """Return the tag of each installation that has all environments in `named`.

    Raises UsageError if the content has no installation, if an environment is unknown, or if a file of an
    installation cannot be read. Specs in this file may need other specs, which would then wrongly count as unused.
    """
    trees = index.graph.trees
    if not trees:
        raise UsageError("unused needs an installation: give a Spack checkout or an install tree, such as ~/spack")
    for problem in index.problems:
        is_unread = problem.level == "fault" and problem.kind in (UNREAD, *UNREAD_CACHES, "unreadable")
        if is_unread and (options.all_envs or options.env or not problem.path.endswith("/spack.lock")):
            raise UsageError(f"the unused specs cannot be determined: {problem.message}")
    for name in named:
        if not any(name in environments for environments in trees.values()):
            raise no_such("environment", name, list(chain.from_iterable(trees.values())))
    return [tag for tag, environments in trees.items() if {*named} <= environments.keys()]


# The document


def unused_list(
    found: Sequence[UnusedSpec], places: Places, gc: Mapping[str, str], *, uninstall: bool = False
) -> ListDocument:
    """Return the list of unused specs for output. With `uninstall`, add an uninstall command with all hashes.

    `gc`: for the tag of each install tree, the command that removes all unused specs of the tree. `gc` has only trees
    whose unused specs are all in `found`.
    """

    def shown(width: int | None) -> Iterator[Block]:
        cells = [
            [
                (each.hash or "")[: None if width is None else 7],
                spec_name(each),
                each.tag,
                "external" if each.state == "external" else "-" if each.bytes is None else size_text(each.bytes),
                listed(each.needed_by, 2) or "-",
            ]
            for each in found
        ]
        yield TableBlock(("unused", "package", "tree", "size", "needed by"), cells, (3,), bool(found), shrinking=(4,))
        for tag in dict.fromkeys(each.tag for each in found):
            yield FactsBlock(list(_facts([each for each in found if each.tag == tag], gc.get(tag), uninstall)))

    return ListDocument(
        found, UnusedSpec.__struct_fields__, shown=shown, as_json=lambda each: places.record(UnusedRecord, each)
    )


def _facts(found: Sequence[UnusedSpec], gc: str | None, uninstall: bool) -> Iterator[tuple[str, str]]:
    """Yield the number and size of the unused specs of an install tree, then the commands that remove these specs.

    The second command omits specs that other trees need. It also omits externals, because they use no space.
    """
    own = [each for each in found if each.state != "external"]
    known = [each.bytes for each in own if each.bytes is not None]
    size = f"{'at least ' * (len(known) < len(own))}{size_text(sum(known))}" if known or not own else "size unknown"
    needed = sum(bool(each.needed_by) for each in found)
    said = (
        f"{plural(len(own), 'spec')}, {size}",
        f"{plural(len(found) - len(own), 'external')} (removing externals frees no space)"
        if len(own) < len(found)
        else "",
        f"{needed:,} needed by other trees, which spack gc ignores" if needed else "",
    )
    yield found[0].tag, joined(said)
    words = " ".join(filter(None, (hash_word(each) for each in own if uninstall and not each.needed_by)))
    commands = (("all", gc), ("these", f"spack uninstall {words}" if words else ""))
    yield from ((name, Code(command)) for name, command in commands if command)
