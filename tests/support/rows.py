"""Rows for tests, as an index or as a folder of pages."""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

import msgspec

from cachetui.model.spec import Page, Row, address
from cachetui.search.index import Index
from cachetui.store.columns import SegmentBuilder
from cachetui.store.merge import built

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"


def row(package: str = "hdf5", version: str = "1.14.3", tag: str = "develop", **fields: Any) -> dict[str, Any]:
    """Return a row with a package and a tag; the other values are constant, and the hash follows from all values."""
    given = {
        "package": package,
        "tag": tag,
        "versions": [version],
        "compiler": "gcc@11.4.0",
        "os": "ubuntu22.04",
        "platform": "linux",
        "target": "x86_64_v3",
        "variants": ["+mpi", "~cuda", "build_type=Release"],
        "stacks": ["e4s"],
        "size": "-",
    }
    given |= fields
    digest = sha256(json.dumps(given, sort_keys=True).encode()).digest()
    return {"hash": "".join(ALPHABET[byte % 32] for byte in digest)} | given


def rows_of(page: Page) -> tuple[Row, ...]:
    """Return the complete rows of a page."""
    return tuple(
        msgspec.structs.replace(build, hash=found, tarball=address(build.tarball, found, page.tag))
        for found, build in zip(page.hashes, page.builds, strict=True)
    )


def index_of(rows: Iterable[Mapping[str, Any]]) -> Index:
    encoder = SegmentBuilder()
    for number, ((package, tag), group) in enumerate(_pages(rows)):
        page = Page.of(path=f"{number}.md", package=package, tag=tag, rows=msgspec.convert(group, tuple[Row, ...]))
        encoder.pages.append(page)
    return Index(built([encoder.segment()]))


def write(folder: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    """Write the rows as pages in the newest format; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, ((package, tag), group) in enumerate(_pages(rows)):
        details = [{key: each[key] for key in each if key not in ("package", "tag")} for each in group]
        head = f"title: {json.dumps(package)}\nlayout: cache\ncategories: {json.dumps(['package', tag])}"
        (folder / f"{number}.md").write_text(f"---\n{head}\nspec_details: {json.dumps(details)}\n---\n")
    return folder


def _pages(rows: Iterable[Mapping[str, Any]]) -> list[tuple[tuple[str, str], list[Mapping[str, Any]]]]:
    ordered = sorted(rows, key=_place)
    return [(place, list(group)) for place, group in groupby(ordered, key=_place)]


def _place(each: Mapping[str, Any]) -> tuple[str, str]:
    return each["package"], each["tag"]


IN_TWO_TAGS = [
    row("hdf5", stacks=["e4s"]),
    row("zlib", "1.3", stacks=["e4s", "hep"]),
    row("zlib", "1.2", tag="v1.0.0", stacks=["hep", "tutorial"]),
    row("evil\x1b[31m", stacks=["hep"]),
]
"""Three packages, one of them older in a release, and different stacks in the two tags."""

VARIED: list[dict[str, Any]] = [
    row(),
    row(version="1.9.2", compiler="gcc@=13.2.0", os="rhel8", target="zen4"),
    row(version="1.14.3", compiler="oneapi@=2023.0.0", variants=["~mpi", "cuda_arch=70,80"], stacks=["hep", "root"]),
    row(tag="v0.20.0", os="ubuntu20.04"),
    row("hdf5-vol", "1.0", hash="2feova4prghd2gkebr23if6bojkyydpt"),
    row("py-mpi4py", "4.0.1", variants=[]),
    row("zlib", "1.3.1", variants=["+shared"], stacks=["a b", "$(x)"]),
]
"""Several versions, compilers, systems and variants of a package, and difficult names and stacks."""
