"""Search strings, comments and test names for wording that has to be read twice; `make check` runs it."""

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]

INSTEAD = {
    r"\b(?:None|empty|none|0|False|True) where\b|(?:[.;,:(] |^|[\"'])where (?!is\b|are\b|from\b)\w+": "if, when",
    r"(?:^|[.;:!?] |[\"'`]|# )(?-i:Of) (?:an?|the|several|some|each|what|one|those|two|all|them|these|it|many)\b"
    r"|\btest of ": "the subject first",
    r"\bbehind\b": "after",
    r"\bblanks?\b": "space",
    r"(?<!leave )(?<!let )\balone\b": "only",
    r"\"\"\"(?-i:Most|Least) ": "Maximum number of, with the unit",
    r"[\"']of an? \w+[^\"']{0,40}: |may be given[ ]again|the other[ ]way round|;[ ]again: ": "(X only), repeatable",
}
"""Patterns, and the plain words for each."""

ALLOWED = frozenset[tuple[str, str]]()
"""Pairs of a file and a match that is correct in this file."""


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield each string, comment and test name of a Python file, with its line number.

    For any other file, yield the whole text.
    """
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield 1, text
        return
    kinds = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in kinds:
            yield token.start[0], token.string
        elif token.type == tokenize.NAME and token.string.startswith("test_"):
            yield token.start[0], token.string.replace("_", " ")


def found() -> Iterator[str]:
    """Yield a line for each match in the package, the tests and README."""
    patterns = [(re.compile(pattern, re.IGNORECASE | re.MULTILINE), words) for pattern, words in INSTEAD.items()]
    files = [*CHECKOUT.glob("cachetui/**/*.py"), *CHECKOUT.glob("cachetui/docs/*.md"), *CHECKOUT.glob("tests/**/*.py")]
    for path in (CHECKOUT / "README.md", *sorted(files)):
        name = path.relative_to(CHECKOUT).as_posix()
        for line, text in texts(path) if path != Path(__file__) else ():
            for pattern, words in patterns:
                for match in pattern.finditer(text):
                    if (name, match.group()) not in ALLOWED:
                        place = line + text.count("\n", 0, match.start())
                        yield f"{name}:{place}: {match.group().strip()!r}; plainer: {words}"


if __name__ == "__main__":
    sys.exit("\n".join(found()) or None)
