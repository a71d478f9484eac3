"""The output of commands, in a file that looks like a terminal; `python -m tests.support.answers` writes it again.

The beginning of a line shows its kind. `$`: a command line. Two spaces: standard output. `!`: standard error. `?`: an
exit status other than 0. `#`: the subject of the lines below. A single dot is an empty line. If a command line has
several commands, separated by `;`, the file contains the status of the last command.
"""

import os
import shlex
import tempfile
from collections.abc import Callable, Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

from cachetui.catalogue import Catalogue
from cachetui.cli.main import main
from cachetui.settings.settings import Settings
from tests.support.cache_writer import node, write_v3
from tests.support.caches import whole_caches
from tests.support.installs import INSTALLS, write_beside
from tests.support.locks import changed_at_the_bottom
from tests.support.places import ROOT, SAMPLE_CONTENT, SAMPLE_MIRROR
from tests.support.rows import IN_TWO_TAGS, VARIED, index_of, row, write

FILE = ROOT / "tests" / "cli" / "answers.txt"

SPECS = [
    row(hash="2feova4prghd2gkebr23if6bojkyydpt"),
    row(hash="2feova4prghd2gkebr23if6bojkyydpt", tag="v1.0.0"),
    row(hash="2feovz7prghd2gkebr23if6bojkyydpt", version="1.12.2", compiler="gcc@13.2.0", os="rhel8"),
    row("zlib", "1.3.1", variants=["+shared"], stacks=["odd\x1b[31m\u202estack"]),
]

HOSTS = [
    *(row(version=version, target=target) for version, target in (("2.0", "x86_64"), ("1.0", "zen2"), ("1.5", "zen2"))),
    *(row(version="0.9", target=target) for target in ("zen3", "weird", "zen4", "aarch64")),
    row(version="3.0", target="zen2", os="rhel9"),
    row(version="3.1", target="zen2", os="gentoo2"),
    row("zlib", target="zen3"),
]

BARE = [row(hash="a" * 32, stacks=[]), row("zlib", hash=None, stacks=[])]

ROOTED = [row(hash="a" * 32, stacks=["e4s", "root"]), row("zlib", hash="b" * 32, stacks=["e4s"])]

STAYS = row("cmake", hash="e" * 32, stacks=["e4s", "hep"])
MEETING = [
    *({**each, "tag": "v1"} for each in (STAYS, row(stacks=["e4s"]), row("zlib", stacks=["e4s", "hep"]))),
    *(row(name, "1.0", hash="a" * 32, tag="v1", stacks=["e4s"]) for name in ("zfp", "petsc")),
    *({**each, "tag": "v2"} for each in (STAYS, row("zlib", stacks=["hep"]), row("zfp", "1.1", stacks=["e4s"]))),
    *(row("petsc", "1.0", hash=letter * 32, tag="v2", stacks=["e4s"]) for letter in "bcd"),
    row("new", tag="v2", stacks=["e4s"]),
]
"""A removed package, and one that was removed only from a stack, for the notes of a meeting."""

WEEKS = [row(version=f"1.{k}", tag=f"develop-2025-04-{day}") for k, day in enumerate(("06", "13", "20"))]


PAGES = {
    "pages": IN_TWO_TAGS,
    "specs": SPECS,
    "hosts": HOSTS,
    "weeks": WEEKS,
    "bare": BARE,
    "rooted": ROOTED,
    "varied": VARIED,
    "meeting": MEETING,
}

PAST = [
    [row(hash="a" * 32), row("zlib", hash="c" * 32, stacks=["hep"])],
    [row(hash="a" * 32), row("zlib", "1.3", hash="d" * 32)],
    [row(hash="b" * 32), row("zlib", "1.3", hash="d" * 32)],
]
"""Three states of the content of the folder `past`, one a day; the last one is its present state."""


FILES = {
    "names.txt": "hdf5\nzlib@2:\nboost\n",
    "bt-data": "nosuch\n",
    "list.txt": "bt-data\n",
    "nothing.json": "[]\n",
    "other.json": '{"schema": "cachetui/check/1", "roots": []}\n',
    "when.yaml": "spack:\n  definitions: [{c: [pigz], when: 'f(hostname)'}]\n  specs: [$c, zlib]\n",
}


def prepare(folder: Path) -> None:
    """Write the content that the commands use."""
    for name, rows in PAGES.items():
        write(folder / name, rows)
    write(folder / "odd", [row(target="odd"), row("zlib", hash="\x1b")])
    places = {"sample": SAMPLE_CONTENT, "mirror": SAMPLE_MIRROR, "tree": str(INSTALLS / "1.1.0")}
    for name, place in places.items():
        (folder / name).symlink_to(place)
    whole_caches(folder / "caches")
    for name, text in FILES.items():
        (folder / name).write_text(text)
    write(folder / "past", PAST[-1])
    (history,) = Catalogue(str(folder / "past"), Settings({"CACHETUI_HISTORY": f"{folder}/history"})).histories
    for day, rows in enumerate(PAST, 1):
        columns = index_of(rows).columns
        history.record(f"2026-11-0{day}", columns, columns.tags)
    (folder / "opt").mkdir()
    page = folder / "cut" / "0.md"
    write(page.parent, SPECS[::2])
    page.write_text(page.read_text().partition("2feovz7")[0])
    write_v3(folder / "empty", [], [])
    chain = [node("p0", "1")]
    for k in range(1, 120):
        chain.append(node(f"p{k}", "1", [(chain[-1], ["link"], [])]))
    write_v3(folder / "chain", chain, chain[-1:])
    changed_at_the_bottom(folder)
    (folder / "installed").mkdir()
    write_beside(folder / "installed")


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command line of a file in the format of this module, with the lines below it."""
    for part in f"\n{text}".split("\n$ ")[1:]:
        line, _, shown = part.partition("\n")
        yield line, "".join(f"{each}\n" for each in shown.splitlines() if each and not each.startswith("#"))


def answer(line: str) -> str:
    """Return the output of a command line, in the format of this module."""
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = [main(shlex.split(each)) for each in line.split(" ; ")][-1]
    shown = [f"  {each or '.'}" for each in out.getvalue().splitlines()]
    shown += [f"! {each}" for each in err.getvalue().splitlines()]
    shown += [f"? {status}"] * bool(status)
    return "".join(f"{each.rstrip()}\n" for each in shown).replace(os.getcwd(), "HERE")


def _rewritten(text: str, answer_of: Callable[[str], str]) -> Iterator[str]:
    for each in text.splitlines():
        if each.startswith("# "):
            yield f"\n{each}\n"
        elif each.startswith("$ "):
            yield f"{each}\n{answer_of(each[2:])}"


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        os.environ.update(
            HOME=name,
            CACHETUI_CACHE_DIR=f"{name}/cache",
            CACHETUI_HISTORY=f"{name}/history",
            XDG_CONFIG_HOME=f"{name}/config",
        )
        prepare(Path(name))
        with chdir(name):
            found = "".join(_rewritten(FILE.read_text(), answer))
    FILE.write_text(found.lstrip("\n"))
