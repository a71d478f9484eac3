"""Writes the man page of cachetui, from what its `--help` is made from; run by `make man`.

The page stands beside this file, as a wheel is built without importing the program; a test compares it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from textwrap import fill

from cachetui.cli.commands import BROWSE, COMMANDS, Command
from cachetui.cli.help import ABOUT, CONFIG_FILE, ENVIRONMENT, SUMMARY
from cachetui.cli.options import Declared, declared

FOLDER = Path(__file__).resolve().parent

PAGE = FOLDER / "cachetui.1"

EXIT_STATUS = """\
0 when something was found and nothing is missing; 1 when nothing was found,
something is missing or does not run on a host that was named, or doctor finds
faults; 2 when the question or the content cannot be read. Gaps (coverage) and
changes (diff) count with --exit-code.
"""

ESCAPED = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti", '"': r"\(dq"}
"""Signs that troff reads as others, or as its own."""


def page() -> str:
    """Return the man page, in the macros of man(7); its date and version are those of the newest release."""
    version, date = release()
    browser = declared(BROWSE.options)
    lines = [
        r".\" Written by man/write.py from what --help is made from.",
        f'.TH CACHETUI 1 "{date}" "cachetui {version}" "User Commands"',
        ".SH NAME",
        rf"cachetui \- {escaped(SUMMARY)}",
        ".SH SYNOPSIS",
        *separated(".br", (_title(each) for each in (BROWSE, *COMMANDS.values()))),
        ".SH DESCRIPTION",
        *_paragraphs(ABOUT),
        ".SH OPTIONS",
        *_options(browser.values()),
        ".SH COMMANDS",
    ]
    for command in COMMANDS.values():
        options = declared(command.options)
        own = [each for name, each in options.items() if browser.get(name) != each]
        shared = [name for name, each in options.items() if browser.get(name) == each]
        lines += [f'.SS "{command.name}"', *separated(".br", (_title(command), escaped(command.summary)))]
        lines += [*_after(_paragraphs(command.help)), *_options(own)]
        lines += _after(_paragraphs(f"And of the options above: {', '.join(shared)}."))
    lines += [".SH EXIT STATUS", *_paragraphs(EXIT_STATUS)]
    lines += [".SH ENVIRONMENT", *_paragraphs(ENVIRONMENT), ".SH FILES", *_paragraphs(CONFIG_FILE)]
    return "".join(f"{line}\n" for line in lines)


def release() -> tuple[str, str]:
    """Return version and day of the newest release in the changelog."""
    found = re.search(
        r"^## (\S+) \((\S+)\)$", (FOLDER.parent / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert found
    return found[1], found[2]


def escaped(text: str) -> str:
    """Return text as troff prints it, wherever a line of it begins."""
    return re.sub(r"(?<!\S)\.", r"\\&.", "".join(ESCAPED.get(letter, letter) for letter in text))


def separated(separator: str, texts: Iterable[str]) -> list[str]:
    """Return texts with a line between them."""
    return [line for text in texts for line in (separator, text)][1:]


def _title(command: Command) -> str:
    """Return how a command is called: its name in bold, what stands for something else in italics."""
    name = command.title.removesuffix(command.arguments).rstrip()
    arguments = re.sub(r"[A-Z]{2,}", r"\\fI\g<0>\\fR", escaped(command.arguments))
    return rf"\fB{escaped(name)}\fR {arguments}".rstrip()


def _options(options: Iterable[Declared]) -> Iterator[str]:
    for each in options:
        names = ", ".join(rf"\fB{escaped(name)}\fR" for name in (each.option.short, each.name) if name)
        value = rf" \fI{escaped(each.option.value)}\fR" if each.option.value else ""
        yield from (".TP", f"{names}{value}", *_paragraphs(each.option.help))


def _paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a help text: lines that begin with blanks as they are, the others filled."""
    paragraphs = []
    for as_it_is, lines in groupby(text.splitlines(), lambda line: line.startswith(" ") or not line):
        if as_it_is:
            paragraphs.append("\n".join([".nf", *map(escaped, lines), ".fi"]))
        else:
            paragraphs.append(fill(escaped(" ".join(lines)), 80, break_long_words=False, break_on_hyphens=False))
    return separated(".PP", paragraphs)


def _after(paragraphs: list[str]) -> list[str]:
    """Return paragraphs that stand below others."""
    return [".PP", *paragraphs] if paragraphs else []


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
