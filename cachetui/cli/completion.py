"""Completion in a shell: the words of a command line become candidates for the last of them.

It answers within the time of a key: from the saved index alone, and with nothing where there is none. A candidate
is a whole word that is safe to stand on a command line as it is.
Input: the words up to the cursor, as the scripts in `shells/` pass them on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files
from itertools import pairwise

from msgspec import Struct

from cachetui.analysis.coverage import COLUMN_AXES, ORDERS, ROW_AXES
from cachetui.catalogue import Catalogue
from cachetui.cli.options import COMMANDS, FORMATS, Options, UsageError, options_of, parse
from cachetui.explain.completion import completions
from cachetui.report.specs import FIELDS, PACKAGE_FIELDS
from cachetui.search.index import Index
from cachetui.sources.source import ContentError

SHELLS = ("bash", "zsh", "fish")

_FIXED: dict[str, Sequence[str]] = {
    "--format": FORMATS,
    "--rows": ROW_AXES,
    "--cols": COLUMN_AXES,
    "--by": ("signature", "hash"),
}
"""The options whose values are always the same."""

_WITH_VALUE = {*_FIXED, "--content", "--expect", "--fits", "--limit", "--sort", "--stack", "--tag", "--theme"}

_SAFE = re.compile(r"[A-Za-z0-9_@%+~=!.,:/^-]+")
"""Candidates of other letters are not offered: a page must not write a command for its reader."""


class Candidates(Struct, frozen=True):
    words: tuple[str, ...]
    files: bool = False
    """Whether the name of a file or folder may stand here too."""


def script(shell: str) -> str:
    """The completion script of a shell; raises UsageError for one that has none."""
    if shell not in SHELLS:
        raise UsageError(f"completion needs one of {', '.join(SHELLS)}: cachetui completion bash")
    return (files("cachetui.cli") / "shells" / f"cachetui.{shell}").read_text(encoding="utf-8")


def candidates(words: Sequence[str], environ: Mapping[str, str]) -> Candidates:
    """What the last of the words behind `cachetui` may become."""
    *done, word = words or [""]
    if "--" not in done:
        if done and done[-1] in _WITH_VALUE:
            return _values_of(done[-1], word, done[:-1], environ)
        name, equals, value = word.partition("=")
        if word.startswith("--") and equals:
            found = _values_of(name, value, done, environ)
            return Candidates(tuple(f"{name}={each}" for each in found.words))
        if word.startswith("--"):
            return Candidates(_offered(word, options_of(_command(done))))
    if done[:1] == ["completion"]:
        return Candidates(_offered(word, SHELLS) if len(done) == 1 else ())
    try:
        options = parse(done, environ)
    except UsageError:
        return Candidates((), files=True)
    commands = COMMANDS if not done else ()
    if options.content is None:
        return Candidates(_offered(word, commands), files=True)
    index = _saved(options, environ)
    offered = () if index is None else _in_content(index, options, word)
    is_default = options.content == environ.get("CACHETUI_CONTENT") and not options.words
    return Candidates((*_offered(word, commands), *offered), files=is_default)


def _command(done: Sequence[str]) -> str | None:
    """The command that these words call; None if none of them is a command or the content of the browser."""
    words = (word for before, word in pairwise(("", *done)) if before not in _WITH_VALUE and not word.startswith("-"))
    first = next(words, None)
    return first if first is None or first in COMMANDS else "browse"


def _values_of(name: str, word: str, done: Sequence[str], environ: Mapping[str, str]) -> Candidates:
    """What may stand behind an option; nothing behind one that means nothing to the command."""
    command = _command(done)
    if name not in options_of(command):
        return Candidates(())
    if name in ("--content", "--expect"):
        return Candidates((), files=True)
    if name in _FIXED:
        return Candidates(_offered(word, _FIXED[name]))
    if name == "--sort":
        fields = ORDERS if command == "coverage" else ("name", *(PACKAGE_FIELDS if "--packages" in done else FIELDS))
        return Candidates(_offered(word, (f"-{field}" for field in fields) if word.startswith("-") else fields))
    try:
        index = _saved(parse(done, environ), environ)
    except UsageError:
        index = None
    if name in ("--tag", "--stack"):
        return Candidates(_offered(word, index.values(name[2:]) if index else ()))
    if name == "--fits":
        return Candidates(_offered(word, ("here", *(index.values("target") if index else ()))))
    return Candidates(())


def _saved(options: Options, environ: Mapping[str, str]) -> Index | None:
    if options.content is None or options.no_snapshot:
        return None
    try:
        return Catalogue(options.content, environ).saved()
    except ContentError:
        return None


def _in_content(index: Index, options: Options, word: str) -> tuple[str, ...]:
    """What may stand behind CONTENT."""
    if options.command == "diff" and len(options.words) < 2:
        return _offered(word, index.tags)
    if options.command == "doctor":
        return ()
    if options.command == "which":
        found = completions(index, f"/{word.lower().removeprefix('/')}", len(word.removeprefix("/")) + 1, None)
        slash = "/" if word.startswith("/") else ""
        return _offered(word, (slash + each.text for each in found))
    query = options.words[2:] if options.command == "diff" else options.words
    before = "".join(f"{each} " for each in query)
    tags = f" tag={','.join(options.tag)}" if options.tag else ""
    text = before + word
    found = completions(index, text + tags, len(text), None)
    kept = (each for each in found if each.start >= len(before))
    return _offered(word, (text[len(before) : each.start] + each.text for each in kept))


def _offered(word: str, found: Iterable[str]) -> tuple[str, ...]:
    """Those that begin as typed; else the only one, if it is one: a shell would put what several share in its place."""
    safe = [each for each in found if _SAFE.fullmatch(each.replace(" ", "") if " " in word else each)]
    beginning = tuple(each for each in safe if each.startswith(word))
    return beginning or tuple(safe if len(safe) == 1 else ())
