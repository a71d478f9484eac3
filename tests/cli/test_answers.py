"""The output of commands, compared with a file that is reviewed like code; see `tests.support.answers`."""

from pathlib import Path

import pytest

from tests.support.answers import FILE, answer, commands, prepare


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("answers")
    prepare(folder)
    return folder


@pytest.mark.parametrize(("line", "shown"), list(commands(FILE.read_text())), ids=lambda text: text.partition("\n")[0])
def test_output_of_each_command_equals_its_stored_output(
    line: str, shown: str, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here)
    monkeypatch.setenv("CACHETUI_HISTORY", f"{here}/history")
    assert answer(line) == shown
