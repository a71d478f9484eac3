"""Pages that want to do harm, and how to tell that nothing of them acts."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

TOUCH = "touch pwned"
EVIL = (
    "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b31m\x90q\x9c\x7f\r\n\t\b\u202eabc\u2066\u200b\u200f\ufeff\u00ad\u3164\ufe0f\ue000"
    f"[red]x[/red][link=file:///etc]';{TOUCH};'$({TOUCH})`{TOUCH}`\"|{TOUCH}&{TOUCH}\n{TOUCH}\n>pwned !! \\ ~ * #"
)
"""Everything that acts on a terminal, on markup, on a shell, or hides itself."""


def row(letter: str, **fields: Any) -> dict[str, Any]:
    given = {"compiler": "gcc@11.4.0", "os": "rhel8", "platform": "linux", "target": "zen3", "size": "-"}
    return {"hash": letter * 32, "versions": ["1.2"], "variants": ["+shared"], "stacks": ["e4s"], **given, **fields}


def page(title: str, *rows: dict[str, Any], tag: str = "develop") -> str:
    head = f"---\ntitle: {json.dumps(title)}\nlayout: cache\ncategories: [package, {json.dumps(tag)}]\n"
    return f"{head}spec_details: {json.dumps(rows)}\n---\n"


EVIL_PAGE = page(
    EVIL,
    row(
        "b",
        compiler=EVIL,
        versions=[EVIL],
        os=EVIL,
        platform=EVIL,
        target=EVIL,
        variants=[f"+{EVIL}", EVIL, f"k={EVIL}"],
        stacks=[EVIL, "root"],
        tarball=EVIL,
        size=EVIL,
    ),
    row("c", hash=f"/{EVIL}"),
    tag=EVIL,
)


def hides(letter: str) -> bool:
    return letter != "\n" and unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def harmless(text: str) -> None:
    assert [letter for letter in text if hides(letter)] == []
