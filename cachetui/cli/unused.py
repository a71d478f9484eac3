"""`unused`: list the specs of an installation that `spack gc` would remove. The command removes nothing."""

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Annotated

from cachetui.analysis.unused import UnusedSpec, open_in_full, unused
from cachetui.cli.interface import FOUND, NOTHING, Option, QueryResultOptions, UsageError, print_document, print_notes
from cachetui.cli.session import answer, no_such, open_catalogue, query_of, settled
from cachetui.environments.files import environment_file, read_text
from cachetui.environments.lock import parse_lock
from cachetui.model.problem import UNREAD, UNREAD_CACHES
from cachetui.report.specs import Places
from cachetui.report.unused import UnusedRecord, unused_list
from cachetui.safe_text import shell_word
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
    uninstall: Annotated[bool, Option("also print a spack uninstall command with all hashes")] = False


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
    """Return the hashes of the roots of the environment in this folder or file; raises UserError."""
    text = read_text(environment_file(word))
    if not text.lstrip().startswith("{"):
        raise UsageError(
            f"{word} has no spack.lock, so its roots are unknown: run spack -e {shell_word(word)} concretize"
        )
    return [root.hash for root in parse_lock(text).roots]


def _tags(index: Index, options: UnusedOptions, named: Sequence[str]) -> list[str]:
    """Return the tag of each installation that has all environments in `named`.

    Raises UsageError if the content has no installation, if an environment is unknown, or if an unread file may need
    specs that seem unused.
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
