"""Small random catalogues, as pages and as columns."""

from collections.abc import Iterable, Sequence
from itertools import permutations

from hypothesis import strategies as st

from cachetui.model.problem import Problem
from cachetui.model.spec import Page, Row
from cachetui.store.columns import Columns, Segment, SegmentBuilder
from cachetui.store.merge import built
from tests.support.strategies import one_of_each

PACKAGES = ["hdf5", "py-é", "zlib", "zlib-ng"]
TAGS = ["develop", "develop-2024-01-07", "v0.9.0", "v0.10.0", "untagged"]
STACKS = ["e4s", "hep", "root"]
HASHES = ["a" * 32, "a" * 31 + "b", "b" * 32, "c2" * 16, "zz" * 16, ""]

ROWS = st.builds(
    lambda text, fields: Row(hash=text or None, **fields),
    st.sampled_from(HASHES),
    one_of_each(
        compiler=["gcc@11.4.0", "gcc@=11.4.0", "oneapi@=2024.2.1", "none", None],
        versions=[("1.2",), ("1.10",), ("1.10rc1",), (), ("1.2", "1.3")],
        os=["ubuntu22.04", "rhel8", None],
        platform=["linux", None],
        target=["x86_64_v3", "zen3", "aarch64"],
        variants=[("+mpi", "build_type=Release"), ("~mpi",), ()],
        stacks=[some for most in range(4) for some in permutations(STACKS, most)],
        size=["-", 17, None],
        dependencies=[(), ("zlib@1.2",)],
        tarball=[None, "", f"https://a/{'a' * 32}.spack", f"b{'b' * 32}{'b' * 32}", "\0"],
    ),
)
TITLES = one_of_each(package=PACKAGES, tag=TAGS)
PATHS = [f"{a}/{b}/p.md" for a in "xyz" for b in "1é\udc80"]


@st.composite
def pages(draw: st.DrawFn, most: int = 8) -> list[Page]:
    """Generate pages with different paths, some of them with the same package and tag."""
    paths = draw(st.lists(st.sampled_from(PATHS), unique=True, max_size=most))
    return [Page.of(path=path, rows=tuple(draw(st.lists(ROWS, max_size=4))), **draw(TITLES)) for path in paths]


def segment(some: Iterable[Page], size: int = 1) -> Segment:
    """Return a segment (a part of an index) with these pages and their folders, and with a problem for each page.

    `size`: the size of all files, in bytes.
    """
    encoder = SegmentBuilder()
    folders = {""}
    for page in some:
        problem = Problem(path=page.path, line=3, kind="hash", message="not a hash")
        encoder.files[page.path] = size, 5
        encoder.problems += [problem]
        encoder.pages.append(page)
        top, below, _ = page.path.split("/")
        folders |= {f"{top}/", f"{top}/{below}/"}
    for folder in sorted(folders):
        encoder.files[folder] = 0, 5
    return encoder.segment()


def columns_of(some: Sequence[Page]) -> Columns:
    """Return the columns of an index that was built from these pages in one step."""
    return built([segment(some)])


def used_pages(some: Iterable[Page]) -> list[Page]:
    """Return the pages that an index uses. If pages have the same package and tag, it uses only the first path."""
    first: dict[tuple[str, str], Page] = {}
    for page in sorted(some, key=lambda page: page.path):
        first.setdefault((page.package, page.tag), page)
    return list(first.values())
