"""Write the man pages: cachetui(1) from the source of `--help`, cachetui-TOPIC(7) from the topics. `make man` runs it.

The pages are stored in this folder, because a wheel is built without importing the program. A test compares them.
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
from cachetui.reference import TOPICS, paragraphs, wrapped

FOLDER = Path(__file__).resolve().parent

PAGE = FOLDER / "cachetui.1"

EXIT_STATUS = """\
0: results found, or nothing missing. 1: nothing found, a spec missing or not
able to run on a named host, or errors (doctor). 2: an error in the command
line or the content. Gaps (coverage) and changes (diff) count with --exit-code.
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
        examples = "".join(f"  cachetui {each}\n" for each in command.examples)
        lines += [*_after(_paragraphs(f"{examples}{command.help}")), *_options(own)]
        lines += _after(_paragraphs(f"Options above that it takes: {', '.join(shared)}."))
    lines += [".SH EXIT STATUS", *_paragraphs(EXIT_STATUS)]
    lines += [".SH ENVIRONMENT", *_paragraphs(ENVIRONMENT), ".SH FILES", *_paragraphs(CONFIG_FILE)]
    return "".join(f"{line}\n" for line in lines)


def pages() -> dict[str, str]:
    """Return the text of each man page by its file name."""
    return {PAGE.name: page(), **{f"cachetui-{topic}.7": topic_page(topic) for topic in TOPICS}}


def topic_page(topic: str) -> str:
    """Return the man page of a topic."""
    version, date = release()
    title, *sections = re.split(r"^##? ", paragraphs(topic), flags=re.MULTILINE)[1:]
    lines = [
        r".\" Written by man/write.py from a topic of the help.",
        f'.TH CACHETUI-{topic.upper()} 7 "{date}" "cachetui {version}" "Miscellaneous"',
        ".SH NAME",
        rf"cachetui-{topic} \- {topic} of cachetui".replace("-", r"\-", 1),
        ".SH DESCRIPTION",
    ]
    for number, section in enumerate((title, *sections)):
        heading, _, text = section.partition("\n")
        lines += [f'.SH "{heading.upper()}"'] if number else []
        lines += separated(".PP", (_paragraph(each) for each in re.split(r"\n\n(?! )|\n(?=- )", text.strip("\n"))))
    return "".join(f"{line}\n" for line in lines)


def _paragraph(text: str) -> str:
    """Return a paragraph of a topic: indented lines wrapped as in the help, other text filled."""
    filled, *indented = text.split("\n\n", 1) if not text.startswith(" ") else ("", text)
    plain = re.sub(r"[`*]{1,2}([^`*\n]+)[`*]{1,2}", r"\1", filled)
    lines = wrapped(escaped(plain), 80) if filled else []
    for block in indented:
        lines += [".nf", *(escaped(part) for line in block.splitlines() for part in wrapped(line, 78)), ".fi"]
    return "\n".join(lines)


def release() -> tuple[str, str]:
    """Return version and day of the newest release in the changelog."""
    found = re.search(
        r"^## (\S+) \((\S+)\)$", (FOLDER.parent / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert found
    return found[1], found[2]


def escaped(text: str) -> str:
    """Return text as troff prints it, wherever a line of it begins."""
    ascii_text = "".join(ESCAPED.get(each, each if each.isascii() else rf"\[u{ord(each):04X}]") for each in text)
    return re.sub(r"(?<!\S)\.", r"\&.", ascii_text)


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
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
