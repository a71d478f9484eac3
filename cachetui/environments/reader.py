"""Read the input of a user: hashes, specs, lists of hashes and specs, `spack.yaml`, `spack.lock`, `spec.json`.

`read_wanted` reads the input of `check`, and turns the roots of a lock into hashes. `read_expected` reads the file for
`coverage --expect`, and turns all roots into queries.
"""

import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from msgspec.structs import replace

from cachetui.environments.files import STANDARD_INPUT, FileError, environment_file, read_text
from cachetui.environments.manifest import Manifest, read_root, read_spec
from cachetui.environments.wanted import Asked, Expectation, Expectations, Wanted, with_group_names
from cachetui.model.budget import MAX_SPECS
from cachetui.model.spec import HASH, HASH_WORD
from cachetui.query.parser import QueryError
from cachetui.query.query import Query
from cachetui.safe_text import listed
from cachetui.settings.settings import Settings

_NAME = re.compile(r"[A-Za-z0-9_][\w.-]*(?![\w.-]|:?=|!=)")
"""The package name at the beginning of a spec. The pattern excludes keys, such as `os` in `os=rhel8`."""

_ENVIRONMENT = re.compile(r"^(spack|env|specs|definitions)::?\s", re.MULTILINE)

NO_SPEC = "the file has no spec: expected one name per line, or the specs of a spack.yaml"

_PATH_STARTS = ("./", "../", "~/")

_PATH_ENDS = ("/", ".lock", ".yaml", ".json", ".txt")

_FLAGS = re.compile(r"(?:.*\s)?(?:c|cxx|cpp|f|ld)(?:flags|libs)=")
"""A spec with compiler flags, which may contain paths."""


def read_wanted(words: Sequence[str], settings: Settings) -> Wanted:
    """Read words of a command line: files, folders of environments, `-`, hashes and specs.

    A spec may have several words; the first word begins with a package name. Raises FileError, also for an invalid
    spec. Conditions (`when`) are evaluated for the host in `settings`.
    """
    asked: list[Asked] = []
    notes: list[str] = []
    unapplied: list[str] = []
    specs: list[str] = []
    for word in words:
        path = environment_file(word) if _is_path(word) else None
        if path is None and not _hash(word) and os.path.lexists(word):
            way = f"folder, write {word}/" if os.path.isdir(word) else f"file, write ./{word}"
            notes.append(f"{word} is read as a spec: to read the {way}")
        if path is not None:
            text = read_text(path)
            try:
                found = wanted_in(text, "" if path == STANDARD_INPUT else os.path.dirname(path), settings)
            except FileError as error:
                raise FileError(f"{path}: {error}") from None
            asked += found.asked
            notes += found.notes
            unapplied += found.unapplied
        elif (spec_hash := _hash(word)) is not None:
            asked.append(Asked(word, hash=spec_hash))
        elif specs and (
            specs[-1].endswith(("^", "%", "]")) or not _NAME.match(word)
        ):  # a word without a name continues a spec
            specs[-1] += f" {word}"
        else:
            specs.append(word)
    for spec in specs:
        found = wanted_in(spec, "", settings)
        for each in found.asked:
            if each.expectation and each.expectation.fault:
                raise FileError(f"{spec} is not a valid spec: {each.expectation.fault}")
        asked += (replace(each, unify_group=("true", "these specs")) for each in found.asked)
    return Wanted(with_group_names(asked), tuple(notes), tuple(unapplied))


def read_locks(paths: Iterable[str], settings: Settings) -> list[tuple[str, Asked]]:
    """Return each root of these locks, with the path of its lock; raises FileError, also if a file is not a lock."""
    roots = [(path, root) for path in paths for root in read_wanted([path], settings).asked]
    if other := next((path for path, root in roots if root.lock is None), None):
        raise FileError(f"{other} is not a spack.lock: for other environments, run cachetui check")
    return roots


def _is_path(word: str) -> bool:
    """Return whether a word looks like a path or is `-`. The file need not exist."""
    if word in (STANDARD_INPUT, ".", "~") or word.startswith(_PATH_STARTS) or word.endswith(_PATH_ENDS):
        return True
    return not HASH_WORD.fullmatch(word) and "/" in word.partition("@")[0] and not _FLAGS.match(word)


def wanted_in(text: str, folder: str, settings: Settings) -> Wanted:
    """Read the text of a lock, of a `spack.yaml` in this folder, or of a list of hashes and specs; raises FileError.

    A list has one hash or spec in each line.
    """
    if text.lstrip()[:1] == "{":
        found = Wanted(tuple(_of_lock(text)))
        return replace(found, notes=tuple(dict.fromkeys(note for lock in found.locks for note in lock.notes)))
    if is_environment(text):
        return _of_environment(text, os.path.abspath(folder), settings)
    return Wanted(tuple(_of_line(line, settings) for line in _lines(text)))


def _of_line(line: str, settings: Settings) -> Asked:
    if (spec_hash := _hash(line)) is not None:
        return Asked(line, hash=spec_hash)
    entry = _expectation(line, settings)
    return Asked(entry.text, expectation=entry)


def _of_lock(text: str) -> Iterator[Asked]:
    """Yield the roots of each lock. The roots of included environments are last."""
    from cachetui.environments.lock import parse_locks  # late, because it imports the reader of build caches

    for lock in parse_locks(text):
        yield from (Asked(root.spec or f"/{root.hash}", root.hash, lock, root.group) for root in lock.roots)


