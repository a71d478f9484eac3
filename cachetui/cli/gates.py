"""What gates share: formats for CI, and `--baseline`, a JSON document that the same command wrote before."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import SimpleNamespace
from typing import Any

from msgspec import ValidationError, convert
from msgspec.structs import replace

from cachetui.cli.output import note, print_document
from cachetui.environments.files import FileError, read_text
from cachetui.report.formats import FORMATS, Case, fingerprints
from cachetui.safe_text import listed


def read_baseline(path: str | None, kind: Any, cases: Callable[[Any], Iterable[Case]]) -> Mapping[str, Case] | None:
    """Return the cases that fail in the JSON document at a path, by fingerprint; None without one; raises FileError."""
    if path is None:
        return None
    import json  # late, as few ask for it; msgspec reads no names of files that are not UTF-8

    try:
        document = convert(json.loads(read_text(path)), kind)
    except (ValidationError, ValueError, RecursionError) as error:
        raise FileError(f"--baseline {path} is no JSON document of this command: {error}") from None
    return {key: case for key, case in fingerprints(cases(document)) if case.reason is not None}


def print_gate(
    report: Any, options: Any, before: Mapping[str, Case] | None, *, fails: bool, path: str = "", number: int = 0
) -> bool:
    """Print a report, and with `before` a note on what is new or mended; return whether the gate fails.

    With `before`, the cases that failed then, it fails if anything is new; without it where `fails` says so.
    `path` stands for the file of cases that name none.
    """
    if before is None and FORMATS[options.format].needs != "cases":
        print_document(report, options, number)
        return fails
    cases = list(fingerprints(report.cases()))
    failing = {key: case for key, case in cases if case.reason is not None}
    known = failing.keys() & (before or {}).keys()
    marked = [replace(case, is_known=key in known, path=case.path or path) for key, case in cases]
    shown: Any = SimpleNamespace(cases=lambda: marked) if FORMATS[options.format].needs == "cases" else report
    print_document(shown, options, number)
    if before is None:
        return fails
    names = {
        said: [case.name for key, case in group.items() if key not in known]
        for said, group in (("new", failing), ("mended or gone", before))
    }
    texts = [f"{len(of)} {said}{f' ({listed(of)})' if of else ''}" for said, of in names.items()]
    note(f"compared with {options.baseline}: {', '.join(texts)}, {len(known)} known")
    return bool(names["new"])
