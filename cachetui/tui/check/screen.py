"""The check screen: the verdict, missing dependencies with their causes, and hashes to copy."""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from cachetui.model.spec import HASH
from cachetui.report.check import CheckReport
from cachetui.report.formats import Document
from cachetui.report.paste import cache_lines, requirements_text
from cachetui.report.places import Places
from cachetui.safe_text import plural
from cachetui.tui.check.state import CheckAnswer, CheckQuestion, CheckState, answers
from cachetui.tui.dialogs.paths import completed
from cachetui.tui.frame import ListScreen, tag_text
from cachetui.tui.keymap import Actions, Footer, KeyLabel, bindings
from cachetui.tui.lines import Cell, Text
from cachetui.tui.view.view import View
from cachetui.tui.widgets.prompt import Prompt
from cachetui.tui.widgets.table import Table
from cachetui.workers.cancelling import Cancelled


class CheckScreen(ListScreen[CheckState]):
    """The answer for a spec, several of them, or an environment."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("check")

    FOOTER: ClassVar[Footer] = (
        *(("table.choose", "go to it"), ("check.file", "another"), ("check.host", "host"), ("browse.copy", "copy")),
        *(("browse.export", "export"), ("browse.help", "help"), ("screen.back", "back")),
    )
    PLACEHOLDER = "a spec, /hash, spack.lock, spack.yaml or a list of these"

    TITLE = "Install?"

    IS_WHOLE = True

    state_of = CheckState.of

    def nothing(self, state: CheckState) -> Sequence[str | KeyLabel]:
        return [state.verdict, ("check.file", "another")]

    def work(self, question: CheckQuestion, cancelled: Cancelled) -> Iterator[CheckAnswer]:
        browser = self.browser
        return answers(question, lambda index: browser.sizes_of(index, cancelled), browser.files(cancelled))

    def heading_of(self, state: CheckState) -> tuple[Text, str]:
        found = state.found.found if state.found else None
        number = plural(len(found.binaries) + len(found.installed), "spec") if found else ""
        return [tag_text(state.view)], f"{plural(len(found.roots), 'root')}, {number}" if found else ""

    def host_text(self, state: CheckState) -> Text:
        name = state.view.host.name
        return [Cell(f"host {name}" if state.host_decides else "for any host", "muted")]

    # Keys

    def actions(self) -> Actions:
        return {**super().actions(), "check.file": self.open_line, "check.host": self.own_step(CheckState.turn_host)}

    def open_line(self) -> None:
        """Type the specs or files to check."""
        self.open_prompt(self.state.word if self.state.may_be_files else "")

    def follow_line(self, event: Prompt.Edited) -> None:
        """Wait for Enter."""

    @on(Prompt.CompletionAsked)
    def complete(self) -> None:
        """Complete the name of a file."""
        self.prompt.put(completed(self.prompt.text))

    @on(Table.Chosen)
    def go_to_build(self) -> None:
        """Open the binary under the cursor, or the build nearest to a cause."""
        self.ask("browse", self.here(), "this content has no binary of this spec or a similar one")

    def here(self) -> View | None:
        return self.state.target()

    # Copy and export

    def copies(self) -> Sequence[tuple[str, str]]:
        answer = self.state.found
        if answer is None or answer.found is None:
            return ()
        found, item, graph = answer.found, self.state.item, self.state.view.index.graph
        cause = item.cause if item else None
        whole = [root.hash for root in found.roots if root.closure and root.closure.complete and root.hash in root.here]
        roots = " ".join(f"/{each}" for each in whole if each and HASH.fullmatch(each))
        missing = " ".join(f"/{each.hash}" for each in found.missing if HASH.fullmatch(each.hash))
        texts = {
            "require": requirements_text([cause] if cause and cause.requirement else answer.causes),
            "mirrors": "\n".join(cache_lines(graph, answer.signed, self.state.view.settings.mirror)),
            "install": f"spack install --cache-only {roots}" if roots else "",
            "missing": missing,
        }
        return [(name, text) for name, text in texts.items() if text]

    def document(self) -> Document | None:
        answer, graph = self.state.found, self.state.view.index.graph
        if answer is None or answer.found is None:
            return None
        places = Places(self.status.contents)
        return CheckReport(answer.found, answer.sizes.get, answer.causes, graph, places, answer.signed)
