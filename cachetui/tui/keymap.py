"""The table of all keys: for the screens, the help, the palette, the config file and `config --keys`.

To keep the command `config --keys` fast, this module does not import Textual at its top level.
"""

import string
from collections.abc import Callable, Iterator, Mapping
from inspect import iscoroutine
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

from cachetui.model.edit_distance import nearest_names
from cachetui.safe_text import visible
from cachetui.settings.settings import Config

KeyId = Literal[
    "app.interrupt",
    "app.suspend",
    "app.repaint",
    "rows.up",
    "rows.down",
    "rows.page_up",
    "rows.page_down",
    "rows.half_up",
    "rows.half_down",
    "rows.first",
    "rows.last",
    "table.choose",
    "matrix.left",
    "matrix.right",
    "prompt.leave",
    "prompt.done",
    "prompt.complete",
    "prompt.complete_back",
    "prompt.up",
    "prompt.down",
    "prompt.earlier",
    "prompt.later",
    "browse.filter",
    "browse.lookup",
    "browse.tag",
    "browse.tag_before",
    "browse.tag_after",
    "browse.undo",
    "browse.redo",
    "browse.clear",
    "browse.unmark",
    "browse.fits",
    "browse.why",
    "browse.coverage",
    "browse.diff",
    "browse.days",
    "browse.timeline",
    "browse.stacks",
    "browse.needs",
    "browse.install",
    "browse.copy",
    "browse.export",
    "browse.views",
    "browse.problems",
    "browse.reload",
    "browse.help",
    "browse.palette",
    "browse.reference",
    "browse.quit",
    "browse.facets",
    "browse.sort",
    "browse.reverse",
    "browse.mark",
    "browse.marks",
    "browse.compare",
    "browse.pane_left",
    "browse.pane_right",
    "browse.pane_next",
    "browse.pane_before",
    "browse.host",
    "screen.back",
    "facets.tick",
    "facets.exclude",
    "facets.find",
    "coverage.gaps",
    "coverage.axes",
    "coverage.sort",
    "coverage.reverse",
    "coverage.mark",
    "coverage.compare",
    "diff.new",
    "diff.old",
    "diff.step_before",
    "diff.step_after",
    "diff.fold",
    "check.file",
    "deps.fold",
    "dialog.close",
    "dialog.clear",
    "dialog.page_up",
    "dialog.page_down",
    "without.1",
    "without.2",
    "without.3",
    "without.4",
    "without.5",
    "without.6",
    "without.7",
    "without.8",
    "without.9",
    "copy.first",
    "views.remove",
]
"""The ids of all actions. The config file uses these ids."""

Action = Callable[[], object]
"""A function to call when a key is pressed. If it returns a coroutine, the caller awaits this coroutine."""

Actions: TypeAlias = "dict[KeyId, Action]"


class Keyed:
    """A screen or widget whose keys are a section of `KEYS`, as in `class Table(ListPane, keys="table")`."""

    BINDINGS: ClassVar[list[Any]]

    def __init_subclass__(cls, keys: str = "", **options: Any) -> None:
        if keys:
            cls.BINDINGS = bindings(keys)
        super().__init_subclass__(**options)

    def actions(self) -> Actions:
        """Return the functions of this screen or widget, by the id of the action."""
        return {}

    async def action_press(self, id: KeyId) -> None:
        """Run an action. Textual calls this method, because the bindings name it."""
        done = self.actions()[id]()
        if iscoroutine(done):
            await done


class Key(NamedTuple):
    """An action of the user, with the keys that run it."""

    id: KeyId
    keys: str
    """The keys, by their names in Textual, separated by commas: `slash,ctrl+o`."""
    label: str
    description: str = ""
    """A description for the palette. The palette omits actions without a description."""


WITHOUT: tuple[KeyId, ...] = (
    *("without.1", "without.2", "without.3", "without.4", "without.5", "without.6", "without.7", "without.8"),
    "without.9",
)
"""The ids of the actions for the keys `1` to `9`, which remove the first to the ninth filter."""

