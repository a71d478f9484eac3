"""The lines of details: wrapped to a width, shortened to a height, with intact commands."""

import subprocess

import pytest

from cachetui.report.specs import Field
from cachetui.safe_text import shell_word
from cachetui.tui.lines import text_of
from cachetui.tui.widgets.detail_pane import detail_lines

FIELDS = [
    Field("package", ("hdf5",)),
    Field("host", ("does not run: built for x86_64_v4", "on zen3"), means="fails"),
    Field("oses", ("ubuntu22.04 (262)", "amzn2 (211)", "rhel8 (9)"), is_list=True),
    Field("stacks", ("e4s", "hep", "root"), is_list=True),
    Field("install", ("spack install --cache-only /2feova4prghd2gkebr23if6bojkyydpt",), is_command=True),
]

WHOLE = """\
 package    hdf5
 host       ! does not run: built for
            x86_64_v4
            on zen3
 oses       ubuntu22.04 (262)  amzn2 (211)
            rhel8 (9)
 stacks     e4s  hep  root
 install    spack install --cache-only \\
            /2feova4prghd2gkebr23if6boj\\
kyydpt"""


def text_lines(fields: list[Field], width: int, height: int | None = None) -> list[str]:
    found = []
    for line in detail_lines(fields, width, height):
        label, *value = line.cells
        found.append((f"{text_of(label):<10}  {''.join(map(text_of, value))}" if value else text_of(label)).rstrip())
    return found


def test_detail_fields_are_wrapped_to_width() -> None:
    assert text_lines(FIELDS, 43) == WHOLE.split("\n")


def test_lists_in_details_are_shortened_to_fit_height() -> None:
    whole = WHOLE.split("\n")
    assert text_lines(FIELDS, 43, 10) == whole
    cut = text_lines(FIELDS, 43, 9)
    assert cut[4:6] == [" oses       ubuntu22.04 (262)  +2 more", " stacks     e4s  hep  root"]
    assert len(cut) == 9


@pytest.mark.parametrize("width", range(32, 90, 3))
@pytest.mark.parametrize(
    "long",
    [
        "https://binaries.spack.io/develop-2025-04-20/e4s-neoverse-v2/of/a/long/way/down/and/further",
        "hdf5@1.14.5%gcc@11.4.0+cxx+fortran+hl~java~map cflags='-O2 -g' ldflags=\"-L/a/folder\" it's",
        "back\\slashes\\\\and'quotes'" * 4,
        "\\" * 200,
        "a \x1b[2J" * 20,
    ],
    ids=["address", "quotes", "backslashes", "only-backslashes", "hidden"],
)
def test_wrapped_command_is_pasted_as_one_command(width: int, long: str) -> None:
    words = ["spack", "find", "hdf5 cflags='-O2 -g'", long, "/2feova4prghd2gkebr23if6bojkyydpt", "--json"]
    lines = text_lines([Field("command", (" ".join(map(shell_word, words)),), is_command=True)], width)
    selected = [line.removeprefix(" command    ") for line in lines]
    script = "\n".join(["printf '%s\\n' \\", *selected])
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == words
    assert all(len(line) <= width for line in lines)
