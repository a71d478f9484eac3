"""Every screen and dialog with hostile content and in extreme sizes."""

from itertools import chain, cycle
from pathlib import Path

from rich.color import ColorSystem
from textual.strip import Strip

from cachetui.tui.painter.cells import CODES, Look, look_of
from cachetui.tui.theme import DARK, LIGHT, THEME, THEME_16, THEME_256, theme_on
from tests.support.drive import SMALL, WIDE, Drive, browser
from tests.support.hostile import EVIL_PAGE, evil_installation, harmless
from tests.support.palettes import PALETTES, contrast_of

KEYS = (*"cdvnitwyeV", "enter", "number_sign", "exclamation_mark", "ctrl+p", "question_mark", "f")
"""The keys that open them; `enter` opens the details of a spec."""

SIZES = ((1, 1), (20, 5), (200, 4))

SIXTEEN = ("30", "46", "31", "35")
"""The codes among sixteen for the cursor, missing specs and matches on an unknown background; never blue or white."""


def test_hostile_text_is_harmless_on_every_screen_at_every_size(drive: Drive, tmp_path: Path) -> None:
    (tmp_path / "evil.md").write_text(EVIL_PAGE)
    app = browser("", str(tmp_path))
    pilot = drive(app)
    pilot.press("t", "home", "enter", "enter")
    home = len(app.screen_stack)
    for key, size in zip(KEYS, cycle(SIZES)):
        before = pilot.text
        assert r"\x1b]52" in before
        pilot.press(key)
        assert pilot.text != before, key
        harmless(pilot.text)
        pilot.resize(*size)
        while len(app.screen_stack) > home:
            pilot.press("escape")
        pilot.resize(*SMALL)


def test_hostile_text_is_harmless_on_installation_screens(drive: Drive, tmp_path: Path) -> None:
    app = browser("", str(evil_installation(tmp_path / "spack")))
    pilot = drive(app, WIDE)
    assert r"\x1b]52" in pilot.text
    assert "! 11 errors" in pilot.lines[1]
    for place in ("home", "end"):
        pilot.press(place, "enter", "enter")
        home = len(app.screen_stack)
        for key in KEYS:
            pilot.press(key)
            harmless(pilot.text)
            while len(app.screen_stack) > home:
                pilot.press("escape")
        while len(app.screen_stack) > 1:
            pilot.press("escape")
        pilot.press("escape")


def test_escape_sequences_in_a_typed_line_are_harmless(drive: Drive) -> None:
    pilot = drive(browser('os="a\x1b[2J\u202eb"'))
    pilot.press("slash")
    assert "a [2J b" in pilot.text
    harmless(pilot.text)


def test_text_is_readable_in_every_theme(drive: Drive) -> None:
    """Each theme with a known background is checked on that background, and the others on unknown backgrounds.

    On the tint of the cursor's row the contrast may be a little lower.
    On unknown backgrounds, every coloured text is a symbol, a word next to its symbol, or in the cursor's row.
    """
    app, looks = browser("os=ubuntu22.04"), dict[str, set[Look]]()
    pilot = drive(app, WIDE)
    pilot.press("enter", "space")
    home = len(app.screen_stack)
    for key in "ctfivwy":
        pilot.press(key)
        for theme in (THEME, DARK, LIGHT, THEME_256, THEME_16):
            app.theme = theme.name
            pilot.settle()
            found = looks.setdefault(theme.name, set())
            for segment in chain.from_iterable(app.screen._compositor.render_strips()):
                if segment.style is not None and any(map(str.isalnum, segment.text)):
                    found.add(look_of(Strip.render_ansi(segment.style, ColorSystem.TRUECOLOR)))
        while len(app.screen_stack) > home:
            pilot.press("escape")
    for name, palette in PALETTES.items():
        red, green, blue = (int(palette.background[k : k + 2], 16) / 255 for k in (0, 2, 4))
        for look in looks[theme_on((red, green, blue)).name] | looks[THEME.name]:
            attributes = [code for code in CODES.findall(look) if len(code) == 1]
            own, least = ";".join(attributes), 3 if "2" in attributes else 3.5 if "48;" in look else 4.5
            assert contrast_of(look, palette) >= min(least, contrast_of(own, palette)), (name, look)
        for look in looks[THEME_256.name]:
            assert contrast_of(look, palette) >= 2.8, (name, look)
    assert {code for look in looks[THEME_16.name] for code in CODES.findall(look)} <= {*"1247", *SIXTEEN}