KEYS: Mapping[str, tuple[Key, ...]] = {
    "app": (
        Key("app.interrupt", "ctrl+c", "Interrupt"),
        Key("app.suspend", "ctrl+z", "Suspend"),
        Key("app.repaint", "ctrl+l", "Repaint", "Paint the screen again"),
    ),
    "rows": (
        Key("rows.up", "up,k", "Up", "Go up one row"),
        Key("rows.down", "down,j", "Down", "Go down one row"),
        Key("rows.page_up", "pageup,ctrl+b", "Page up", "Go up one page"),
        Key("rows.page_down", "pagedown,ctrl+f", "Page down", "Go down one page"),
        Key("rows.half_up", "ctrl+u", "Half up", "Go up half a page"),
        Key("rows.half_down", "ctrl+d", "Half down", "Go down half a page"),
        Key("rows.first", "home,g", "First", "Go to the first row"),
        Key("rows.last", "end,G", "Last", "Go to the last row"),
    ),
    "table": (Key("table.choose", "enter", "open", "Open the row under the cursor"),),
    "matrix": (
        Key("matrix.left", "left,h,shift+tab", "Left", "Go left one column"),
        Key("matrix.right", "right,l,tab", "Right", "Go right one column"),
    ),
    "prompt": (
        Key("prompt.leave", "escape", "back", "Leave the text field, and undo the typing"),
        Key("prompt.done", "enter", "keep", "Leave the text field, and keep the text"),
        Key("prompt.complete", "tab", "complete", "Insert the next completion"),
        Key("prompt.complete_back", "shift+tab", "complete", "Insert the previous completion"),
        Key("prompt.up", "up", "up", "Go up one row in the list"),
        Key("prompt.down", "down", "down", "Go down one row in the list"),
        Key("prompt.earlier", "ctrl+p", "earlier", "Show the previous text that you entered"),
        Key("prompt.later", "ctrl+n", "later", "Show the next text that you entered"),
    ),
    "screen": (
        Key("browse.filter", "slash", "filter", "Edit the query, or type to filter the rows"),
        Key("browse.lookup", "number_sign", "hash", "Look up a hash, or the hashes in a log"),
        Key("browse.tag", "t", "tag", "Select the tag"),
        Key("browse.tag_before", "comma", "previous tag", "Show the previous (older) tag"),
        Key("browse.tag_after", "full_stop", "next tag", "Show the next (newer) tag"),
        Key("browse.undo", "u,backspace", "undo", "Undo the last change of the filters"),
        Key("browse.redo", "U", "redo", "Redo the last undone change of the filters"),
        Key("browse.clear", "x", "clear", "Clear all filters"),
        Key("browse.unmark", "X", "unmark", "Remove all marks"),
        Key("browse.fits", "H", "only host", "Show only specs that run on the host"),
        Key("browse.host", "p", "host", "Select the host, or save it as the default"),
        Key("browse.why", "w", "why", "Show why rows are hidden, or remove a filter"),
        Key("browse.coverage", "c", "coverage", "Show specs by package and stack, with gaps"),
        Key("browse.diff", "d", "diff", "Compare this tag with the previous tag"),
        Key("browse.days", "D", "snapshots", "Show the snapshots as tags (toggle)"),
        Key("browse.timeline", "v", "timeline", "Show the package in all tags"),
        Key("browse.needs", "n", "dependencies", "Show the spec's dependencies and dependents"),
        Key("browse.install", "i", "install", "Check if a spec or an environment installs"),
        Key("browse.copy", "y", "copy", "Copy a hash, a command or this view"),
        Key("browse.export", "e", "export", "Write marked specs or this view to a file"),
        Key("browse.views", "V", "views", "Open, save or remove a view"),
        Key("browse.problems", "exclamation_mark", "errors", "Show the errors and warnings"),
        Key("browse.reload", "r", "reload", "Read changed files again"),
        Key("browse.help", "question_mark", "help", "Show the keys of this screen"),
        Key("browse.palette", "ctrl+p", "palette", "Find a key by its description"),
        Key("browse.reference", "R", "reference", "Search in the help topics"),
        Key("screen.back", "escape", "back", "Go back one level"),
        Key("browse.quit", "q", "quit", "Go back, or quit on the first screen"),
    ),
    "browse": (
        Key("browse.stacks", "o", "stacks", "Compare each stack with its usual size"),
        Key("browse.facets", "f", "facets", "Go to the facets, or back to the list"),
        Key("browse.sort", "s", "sort", "Sort by the next column"),
        Key("browse.reverse", "S", "reverse", "Reverse the order"),
        Key("browse.mark", "space", "mark", "Mark or unmark the spec, and move down"),
        Key("browse.marks", "m", "marked", "Show only the marked specs"),
        Key("browse.compare", "equals_sign", "compare", "Compare the marked spec with this spec"),
        Key("browse.pane_left", "left,h", "left", "Go to the left pane"),
        Key("browse.pane_right", "right,l", "right", "Go to the right pane"),
        Key("browse.pane_next", "tab", "pane", "Go to the next pane"),
        Key("browse.pane_before", "shift+tab", "previous pane", "Go to the previous pane"),
    ),
    "facets": (
        Key("facets.tick", "space,enter", "select", "Select the value (toggle)"),
        Key("facets.exclude", "minus", "exclude", "Exclude the value (toggle)"),
        Key("facets.find", "slash", "find", "Type a value for the facet"),
    ),
    "coverage": (
        Key("coverage.gaps", "o", "gaps", "Show only rows with gaps (toggle)"),
        Key("coverage.axes", "m", "axes", "Select the properties for the rows and the columns"),
        Key("coverage.sort", "s", "sort", "Sort by this column, by gaps, or by name"),
        Key("coverage.reverse", "S", "reverse", "Reverse the order"),
        Key("coverage.mark", "space", "mark", "Mark or unmark the column"),
        Key("coverage.compare", "equals_sign", "compare", "Compare the marked columns"),
    ),
    "diff": (
        Key("diff.new", "t", "tag", "Select the newer tag"),
        Key("diff.old", "T", "older tag", "Select the older tag"),
        Key("diff.step_before", "comma", "before", "Compare the previous two tags"),
        Key("diff.step_after", "full_stop", "after", "Compare the next two tags"),
        Key("diff.fold", "space", "fold", "Fold or unfold the section"),
    ),
    "check": (Key("check.file", "slash", "file", "Check a file or another spec"),),
    "deps": (Key("deps.fold", "space", "fold", "Fold or unfold the line"),),
    "dialog": (
        Key("dialog.close", "escape,q", "back", "Close the dialog"),
        Key("dialog.clear", "ctrl+u", "clear", "Remove the typed text"),
        Key("dialog.page_up", "pageup", "page up", "Go up one page"),
        Key("dialog.page_down", "pagedown", "page down", "Go down one page"),
    ),
    "copy": (Key("copy.first", "y", "copy", "Copy the text under the cursor"),),
    "without": tuple(Key(id, id[-1], "remove", "Remove this filter") for id in WITHOUT),
    "views": (Key("views.remove", "ctrl+r", "remove", "Remove the view, or restore it"),),
}
"""The actions, by section. A section is a screen or a widget. The section `screen` is for all screens with a view."""

