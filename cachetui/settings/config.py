"""The config file, `config.toml` in the folder of the settings: what is set, and in which line.

What is wrong in it ends the program: its host decides verdicts. Themes and keys are judged by the browser, which alone
knows them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from msgspec import Struct

from cachetui.model.problem import UserError
from cachetui.safe_text import visible
from cachetui.settings.folders import config_path, open_at_once

VARIABLES = {"content": "CACHETUI_CONTENT", "host": "CACHETUI_HOST", "mirror": "CACHETUI_MIRROR"}
"""The settings that stand in for a variable of the environment where that is not set."""

DEFAULT_COLUMNS = ("hash", "version", "compiler", "os", "target", "differs", "stacks", "tag")
"""The columns that the list of specs has by itself."""

COLUMNS = (*DEFAULT_COLUMNS, "platform", "variants")
"""The columns that it can have."""

LARGEST = 100_000
"""Bytes that a config file has at most."""

_KEY = re.compile(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_TABLE = re.compile(r"\s*\[+([^\]]*)\]")


class ConfigError(UserError):
    """A config file that cannot be read; the message is one line that says where, why and what to do."""

    def __init__(self, path: str, line: int | None, reason: str) -> None:
        super().__init__(f"{mistake(path, line, visible(reason))}; mend it, or go on without it: --no-config")


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


def read_config(environ: Mapping[str, str]) -> Config | None:
    """What the user's config file says; None where there is none. Raises ConfigError."""
    path = config_path(environ)
    try:
        with open(path, "rb", opener=open_at_once) as file:
            raw = file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(path, None, f"cannot be read ({error.strerror})") from None
    if len(raw) > LARGEST:
        raise ConfigError(path, None, "too large for settings")
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise ConfigError(path, raw.count(b"\n", 0, error.start) + 1, "no UTF-8") from None
    return parse_config(path, text)


def parse_config(path: str, text: str) -> Config:
    """What the text of a config file says; the file at `path` is only named. Raises ConfigError."""
    import tomllib  # late: most users have no config file

    try:
        document = tomllib.loads(text)
    except RecursionError:
        raise ConfigError(path, None, "too deeply nested") from None
    except ValueError as error:  # of TOML, or a number or date that Python does not have
        raise ConfigError(path, None, str(error)) from None
    lines = dict(_lines(text))
    values: dict[str, Any] = {}
    for name, value in document.items():
        try:
            values[name] = _READERS[name](value) if name in _READERS else _no_setting()
        except ValueError as error:
            raise ConfigError(path, lines.get(name), f"{name}: {error}") from None
    return Config(path=path, lines=lines, **values)


def _no_setting() -> NoReturn:
    raise ValueError(f"there is no such setting; there are {', '.join(_READERS)}")


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ValueError("needs a text in quotes")
    return value


def _content(value: object) -> str:
    return os.path.expanduser(_text(value))


def _host(value: object) -> str:
    from cachetui.model.host import Host

    Host.parse(_text(value))
    return _text(value)


def _columns(value: object) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(_texts(value)))
    if not names:
        raise ValueError(f"needs a list of names in quotes: {', '.join(COLUMNS)}")
    if unknown := [name for name in names if name not in COLUMNS]:
        raise ValueError(f"no column {', '.join(unknown)}; there are {', '.join(COLUMNS)}")
    return names


def _keys(value: object) -> Mapping[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ValueError('needs a table, as in [keys] and below it browse.filter = "ctrl+f"')
    found = {name: (keys,) if isinstance(keys, str) and keys else _texts(keys) for name, keys in _flat(value)}
    for name, keys in found.items():
        if not keys:
            raise ValueError(f"{name} needs a key in quotes, or a list of keys")
    return found


_READERS: Mapping[str, Callable[[object], object]] = {
    "content": _content,
    "host": _host,
    "mirror": _text,
    "theme": _text,
    "columns": _columns,
    "keys": _keys,
}
"""How each setting is read; raises ValueError with what is wrong."""


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
