"""The reference in `cachetui/docs`, which `cachetui help`, the man pages and the browser show."""

import re
from textwrap import wrap

TOPICS = (
    *("queries", "browser", "environments", "installations", "history"),
    *("scripting", "servers", "config", "glossary"),
)
"""The topics. Each topic is a file in `cachetui/docs`."""


def paragraphs(topic: str) -> str:
    """Return the text of a topic, with one line for each paragraph."""
    from importlib.resources import files  # late: the help of a command does not read files

    text = (files("cachetui") / "docs" / f"{topic}.md").read_text(encoding="utf-8")
    return re.sub(r"(?<=[^\n])\n(?=[^\s#-])", " ", text)


def wrapped(line: str, width: int) -> list[str]:
    """Wrap a line to this width. If the line has columns, align its continuation with the last column."""
    column = line.rfind("  ") + 2 if "  " in line else 2 * line.startswith("- ")
    return wrap(line, width, subsequent_indent=" " * column, break_long_words=False, break_on_hyphens=False) or [""]