ALL_KEYS: Mapping[str, Key] = {key.id: key for keys in KEYS.values() for key in keys}
"""All actions, by id."""

_LISTS = ("app", "screen", "rows", "table")

TOGETHER = (
    *((*_LISTS, *own) for own in (("browse", "facets"), ("matrix", "coverage"), ("diff",), ("check",))),
    (*_LISTS, "deps"),
    *(
        ("app", "dialog", *own)
        for own in (("prompt", "views"), ("rows", "table", "copy"), ("rows", "table", "without"))
    ),
)
"""Groups of sections that are active at the same time. Their keys must differ."""

PRIORITY = ("prompt", "app")
"""The sections whose keys have priority over the keys of the focused widget."""

FIXED = ("app.interrupt", "app.suspend")
"""The actions whose keys the config file cannot change, so that the user can always leave the program."""

SHOWN = {
    "escape": "Esc",
    "enter": "Enter",
    "tab": "Tab",
    "space": "Space",
    "backspace": "Backspace",
    "delete": "Del",
    "up": "Up",
    "down": "Down",
    "left": "Left",
    "right": "Right",
    "home": "Home",
    "end": "End",
    "insert": "Ins",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "shift+tab": "Shift+Tab",
    **{f"f{n}": f"F{n}" for n in range(1, 25)},
}
"""The texts on screen for keys that are not characters, by their names in Textual."""

