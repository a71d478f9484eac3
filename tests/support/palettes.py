"""The colours of common terminals: their schemes, their dim colours, and the readability of text.

Colours are in hexadecimal, RRGGBB; contrast is defined by WCAG 2 (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio).
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from cachetui.tui.painter.cells import CODES, Look

Dim = Callable[[str, str], str]
"""From a text colour and its background: the colour of dim text."""


def darker(part: float) -> Dim:
    """Return a function that reduces the brightness of the text colour to this share."""
    return lambda color, behind: _mixed(color, "000000", part)


def faded(part: float) -> Dim:
    """Return a function that mixes this share of the text colour with the background."""
    return lambda color, behind: _mixed(color, behind, part)


class Palette(NamedTuple):
    """A colour scheme of a terminal."""

    foreground: str
    background: str
    colors: str
    """Black, red, green, yellow, blue, magenta, cyan, white; then the bright ones."""
    dim: Dim


VGA = "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff"
XTERM = (
    "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff"
)
TANGO = (
    "2e3436 cc0000 4e9a06 c4a000 3465a4 75507b 06989a d3d7cf 555753 ef2929 8ae234 fce94f 729fcf ad7fa8 34e2e2 eeeeec"
)
SOLARIZED = (
    "073642 dc322f 859900 b58900 268bd2 d33682 2aa198 eee8d5 002b36 cb4b16 586e75 657b83 839496 6c71c4 93a1a1 fdf6e3"
)
APPLE = (
    "000000 c23621 25bc24 adad27 492ee1 d338d3 33bbc8 cbcccd 818383 fc391f 31e722 eaec23 5833ff f935f8 14f0f0 e9ebeb"
)
CAMPBELL = (
    "0c0c0c c50f1f 13a10e c19c00 0037da 881798 3a96dd cccccc 767676 e74856 16c60c f9f1a5 3b78ff b4009e 61d6d6 f2f2f2"
)
ONE_HALF = (
    "383a42 e45649 50a14f c18301 0184bc a626a4 0997b3 fafafa 4f525d df6c75 98c379 e4c07a 61afef c577dd 56b5c1 ffffff"
)
GNOME = (
    "171421 c01c28 26a269 a2734c 12488b a347ba 2aa1b3 d0cfcc 5e5c64 f66151 33d17a e9ad0c 2a7bde c061cb 33c7de ffffff"
)
ITERM_LIGHT = (
    "000000 c91b00 00c200 c7c400 0225c7 ca30c7 00c5c7 bababa 686868 ff6e67 39d441 ccc934 6871ff ff77ff 3ad7d9 ffffff"
)
ITERM_DARK = (
    "000000 c91b00 00c200 c7c400 0225c7 ca30c7 00c5c7 c7c7c7 686868 ff6e67 5ffa68 fffc67 6871ff ff77ff 60fdff ffffff"
)
PUTTY = (
    "000000 bb0000 00bb00 bbbb00 0000bb bb00bb 00bbbb bbbbbb 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff"
)

PALETTES = {
    # drivers/tty/vt/vt.c: default_red, default_grn, default_blu; vc_halfcolor is colour 8 for every text
    "Linux console": Palette("aaaaaa", "000000", VGA, lambda color, behind: "555555"),
    # XTerm-col.ad; MakeDim uses two thirds of the colour
    "xterm": Palette("000000", "ffffff", XTERM, darker(2 / 3)),
    "xterm -rv": Palette("ffffff", "000000", XTERM, darker(2 / 3)),
    # GNOME Terminal, profile-editor.cc: color_schemes; Ubuntu's in github.com/mbadolato/iTerm2-Color-Schemes
    "GNOME light": Palette("171421", "ffffff", GNOME, faded(2 / 3)),
    "GNOME dark": Palette("d0cfcc", "171421", GNOME, faded(2 / 3)),
    "Tango light": Palette("2e3436", "eeeeec", TANGO, faded(2 / 3)),
    "Tango dark": Palette("d3d7cf", "2e3436", TANGO, faded(2 / 3)),
    "Ubuntu": Palette("eeeeec", "300a24", TANGO, faded(2 / 3)),
    # https://ethanschoonover.com/solarized
    "Solarized light": Palette("657b83", "fdf6e3", SOLARIZED, faded(2 / 3)),
    "Solarized dark": Palette("839496", "002b36", SOLARIZED, faded(2 / 3)),
    # Terminal.app, profiles Basic and Pro; https://en.wikipedia.org/wiki/ANSI_escape_code#Colors
    "macOS Basic": Palette("000000", "ffffff", APPLE, faded(1 / 2)),
    "macOS Pro": Palette("f2f2f2", "000000", APPLE, faded(1 / 2)),
    # Windows Terminal, defaults.json; it halves the colour
    "Campbell": Palette("cccccc", "0c0c0c", CAMPBELL, darker(1 / 2)),
    "One Half Light": Palette("383a42", "fafafa", ONE_HALF, darker(1 / 2)),
    # iTerm2's presets Light Background and Dark Background, from github.com/mbadolato/iTerm2-Color-Schemes
    "iTerm2 light": Palette("000000", "ffffff", ITERM_LIGHT, faded(1 / 2)),
    "iTerm2 dark": Palette("c7c7c7", "000000", ITERM_DARK, faded(1 / 2)),
    # Colour0 to Colour21 of its default settings
    "PuTTY": Palette("bbbbbb", "000000", PUTTY, darker(1 / 2)),
}


FRONT, BEHIND = re.compile(r"[39][0-7]|38;.*"), re.compile(r"(?:4|10)[0-7]|48;.*")
"""The codes of text colours and of background colours."""


def contrast(color: str, other: str) -> float:
    """Return the contrast, from 1 (equal) to 21 (black on white)."""
    low, high = sorted((_luminance(color), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def contrast_of(look: Look, palette: Palette) -> float:
    """Return the contrast of text in a style. First, `reverse` swaps the two colours. Then `dim` applies."""
    codes = CODES.findall(look)
    front = _color(next(filter(FRONT.fullmatch, codes), ""), palette, palette.foreground)
    behind = _color(next(filter(BEHIND.fullmatch, codes), ""), palette, palette.background)
    if "2" in codes:
        front = palette.dim(front, behind)
    return contrast(front, behind)


def _color(code: str, palette: Palette, default: str) -> str:
    """Return the colour of an SGR code."""
    if not code:
        return default
    kind, *numbers = map(int, code.split(";"))
    if kind in (38, 48):
        how, *numbers = numbers
        return _of_256(numbers[0], palette) if how == 5 else "".join(f"{number:02x}" for number in numbers)
    return palette.colors.split()[kind % 10 + (8 if kind >= 90 else 0)]


def _of_256(number: int, palette: Palette) -> str:
    """Return one of xterm's 256 colours: sixteen of the palette, a cube with six steps, then greys (256colres.h)."""
    if number < 16:
        return palette.colors.split()[number]
    if number >= 232:
        return f"{8 + 10 * (number - 232):02x}" * 3
    steps = ((number - 16) // 36, (number - 16) // 6 % 6, (number - 16) % 6)
    return "".join(f"{55 + 40 * step if step else 0:02x}" for step in steps)


def _channels(color: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(color))


def _mixed(color: str, other: str, part: float) -> str:
    pairs = zip(_channels(color), _channels(other), strict=True)
    return "".join(f"{round(part * one + (1 - part) * two):02x}" for one, two in pairs)


def _luminance(color: str) -> float:
    shares = [channel / 255 for channel in _channels(color)]
    red, green, blue = (share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
