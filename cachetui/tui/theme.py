"""The theme: the terminal's own foreground, background and colours, so that it reads on light and dark.

Yellow and blue are left out, since the one cannot be read on white and the other on black. What has
to be seen without colours too is bold, reverse or underlined (NO_COLOR leaves just that).
"""

from __future__ import annotations

from textual.theme import BUILTIN_THEMES, Theme

THEME = Theme(
    name="cachetui",
    ansi=True,
    primary="ansi_cyan",
    secondary="ansi_cyan",
    accent="ansi_magenta",
    warning="ansi_magenta",
    error="ansi_red",
    success="ansi_green",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    variables=BUILTIN_THEMES["ansi-dark"].variables
    | {
        "ansi-background": "ansi_default",
        "ansi-foreground": "ansi_default",
        "text-muted": "ansi_default",
        "text-disabled": "ansi_default",
        "border": "ansi_cyan",
        "border-blurred": "ansi_default",
        "block-cursor-foreground": "ansi_default",
        "block-cursor-background": "ansi_default",
        "block-cursor-text-style": "reverse",
        "block-cursor-blurred-text-style": "bold",
        "input-cursor-foreground": "ansi_default",
        "input-cursor-background": "ansi_default",
        "input-cursor-text-style": "reverse",
        "input-selection-foreground": "ansi_default",
        "input-selection-background": "ansi_cyan",
        "screen-selection-foreground": "ansi_default",
        "screen-selection-background": "ansi_cyan",
        "scrollbar": "ansi_default",
        "scrollbar-hover": "ansi_default",
        "scrollbar-active": "ansi_default",
        "scrollbar-background": "ansi_default",
        "scrollbar-background-hover": "ansi_default",
        "scrollbar-background-active": "ansi_default",
        "footer-key-foreground": "ansi_cyan",
        "link-color": "ansi_cyan",
        "link-color-hover": "ansi_cyan",
        "link-background-hover": "ansi_default",
    },
)
