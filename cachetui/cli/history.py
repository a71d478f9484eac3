"""`history`: list or remove the snapshots of the content."""

from typing import Annotated

from msgspec import Struct

from cachetui.cli.options import ContentOptions, FormatName, Option
from cachetui.cli.output import FOUND, NOTHING, UNUSABLE, print_document, print_notes
from cachetui.cli.session import no_such, open_catalogue
from cachetui.model.tags import own_tag
from cachetui.report.formats import ListDocument


class HistoryOptions(ContentOptions, frozen=True, kw_only=True):
    remove: Annotated[tuple[str, ...], Option("remove this snapshot; repeatable", "DAY", completed_by="tag")] = ()
    format: FormatName = "table"


class HistoryRow(Struct, frozen=True):
    """A snapshot."""

    content: str
    """The content, as given on the command line."""
    tag: str
    specs: int
    bytes: int
    """The size on disk in bytes. Data that several snapshots share counts only in the size of the oldest snapshot."""


DOCUMENT = (list[HistoryRow],)


def run(options: HistoryOptions) -> int:
    """List the snapshots, or remove some. The status is 2 if a snapshot cannot be read or removed."""
    catalogue = open_catalogue(options)
    tags = [tag for history in catalogue.histories for tag in history.tags]
    if unknown := [tag for tag in options.remove if tag not in tags]:
        raise no_such("snapshot", unknown[0], tags)
    rows: list[HistoryRow] = []
    damage: list[str] = []
    for history, (_, content) in zip(catalogue.histories, catalogue.contents, strict=True):
        if own := [tag for tag in options.remove if tag in history.tags]:
            damage += (
                f"{own_tag(tag)} was not removed, because another user recorded it" for tag in history.remove(own)
            )
        rows += (HistoryRow(content, own_tag(tag), snapshot.specs, size) for tag, snapshot, size in history.snapshots())
        damage += (
            f"snapshot {name} cannot be read: {why}; to remove it, give --remove DAY"
            for name, why in history.damage.items()
        )
    print_document(ListDocument(rows, HistoryRow.__struct_fields__, right=(2, 3)), options)
    print_notes(damage or ([] if rows else ["no snapshots: to save one, run cachetui record CONTENT"]))
    return UNUSABLE if damage else FOUND if rows else NOTHING