def _of_environment(text: str, folder: str, settings: Settings) -> Wanted:
    """Read the roots of a `spack.yaml` and of its included locks. If a lock has a root, use the hash in the lock."""
    manifest = Manifest(text, folder, settings)
    own = f"{folder}/spack.lock"
    paths = [own] if os.path.isfile(own) else list(_included(manifest))  # a lock has copies of its included locks
    roots = [each for path in paths for each in _of_lock(read_text(path))]
    included = roots[roots[0].lock.own :] if paths == [own] and roots and roots[0].lock else roots
    known: dict[tuple[str, Query], Asked] = {}
    for root in roots:
        with suppress(QueryError):
            known[root.group, read_spec([root.text], {})] = root
    unify_groups = {
        each.name: (each.unify, f"{folder}: {each.name}") for each in manifest.groups if each.unify != "false"
    }
    found = list(expectations(manifest))
    roots_of = Counter((entry.group, entry.package) for entry in found)
    asked = []
    for entry in found:
        if spec_hash := _hash(entry.text):
            asked.append(Asked(entry.text, hash=spec_hash))
        elif entry.query is not None and (entry.group, entry.query) in known:
            asked.append(known[entry.group, entry.query])
        else:
            roots_together = unify_groups.get(entry.group)
            if roots_together and roots_together[0] != "true" and roots_of[entry.group, entry.package] > 1:
                roots_together = None  # several roots of one package may contradict each other
            asked.append(Asked(entry.text, group=entry.group, expectation=entry, unify_group=roots_together))
    asked += {each.hash: each for each in included if each not in asked}.values()
    if not asked:
        raise FileError("the file has no spec: write specs, or include a lock")
    return Wanted(tuple(asked), tuple(notes(manifest)), tuple(unapplied(manifest)))


def _included(manifest: Manifest) -> Iterator[str]:
    """Yield the path of the lock of each included environment. Skip environments without a lock."""
    yield from manifest.scopes.locks
    for written in manifest.included:
        path = manifest.scopes.expanded(written)
        folder = path if os.path.isdir(path) else f"{manifest.scopes.environments}/{written}"
        if not os.path.isdir(folder):
            raise FileError(f"the included environment {written} does not exist")
        if os.path.isfile(f"{folder}/spack.lock"):
            yield f"{folder}/spack.lock"


def _hash(word: str) -> str | None:
    """Return the hash in a word: a complete hash, or the beginning of a hash after `/`. None for any other word."""
    match = HASH_WORD.fullmatch(word if "/" in word else f"/{word}")
    found = match[1].lower() if match else ""
    return found if found and ("/" in word or HASH.fullmatch(found)) else None


def read_expected(path: str, settings: Settings) -> Expectations:
    """Read a list of specs (one in each line) or an environment from a file, or from `-`; raises FileError."""
    path = environment_file(path)
    text = read_text(path)
    try:
        if text.lstrip().startswith("{"):
            from cachetui.environments.lock import parse_locks  # late, because it imports the reader of build caches

            of_locks = ((lock.graph, [root.hash for root in lock.roots]) for lock in parse_locks(text))
            roots = (graph.node(number) for graph, hashes in of_locks for number in graph.numbers(hashes))
            text = "\n".join(f"{root.name} /{root.hash}" for root in roots)
        return parse_expected(text, "" if path == STANDARD_INPUT else os.path.dirname(path), settings)
    except FileError as error:
        raise FileError(f"{path}: {error}") from None


def parse_expected(text: str, folder: str, settings: Settings) -> Expectations:
    """Read the text of a `spack.yaml` in this folder, or a list of specs; raises FileError."""
    if not is_environment(text):
        return Expectations(tuple(_expectation(line, settings) for line in _lines(text)))
    manifest = Manifest(text, os.path.abspath(folder), settings)
    entries = with_group_names(tuple(expectations(manifest)))
    if not entries:
        raise FileError(NO_SPEC)
    return Expectations(entries, (*notes(manifest), *unapplied(manifest)))


def is_environment(text: str) -> bool:
    """Return whether a string has the keys of a `spack.yaml`."""
    return _ENVIRONMENT.search(text) is not None


def _lines(text: str) -> Iterator[str]:
    """Return the distinct lines of a list, without comments; raises FileError if the list is empty or too long."""
    found = list(filter(None, dict.fromkeys(re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines())))
    if not 0 < len(found) <= MAX_SPECS:
        raise FileError(f"the file has more than {MAX_SPECS:,} specs" if found else NO_SPEC)
    return iter(found)


def _expectation(line: str, settings: Settings) -> Expectation:
    """Return the expected spec in a line. If the line has a syntax error, the field `fault` describes the error."""
    try:
        query = Query.parse(line, has_graph=True, settings=settings)
    except QueryError as error:
        return Expectation(line, None, str(error))
    return _named(Expectation(query.line, query))


def expectations(manifest: Manifest) -> Iterator[Expectation]:
    """Yield the distinct roots of each group, also invalid roots."""
    for group in manifest.groups:
        for pieces in dict.fromkeys(group.roots):
            try:
                text, query = read_root(pieces, group.toolchains)
            except QueryError as error:
                yield Expectation(" ".join(pieces), None, str(error), group.name)
                continue
            yield _named(Expectation(text, query, "", group.name, group.rules))


def notes(manifest: Manifest) -> Iterator[str]:
    """Yield notes on the keys that the program does not apply because they are only preferences."""
    for reason, names in manifest.not_applied.notes.items():
        yield f"these {reason} are not applied: {listed(list(names), 3)}"


def unapplied(manifest: Manifest) -> Iterator[str]:
    """Yield notes on the parts of an environment that the program does not apply and that could change the verdict."""
    return (f"{text} is not applied" for text in manifest.not_applied.deciding)


def _named(found: Expectation) -> Expectation:
    """Return the expectation. A spec without a package name and without a hash is marked as invalid (`fault`)."""
    if found.query is None or found.query.package or found.query.terms_of("hash"):
        return found
    return Expectation(found.text, None, "the package name is missing", found.group)