SYMBOL_NAMES = """
exclamation_mark quotation_mark number_sign dollar_sign percent_sign ampersand apostrophe
left_parenthesis right_parenthesis asterisk plus comma minus full_stop slash colon semicolon
less_than_sign equals_sign greater_than_sign question_mark at left_square_bracket backslash
right_square_bracket circumflex_accent underscore grave_accent left_curly_bracket vertical_line
right_curly_bracket tilde
"""
"""The names in Textual for the characters of `string.punctuation`, in the same order."""

CHARACTERS = {
    **dict(zip(SYMBOL_NAMES.split(), string.punctuation, strict=True)),
    **{each: each for each in string.ascii_letters + string.digits},
}
"""The characters of keys, by their names in Textual."""

KeyLabel = tuple[KeyId, str]
"""The id of an action, and its label on screen."""

Footer = tuple[KeyLabel, ...]
"""The keys in the last line of a screen."""


def labelled(*ids: KeyId) -> Footer:
    """Return the actions with these ids, with their default labels."""
    return tuple((id, ALL_KEYS[id].label) for id in ids)


def bindings(section: str) -> list[Any]:
    """Return the Textual bindings for a section of `KEYS`."""
    from textual.binding import Binding

    return [
        Binding(
            key.keys, f"press({key.id!r})", key.label, id=key.id, tooltip=key.description, priority=section in PRIORITY
        )
        for key in KEYS[section]
    ]


def key_name(key: str) -> str:
    """Return Textual's name for a key. `key` is this name, or the character on the key."""
    return next((name for name, character in CHARACTERS.items() if character == key), key)


def key_text(name: str) -> str:
    """Return the text on screen for a key, by its name in Textual: `/` for `slash`, `Ctrl+O` for `ctrl+o`."""
    if name.startswith("ctrl+"):
        return f"Ctrl+{name.removeprefix('ctrl+').capitalize()}"
    return SHOWN.get(name) or CHARACTERS.get(name, name)


def first_key_text(id: KeyId, changed: Mapping[str, str]) -> str:
    """Return the text on screen for the first key of an action. `changed` contains the keys from the config file."""
    return key_text(changed.get(id, ALL_KEYS[id].keys).partition(",")[0])


def changed_keys(config: Config) -> tuple[dict[str, str], list[str]]:
    """Return the keys from the config file, by the id of the action, and a message for each error."""
    changed: dict[str, tuple[str, ...]] = {}
    mistakes: list[str] = []
    for name, keys in config.keys.items():
        if reason := _why_not(name, keys):
            mistakes.append(f"keys.{name}: {reason}")
        else:
            changed[name] = tuple(map(key_name, keys))
    for name in list(changed):
        if other := next(_conflicting(name, changed), None):
            mistakes.append(
                f"keys.{name}: this key is already used for {other.id} ({other.description or other.label})"
            )
            del changed[name]
    return {name: ",".join(keys) for name, keys in changed.items()}, mistakes


def _why_not(name: str, keys: tuple[str, ...]) -> str:
    """Return the reason why the user cannot set these keys for the action. Without a reason, return an empty string."""
    if name not in ALL_KEYS:
        near = ", ".join(nearest_names(name, list(ALL_KEYS), 3))
        nearest = f"nearest: {near}; " if near else ""
        return f"unknown name; {nearest}to list all names, run cachetui config --keys"
    if name in FIXED:
        return "this key cannot be changed, because it must always end the browser"
    unknown = [visible(key) for key in keys if not _is_key(key_name(key))]
    return f"unknown key {', '.join(unknown)}: a key is a symbol or a name, such as / ctrl+o pageup" if unknown else ""


def _is_key(name: str) -> bool:
    plain = name.removeprefix("ctrl+").removeprefix("shift+")
    return plain in CHARACTERS or plain in SHOWN


def _conflicting(name: str, changed: Mapping[str, tuple[str, ...]]) -> Iterator[Key]:
    """Return the other actions that conflict with the new keys of the action `name`.

    Two actions conflict if they have a key in common, and are active at the same time.
    """
    section = next(section for section, keys in KEYS.items() if ALL_KEYS[name] in keys)
    active = {each for sections in TOGETHER if section in sections for each in sections}
    new = {*changed[name]} - {*ALL_KEYS[name].keys.split(",")}
    others = (key for each in KEYS if each in active for key in KEYS[each] if key.id != name)
    return (key for key in others if new & {*changed.get(key.id, key.keys.split(","))})
