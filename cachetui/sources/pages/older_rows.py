"""The rows of an older page (2021 and 2022): spec strings in a list, and a JSON sidecar beside the page for each.

A fault costs one row, a sidecar that is missing nothing but the hash.
Input: `spec_files` and `spec_names` of a page, and the files of its folder.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from cachetui.model.spec import Row
from cachetui.sources.files import read_file
from cachetui.sources.pages.findings import Findings, check_hash, kind_of, shortened
from cachetui.sources.pages.frontmatter import FrontMatter, FrontMatterError, block_list, value
from cachetui.sources.pages.spec_strings import WrittenSpec, parse_sidecar, parse_spec
from cachetui.store.stamps import FileStamp, no_stamp

MAX_SIDECAR = 16 * 2**20
"""Bytes of a sidecar."""

MAX_SPEC = 2**18
"""Characters of a spec string; the longest real one has some thousands."""

MAX_DEPENDENCIES = 500_000
"""Dependencies in all spec strings of a page; a real one has some thousands."""

_SIDECAR_NAME = re.compile(r"spec-[0-9]{1,9}\.json")


class OlderRows:
    """Reads the rows of one older page, and says what is wrong with them."""

    def __init__(self, root: str, path: str, front: FrontMatter, findings: Findings) -> None:
        self.sidecars: list[FileStamp] = []
        """The sidecars that were read."""
        self._root = root
        self._path = path
        self._front = front
        self._findings = findings
        self._dependencies = 0
        self._list_line = _line(front, "spec_files") or _line(front, "spec_names")

    def rows(self, package: str) -> tuple[Row, ...]:
        """The rows as far as they can be read; `package` is the page's."""
        specs = list(self._listed())
        rows = tuple(self._completed(package, number, *spec) for number, spec in enumerate(specs, 1))
        if self._dependencies > MAX_DEPENDENCIES:
            message = f"more than {MAX_DEPENDENCIES:,} dependencies: further ones are not read"
            self._findings.add("unreadable", message, self._list_line)
        return rows

    def _listed(self) -> Iterator[tuple[str, str]]:
        """The spec string and the sidecar's name of each row of an older page; either may be empty."""
        files, names = (self._list(key) for key in ("spec_files", "spec_names"))
        if names and len(names) != len(files):
            message = f"{len(files)} spec_files, but {len(names)} spec_names"
            self._findings.add("row", message, self._list_line)
        for index in range(max(len(files), len(names))):
            file = files[index] if index < len(files) else ""
            name = names[index] if index < len(names) else ""
            if isinstance(file, dict) and len(file) == 1:
                ((name, file),) = file.items()
            if isinstance(name, str) and isinstance(file, str | None):
                yield name, file or ""
            elif not isinstance(file, FrontMatterError) and not isinstance(name, FrontMatterError):
                wrong = file if isinstance(name, str) else name
                self._findings.add("row", f"row {index + 1} is {kind_of(wrong)}", self._list_line)

    def _list(self, key: str) -> list[Any]:
        """Return the elements of a list; FrontMatterError in place of one that cannot be read."""
        entry = self._front.entries.get(key)
        if entry is None:
            return []
        try:
            stated = block_list(entry) or value(entry) or []
        except FrontMatterError as error:
            self._findings.add("unreadable", f"{key}: {error.reason}", error.line)
            return []
        if not isinstance(stated, list):
            self._findings.add("unreadable", f"{key} is {kind_of(stated)}, not a list", entry.line)
            return []
        errors = [each for each in stated if isinstance(each, FrontMatterError)]
        for each in errors:
            if each.loose is None:
                self._findings.add("row", f"{key}: {each.reason}", each.line)
        if errors and errors[0].loose is not None:
            self._findings.add("unreadable", f"{key}: {errors[0].reason}; read line by line", errors[0].line)
        return [each.loose or each if isinstance(each, FrontMatterError) else each for each in stated]

    def _completed(self, package: str, number: int, text: str, sidecar: str) -> Row:
        """The row of a spec string, with the hash and the details of its sidecar."""
        if len(text) > MAX_SPEC:
            message = f"row {number} has {len(text):,} characters, of which {MAX_SPEC:,} are read"
            self._findings.add("row", message, self._list_line)
        spec = parse_spec(text[:MAX_SPEC])
        self._dependencies += len(spec.row.dependencies)
        if self._dependencies > MAX_DEPENDENCIES:
            spec = msgspec.structs.replace(spec, row=msgspec.structs.replace(spec.row, dependencies=()))
        if spec.unread:
            message = f"row {number} cannot be read from here: {shortened(spec.unread)}"
            self._findings.add("row", message, self._list_line)
        found = self._sidecar(sidecar)
        if found is None:
            return spec.row
        # Pages of several packages in one flat folder all call their sidecars the same.
        if found.name != package or found.contradicts(spec):
            message = f"row {number}: {sidecar} is about another spec and was left out"
            self._findings.add("row", message, self._list_line, level="note")
            return spec.row
        check_hash(found.row.hash, sidecar, None, self._findings)
        return found.completed_by(spec)

    def _sidecar(self, name: str) -> WrittenSpec | None:
        """The sidecar beside the page; None where there is none, which is no fault."""
        if _SIDECAR_NAME.fullmatch(name) is None:
            return None
        path = self._path[: self._path.rfind("/") + 1] + name
        try:
            # A link could lead out of the folder.
            stamp, data = read_file(f"{self._root}/{path}", path, MAX_SIDECAR, flags=os.O_NOFOLLOW)
            self.sidecars.append(stamp)
            if stamp.size > MAX_SIDECAR:
                raise ValueError(f"larger than {MAX_SIDECAR // 2**20} MB")
            return parse_sidecar(data)
        except FileNotFoundError:
            return None
        except OSError as error:
            is_link = error.errno == errno.ELOOP
            if not is_link:
                self.sidecars.append(no_stamp(path))
            reason = "a link" if is_link else error.strerror
        except ValueError as error:
            reason = str(error)
        self._findings.add("unreadable", f"{path} was not read: {reason}")
        return None


def _line(front: FrontMatter, key: str) -> int | None:
    entry = front.entries.get(key)
    return entry.line if entry else None
