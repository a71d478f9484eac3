"""What gates share: formats for CI, and `--baseline`, a JSON document that the same command wrote before."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import ValidationError, convert
from msgspec.structs import replace

from cachetui.cli.output import note, print_document
from cachetui.environments.files import FileError, read_text
from cachetui.report.formats import Case, CaseKey
from cachetui.safe_text import listed


def read_baseline(path: str | None, kind: Any, cases: Callable[[Any], Iterable[Case]]) -> Mapping[CaseKey, str] | None:
    """Return the message of each error in the JSON document at a path, if any; raises FileError."""
    if path is None:
        return None
    import json  # late: few ask for it; msgspec only reads file names that are UTF-8

    try:
        document = convert(json.loads(read_text(path)), kind)
    except (ValidationError, ValueError, RecursionError) as error:
        raise FileError(f"--baseline {path} is not a JSON document of this command: {error}") from None
    return {case.key: case.message for case in cases(document) if case.key}


def print_gate(
    report: Any, options: Any, before: Mapping[CaseKey, str] | None, *, fails: bool, path: str = "", number: int = 0
) -> bool:
    """Print a report, and with `before` a note on new and fixed errors; return whether the gate fails.

    With `before`, the errors of the baseline, it fails for a new one; otherwise, `fails` decides.
    `path` is the file of cases that name none.
    """
    report = replace(report, before=before, path=path)
    print_document(report, options, number)
    if before is None:
        return fails
    errors = list(report.errors())
    new, fixed = ([each.message for each in errors if each.state == state] for state in ("new", "fixed"))
    texts = [f"{len(of)} {said}{f' ({listed(of)})' if of else ''}" for said, of in (("new", new), ("fixed", fixed))]
    note(f"compared with {options.baseline}: {', '.join(texts)}, {len(errors) - len(new) - len(fixed)} known")
    return bool(new)
