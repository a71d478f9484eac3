"""Reading pages: every form and every error of `tests/pages/`, arbitrary content, and the search for pages."""

import json
import os
import string
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cachetui.model.spec import Page, Row
from cachetui.model.tags import UNTAGGED
from cachetui.sources.pages import frontmatter, page_forms
from cachetui.sources.pages.frontmatter import FrontMatter
from cachetui.sources.pages.listing import SUFFIXES
from cachetui.sources.pages.newer_rows import careful_rows, sound_rows
from cachetui.sources.pages.page_forms import Reading, read, sound_page
from tests.support.places import PAGES, SAMPLE
from tests.support.rows import rows_of
from tests.support.strategies import CHARACTERS, words

HASH = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2"
LAMP = Row(
    hash=HASH,
    compiler="gcc@12.3.0",
    versions=("1.10",),
    os="debian12",
    platform="linux",
    target="zen3",
    variants=("+shared", "level=2"),
    stacks=("tools", "root"),
    size="-",
)


def fixture(path: str) -> Reading:
    return read(str(PAGES), path)


def paths(folder: Path) -> list[str]:
    """Return the paths of all files below a folder that may be pages."""
    found = (path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in found)


def page_of(reading: Reading) -> Page:
    assert reading.page is not None
    return reading.page


def read_text(folder: Path, text: str | bytes) -> Reading:
    (folder / "page.md").write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(str(folder), "page.md")


# The result in the name of each file


@pytest.mark.parametrize("path", paths(PAGES))
def test_each_page_gives_rows_and_errors_stated_in_file_name(path: str) -> None:
    reading = fixture(path)
    expected = path.rpartition("/")[2].split(".")[1:-1]
    unpaged = "unread" if reading.problems else "no-page"
    outcome = f"{len(reading.page.hashes)}-rows" if reading.page else unpaged
    assert [outcome, *sorted(problem.kind for problem in reading.problems)] == expected
    assert next(iter(reading.files)) == path
    assert all(problem.path == path for problem in reading.problems)


@pytest.mark.parametrize(
    ("path", "line", "message"),
    [
        ("meta-counts-three.2-rows.meta.md", 5, "num_specs: 3 in meta, 2 in the rows"),
        (
            "meta-counts-a-stack-short.2-rows.meta.md",
            5,
            "num_specs_by_stack: tools 1 only in meta, tools 2 only in the rows",
        ),
        ("meta-with-another-compiler.2-rows.meta.md", 5, "compilers: gcc@9.1.0 only in meta, none only in the rows"),
        ("row-is-a-number.1-rows.row.md", 6, "the JSON cannot be read in 1 of 2 rows, first in row 2"),
        (
            "hash-is-a-number.2-rows.row.md",
            6,
            "hash cannot be read in 1 of 2 rows, first in row 1",
        ),
        ("no-os-in-one-row.2-rows.missing_field.md", 6, "os is missing in 1 of 2 rows, first in row 1"),
        ("short-hash.2-rows.hash.md", 6, "the hash is malformed in 1 of 2 rows, first in row 1"),
        (
            "cut-in-the-second-row.1-rows.unreadable.md",
            6,
            "the rows of spec_details after row 1 cannot be read",
        ),
        ("no-closing-fence.2-rows.unreadable.md", 6, "no closing `---` line"),
        ("title-without-its-quote.unread.unreadable.md", 2, "title: found unexpected end of stream in line 3"),
        (
            "alias-bomb.unread.unreadable.md",
            4,
            "categories: line 5 has a YAML anchor or alias, which cachetui does not read",
        ),
    ],
)
def test_error_in_page_has_line_and_reason(path: str, line: int, message: str) -> None:
    (problem,) = fixture(path).problems
    assert (problem.line, problem.message) == (line, message)


def test_invalid_hash_does_not_affect_other_fields_of_row() -> None:
    rows = rows_of(page_of(fixture("hash-is-a-number.2-rows.row.md")))
    assert (rows[0].hash, rows[0].compiler, rows[0].variants) == (None, LAMP.compiler, LAMP.variants)


