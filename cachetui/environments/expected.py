"""What a catalogue should hold: a query for each name of a list, or each spec of a `spack.yaml`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from cachetui.environments.files import STANDARD_INPUT, FileError, read_text
from cachetui.environments.requirements import Requirements, joined, with_dependencies
from cachetui.environments.spack_yaml import MOST, SpackYaml
from cachetui.environments.wanted import Expectation, Expectations
from cachetui.model.host import Host
from cachetui.query.parser import QueryError

_ENVIRONMENT = re.compile(r"^(spack|specs|definitions)\s*:", re.MULTILINE)


def read(path: str) -> Expectations:
    """Read a file (`-`: standard input) with names or specs one a line, or a `spack.yaml`; raises FileError."""
    text = read_text(path)
    try:
        return parse(text, None if path == STANDARD_INPUT else Path(path).parent)
    except FileError as error:
        raise FileError(f"{path}: {error}") from None


def parse(text: str, folder: Path | None = None, host: Host | None = None) -> Expectations:
    """Read a `spack.yaml`, where the text has its keys, else a list of specs; raises FileError.

    `folder`: where the files are that a `spack.yaml` may include; None to include none.
    `host`: what its conditions are about; None for the host that `here` means.
    """
    manifest = SpackYaml(text, folder, host) if _ENVIRONMENT.search(text) else None
    lines = (re.sub(r"(^|\s)#.*", "", line).strip() for line in text.splitlines())
    specs = manifest.specs() if manifest else ((line,) for line in lines if line)
    requirements = manifest.requirements if manifest else Requirements()
    entries: dict[str, Expectation] = {}
    for pieces in islice(specs, MOST + 1):
        entry = _entry(pieces, requirements)
        entries.setdefault(entry.text, entry)
    for text in manifest.unknown if manifest else ():
        entries[text] = Expectation(text, None, "unknown: this condition cannot be evaluated here")
    if len(entries) > MOST:
        raise FileError(f"it stands for more than {MOST:,} specs")
    if not entries:
        raise FileError("there is no spec in it: expected names, one a line, or the specs of a spack.yaml")
    packages = [entry.package for entry in entries.values() if entry.package]
    return Expectations(tuple(entries.values()), tuple(requirements.notes(packages)))


def _entry(pieces: Sequence[str], requirements: Requirements) -> Expectation:
    """Return the expectation of a spec, given in pieces."""
    text = " ".join(pieces)
    try:
        query = with_dependencies(joined(pieces), pieces)
    except QueryError as error:
        return Expectation(text, None, str(error))
    if query.package is None:
        return Expectation(text, None, "it names no package")
    package = query.package.name
    alternatives, rules = requirements.alternatives(package, pieces, query)
    required = tuple(rule.text for rule in rules)
    return Expectation(query.line, query, "", alternatives, required, not requirements.has_own(package))
