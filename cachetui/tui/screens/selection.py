"""What of the view is copied and exported: the marked specs, else what is under the cursor or on screen."""

from __future__ import annotations

import os
from collections.abc import Sequence

from cachetui.model.spec import Spec
from cachetui.report.paste import copies, find_command, hash_word
from cachetui.text import plural, visible
from cachetui.tui.screens.output import CopyScreen, ExportScreen
from cachetui.tui.screens.panes import Panes
from cachetui.tui.screens.spec import SpecScreen
from cachetui.tui.state.view import View


def copy_screen(view: View, panes: Panes, content: str) -> CopyScreen:
    """The texts of the marked specs, else of the one under the cursor, and the view itself as a command."""
    specs = view.marked_or(panes.spec_row)
    packages = panes.level == "packages"
    sort = view.package_sort if packages else view.sort_option
    command = find_command(content, view.shown_in(panes.inside), packages=packages, sort=sort)
    among = len(view.specs(panes.package)) if packages else 1
    return CopyScreen([*_copies(view, specs), ("this view", command)], _whose(view, specs, among))


def _whose(view: View, specs: Sequence[Spec], among: int) -> str:
    """What is copied of: the marks wherever they are, else the one spec, which stands for so many."""
    if view.marks:
        unnamed = sum(hash_word(spec) is None for spec in specs)
        return plural(len(specs), "marked spec") + (f", {unnamed} without a hash" if unnamed else "")
    one = f", one of {among:,}" if among > 1 else ""
    return "".join(visible(f"{spec.package}@{spec.version} {(hash_word(spec) or '')[:8]}{one}") for spec in specs)


def _copies(view: View, specs: Sequence[Spec]) -> list[tuple[str, str]]:
    return copies(specs, os.environ.get("CACHETUI_MIRROR"), view.index.graph)


def spec_screen(view: View, panes: Panes, row: int) -> SpecScreen:
    """The spec of a row in full."""
    spec = view.index.spec(row)
    return SpecScreen(visible(f"{spec.package}@{spec.version}"), panes.fields(row), _copies(view, [spec]))


def export_screen(view: View, panes: Panes) -> ExportScreen:
    """The files that the marked specs, else all that the view shows, can be written to."""
    package, marked = panes.inside, len(view.marks)
    shown = len(view.results) if package is None else len(view.specs(package))
    what = plural(marked, "marked spec") if marked else f"{shown:,} specs"
    name = "-".join(filter(None, ("cachetui", view.tag_label, None if marked else package)))
    return ExportScreen(name, what, view.writers(package))