def test_invalid_spec_string_does_not_affect_other_rows() -> None:
    reading = fixture("quotes-within-quotes.3-rows.md")
    rows = rows_of(page_of(reading))
    assert [row.versions for row in rows] == [("1.10",), ("1.10",), ("1.9",)]
    assert (rows[1].variants, rows[1].os) == (("cflags=-O2", "fflags=-qzerosize"), "rhel7")
    reading = fixture("one-file-is-no-yaml.2-rows.row.row.md")
    assert [row.versions for row in rows_of(page_of(reading))] == [("1.10",), ("1.9",)]
    assert [problem.message for problem in reading.problems] == [
        "3 spec_files, but 2 spec_names",
        "spec_files cannot be read in 1 of 3 rows, first in row 3",
    ]


def test_thousand_unreadable_rows_are_reported_as_one_error(tmp_path: Path) -> None:
    rows = ", ".join(["7"] * 1000)
    text = f'---\ntitle: "a"\nlayout: cache\ncategories: [package, b]\nspec_details: [{rows}]\n---'
    (problem,) = read_text(tmp_path, text).problems
    assert problem.message == "the JSON cannot be read in 1000 of 1000 rows, first in row 1"


# The forms


@pytest.mark.parametrize(
    "path",
    [
        "byte-order-mark-and-crlf.2-rows.markdown",
        "deep/er/folder.2-rows.md",
        "keys-in-another-order.2-rows.md",
        "no-closing-fence.2-rows.unreadable.md",
        "rows-one-a-line.2-rows.md",
        "text-after-the-rows.2-rows.unreadable.md",
    ],
)
def test_page_with_other_yaml_or_json_spelling_has_same_rows(path: str) -> None:
    plain, other = page_of(fixture("newest-form.2-rows.md")), page_of(fixture(path))
    assert (other.package, other.tag, rows_of(other)) == (plain.package, plain.tag, rows_of(plain))


def test_sidecar_file_adds_hashes_and_dependencies_to_page() -> None:
    reading = fixture("sidecar/next-to-the-page.1-rows.md")
    assert rows_of(page_of(reading))[0] == Row(
        hash="ddddddddddddddddddddddddddddddd5",
        compiler="gcc@8.4.0",
        versions=("1.10",),
        os="rhel7",
        platform="linux",
        target="sandybridge",
        variants=("~debug", "+shared", "colour:=blue,red", "level=2"),
        dependencies=("wick@2.0%gcc@8.4.0+long kind=wax arch=linux-rhel7-sandybridge",),
    )
    assert list(reading.files) == [
        "sidecar/next-to-the-page.1-rows.md",
        "sidecar/spec-0.json",
    ]


def test_sidecar_file_outside_page_folder_is_not_read() -> None:
    assert rows_of(page_of(fixture("sidecar/in-another-folder.1-rows.md")))[0].hash is None


@pytest.mark.parametrize("path", paths(SAMPLE))
def test_fast_and_careful_page_readers_agree_on_sample(path: str) -> None:
    data = (SAMPLE / path).read_bytes()
    short = sound_page(path, data)
    front = frontmatter.front_matter(path, data)
    assert short is not None
    assert front is not None
    assert tuple(careful_rows(front)) == rows_of(short)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16", "utf-32-be", "utf-8-sig"])
def test_fast_page_reader_refuses_encodings_other_than_utf_8(encoding: str) -> None:
    data = (SAMPLE / paths(SAMPLE)[0]).read_bytes()
    start, end = data.index(b"[{"), data.rindex(b"}]") + 2
    assert sound_page("page.md", data) is not None
    encoded = data[:start] + data[start:end].decode().encode(encoding) + data[end:]
    assert sound_page("page.md", encoded) is None


# Random pages of each form

