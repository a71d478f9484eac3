"""A full-size catalogue made up from a seed.

At scale 1 it has 108 tags, 116,000 pages (in the format of 2025), 400,000 rows and 200 MB. The same scale and seed give
the same bytes. `build_farm` makes up the builds.
"""

import json
import os
from base64 import b32encode
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.support.build_farm import Package, Signature, Tag, make_package, package_names, tags, variant_lists

PACKAGES = 1200
WEEKS = 90
LARGEST_LINES = 110
"""Number of lines of the package with the most builds."""
TAIL_START, TAIL_SLOPE = 19.5, 1.6
"""From about the rank `TAIL_START` on, the number of lines falls with the power `TAIL_SLOPE` of the rank."""
GENERATIONS = 15
"""The mean number of weekly builds of one line that stay in develop."""
LARGEST_DEVELOP_PAGE = 1500
KEPT_WEEKLY, KEPT_RELEASE, FAILED = 0.03, 0.5, 0.002
"""Probabilities: a line keeps its hash from the previous week or release, or is missing for once."""


class Build(NamedTuple):
    """A binary."""

    hash: str
    signature: Signature


class Fragment(NamedTuple):
    """The text of a row before and after its hash."""

    head: str
    tail: str


class PageBuilds(NamedTuple):
    """The builds on a page."""

    tag: str
    builds: Sequence[Build]


def write_catalogue(folder: Path, scale: float, seed: int) -> None:
    """Write `folder/_cache/<tag>/<package>/specs.md`; the folder must not contain a catalogue yet.

    Below scale 1 there are fewer packages of the same size; above it, the numbers of packages, weekly tags and
    builds in develop grow with the square root of the scale.
    """
    root, growth = folder / "_cache", max(1.0, scale) ** 0.5
    root.mkdir(parents=True)
    every_tag = tags(round(WEEKS * growth))
    for name in ["develop", *(tag.name for tag in every_tag)]:
        (root / name).mkdir()
    for package in packages(max(1, round(PACKAGES * min(scale, growth))), seed):
        for page in package_pages(package, every_tag, growth, Random(f"{seed}/builds/{package.name}")):
            _write(f"{root}/{page.tag}/{package.name}", page_text(package, page).encode())


def packages(number: int, seed: int) -> Iterator[Package]:
    """Yield the given number of packages, the most built first.

    The distribution of the numbers of builds is the same for any number of packages.
    """
    rng = Random(f"{seed}/farm")
    names, variants = package_names(number, rng), variant_lists(rng)
    for rank, name in enumerate(names):
        lines = LARGEST_LINES / (1 + (rank + 0.5) * PACKAGES / number / TAIL_START) ** TAIL_SLOPE
        yield make_package(name, 1 + round(lines), variants, Random(f"{seed}/package/{name}"))


def package_pages(package: Package, every_tag: Sequence[Tag], growth: float, rng: Random) -> Iterator[PageBuilds]:
    """Yield the pages of a package, tag by tag. The last tag is `develop`, which keeps the builds of many weeks."""
    weekly: list[list[Build]] = [[] for _ in package.lines]
    released: list[list[Build]] = [[] for _ in package.lines]
    for tag in every_tag:
        if tag.day < package.born:
            continue
        builds, histories = [], released if tag.release else weekly
        for line, history in zip(package.lines, histories, strict=True):
            signature = package.signature(line, tag)
            if signature is None or rng.random() < FAILED:
                continue
            kept = rng.random() < (KEPT_RELEASE if tag.release else KEPT_WEEKLY)
            if not (kept and history and history[-1].signature == signature):
                history.append(Build(_hash(rng), signature))
            builds.append(history[-1])
        if builds:
            yield PageBuilds(tag.name, builds)
    stay = [1 + int(rng.expovariate(1 / (GENERATIONS * growth))) for _ in weekly]
    rolling = [build for history, number in zip(weekly, stay, strict=True) for build in history[-number:]]
    if rolling:
        yield PageBuilds("develop", rolling[: int(LARGEST_DEVELOP_PAGE * growth)])


def page_text(package: Package, page: PageBuilds) -> str:
    """Return the whole page, with rows sorted by hash, without a newline at the end."""
    builds = sorted(page.builds)
    fragments = [_fragment(build.signature) for build in builds]
    rows = ", ".join(
        f"{fragment.head}{build.hash}{fragment.tail}" for build, fragment in zip(builds, fragments, strict=True)
    )
    return (
        f'---\ntitle: "{package.name}"\nlayout: cache\ncategories: [package, {page.tag}]\n'
        f"meta: {json.dumps(_meta(builds))}\nspec_details: [{rows}]\n---"
    )


def _meta(builds: Sequence[Build]) -> dict[str, object]:
    by_stack = Counter(stack for build in builds for stack in build.signature.stacks)
    signatures = {build.signature for build in builds}
    return {
        "compilers": sorted({signature.compiler for signature in signatures}),
        "num_specs": len(builds),
        "num_specs_by_stack": dict(sorted(by_stack.items())),
        "oss": sorted({signature.os for signature in signatures}),
        "platforms": sorted({signature.platform for signature in signatures}),
        "stacks": sorted(by_stack),
        "targets": sorted({signature.target for signature in signatures}),
        "versions": sorted({signature.version for signature in signatures}),
    }


@lru_cache(maxsize=10_000)
def _fragment(signature: Signature) -> Fragment:
    before = json.dumps({"compiler": signature.compiler, "hash": ""})
    after = json.dumps(
        {
            "os": signature.os,
            "platform": signature.platform,
            "size": "-",
            "stacks": signature.stacks,
            "target": signature.target,
            "variants": signature.variants,
            "versions": [signature.version],
        }
    )
    return Fragment(before.removesuffix('"}'), f'", {after[1:]}')


def _hash(rng: Random) -> str:
    return b32encode(rng.randbytes(20)).decode().lower()


def _write(folder: str, content: bytes) -> None:
    os.mkdir(folder)
    page = os.open(f"{folder}/specs.md", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    try:
        os.write(page, content)
    finally:
        os.close(page)
