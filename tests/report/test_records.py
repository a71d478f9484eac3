"""The record of an installed spec, in a list and in the details."""

import time

import pytest

from cachetui.model.host import Host
from cachetui.model.installed import FORM, age
from cachetui.report.specs import detail
from tests.support.installs import index_of

HOST = Host.parse("linux-debian12-x86_64_v3")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(90, "1 minute ago"), (30 * 86400, "30 days ago"), (-86400, None), (0.0, "less than a minute ago")],
)
def test_age_of_record_is_printed_in_words(seconds: float, said: str | None) -> None:
    written = time.strftime(FORM, time.gmtime(time.time() - seconds))
    assert age(written) == (said or written[:10])
    assert age("-") == "-"


def test_details_show_installation_record() -> None:
    index = index_of("1.1.0")

    def fields(name: str) -> list[dict[str, tuple[str, ...]]]:
        rows = index.package_rows(index.packages.index(name))
        return [{each.label: each.lines for each in detail(index, row, HOST)} for row in rows]

    (xz,), (ncurses,) = fields("xz"), fields("ncurses")
    assert xz["needed by"] == ("environments lab",)
    assert xz["prefix"][0].endswith("/xz-5.6.3-qdqexqpgjb34ba4dq74yk4xibph6yycq")
    assert ncurses["state"][:2] == ("missing", "implicit")
    replaced = [(each["state"][0], each["state"][-1]) for each in fields("libpng")]
    assert ("deprecated", "replaced by /5ijwdwzl2j7lu7zwolfmwoegkzrkewmz") in replaced
