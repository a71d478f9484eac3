"""What a user wants to install and what was found for it, as values: no widget, so that a thread can work it out."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from cachetui.analysis.causes import Cause, causes_of_locks
from cachetui.analysis.check import Install, install
from cachetui.environments.files import STANDARD_INPUT, FileError
from cachetui.environments.reader import read_wanted, wanted_specs
from cachetui.environments.wanted import Wanted
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.report.check import IN_CACHE, differences_text
from cachetui.report.detail import Field
from cachetui.safe_text import visible
from cachetui.search.holdings import Holdings, mirror_name
from cachetui.search.index import Index
from cachetui.store.graph import Graph
from cachetui.tui.rows.install import Subject


@dataclass(frozen=True)
class InstallRequest:
    """What the user wants to install."""

    words: tuple[str, ...]
    """As they stand after `cachetui check CONTENT`."""
    may_be_files: bool = True
    """Whether a word can be the name of a file: not where the words were made from a spec that is looked at."""

    def wanted(self, host: Host) -> Wanted:
        """Reads what is asked for; raises FileError."""
        if STANDARD_INPUT in self.words:
            raise FileError("standard input is the keyboard here: name a file")
        return read_wanted(self.words, host) if self.may_be_files else wanted_specs("\n".join(self.words))

    def __str__(self) -> str:
        return " ".join(self.words)


@dataclass(frozen=True)
class InstallAnswer:
    """What was found for everything that is wanted; only an error where that cannot be read."""

    asked: InstallRequest
    found: Install | None = None
    causes: Sequence[Cause] = ()
    graphs: Sequence[Graph] = ()
    """Those of the locks."""
    notes: Sequence[str] = ()
    error: str = ""


def request_of(text: str) -> InstallRequest:
    """What was typed, in words as a shell makes them; where it cannot, as they stand."""
    try:
        words = shlex.split(text)
    except ValueError:
        words = text.split()
    return InstallRequest(tuple(map(os.path.expanduser, words)))


def answer_of(index: Index, scope: Query, host: Host, asked: InstallRequest) -> InstallAnswer:
    """Reads what is asked for, and finds what of it is there."""
    try:
        wanted = asked.wanted(host)
        holdings = Holdings(index, scope)
        found = install(index, wanted, holdings, host, lambda _: None, host_decides=True)
        why = causes_of_locks(wanted.locks, (each.hash for each in found.missing), holdings)
    except FileError as error:
        return InstallAnswer(asked, error=str(error))
    return InstallAnswer(asked, found, why, [lock.graph for lock in wanted.locks], wanted.notes)


def subject_fields(about: Subject, section: str, why: str) -> list[Field]:
    """A row of the answer in full: `section` is the heading that it stands below, `why` what its line says."""
    cause, missing = about.cause, about.missing
    own = cause.hash if cause else about.hash
    fields = [Field("", (section,)), *([Field("hash", (visible(own),))] if own else [])]
    if cause is not None:
        fields.append(Field("differs", (visible(differences_text(cause, IN_CACHE)),)))
        if cause.nearest:
            fields.append(Field("nearest", (visible(cause.nearest),)))
        if cause.follows:
            fields.append(Field("follow", tuple(visible(each[:7]) for each in cause.follows), is_list=True))
        if cause.requirement:
            fields.append(Field("require", (visible(cause.requirement),), True))
    elif missing is not None and missing.found_in:
        places = tuple(visible(mirror_name(mirror)) for mirror in missing.found_in)
        fields.append(Field("found in", places, is_list=True))
    else:
        fields.append(Field("", (why,)))
    return fields
