"""The screen that compares two specs. It shows the fields, variants and dependencies that differ."""

from collections.abc import Hashable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from cachetui.analysis.comparison import Comparison, compare
from cachetui.mappings import grouped
from cachetui.model.spec import HASH
from cachetui.model.version import sort_key
from cachetui.report.comparison import FOLDED_SECTIONS, ComparisonReport, Side, sides, verdict
from cachetui.safe_text import containing, visible
from cachetui.search.index import Index
from cachetui.settings.saved_views import SavedView
from cachetui.tui.frame import ListScreen
from cachetui.tui.keymap import Actions
from cachetui.tui.lines import (
    ARROW,
    Cell,
    Column,
    FixedRows,
    Line,
    Text,
    fitted,
)
from cachetui.tui.view.rows import SpecKey, row_of
from cachetui.tui.view.saved import saved_view
from cachetui.tui.view.view import ListState, View


class ComparisonState(ListState[Comparison], frozen=True, kw_only=True):
    """The two specs to compare, the older one first."""

    keys: tuple[SpecKey, ...]

    @classmethod
    def of(cls, view: View) -> "ComparisonState":
        """Compare the two marked specs."""
        index = view.index
        specs = {key: index.spec(row) for key in view.marks if (row := row_of(index, key)) is not None}
        keys = sorted(specs, key=lambda key: (-index.tags.index(key[0]), sort_key(specs[key].version or ""), key))
        return cls(view=view.of_specs(keys[:2]), keys=tuple(keys[:2]))

    @property
    def present(self) -> list[int]:
        """The row numbers of the two specs in the index. Omit a spec that was removed from the index."""
        return [row for key in self.keys if (row := row_of(self.view.index, key)) is not None]

    @property
    def asks(self) -> tuple[Index, int, int] | None:
        """The input of the comparison: the index, and the row numbers of the two specs. None if a spec was removed."""
        rows = self.present
        return (self.view.index, rows[0], rows[1]) if len(rows) == 2 else None

    @property
    def saved(self) -> SavedView | None:
        words = [f"/{key[2]}" for key in self.keys if HASH.fullmatch(key[2])]
        if self.word or len(words) != 2:
            return None
        return saved_view(replace(self.view, tag=None), "comparison", ["..".join(words)])

    def with_words(self, words: Sequence[str]) -> "ComparisonState":
        keys = tuple(("", "", word[1:]) for word in words[0].split(".."))
        return replace(self, view=self.view.of_specs(keys), keys=keys)

    @property
    def sections(self) -> Mapping[str, Sequence[Side]]:
        """The lines that contain the search word, grouped by section."""
        found = sides(self.found) if self.found else ()
        return grouped((side.section, side) for side in found if containing(self.word, *side))

    @property
    def rows(self) -> FixedRows:
        """One line for each field, variant or dependency that differs.

        One line summarizes the dependencies that differ only in the hash. Another line summarizes the equal values.
        The last line says whether the specs run on the host.
        """
        lines: dict[Hashable, Line] = {}
        for section, own in self.sections.items():
            names = visible(", ".join(side.label for side in own)) if section in FOLDED_SECTIONS else ""
            if section:
                lines[section] = Line((Cell(f"{section} {len(own):,}", "bold"), Cell(names, "muted"), ""))
            if not names:
                lines |= {side[:2]: Line((Cell(visible(side[1]), "muted"), *map(visible, side[2:]))) for side in own}
        if self.found and containing(self.word, "host"):
            fits = (self.view.index.fit(row, self.view.host) for row in self.present)
            texts = [visible(f"{'! ' * fit.is_unfit}{fit.reason}") for fit in fits]
            lines["host"] = Line(
                (Cell("host", "muted"), *(texts if texts[0] != texts[-1] else (f"both: {texts[0]}", "")))
            )
        return FixedRows(lines)

    @property
    def columns(self) -> Sequence[Column]:
        specs = (self.found.old, self.found.new) if self.found else ()
        heads = (visible(f"{(spec.hash or '')[:7]} {spec.version or ''}").strip() for spec in specs)
        return fitted((Column("", 16, weight=1), *(Column(head, 20, weight=1) for head in heads)), self.rows)

    @property
    def verdict(self) -> str:
        return verdict(self.found) if self.found else ""


class ComparisonScreen(ListScreen[ComparisonState]):
    """The screen with the differences. The older spec is on the left, the newer spec on the right."""

    FOOTER = (
        *(("browse.filter", "filter"), ("browse.copy", "copy"), ("browse.export", "export")),
        *(("browse.help", "help"), ("screen.back", "back")),
    )
    PLACEHOLDER = "part of a label or a value"

    TITLE = "Differences"

    IS_WHOLE = True

    state_of = ComparisonState.of

    def work(self, question: tuple[Index, int, int]) -> Iterator[Comparison]:
        yield compare(*question)

    def nothing(self, state: ComparisonState) -> Sequence[str]:
        return [
            f"No label or value contains {visible(state.word)}." if state.found else "One of the specs was removed."
        ]

    def heading_of(self, state: ComparisonState) -> tuple[Text, str]:
        found, sections = state.found, state.sections
        if found is None:
            return [], ""
        equal, every = sum(len(sections.get(name, ())) for name in FOLDED_SECTIONS), sum(map(len, sections.values()))
        packages = dict.fromkeys((found.old.package, found.new.package))
        return [visible(f" {ARROW} ".join(packages))], f"{every - equal:,} of {every:,} values differ"

    def actions(self) -> Actions:
        no_filter = "this screen always shows both specs; the row `host` tells whether they run"
        return {**super().actions(), "browse.fits": lambda: self.say(no_filter)}

    def document(self) -> ComparisonReport | None:
        return None if self.state.found is None else ComparisonReport(self.state.found)
