"""Read one file as a page in any of the known formats.

A page is a file with the front matter of a page; its name and folder do not matter. For such a file, `read` returns all
readable values, and a problem for each unreadable value. A file with other front matter is reported as a damaged page
if it has the usual rows or the usual file name of a page. Any other file, such as a README, is ignored.
`sound_page` is a fast function for a correct page in the newest format. Any other page is read by a slower function.
Input: any file.
"""

import re

from msgspec import Struct

from cachetui.model.problem import Problem
from cachetui.model.spec import Page, Row
from cachetui.model.tags import UNTAGGED
from cachetui.sources.files import read_file
from cachetui.sources.pages.frontmatter import OPENING, FrontMatter, front_matter
from cachetui.sources.pages.listing import unreadable
from cachetui.sources.pages.newer_rows import careful_rows, sound_rows
from cachetui.sources.pages.older_rows import OlderRows
from cachetui.store.mtimes import UNREAD_MTIMES, Mtimes

MAX_PAGE_BYTES = 8 * 2**20
"""Maximum number of bytes of a page. The largest real page is smaller than 2 MB."""

_OTHER_LAYOUT = re.compile(rb"(?:\xef\xbb\xbf)?---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*?[\"']?layout[\"']?[ \t]*:[ \t]*\S")
_ROWS_KEY = re.compile(rb"\nspec_(?:details|files)[ \t]*:")
# The file names of pages on the website and in a flat folder.
_PAGE_FILE = re.compile(r"(?:.*/)?(?:specs\.md|[0-9]+_[0-9a-f]{16}\.(?:md|markdown|txt))")

_SOUND_HEAD = re.compile(
    r"\ufeff?---\r?\n"
    r'title: "([\w.+-]+)"\r?\n'
    r"layout: cache\r?\n"
    r"categories: \[package, ([\w.+-]+)\]\r?\n"
    r"meta: ",
    re.ASCII,
)


class Reading(Struct, frozen=True):
    """The result of reading one file: a page, problems, or both. Both are missing if the file is not a page."""

    page: Page | None
    problems: tuple[Problem, ...]
    files: dict[str, Mtimes]
    """The size and times of all files that were read: the file itself, then the sidecar files of a page."""


def read(root: str, path: str) -> Reading:
    """Read one file. Report errors as problems instead of raising them."""
    try:
        mtimes, data, is_too_large = read_file(f"{root}/{path}", MAX_PAGE_BYTES)
    except OSError as error:
        return Reading(None, (unreadable(path, error),), {path: UNREAD_MTIMES})
    page = None if is_too_large else sound_page(path, data)
    if page is not None:
        return Reading(page, (), {path: mtimes})
    front = front_matter(path, data)
    if front is None:
        return Reading(None, _lost_page(path, data), {path: mtimes})
    if is_too_large:
        front.add("unreadable", f"the page is larger than {MAX_PAGE_BYTES // 2**20} MB")
        return Reading(None, tuple(front.problems), {path: mtimes})
    page, sidecars = _careful_page(root, front)
    return Reading(page, tuple(front.problems), {path: mtimes, **sidecars})


def sound_page(path: str, data: bytes) -> Page | None:
    """Return the page in a file if it is a correct page in the newest format, else None."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    head = _SOUND_HEAD.match(text)
    found = head and sound_rows(text[head.end() :], head[2])
    if not (head and found):
        return None
    return Page(path=path, package=head[1], tag=head[2], hashes=found[0], builds=found[1])


def _careful_page(root: str, front: FrontMatter) -> tuple[Page | None, dict[str, Mtimes]]:
    """Return a page in any format with its readable values, and the mtimes of its sidecar files.

    The page is None if the title or the category is unreadable.
    """
    titles = front.names("title")
    categories = front.names("categories" if "categories" in front.entries else "category")
    if titles == []:
        front.add("unreadable", "no title", front.end)
    if not titles or categories is None:
        return None, {}
    package, tag = titles[0], next((name for name in categories if name != "package"), UNTAGGED)
    rows: list[Row] = []
    sidecars: dict[str, Mtimes] = {}
    if "spec_details" in front.entries:
        rows = careful_rows(front)
    elif {"spec_files", "spec_names"} & front.entries.keys():
        older = OlderRows(root, front, package)
        rows, sidecars = older.rows, older.sidecars
    else:
        front.add("unreadable", "it has no spec_details", front.end)
    if not front.closed and not front.problems:
        front.add("unreadable", "no closing `---` line", front.end)
    return Page.of(front.path, package, tag, rows), sidecars


def _lost_page(path: str, data: bytes) -> tuple[Problem, ...]:
    """Return a problem if the file seems to be a damaged page. The file has no valid front matter of a page."""
    if _OTHER_LAYOUT.match(data) or not (_PAGE_FILE.fullmatch(path) or _ROWS_KEY.search(data)):
        return ()
    is_open = OPENING.match(data) is not None
    reason = "it has no `layout: cache`" if is_open else "it does not begin with `---`" if data else "it is empty"
    return (Problem(path=path, line=1, kind="unreadable", message=f"should be a page, but {reason}"),)
