"""The config file, `config.toml` in the folder of the settings: what is set, in which line, and what is wrong.

It is the user's own, so it is trusted, but anybody makes mistakes: each is one line with its place, and costs no more
than the setting that it is in. What only the browser can judge, themes and keys, is judged there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import Struct

from cachetui.safe_text import visible
from cachetui.settings.folder import config_path

VARIABLES = {"content": "CACHETUI_CONTENT", "host": "CACHETUI_HOST", "mirror": "CACHETUI_MIRROR"}
"""The settings that stand in for a variable of the environment where that is not set."""

SETTINGS = (*VARIABLES, "theme", "columns", "keys")
"""All that can be set."""

DEFAULT_COLUMNS = ("hash", "version", "compiler", "os", "target", "differs", "stacks", "tag")
"""The columns that the list of specs has by itself."""

COLUMNS = (*DEFAULT_COLUMNS, "platform", "variants")
"""The columns that it can have."""

LARGEST = 100_000
"""Bytes that a config file has at most."""

MANY = 500
"""Lines up to which what is right in a file is told from what is no TOML."""

_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_TABLE = re.compile(r"\s*\[+([^\]]*)\]")


class Config(Struct, frozen=True, kw_only=True):
    """What a config file says."""

    path: str
    content: str | None = None
    host: str | None = None
    mirror: str | None = None
    theme: str | None = None
    columns: tuple[str, ...] | None = None
    """The columns of the list of specs, in their order."""
    keys: Mapping[str, tuple[str, ...]] = {}
    """For each binding its keys, as they are written."""
    lines: Mapping[str, int] = {}
    """The lines that the settings stand in, those of keys as `keys.browse.filter`."""
    mistakes: tuple[str, ...] = ()
    """What is wrong, a line each."""

    def mistake(self, name: str, reason: str) -> str:
        """What is wrong with a setting, and where it stands."""
        return mistake(self.path, self.lines.get(name), f"{visible(name)}: {reason}")

    def variables(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The variables that the file stands in for, as the environment does not have them."""
        found = {variable: getattr(self, name) for name, variable in VARIABLES.items() if not environ.get(variable)}
        return {variable: value for variable, value in found.items() if value is not None}


def mistake(path: str, line: int | None, reason: str) -> str:
    """One line about something wrong in a file."""
    return f"{visible(path)}{f':{line}' if line else ''}: {reason}"


def read_config(environ: Mapping[str, str]) -> Config:
    """What the user's config file says; an empty one where there is none. Never raises: mistakes are part of it."""
    path = config_path(environ)
    try:
        with open(path, "rb", opener=_open_at_once) as file:
            raw = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return Config(path=path)
    except OSError as error:
        return Config(path=path, mistakes=(mistake(path, None, f"cannot be read ({error.strerror}): not used"),))
    if len(raw) > LARGEST:
        return Config(path=path, mistakes=(mistake(path, None, "too large for settings: not used"),))
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return Config(path=path, mistakes=(mistake(path, line, "no UTF-8: nothing of the file is used"),))
    return parse_config(path, text)


def parse_config(path: str, text: str) -> Config:
    """What the text of a config file says; the file at `path` is only named."""
    document, faults = _document(path, text)
    reading = _Reading(path, text)
    known = {name: value for name, value in document.items() if name in SETTINGS}
    for name in document.keys() - known.keys():
        reading.refuse(name, f"there is no such setting; there are {', '.join(SETTINGS)}")
    texts = {name: reading.text(name, known[name]) for name in (*VARIABLES, "theme") if name in known}
    return Config(
        path=path,
        **texts,
        columns=reading.columns(known["columns"]) if "columns" in known else None,
        keys=reading.keys(known["keys"]) if "keys" in known else {},
        lines=reading.lines,
        mistakes=(*faults, *reading.mistakes),
    )


def _open_at_once(path: str, flags: int) -> int:
    """Opens a file without waiting, also where a pipe stands in its place."""
    return os.open(path, flags | os.O_NONBLOCK)