LOWER, DIGITS = string.ascii_lowercase, string.digits
WORDS = st.text(LOWER + DIGITS + "_.-", min_size=1, max_size=8)
NAMES = words(LOWER, DIGITS + "-")
# Without "-", because the field with all three parts is split at it.
PLACES = words(LOWER, DIGITS + "_")
FLAGS = st.builds("{}{}".format, st.sampled_from("+~"), PLACES)
# In a spec string, some names cannot be variants.
VARIANTS = PLACES.filter(lambda name: name not in ("os", "target", "platform", "arch"))
VALUED = st.builds("{}={}".format, VARIANTS, words(string.ascii_letters + DIGITS, ","))
VERSIONS = words(DIGITS, LOWER + "_.-")
COMPILERS = st.builds("{}@{}".format, NAMES, VERSIONS)
ROWS = st.builds(
    Row,
    hash=st.text(LOWER + "234567", min_size=32, max_size=32),
    compiler=COMPILERS | st.just("none"),
    versions=st.tuples(VERSIONS),
    os=PLACES,
    platform=PLACES,
    target=PLACES,
    variants=st.lists(FLAGS | VALUED | st.text(CHARACTERS, max_size=5), max_size=4).map(tuple),
    stacks=st.lists(WORDS, max_size=3, unique=True).map(tuple),
    size=st.just("-") | st.integers(0, 2**40) | st.none(),
    tarball=st.none() | st.sampled_from(["", "https://binaries.spack.io/a-63u3jld2.spack", "\0", "\u00e9\\"]),
)
WRITTEN_ROWS = st.builds(
    Row,
    compiler=COMPILERS,
    versions=st.tuples(VERSIONS),
    os=PLACES,
    platform=PLACES,
    target=PLACES,
    variants=st.tuples(st.lists(FLAGS, max_size=3), st.lists(VALUED, max_size=3)).map(
        lambda both: tuple(both[0] + both[1])
    ),
    dependencies=st.lists(st.builds("{}@{}%gcc@8.1.0 arch=linux-rhel8-zen".format, NAMES, VERSIONS), max_size=3).map(
        tuple
    ),
)
QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def meta_of(rows: list[Row]) -> dict[str, object]:
    return {
        "num_specs": len(rows),
        "num_specs_by_stack": Counter(stack for row in rows for stack in row.stacks),
        "versions": sorted({version for row in rows for version in row.versions}),
        "oss": sorted({str(row.os) for row in rows}),
        "stacks": sorted({stack for row in rows for stack in row.stacks}),
    }


def summary_of(rows: list[Row]) -> dict[str, object]:
    """Return the summary of these rows in the form of the newest pages."""
    compilers, platforms, targets = (
        sorted({str(getattr(row, field)) for row in rows}) for field in ("compiler", "platform", "target")
    )
    return meta_of(rows) | {"compilers": compilers, "platforms": platforms, "targets": targets}


def detail(row: Row) -> dict[str, object]:
    fields = {field: getattr(row, field) for field in row.__struct_fields__ if field != "dependencies"}
    return {field: content for field, content in fields.items() if content is not None}


def spec_string(package: str, row: Row) -> str:
    flags = "".join(variant for variant in row.variants if variant[0] in "+~")
    valued = "".join(f" {variant}" for variant in row.variants if variant[0] not in "+~")
    arch = f"arch={row.platform}-{row.os}-{row.target}"
    own = f"{package}@{row.versions[0]}%{row.compiler}{flags}{valued} {arch}"
    return " ^".join([own, *row.dependencies])


def page_text(package: str, *lines: str) -> str:
    return "\n".join(["---", f'title: "{package}"', "layout: cache", *lines, "---"])


# YAML reads `null` as no value.
TAGS = NAMES.filter(lambda name: name != "null")


