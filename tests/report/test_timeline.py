"""A timeline in every format."""

from __future__ import annotations

import json

from cachetui.analysis.timeline import Moment, Timeline
from cachetui.report.formats import written
from cachetui.report.timeline import TimelineReport


def test_a_timeline_is_written_in_every_format() -> None:
    moments = (Moment("v2", 2, ("1.1", "1.0"), ("e4s",), ("1.1",), ("hep",)), Moment("v1", 0, (), ()))
    found = TimelineReport(Timeline("zlib", moments, None, (), ()))
    assert "".join(written(found, "csv")) == (
        'tag,specs,versions,stacks,appeared,vanished\nv2,2,"1.1,1.0",e4s,1.1,hep\nv1,0,,,,\n'
    )
    assert "| v2 | 2 | 1.1,1.0 | e4s | 1.1 | hep |" in "".join(written(found, "markdown"))
    assert json.loads("".join(written(found, "json")))["tags"][0]["vanished"] == ["hep"]
