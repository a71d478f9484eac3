"""The dependencies of a spec in its details."""

from cachetui.model.dependency import LINK_RUN
from cachetui.model.host import Host
from cachetui.report.specs import detail
from tests.support.caches import CACHES, index_of_folder


def test_details_list_recorded_direct_dependencies() -> None:
    index = index_of_folder(CACHES / "v3/spack-1.1.0/develop/btest")
    for row in index.all_rows:
        number = index.graph.number(index.spec(row).hash or "")
        assert number is not None
        fields = {field.label: field.lines for field in detail(index, row, Host.parse("linux-debian12-zen3"))}
        names = [line.partition("@")[0] for line in fields.get("depends on", ())]
        assert names == sorted(map(index.graph.name, index.graph.direct_dependencies(number, LINK_RUN)))