@QUICK
@given(package=NAMES, tag=TAGS, rows=st.lists(ROWS, max_size=5), ascii_only=st.booleans(), split=st.booleans())
def test_rows_written_in_newer_page_formats_are_read_unchanged(
    tmp_path: Path, package: str, tag: str, rows: list[Row], ascii_only: bool, split: bool
) -> None:
    details = [detail(row) for row in rows]
    if split:
        for fields, row in zip(details, rows, strict=True):
            del fields["os"], fields["platform"], fields["target"]
            fields["architecture"] = f"{row.platform}-{row.os}-{row.target}"
    text = page_text(
        package,
        f"categories: [package, {tag}]",
        f"meta: {json.dumps(meta_of(rows), ensure_ascii=ascii_only)}",
        f"spec_details: {json.dumps(details, ensure_ascii=ascii_only)}",
    )
    reading = read_text(tmp_path, text)
    assert reading.problems == ()
    expected = UNTAGGED if tag == "package" else tag
    assert reading.page == Page.of(path="page.md", package=package, tag=expected, rows=tuple(rows))


FRAGMENTS = [
    "",
    '"',
    "{",
    "}",
    "}, {",
    '"hash": "',
    '"tarball": "',
    '"tarball": "a", ',
    f'"hash": "{HASH}", ',
    '\\"',
    "null",
    "[]",
    "1",
    ", ",
    '"os": "hash"',
    f'"h\\u0061sh": "{HASH}", ',
    f'"hash": "\\u0061{HASH[1:]}", ',
    '"hash" : "',
    "/develop/",
    "\0hash\0",
    "\0tag\0",
    " ",
]


TARBALLS = st.sampled_from(["https://a/develop/{0}.spack", "/develop/{0}", "{0}{0}", "/develop/develop/{0}", "\\{0}"])


@given(rows=st.lists(ROWS, min_size=1, max_size=3), tarballs=st.none() | TARBALLS, data=st.data())
def test_fast_and_careful_page_readers_agree_on_random_pages(
    rows: list[Row], tarballs: str | None, data: st.DataObject
) -> None:
    """The text may be broken. Its rows may have been read before, with the same or with other hashes."""
    if tarballs:
        rows = [msgspec.structs.replace(row, tarball=tarballs.format(row.hash)) for row in rows]
    text, meta = json.dumps([detail(row) for row in rows]), json.dumps(summary_of(rows))
    others = data.draw(st.lists(st.text(LOWER + "234567", min_size=32, max_size=32), max_size=2))
    for _ in range(data.draw(st.integers(0, 2)) + 1):
        for spec_hash, tag in [("", "develop"), *((other, "develop") for other in others), ("", "v1")]:
            written = text.replace(str(rows[0].hash), spec_hash) if spec_hash else text
            taken = sound_rows(f"{meta}\nspec_details: {written}\n---", tag)
            if taken is not None:
                front = FrontMatter("page.md", f"meta: {meta}\nspec_details: {written}\n".encode(), closed=True)
                details = careful_rows(front)
                page = Page(path="", package="", tag=tag, hashes=taken[0], builds=taken[1])
                assert rows_of(page) == tuple(details)
                assert page == Page.of("", "", tag, details)
                assert front.problems == []
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 45)))
        text = text[:start] + data.draw(st.sampled_from([*FRAGMENTS, text[start:end] * 2])) + text[end:]


@QUICK
@given(package=NAMES, rows=st.lists(WRITTEN_ROWS, min_size=1, max_size=4), mapped=st.booleans())
def test_rows_written_in_older_page_formats_are_read_unchanged(
    tmp_path: Path, package: str, rows: list[Row], mapped: bool
) -> None:
    written = [spec_string(package, row) for row in rows]
    if mapped:
        items = [f' - "{text}": spec-{number}.json' for number, text in enumerate(written)]
    else:
        items = [f" - spec-{number}.json" for number in range(len(rows))]
        items += ["spec_names:", *(f" - '{text}'" for text in written)]
    reading = read_text(tmp_path, page_text(package, "category: package", "spec_files: ", *items))
    assert reading.problems == ()
    assert reading.page == Page.of(path="page.md", package=package, tag=UNTAGGED, rows=tuple(rows))


