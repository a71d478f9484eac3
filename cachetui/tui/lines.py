"""The lines around the panes: the header, the chips of the filters, the hints. Text alone, no widget."""

from __future__ import annotations

from cachetui.text import visible
from cachetui.tui.columns import Cell, fit
from cachetui.tui.look import Look
from cachetui.tui.view import View

SAMPLE = "the sample (cachetui DIR opens yours)"

SHORT_SAMPLE = "sample: cachetui DIR"

LEAST_LABEL = 8
"""So many letters of the content's path are always shown."""

HINTS = {
    "packages": (
        "/ filter",
        "# hash",
        "f facets",
        "t tag",
        "Enter specs",
        "c coverage",
        "d diff",
        "H host",
        "u undo",
        "x clear",
    ),
    "specs": ("/ filter", "# hash", "f facets", "Enter in full", "Space mark", "y copy", "s sort", "Esc packages"),
    "detail": ("Up Down scroll", "Esc specs", "/ filter", "# hash"),
    "facets": ("Space tick", "- without", "/ find", "Enter fold", "u undo", "x clear", "f hide", "Esc packages"),
}
"""For each pane the keys that matter there, the most wanted first."""

MORE = "+{} more: w lists them"

TYPING_HINTS = {
    "query-line": "Enter done  Tab complete  Up Down earlier lines  Esc leave, the filter stays",
    "facet-prompt": "Enter to the value  Esc all values",
    "host-prompt": "Enter only what runs there  Esc back",
}
"""For each prompt what its keys do."""

LAST_HINTS = ("? help", "q quit")


def header(
    view: View, content: str | None, activity: str, width: int, look: Look
) -> tuple[list[Cell | str], list[Cell | str]]:
    """What is looked at, at the left; how much of it the filters leave, at the right. A long path loses its front."""
    tag = f"{visible(view.tag_label)} {look.choice}"
    label = visible(content) if content is not None else SAMPLE
    least = len(SHORT_SAMPLE) if content is None else LEAST_LABEL
    for told in (_counts(view, " of "), _counts(view, "/"), _counts(view, "/")[:-1]):
        counts = f" {look.dot} ".join(filter(None, (activity, *told)))
        room = width - len(f"cachetui   {look.dot} {tag} {counts}")
        if room >= least:
            break
    if len(label) > max(room, LEAST_LABEL):
        room = max(room, LEAST_LABEL)
        label = fit(SHORT_SAMPLE, room, look.cut) if content is None else look.cut + label[1 - room :]
    return [Cell("cachetui", "title"), f"  {label} {look.dot} ", Cell(tag, "title")], [counts]


def _counts(view: View, of: str) -> tuple[str, ...]:
    return (
        f"{len(view.marks)} marked" if view.marks else "",
        f"{len(view.results):,}{of}{len(view.scope):,} specs",
        f"{len(view.results.packages):,}{of}{len(view.scope.packages):,} packages",
    )


def chips(view: View, width: int, look: Look) -> list[Cell | str]:
    """Every active filter but the tag; what there is no room for is counted."""
    # One text can stand for several parts, as arch= does; no other text stands twice.
    texts = list(dict.fromkeys(part.typed or part.text for part in view.query.without_key("tag").parts))
    cells: list[Cell | str] = []
    room = width - len(MORE)
    for k, text in enumerate(texts):
        chip = f"{visible(text)} {look.close}  "
        room -= len(chip)
        if room < 0 and k < len(texts) - 1:
            return [*cells, MORE.format(len(texts) - k)]
        cells += [Cell(chip[:-4], "key"), chip[-4:]]
    return cells or [Cell("no filter", "dim")]


def hints(pane: str | None, width: int) -> str:
    """As many hints for a pane as there is room for; the way to the help and out is always among them."""
    if pane in TYPING_HINTS:
        return TYPING_HINTS[pane]
    wanted = HINTS.get(pane or "", HINTS["packages"])
    while len(wanted) > 1 and len("  ".join((*wanted, *LAST_HINTS))) > width:
        wanted = wanted[:-1]
    return "  ".join((*wanted, *LAST_HINTS))
