"""A `spack.yaml`: its specs, expanded as in Spack, and what it requires of them.

Definitions, references, matrices and exclusions are expanded; the conditions (`when`) of definitions and includes are
evaluated for a host. Included files are read where they are in or below the folder of the environment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice, product
from math import prod
from pathlib import Path
from typing import Any

from cachetui.environments.files import FileError, read_text
from cachetui.environments.requirements import Requirements, satisfies
from cachetui.model.edit_distance import nearest_names
from cachetui.model.host import Host, this_host

MOST = 20_000
"""Most specs that an environment may stand for; a matrix of more is a mistake."""

DEEPEST = 20
"""Most levels of references and matrices within each other."""

MOST_INCLUDED = 100
"""Most files that are included, directly or by each other."""

NOT_INCLUDED = "includes that are no files beside the environment"

_REFERENCE = re.compile(r"\$([%^]?)([\w.-]+)")


class SpackYaml:
    """A `spack.yaml`, or the part of one below `spack:`."""

    def __init__(self, text: str, folder: Path | None = None, host: Host | None = None) -> None:
        document = _load(text)
        inner = document.get("spack", document) if isinstance(document, dict) else None
        if not isinstance(inner, dict) or not isinstance(inner.get("specs"), list):
            raise FileError("there is no list of specs in it: expected specs: [...], by itself or below spack:")
        self._specs: list[Any] = inner["specs"]
        self._definitions: dict[str, list[Any]] = {}
        self._host = host
        self._conditions: dict[str, dict[str, None]] = {}
        """For each defined name the conditions of which it is not known whether they hold."""
        self.unknown: dict[str, None] = {}
        """The references that such a condition decides about; complete when all `specs` were read."""
        self._included: set[Path] = set()
        self.requirements = Requirements()
        self._take(inner, folder)

    def _take(self, section: Mapping[str, Any], folder: Path | None) -> None:
        """Add the definitions and requirements of a file, then those of the files that it includes."""
        definitions = section.get("definitions")
        for definition in definitions if isinstance(definitions, list) else ():
            self._define(definition)
        self.requirements.add(section.get("packages", section.get("packages:")))
        included = section.get("include", section.get("include:"))
        for entry in included if isinstance(included, list) else [included] if included else ():
            self._include(entry, folder)

    def _define(self, definition: object) -> None:
        if not isinstance(definition, dict):
            return
        met = self._holds(definition)
        for name, values in definition.items():
            if name != "when" and isinstance(values, list):
                self._definitions.setdefault(str(name), []).extend(values if met else ())
                if met is None:
                    self._conditions.setdefault(str(name), {})[str(definition["when"])] = None

    def _holds(self, section: Mapping[str, Any]) -> bool | None:
        """Return whether the condition of a section holds; None where that cannot be told."""
        if "when" not in section:
            return True
        from cachetui.sources.scopes.conditions import holds  # late, as few environments have any

        self._host = self._host or this_host(os.environ)
        return holds(str(section["when"]), self._host, os.environ)

    def _include(self, entry: object, folder: Path | None) -> None:
        written = str(entry.get("path", entry)) if isinstance(entry, dict) else str(entry)
        met = self._holds(entry) if isinstance(entry, dict) else True
        if met is False:
            return
        path = _beside(written, folder)
        if path is None or not met:
            self.requirements.pass_over(NOT_INCLUDED, written)
            return
        if path in self._included:
            return
        if len(self._included) >= MOST_INCLUDED:
            raise FileError(f"it includes more than {MOST_INCLUDED} files")
        self._included.add(path)
        try:
            section = _load(read_text(str(path)))
        except FileError:
            section = None
        if isinstance(section, dict):
            inner = section.get("spack", section)
            self._take(inner if isinstance(inner, dict) else section, path.parent)
        else:
            self.requirements.pass_over(NOT_INCLUDED, written)

    def specs(self) -> Iterator[tuple[str, ...]]:
        """Yield each spec as the pieces that it is made of; raises FileError."""
        return self._pieces(self._specs, ())

    def _pieces(self, values: Iterable[object], within: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """Yield each spec of a list as its pieces; `within`: the references and matrices that led here."""
        if len(within) > DEEPEST:
            raise FileError("it is nested too deep")
        for value in values:
            if isinstance(value, dict) and isinstance(value.get("matrix"), list):
                yield from self._matrix(value, within)
            elif not isinstance(value, str):
                shown = _shown(value)
                raise FileError(f"{shown} is neither a spec nor a matrix; quote a spec that ends in a colon")
            elif reference := _REFERENCE.fullmatch(value.strip()):
                sigil, name = reference.groups()
                for pieces in self._pieces(self._referred(name, within), (*within, name)):
                    yield (sigil + pieces[0], *pieces[1:])
            else:
                yield (value,)

    def _referred(self, name: str, within: tuple[str, ...]) -> list[Any]:
        if name in within:
            raise FileError(f"${name} refers to itself")
        if name not in self._definitions:
            near = nearest_names(name, list(self._definitions), 1)
            hint = f"; did you mean ${near[0]}?" if near else ""
            raise FileError(f"there is no definition of ${name}{hint}")
        self.unknown.update((f"${name} when {each}", None) for each in self._conditions.get(name, ()))
        return self._definitions[name]

    def _matrix(self, matrix: Mapping[str, Any], within: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """Yield every combination of one entry of each row that is not excluded."""
        inside = (*within, "matrix")
        if not all(isinstance(row, list) for row in matrix["matrix"]):
            raise FileError("a row of a matrix is no list")
        rows = [list(islice(self._pieces(row, inside), MOST + 1)) for row in matrix["matrix"]]
        if prod(map(len, rows)) > MOST:
            raise FileError(f"a matrix of more than {MOST:,} specs")
        written = matrix.get("exclude")
        excluded = list(self._pieces(written, inside)) if isinstance(written, list) else []
        for combination in product(*rows):
            pieces = tuple(chain.from_iterable(combination))
            if not any(satisfies(pieces, other) for other in excluded):
                yield pieces


def _load(text: str) -> Any:
    """Read a YAML document, every scalar as text; raises FileError."""
    import yaml  # here, because most commands meet no environment

    try:
        return yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}: {getattr(error, 'problem', None)}" if mark else ""
        raise FileError(f"no readable YAML{where}") from None


def _beside(written: str, folder: Path | None) -> Path | None:
    """Return the included file where it exists in this folder or below it, else None."""
    if folder is None or "://" in written or "$" in written or os.path.isabs(os.path.expanduser(written)):
        return None
    home = folder.resolve()
    try:
        path = (home / written).resolve()
        return path if path.is_relative_to(home) and path.is_file() else None
    except (OSError, ValueError, RuntimeError):  # a name that is too long, has a null in it, or a link to itself
        return None


def _shown(value: object) -> str:
    return str(next(iter(value), "an empty mapping")) if isinstance(value, dict) else "a list"
