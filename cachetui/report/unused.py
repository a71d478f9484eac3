"""The document of `unused`: the unused specs of installations, their bytes, and the Spack commands that remove them.

Input: results of `analysis.unused`, with text from databases.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from cachetui.analysis.unused import UnusedSpec
from cachetui.report.formats import Block, Code, FactsBlock, ListDocument, TableBlock
from cachetui.report.specs import Places, hash_word, spec_name
from cachetui.safe_text import joined, listed, plural, size_text


class UnusedRecord(UnusedSpec, frozen=True, kw_only=True):
    """An unused spec, and the content to which it belongs."""

    content: str
    """The content in the words of the command line."""


def unused_list(
    found: Sequence[UnusedSpec], places: Places, gc: Mapping[str, str], *, uninstall: bool = False
) -> ListDocument:
    """Return the document of unused specs. With `uninstall`, the table includes a one-line command with all hashes.

    `gc`: the command that removes all unused specs of a tree, by tag. Only trees whose unused specs are all in `found`
    have an entry.
    """

    def shown(width: int | None) -> Iterator[Block]:
        cells = [
            [
                (each.hash or "")[: None if width is None else 7],
                spec_name(each),
                each.tag,
                "external" if each.state == "external" else "-" if each.bytes is None else size_text(each.bytes),
                listed(each.needed_by, 2) or "-",
            ]
            for each in found
        ]
        yield TableBlock(("unused", "package", "tree", "size", "needed by"), cells, (3,), bool(found), shrinking=(4,))
        for tag in dict.fromkeys(each.tag for each in found):
            yield FactsBlock(list(_facts([each for each in found if each.tag == tag], gc.get(tag), uninstall)))

    return ListDocument(found, UnusedSpec.__struct_fields__, shown=shown, as_json=partial(places.record, UnusedRecord))


def _facts(found: Sequence[UnusedSpec], gc: str | None, uninstall: bool) -> Iterator[tuple[str, str]]:
    """Yield the number and size of the unused specs of a tree, then the commands that remove them.

    The second command omits externals, which free no space, and specs that other trees need.
    """
    own = [each for each in found if each.state != "external"]
    known = [each.bytes for each in own if each.bytes is not None]
    size = f"{'at least ' * (len(known) < len(own))}{size_text(sum(known))}" if known or not own else "size unknown"
    needed = sum(bool(each.needed_by) for each in found)
    said = (
        f"{plural(len(own), 'spec')}, {size}",
        f"{plural(len(found) - len(own), 'external')} (removing externals frees no space)"
        if len(own) < len(found)
        else "",
        f"{needed:,} needed by other trees, which spack gc ignores" if needed else "",
    )
    yield found[0].tag, joined(said)
    words = " ".join(filter(None, (hash_word(each) for each in own if uninstall and not each.needed_by)))
    commands = (("all", gc), ("these", f"spack uninstall {words}" if words else ""))
    yield from ((name, Code(command)) for name, command in commands if command)
