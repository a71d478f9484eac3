"""Lists of specs, and templates of the user's own."""

from __future__ import annotations

import csv
import io

import pytest
from msgspec.structs import replace

from cachetui.report.find import FIELDS, spec_list, template
from cachetui.report.formats import FormatError, written
from tests.support.specs import SPEC


def test_csv_holds_every_field_and_reads_back() -> None:
    odd = replace(SPEC, package='a "b", c', version=None, variants=("x=1,2", "+y"))
    rows = list(csv.DictReader(io.StringIO("".join(written(spec_list([SPEC, odd]), "csv")))))
    assert list(rows[0]) == list(FIELDS)
    assert (rows[1]["package"], rows[1]["version"], rows[1]["variants"]) == ('a "b", c', "", "x=1,2,+y")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{package}@{version}/{hash:7}", "hdf5@1.14.3/2feova4"),
        (r"{name}\t{stacks}\n", "hdf5\te4s,root\n"),
        ("{{{tag}}} {size}{tarball}", "{develop} -"),
    ],
)
def test_a_format_of_the_users_own(text: str, expected: str) -> None:
    assert template(text)(SPEC) == expected


@pytest.mark.parametrize("text", ["{", "{name", "}", "{nothing}", "{name:x}", "{name:99999}", "{}"])
def test_a_format_that_cannot_be_read(text: str) -> None:
    with pytest.raises(FormatError):
        template(text)


def test_a_width_that_is_no_number_is_told() -> None:
    with pytest.raises(FormatError, match=r"no width 'x' in --format: .* as in \{hash:7\}"):
        template("{hash:x}")
