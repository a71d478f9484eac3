"""An app with the browser's style sheet, for the tests of the widgets."""

from __future__ import annotations

from pathlib import Path

from textual.app import App

from cachetui.tui import app as browser
from cachetui.tui.terminal.lifecycle import TerminalApp
from cachetui.tui.terminal.theme import variables_of


class StyledApp(App[None]):
    COMPONENT_CLASSES = TerminalApp.COMPONENT_CLASSES
    CSS_PATH = str(Path(browser.__file__).with_name("app.tcss"))

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return variables_of(self.current_theme)