@QUICK
@given(cut=st.integers(0, 3926))
def test_complete_rows_of_truncated_page_are_read(tmp_path: Path, cut: int) -> None:
    (path,) = [path for path in paths(SAMPLE) if path.startswith("001")]
    data = (SAMPLE / path).read_bytes()
    whole = rows_of(page_of(read(str(SAMPLE), path)))
    reading = read_text(tmp_path, data[:cut])
    rows = rows_of(reading.page) if reading.page else ()
    assert rows == whole[: len(rows)]
    assert len(rows) >= data[:cut].count(b'"versions": ["0.4.0"]}') + data[:cut].count(b'"versions": ["0.3.1"]}')
    assert reading.problems or reading.page is None or len(rows) == len(whole)


# Arbitrary content

# fmt: off
PIECES = st.sampled_from([
    b"---\n", b"layout: cache\n", b'title: "a"\n', b"categories: [package, b]\n", b"meta: ", b"spec_details: ",
    b"spec_files:\n", b"spec_names:\n", b" - ", b"[", b"]", b"{", b"}", b'"', b"'", b": ", b", ", b"\n", b"&a ",
    b"*a ", b'{"hash": ', b'"versions": ["1"]', b"null", b"1e999", b"\\ud800", b"\xff", b"\0", b"!!x ", b"? ", b"| ",
])
# fmt: on
HEAD = b'---\ntitle: "a"\nlayout: cache\n'


@settings(QUICK)
@given(data=st.binary(max_size=60) | st.lists(PIECES, max_size=25).map(b"".join), headed=st.booleans())
def test_arbitrary_bytes_are_read_without_crash(tmp_path: Path, data: bytes, headed: bool) -> None:
    reading = read_text(tmp_path, HEAD + data if headed else data)
    assert reading.page is None or isinstance(reading.page, Page)
    for problem in reading.problems:
        assert problem.message.encode()
        assert problem.line is None or 1 <= problem.line <= 2 + (HEAD + data).count(b"\n")


def test_rows_after_the_limit_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frontmatter, "MAX_ROWS", 10)
    text = page_text("a", "categories: [package, b]", f"spec_details: {json.dumps([{}] * 20)}")
    reading = read_text(tmp_path, text)
    assert len(page_of(reading).hashes) == 10
    assert [problem.line for problem in reading.problems if problem.kind == "unreadable"] == [5]


def test_too_large_page_is_refused(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_bytes(HEAD)
    os.truncate(page, page_forms.MAX_PAGE_BYTES + 1)
    assert [problem.message for problem in read(str(tmp_path), "page.md").problems] == ["the page is larger than 8 MB"]
    whole = (PAGES / "newest-form.2-rows.md").read_text()
    page.write_text(whole.replace("meta: {", f'meta: {{"more": "{"x" * 2**16}", ', 1))
    assert len(page_of(read(str(tmp_path), "page.md")).hashes) == 2
    more = 2**16 - len(whole) - len('"more": "", ')
    page.write_text(whole.replace("meta: {", f'meta: {{"more": "{"x" * more}", ', 1))
    assert page.stat().st_size == 2**16
    os.truncate(page, page_forms.MAX_PAGE_BYTES + 1)
    assert [problem.message for problem in read(str(tmp_path), "page.md").problems] == ["the page is larger than 8 MB"]
    page.write_bytes(b"no page")
    os.truncate(page, page_forms.MAX_PAGE_BYTES + 1)
    assert read(str(tmp_path), "page.md").problems == ()


def test_yaml_is_read_without_the_c_library_of_pyyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("yaml.CSafeLoader", raising=False)
    assert page_of(fixture("keys-in-another-order.2-rows.md")).tag == "develop"
    assert [problem.kind for problem in fixture("alias-bomb.unread.unreadable.md").problems] == ["unreadable"]


# The files


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_special_file_is_reported_as_unreadable(tmp_path: Path, make: object) -> None:
    assert callable(make)
    make(tmp_path / "page.md")
    (problem,) = read(str(tmp_path), "page.md").problems
    assert problem.kind == "unread"
    assert "not a regular file" in problem.message
