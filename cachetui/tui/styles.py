"""The styles that text can have. The style sheet says how each looks: `style--NAME`, wherever it stands."""

from __future__ import annotations

from typing import Literal, get_args

Style = Literal[
    "", "bold", "muted", "line", "accent", "good", "bad", "warn", "match", "bar", "heat-1", "heat-2", "heat-3"
]

STYLES: tuple[Style, ...] = tuple(style for style in get_args(Style) if style)
