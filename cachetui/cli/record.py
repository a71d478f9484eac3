"""`record`: save the present state of the content as a snapshot, for later comparisons."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Annotated

from msgspec import Struct
from msgspec.structs import replace

from cachetui.cli.options import ContentOptions, FormatName, Option, UsageError
from cachetui.cli.output import FOUND, print_document, print_notes
from cachetui.cli.session import answer, open_catalogue
from cachetui.model.tags import own_tag
from cachetui.report.formats import ListDocument

HELP = """\
record saves a snapshot only if the content changed since the newest snapshot.
If the content has several tags, record saves only the default tag.
--keep 90d,52w keeps all snapshots of the last 90 days, and the newest snapshot
of each of the last 52 weeks. With --history, every command and the browser show
snapshots as tags.
"""


class RecordOptions(ContentOptions, frozen=True, kw_only=True):
    keep: Annotated[
        str, Option("keep all snapshots of 90 days, and one a week for 52 weeks; remove the others", "90d,52w")
    ] = "9999d"
    format: FormatName = "table"


class RecordRow(Struct, frozen=True):
    """The new snapshot of one CONTENT."""

    content: str
    """The content, as given on the command line."""
    tag: str | None
    """The tag of the new snapshot; None if the content is unchanged."""


DOCUMENT = (list[RecordRow],)


def run(options: RecordOptions) -> int:
    """Save a snapshot of each CONTENT."""
    limits = _limits(options.keep)
    options = replace(options, fresh=not options.offline)
    catalogue = open_catalogue(options, records=False)
    index, _ = answer(catalogue, options, lambda index: (None, ()))
    recorded = zip(catalogue.record(index), catalogue.contents, strict=True)
    left = [
        tag for history in catalogue.histories for tag in history.remove(outdated(history.tags, *limits, date.today()))
    ]
    print_document(
        ListDocument(
            [RecordRow(content, tag and own_tag(tag)) for tag, (_, content) in recorded], RecordRow.__struct_fields__
        ),
        options,
    )
    print_notes(f"{own_tag(tag)} was not removed, because another user recorded it" for tag in left)
    return FOUND


def _limits(keep: str) -> tuple[int, int]:
    """Return the number of days and the number of weeks in `--keep`. Raise UsageError if the value is invalid."""
    found = re.fullmatch(r"(?:(\d{1,4})d)?,?(?:(\d{1,4})w)?", keep)
    if not found or not any(found.groups()):
        raise UsageError(
            f"--keep cannot be {keep}: write it like 90d,52w (all snapshots of 90 days, one per week of 52 weeks)"
        )
    return int(found[1] or 0), int(found[2] or 0)


def outdated(snapshots: Sequence[str], all_of: int, one_a_week_of: int, today: date) -> list[str]:
    """Return the snapshots to remove. `snapshots`: all snapshots, newest first.

    Keep the newest snapshot, all snapshots of the last `all_of` days, and one snapshot (the newest) for each of the
    last `one_a_week_of` weeks.
    """
    kept = {next((tag for tag in snapshots if own_tag(tag)[:10] <= today.isoformat()), "")}
    weeks: dict[tuple[int, int], str] = {}
    for name in snapshots:
        # a snapshot that another user wrote may have the date 30 February
        day = date.fromisoformat(f"{own_tag(name)[:8]}01") + timedelta(int(own_tag(name)[8:10]) - 1)
        newest = weeks.setdefault(day.isocalendar()[:2], name)
        age = (today - day).days
        if age < all_of or (age < 7 * one_a_week_of and newest == name):
            kept.add(name)
    return [name for name in snapshots if name not in kept]