def _document(path: str, text: str) -> tuple[dict[str, Any], list[str]]:
    """The document without the settings that are no TOML, and what is wrong with these."""
    found = _parsed([text])
    if isinstance(found, dict):
        return found, []
    # Each setting by itself: one that is not closed would take in all that follow it.
    lines = text.splitlines()
    if len(lines) > MANY:
        return {}, [mistake(path, found.line, f"{visible(found.reason)}: nothing of the file is used")]
    starts = [k for k, line in enumerate(lines) if k and (_TABLE.match(line) or _KEY.match(line))]
    kept: list[str] = []
    faults: list[str] = []
    for start, end in pairwise([0, *starts, len(lines)]):
        found = _parsed([*kept, *lines[start:end]])
        taken = end
        while taken > start and isinstance(_parsed([*kept, *lines[start:taken]]), _Fault):
            taken -= 1
        kept += lines[start:taken]
        if isinstance(found, _Fault):
            alone = _parsed(lines[taken:end])
            reason, line = alone if isinstance(alone, _Fault) else (found.reason, 1)
            faults.append(mistake(path, min(taken + line, end), f"{visible(reason)}: not used"))
    found = _parsed(kept)
    return found if isinstance(found, dict) else {}, faults


class _Fault(NamedTuple):
    """Why a text is no TOML, and in which line of it."""

    reason: str
    line: int


def _parsed(lines: Sequence[str]) -> dict[str, Any] | _Fault:
    import tomllib  # late: most users have no config file

    try:
        return tomllib.loads("\n".join(lines))
    except RecursionError:
        return _Fault("too deeply nested", 1)
    except ValueError as error:  # of TOML, or a number or date that Python does not have
        place = re.search(r" \(at (?:line (\d+), column \d+|end of document)\)", str(error))
        return _Fault(str(error)[: place.start()] if place else str(error), int(place[1] or 1) if place else 1)


class _Reading:
    """The settings of one document, one by one; collects what is wrong with them."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self.lines = dict(_lines(text))
        self.mistakes: list[str] = []

    def refuse(self, name: str, reason: str) -> None:
        self.mistakes.append(mistake(self._path, self.lines.get(name), f"{visible(name)}: {reason}"))

    def text(self, name: str, value: object) -> str | None:
        if not isinstance(value, str) or not value.strip() or "\0" in value:
            self.refuse(name, "needs a text in quotes")
            return None
        if name == "content":
            return os.path.expanduser(value)
        if name == "host":
            from cachetui.model.host import Host

            try:
                Host.parse(value)
            except ValueError as error:
                self.refuse(name, visible(str(error)))
                return None
        return value

    def columns(self, value: object) -> tuple[str, ...] | None:
        names = _texts(value)
        if not names:
            self.refuse("columns", f"needs a list of names in quotes: {', '.join(COLUMNS)}")
            return None
        known = tuple(dict.fromkeys(name for name in names if name in COLUMNS))
        if unknown := [visible(name) for name in names if name not in COLUMNS]:
            self.refuse("columns", f"no column {', '.join(unknown)}; there are {', '.join(COLUMNS)}")
        return known or None

    def keys(self, value: object) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        if not isinstance(value, dict):
            self.refuse("keys", 'needs a table, as in [keys] and below it browse.filter = "ctrl+f"')
            return found
        for name, keys in _flat(value):
            if texts := (keys,) if isinstance(keys, str) and keys else _texts(keys):
                found[name] = texts
            else:
                self.refuse(f"keys.{name}", "needs a key in quotes, or a list of keys")
        return found


def _texts(value: object) -> tuple[str, ...]:
    """The texts of a list of texts; none where it is anything else."""
    is_list = isinstance(value, list) and all(isinstance(each, str) and each for each in value)
    return tuple(value) if isinstance(value, list) and is_list else ()


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, object]]:
    """The values of a table, and of those in it, by their names with dots: `browse.filter`, quoted or not."""
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def _lines(text: str) -> Iterator[tuple[str, int]]:
    """The settings by their names with dots, each with its line; a table has the line of its head."""
    table = ""
    for number, line in enumerate(text.splitlines(), 1):
        if head := _TABLE.match(line):
            table = f"{_plain(head[1])}."
            yield table[:-1], number
        elif key := _KEY.match(line):
            yield f"{table}{_plain(key[1])}", number


def _plain(key: str) -> str:
    """A key with dots as it is meant, without quotes and blanks."""
    return ".".join(part.strip().strip("\"'") for part in key.split("."))
