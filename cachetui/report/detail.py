"""All facts about a spec, or about a package in a search result, as named fields.

Input: specs and their facts from the index. Text for people is made `visible`.
"""

from collections.abc import Iterable
from operator import itemgetter
from typing import Literal, NamedTuple

from pyroaring import BitMap

from cachetui.mappings import grouped
from cachetui.model.dependency import LINK_RUN
from cachetui.model.host import Host
from cachetui.model.installed import age
from cachetui.model.spec import ROOT, at_version, normal_compiler
from cachetui.report.specs import INSTALL, LOAD, IsSigned, copies, not_known
from cachetui.safe_text import listed, visible
from cachetui.search.index import Index, newest_versions
from cachetui.search.results import Results

Means = Literal["", "runs", "fails", "unknown", "gain", "loss", "changed", "missing"]
"""The meaning of a field, which decides its colour. The text of the field also expresses the meaning."""


class Field(NamedTuple):
    """A named field of a spec or a package."""

    label: str
    lines: tuple[str, ...]
    """The lines of text, already made `visible`."""
    is_command: bool = False
    is_list: bool = False
    """Whether each line is one of many values. Several values may share a line of the screen."""
    means: Means = ""
    """The meaning of the first line."""


def detail(
    index: Index, row: int, host: Host, mirror: str | None = None, is_signed: IsSigned = not_known
) -> list[Field]:
    """Return all facts about a spec. The first fields say whether it runs on the host, and how to install or load it.

    `mirror` is the user's URL pattern, see `specs.mirror_of`.
    """
    spec = index.spec(row)
    stacks = [stack for stack in spec.stacks if stack != ROOT]
    needs = index.columns.extra(row).dependencies or _linked(index, spec.hash)
    arch = f"arch={spec.platform or 'None'}-{spec.os or 'None'}-{spec.target or 'None'}"
    compiler = normal_compiler(spec.compiler) if spec.compiler else "?"
    signed = is_signed(spec, index.graph.mirror(spec.tag, spec.stacks))
    texts = dict(copies([spec], mirror, index.graph, lambda *_: signed))
    mirrors = tuple(texts.get("mirror", "").splitlines())
    fit = index.fit(row, host)
    fails = "" if fit.kind in ("runs", "unknown") else "does not run: "
    libc = "" if fit.kind == "platform" or fit.libc_note in fit.reason else f": {fit.libc_note}"
    return [
        Field(
            "host",
            (visible(f"{fails}{fit.reason}"), visible(f"on {host.name}{libc}")),
            means="fails" if fails else "runs" if fit.is_certain and fit.distance is not None else "unknown",
        ),
        *([Field(LOAD, (texts[LOAD],), True)] if LOAD in texts else []),
        *([] if spec.state else [Field("install", (texts.get(INSTALL, "no hash, so no command"),), True)]),
        Field("hash", (visible(spec.hash or "none: the page does not record it"),)),
        Field("spec", (visible(f"{spec.package}@{spec.version or '?'} %{compiler} {arch}"),)),
        *([Field("variants", (visible(" ".join(spec.variants)),))] if spec.variants else []),
        *([Field("stacks", tuple(map(visible, stacks)), is_list=True)] if stacks else []),
        *([Field("tags", tuple(map(visible, spec.tags)), is_list=True)] if len(spec.tags) > 1 else []),
        *([Field("mirror", mirrors, True)] if mirrors and not spec.state else []),
        *([] if mirrors or spec.state else [Field("mirror", ("none: the page has no tag",))]),
        *_record_fields(index, row),
        *([Field("signed", ("yes" if signed else "no",))] if signed is not None else []),
        *([Field("size", (f"{spec.bytes:,} bytes",))] if spec.bytes is not None else []),
        *([Field("tarball", (visible(spec.tarball),), True)] if spec.tarball else []),
        *([Field("depends on", tuple(map(visible, needs)), is_list=True)] if needs else []),
        *([] if spec.state else [Field("read from", (visible(index.columns.page_path[index.columns.page(row)]),))]),
    ]


def _linked(index: Index, spec_hash: str | None) -> list[str]:
    """Return the direct link and run dependencies of a spec that the graph records."""
    graph = index.graph
    number = graph.number(spec_hash or "") if graph else None
    nodes = map(graph.node, graph.needs(number, LINK_RUN)) if number is not None else ()
    return sorted(at_version(node.name, node.version) for node in nodes)


def _record_fields(index: Index, row: int) -> list[Field]:
    """Return the facts that an installation records about a row; empty if the row is a binary of a build cache."""
    record = index.columns.extra(row).record
    if record is None:
        return []
    spec = index.spec(row)
    since = age(spec.installed) if spec.installed else "date unknown"
    environments = [name for name in index.values("env") if row in index.value_rows("env", name)]
    replaced = [f"replaced by /{record.deprecated_for}"] if record.deprecated_for else []
    return [
        Field("state", (record.state, "explicit" if record.explicit else "implicit", since, *map(visible, replaced))),
        Field("prefix", (visible(record.prefix or "unknown"),)),
        *([Field("needed by", (visible(f"environments {listed(environments)}"),))] if environments else []),
    ]


def package_detail(results: Results, number: int, *, tags: bool = False) -> list[Field]:
    """Return the versions, compilers, oses, targets and stacks of a package in a search result. With `tags`, add tags.

    The newest version is first. Other values are sorted by count, then in natural order; `root` is last. If only some
    specs have a value, its count follows.
    """
    index = results.index
    rows = results.rows & index.package_rows(number)
    version, table = index.columns.rows["version"], index.columns.tables["version"]
    whole = results.count(rows)
    of_version = grouped((version[row], row) for row in rows)
    versions = {table[value]: results.count(BitMap(of_it)) for value, of_it in of_version.items()}

    def listed(label: str, counts: Iterable[tuple[str, int]]) -> Field:
        texts = (f"{visible(value)} ({count})" if count < whole else visible(value) for value, count in counts)
        return Field(label, tuple(texts) or ("none",), is_list=True)

    def by_count(key: str) -> list[tuple[str, int]]:
        count = len if key == "tag" else index.counter(results.query)
        values = index.values(key)
        counts = dict(zip(values, index.value_counts(key, rows, count), strict=True)) | {ROOT: 0}
        return sorted(filter(itemgetter(1), counts.items()), key=lambda each: -each[1])

    return [
        listed("versions", ((value, versions[value]) for value in newest_versions(versions))),
        listed("compilers", by_count("compiler")),
        listed("oses", by_count("os")),
        listed("targets", by_count("target")),
        listed("stacks", by_count("stack")),
        *([listed("tags", by_count("tag"))] if tags else []),
    ]
