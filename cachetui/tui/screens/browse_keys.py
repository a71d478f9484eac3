"""The keys of the browse screen, each with the action that it stands for; and what a screen over it says of them."""

from __future__ import annotations

from collections.abc import Mapping

from textual import events
from textual.binding import Binding, BindingType

BROWSE_KEYS: list[BindingType] = [
    Binding("slash", "filter", "Filter", id="browse.filter", tooltip="Type a query"),
    Binding("number_sign", "lookup", "Hash", id="browse.lookup", tooltip="Look a hash up, over all tags"),
    Binding("f", "facets", "Facets", id="browse.facets", tooltip="Show, enter and hide the facets"),
    Binding("t", "choose_tag", "Tag", id="browse.tag", tooltip="Choose the tag"),
    Binding("comma", "step_tag(1)", "Previous tag", id="browse.tag_before", tooltip="The previous tag"),
    Binding("full_stop", "step_tag(-1)", "Next tag", id="browse.tag_after", tooltip="The next tag"),
    Binding("s", "sort", "Sort", id="browse.sort", tooltip="Sort by the next column"),
    Binding("S", "reverse", "Reverse", id="browse.reverse", tooltip="Turn the order round"),
    Binding("u,backspace", "undo", "Undo", id="browse.undo", tooltip="Take back the last filter step"),
    Binding("U", "redo", "Redo", id="browse.redo", tooltip="Do it again"),
    Binding("x", "clear", "Clear", id="browse.clear", tooltip="Clear all filters"),
    Binding("space", "mark", "Mark", id="browse.mark", tooltip="Mark the spec, or take the mark away"),
    Binding("m", "marks", "Marked", id="browse.marks", tooltip="Only the marked specs, to go to or take away"),
    Binding("M", "clear_marks", "Unmark", id="browse.unmark", tooltip="Take all marks away"),
    Binding("equals_sign", "compare", "Compare", id="browse.compare", tooltip="Two marked specs side by side"),
    Binding("exclamation_mark", "problems", "Problems", id="browse.problems", tooltip="What was wrong while reading"),
    Binding("c", "survey('coverage')", "Coverage", id="browse.coverage", tooltip="Package by stack, and the gaps"),
    Binding("d", "survey('drift')", "Drift", id="browse.drift", tooltip="The differences between two tags"),
    Binding("v", "survey('timeline')", "Timeline", id="browse.timeline", tooltip="The package over the tags"),
    Binding("n", "needs", "Needs", id="browse.needs", tooltip="What the spec needs, and what needs it"),
    Binding("i", "survey('install')", "Install", id="browse.install", tooltip="Would it install from binaries?"),
    Binding("y", "copy", "Copy", id="browse.copy", tooltip="Copy a hash, a command, this view as a command"),
    Binding("e", "export", "Export", id="browse.export", tooltip="Write the marked specs, or all of this view"),
    Binding("V", "views", "Views", id="browse.views", tooltip="Views by their names: open, remove, begin with one"),
    Binding("H", "fits", "Only what runs", id="browse.fits", tooltip="Only what runs on the host; again: all"),
    Binding("w", "why", "Take one out", id="browse.why", tooltip="Take one filter out; why is so little left?"),
    Binding("r", "reload", "Reload", id="browse.reload", tooltip="Read again what changed on disk"),
    Binding("left,h", "pane(-1)", "Left", id="browse.pane_left", tooltip="The pane at the left"),
    Binding("right,l", "pane(1)", "Right", id="browse.pane_right", tooltip="The pane at the right"),
    Binding("tab", "pane(1)", "Pane", id="browse.pane_next", show=False),
    Binding("shift+tab", "pane(-1)", "Pane", id="browse.pane_before", show=False),
    Binding("escape", "up", "Up", id="browse.up", tooltip="Close what is open, or go up one level"),
    Binding("question_mark", "help", "Help", id="browse.help", tooltip="What the keys do"),
    Binding("q", "quit", "Quit", id="browse.quit", tooltip="Quit"),
]


def key_of_lists(event: events.Key, changed: Mapping[str, str]) -> str:
    """What a key does on the browse screen alone, for a screen where it does nothing; empty for no such key.

    `changed`: the keys of bindings that are not as they are by themselves, as people write them.
    """
    is_sign = event.is_printable and event.character not in (None, " ")
    sign = event.character if is_sign else event.key.capitalize()
    for binding in BROWSE_KEYS:
        if not isinstance(binding, Binding) or binding.id is None or binding.id.startswith("browse.pane"):
            continue
        keys = changed[binding.id].split() if binding.id in changed else binding.key.split(",")
        if sign in keys or event.key in keys:
            return f"{sign} ({binding.description.lower()}) is for the lists of packages and specs"
    return ""
