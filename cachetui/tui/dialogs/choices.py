"""The dialogs to select from a list: a tag, a host, properties for the coverage table, a text to copy, and others."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial, reduce
from typing import Any, cast

from msgspec.structs import replace

from cachetui.model.host import Host
from cachetui.model.problem import Problem
from cachetui.model.spec import COLUMN_AXES, ROW_AXES, VALUE_KEYS
from cachetui.query.parser import QueryError
from cachetui.query.query import Query
from cachetui.report.specs import Field
from cachetui.safe_text import containing, plural, visible
from cachetui.settings.saved_views import (
    MAX_NAME_CHARACTERS,
    SavedView,
    Views,
    ViewsError,
    checked_name,
    read_views,
    remove_view,
    save_view,
)
from cachetui.settings.settings import keep_host
from cachetui.suggest.no_match import CONFLICT
from cachetui.tui.dialogs.list_dialog import ListDialog
from cachetui.tui.frame import ALL_TAGS, Answer, AnyScreen, CauseRemoved, ScreenAsked, TagAsked
from cachetui.tui.keymap import WITHOUT, Actions
from cachetui.tui.lines import Cell, Column, FixedRows, Line, from_home
from cachetui.tui.terminal.clipboard import send
from cachetui.tui.view.rows import ShownResults
from cachetui.tui.view.saved import screen_of, view_of
from cachetui.tui.view.view import View

ALL = ""
"""The key of the row "all tags"."""


class TagDialog(ListDialog):
    """The dialog to select a tag. It lists "all tags", the tags (newest first), and the tags that are not read yet.

    If the user selects a tag that is not read yet, the app reads it.
    """

    def __init__(self, below: AnyScreen, title: str = "Tag", chosen: str | None = None) -> None:
        """If `chosen` is None, the dialog changes the tag of the view.

        If `chosen` is a tag, the cursor starts on this tag, and the result of the dialog is the selected tag.
        """
        view = below.state.view
        self._looks = chosen is None
        self._unread: Sequence[str] = below.browser.unread_tags
        self.first = (view.shown_tag or ALL) if chosen is None else chosen
        self._filters = view.query.without_key("tag")
        counts = ("matching", "specs") if self._filters else ("specs",)
        columns = [Column("tag", 20, weight=1), *(Column(each, 12, right=True) for each in counts)]
        super().__init__(below, title, columns, placeholder="part of a tag")

    def rows(self, text: str) -> FixedRows:
        index, none = self.view.index, [""] * bool(self._filters)
        tags = [*[ALL] * self._looks, *index.tags]
        lines = {
            tag: Line(
                (
                    visible(tag) or ALL_TAGS,
                    *(
                        f"{count:,}" if count else Cell("0", "muted")
                        for count in self.view.views.tag_counts[tag, self._filters]
                    ),
                )
            )
            for tag in tags
        }
        unread = [tag for tag in self._unread if tag not in lines]
        lines |= {tag: Line((Cell(visible(tag), "muted"), *none, Cell("not read yet", "muted"))) for tag in unread}
        return FixedRows({tag: line for tag, line in lines.items() if containing(text, tag or ALL_TAGS)})

    def answer(self, key: str) -> Answer:
        if not self._looks:
            return key
        if key in self._unread and key not in self.view.index.tags:
            return TagAsked([key])
        return lambda view: view.choose_tag(key or None)


class HostDialog(ListDialog):
    """The dialog to select a host. The typed text filters the list, or describes another host, such as `zen4`."""

    def __init__(self, below: AnyScreen) -> None:
        view = below.state.view
        self._reason = ""
        """The reason why the typed text is not a valid host."""
        self._here, self._assumed, self._name_of_here = view.settings.host(), view.host, view.settings.name_of_here
        columns = Column("host", 34), Column("specs", 7, right=True), Column("", 14, weight=1)
        super().__init__(
            below, "Host", columns, placeholder="part of a host name, or another host: zen4, linux-rhel9-zen4"
        )

    def rows(self, text: str) -> FixedRows:
        built = self.view.views.hosts
        others = {replace(host, target=self._assumed.target): 0 for host in built}
        hosts = {self._assumed: 0, self._here: 0, **built, **others, **built}
        found = {host: specs for host, specs in hosts.items() if containing(text.replace(" ", "-"), host.name)}
        try:
            typed = Host.completed(text, self._assumed.target) if text else self._assumed
            own = {typed: hosts.get(typed, 0)}
            found = found | own if found and typed.name not in text else own | found
        except ValueError as error:
            self._reason = str(error)
        lines: dict[Any, Line] = {host: self._line(host, specs) for host, specs in found.items()}
        kept = next(iter(found), None)
        if kept is not None:
            # the key of this row is a pair, unlike the keys of hosts
            lines["keep", kept] = Line((f"+ save {visible(kept.name)} as the host in the config file",))
        return FixedRows(lines)

    def nothing(self, text: str) -> Sequence[str]:
        return [self._reason]

    def _line(self, host: Host, specs: int) -> Line:
        note = "current" if host == self._assumed else self._name_of_here if host == self._here else ""
        return Line((visible(host.name), f"{specs:,}" if specs else "", Cell(note, "muted")))

    def answer(self, key: Host | tuple[str, Host]) -> Answer:
        if isinstance(key, Host):
            return lambda view: view.choose_host(key)
        path = self.view.settings.config_path
        try:
            keep_host(path, str(key[1]))
        except (OSError, ValueError) as error:
            return f"the host was not saved: {visible(str(error))}"
        self.below.say(f"saved in {visible(from_home(path))}: host = {key[1].name}")
        return self.answer(key[1])


class AxesDialog(ListDialog):
    """The dialog to select the properties in the rows and columns of the coverage table."""

    def __init__(self, below: AnyScreen) -> None:
        self.first = below.state.view.axes
        super().__init__(
            below, "Coverage: specs by", [Column("rows and columns", 40)], placeholder="a property, such as os"
        )

    def rows(self, text: str) -> FixedRows:
        has_values = {axis for axis in ROW_AXES if axis not in VALUE_KEYS or self.view.index.values(axis)}
        pairs = {(row, column): f"{row} and {column}" for row in ROW_AXES for column in COLUMN_AXES if row != column}
        shown = {axes: name for axes, name in pairs.items() if has_values >= {*axes} and containing(text, name)}
        return FixedRows({axes: Line((name,)) for axes, name in shown.items()})

    def answer(self, key: tuple[str, str]) -> Answer:
        return lambda view: replace(view, axes=key)


class CopyDialog(ListDialog, keys="copy"):
    """The dialog to copy a text of the screen below to the clipboard."""

    FOOTER = (("table.choose", "copy"), ("dialog.close", "back"))

    def __init__(self, below: AnyScreen) -> None:
        self._texts = below.texts()
        columns = Column("", 12, weight=1), Column("", 30, weight=1)
        title = f"Copy {_whose(self._texts, bool(below.state.view.marks))}".rstrip()
        super().__init__(below, title, columns, types=False, in_full=True)

    def actions(self) -> Actions:
        return {**super().actions(), "copy.first": self.choose}

    def rows(self, text: str) -> FixedRows:
        return FixedRows({name: Line((Cell(name, "muted"), _in_a_line(each))) for name, each in self._texts.items()})

    def fields(self, key: str) -> Sequence[Field]:
        return [Field("", tuple(map(visible, self._texts[key].splitlines())), is_command=True)]

    def answer(self, key: str) -> Answer:
        """Copy the text. If this fails, keep the dialog open, so that the user can select the text with the mouse."""
        self.say(f"{key}: {send(self._texts[key], self.view.settings.environ, self.browser.send_to_terminal)}")
        return None


def _whose(texts: Mapping[str, str], are_marked: bool) -> str:
    """Describe the specs in the texts to copy. If the texts do not contain specs, return ""."""
    names = texts.get("name/hash", "").split()
    if are_marked and names:
        return plural(len(names), "marked spec")
    return "".join(f"{name} /{hash[:7]}" for name, _, hash in (each.partition("/") for each in names))


def _in_a_line(text: str) -> str:
    """Return the first line of a string. If there are more lines, add their number."""
    first, *more = text.splitlines() or [""]
    return visible(first) + (f"  +{plural(len(more), 'line')}" if more else "")


class WithoutEachFilterDialog(ListDialog, keys="without"):
    """The dialog to remove a filter, with Enter or a digit. The filter that excludes the most specs comes first."""

    FOOTER = (
        ("table.choose", "remove"),
        ("without.1", "to 9 by number"),
        ("dialog.close", "back"),
    )

    def __init__(self, below: AnyScreen) -> None:
        columns = (
            Column("", 1),
            Column("without", 20, weight=2),
            Column("specs", 9, right=True),
            Column("", 24, weight=3),
        )
        super().__init__(below, "Remove a filter", columns, types=False)

    @property
    def question(self) -> ShownResults | None:
        results = self.view.results
        return None if self._answer is not None and self._answer.question is results else results

    def work(self, question: ShownResults) -> Iterable[Any]:
        """Compute the counts and reasons for the rows in a thread. A cache stores these values for the dialog."""
        yield question.without_each, reasons_of(self.view)

    def rows(self, text: str) -> FixedRows:
        reasons, found = reasons_of(self.view), self.view.results.without_each
        causes: Mapping[Any, tuple[str, str, str]] = {
            (name,): (visible(name), "", "hides rows") for name in self.below.state.causes
        }
        terms = {each.text: (visible(each.text), f"{each.specs:,}", reasons.get(each.text, "")) for each in found}
        self.title_answer = "" if causes or any(each.specs for each in found) or not found[1:] else CONFLICT
        both = {**causes, **terms}.items()
        return FixedRows({key: Line((str(k), *texts)) for k, (key, texts) in enumerate(both, 1)})

    def nothing(self, text: str) -> Sequence[str]:
        return ["No filter is set, and all rows are shown."]

    def answer(self, key: str | tuple[str]) -> Answer:
        return CauseRemoved(key[0]) if isinstance(key, tuple) else lambda view: without_filter(view, key)

    def actions(self) -> Actions:
        digits: Actions = {id: partial(self.remove_filter, number) for number, id in enumerate(WITHOUT, 1)}
        return {**super().actions(), **digits}

    def remove_filter(self, number: int) -> None:
        """Remove the filter in the row with this number (the first row is 1), and close the dialog."""
        if number <= len(self.table.rows):
            self.end(self.answer(cast(str, self.table.rows.key(number - 1))))


def reasons_of(view: View) -> Mapping[str, str]:
    """Return the reasons why no spec matches, such as the nearest existing value. The keys are the filters.

    For the filter `fits=`, count the specs for each reason why the host cannot run them.
    """
    spelled = {term: text for text, terms in view.asked.spelled.items() for term in terms}
    found = {each.term: each.phrase.removeprefix(f"{each.text} ") for each in view.results.unmatched}
    host, fits = view.asked.fits, view.results.fits_by[view.host]
    reasons = found if host is None or fits is None else {host: fits.sum.removeprefix(f"{fits.total:,} "), **found}
    return {spelled[term]: visible(text) for term, text in reasons.items()}


def without_filter(view: View, text: str) -> View:
    """Return the view without the filter with this text. If this is the filter for the tag, show all tags."""
    terms = view.asked.spelled.get(text, ())
    if any(term.key == "tag" for term in terms):
        return view.choose_tag(None)
    return view.ask(reduce(Query.without, terms, view.query))


class ProblemDialog(ListDialog):
    """The dialog with all errors and warnings. A pane below the list shows the current row in full."""

    FOOTER = (("prompt.leave", "back"),)

    def __init__(self, below: AnyScreen) -> None:
        page = Column("file", 20, weight=1, rank=2, middle=True)
        columns = Column("", 7), page, Column("line", 5, right=True, rank=1), Column("reason", 30, weight=4)
        super().__init__(below, "Errors and warnings", columns, placeholder="part of a path or a reason", in_full=True)

    def rows(self, text: str) -> FixedRows:
        problems = (*(each.problem for each in self.browser.catalogue.stale), *self.view.index.problems)
        levels = {"fault": Cell("error", "bad"), "note": Cell("warning", "muted")}
        found = [each for each in problems if containing(text, each.path, each.message, levels[each.level].text)]
        texts = ((visible(each.path), str(each.line or ""), visible(each.message)) for each in found)
        return FixedRows({each: Line((levels[each.level], *own)) for each, own in zip(found, texts, strict=True)})

    def nothing(self, text: str) -> Sequence[str]:
        return super().nothing(text) if text else ["No errors, no warnings."]

    def fields(self, key: Problem) -> Sequence[Field]:
        line = f", line {key.line}" if key.line else ""
        return Field("file", (visible(key.path) + line,)), Field("reason", (visible(key.message),))


NO_COMMAND = "this view cannot be saved now: first clear the search text or the marks"

SAVE = ""
"""The key of the row that saves the current view."""


class SavedViewDialog(ListDialog, keys="views"):
    """The dialog with the saved views. The last row saves the current view under the typed or the default name."""

    FOOTER = (("prompt.done", "open or save"), ("views.remove", "remove"), ("prompt.leave", "back"))

    def __init__(self, below: AnyScreen) -> None:
        columns = Column("view", 16, 40, weight=1), Column("", 7), Column("screen", 8), Column("query", 24, weight=2)
        super().__init__(below, "Saved views", columns, placeholder="a saved view, or a name for the current view")
        identity = below.browser.catalogue.source.identity
        self._file = below.state.view.settings.views_path(identity), identity
        """The path of the file with the saved views, and the identity of the content."""
        self._present = below.state.saved
        """The current view in its saved form; None if the view cannot be saved."""
        self._removed: dict[str, SavedView] = {}
        """The views that the user removed. They can be restored until the dialog is closed."""
        self._read()

    def _read(self) -> None:
        """Read the file of the saved views again."""
        try:
            self._saved, self._problem = read_views(self._file[0]), ""
        except ViewsError as error:
            self._saved, self._problem = Views(), str(error)

    @property
    def _usual_name(self) -> str:
        """The default name of the current view: its screen, package and query."""
        words = (self._present.screen, self._present.package, self.view.query.line) if self._present else ()
        return " ".join(filter(None, words))[:MAX_NAME_CHARACTERS].strip()

    @property
    def _listed(self) -> dict[str, SavedView]:
        return {**self._removed, **self._saved.named}

    def rows(self, text: str) -> FixedRows:
        views = sorted(self._listed.items())
        lines = {name: self._line(name, saved) for name, saved in views if name.lower().startswith(text.lower())}
        name = text or self._usual_name
        if text or (name and not self._problem and name not in self._saved.named):
            again = "again " if name in self._saved.named else ""
            lines[SAVE] = Line((f"+ save this view {again}as {visible(name)}",))
        return FixedRows(lines)

    def nothing(self, text: str) -> Sequence[str]:
        return [self._problem or NO_COMMAND]

    def _line(self, name: str, saved: SavedView) -> Line:
        note = "" if name in self._saved.named else "removed"
        return Line(
            (Cell(visible(name), "bold"), Cell(note, "muted"), saved.screen, visible(saved.query) or "everything")
        )

    def answer(self, key: str) -> Answer:
        if key != SAVE:
            try:
                saved = self._listed[key]
                return ScreenAsked(screen_of(saved), view_of(saved, self.view), saved.words)
            except QueryError as error:
                return f"the view {visible(key)} cannot be opened: {error}"
        try:
            name = checked_name(self.line.text or self._usual_name)
            if self._present is None:
                raise ViewsError(NO_COMMAND)
            save_view(*self._file, name, self._present)
        except ViewsError as error:
            self.say(str(error))
            return None
        return f"saved as {visible(name)}: to open the view, press {self.key_text_of('browse.views')} or give --view"

    def actions(self) -> Actions:
        return {**super().actions(), "views.remove": self.remove_or_restore}

    def remove_or_restore(self) -> None:
        """Remove the view under the cursor, or restore it if it was removed."""
        name = str(self.table.key)
        try:
            if name in self._saved.named:
                self._removed[name] = self._saved.named[name]
                remove_view(*self._file, name)
            elif name in self._removed:
                save_view(*self._file, name, self._removed[name])
        except ViewsError as error:
            self.say(str(error))
        self._read()
        self.find(self.table.key)
