"""The specs that a content should hold: a query for each name of a list, or for each spec of a `spack.yaml`."""

import os
import re
from collections.abc import Iterator

from cachetui.environments.files import STANDARD_INPUT, FileError, environment_file, read_text
from cachetui.environments.lock import parse_locks
from cachetui.environments.manifest import Manifest, read_root
from cachetui.environments.wanted import Expectation, Expectations, told_apart
from cachetui.model.budget import MAX_SPECS
from cachetui.query.parser import QueryError
from cachetui.query.query import Query
from cachetui.safe_text import listed
from cachetui.settings.settings import Settings

_ENVIRONMENT = re.compile(r"^(spack|env|specs|definitions)::?\s", re.MULTILINE)


def read(path: str, settings: Settings) -> Expectations:
    """Read a file (`-`: standard input) of names or specs one a line, or an environment; raises FileError."""
    path = environment_file(path)
    text = read_text(path)
    try:
        if text.lstrip().startswith("{"):
            of_locks = ((lock.graph, [root.hash for root in lock.roots]) for lock in parse_locks(text))
            roots = (graph.node(number) for graph, hashes in of_locks for number in graph.numbers(hashes))
            text = "\n".join(f"{root.name} /{root.hash}" for root in roots)
        return parse(text, "" if path == STANDARD_INPUT else os.path.dirname(path), settings)
    except FileError as error:
        raise FileError(f"{path}: {error}") from None


def parse(text: str, folder: str, settings: Settings) -> Expectations:
    """Read a `spack.yaml` where the text has its keys, else a list of specs; raises FileError."""
    if is_environment(text):
        manifest = Manifest(text, os.path.abspath(folder), settings)
        found = Expectations(told_apart(tuple(expectations(manifest))), (*notes(manifest), *unapplied(manifest)))
    else:
        found = Expectations(tuple(specs(text, settings)))
    if not found.entries:
        raise FileError("the file has no spec: expected names, one a line, or the specs of a spack.yaml")
    return found


def is_environment(text: str) -> bool:
    """Return whether a text has the keys of a `spack.yaml`."""
    return _ENVIRONMENT.search(text) is not None


def specs(text: str, settings: Settings) -> Iterator[Expectation]:
    """Yield the specs of a list, one a line, each once; raises FileError."""
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines())
    for number, line in enumerate(dict.fromkeys(filter(None, lines))):
        if number >= MAX_SPECS:
            raise FileError(f"there are more than {MAX_SPECS:,} specs in it")
        try:
            query = Query.parse(line, has_graph=True, settings=settings)
        except QueryError as error:
            yield Expectation(line, None, str(error))
            continue
        yield _named(Expectation(query.line, query))


def expectations(manifest: Manifest) -> Iterator[Expectation]:
    """Yield the roots of an environment, each once in its group, then the references of which it is unknown."""
    for group in manifest.groups:
        for pieces in dict.fromkeys(group.roots):
            try:
                text, query = read_root(pieces, group.toolchains)
            except QueryError as error:
                yield Expectation(" ".join(pieces), None, str(error), group.name)
                continue
            yield _named(Expectation(text, query, "", group.name, group.rules))
    for text in manifest.unknown:
        yield Expectation(text, None, "unknown: this condition cannot be evaluated here")


def notes(manifest: Manifest) -> Iterator[str]:
    """Yield each key that was not applied although the verdict stays the same."""
    for reason, names in manifest.passed.notes.items():
        yield f"not applied: {reason} ({listed(list(names), 3)})"


def unapplied(manifest: Manifest) -> Iterator[str]:
    """Yield each key that was not applied and could change the verdict."""
    return (f"not applied: {text}" for text in manifest.passed.deciding)


def _named(found: Expectation) -> Expectation:
    """Return a spec; drop its query unless that names a package or a hash."""
    if found.query is None or found.query.package or found.query.parts_of("hash"):
        return found
    return Expectation(found.text, None, "it names no package", found.group)
