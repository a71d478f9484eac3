"""The lines above the panes: the header, the chips of the filters; how far reading is and what it found. Text alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cachetui.catalogue import Refresh
from cachetui.model.host import Host
from cachetui.query.parts.part import Part
from cachetui.query.query import Query
from cachetui.safe_text import joined, listed, plural, visible
from cachetui.search.index import Index
from cachetui.search.results import Results
from cachetui.search.row_values import tags_of
from cachetui.sources.source import Progress
from cachetui.suggest.no_match import host_fit
from cachetui.tui.rows.layout import Cell, fit, fit_path, fit_words
from cachetui.tui.state.view import View
from cachetui.tui.widgets.signs import Signs

SAMPLE = "the sample (cachetui DIR opens yours)"

SHORT_SAMPLE = "sample: cachetui DIR"

LAST_SLASH = re.compile(r"(?<=[^/ ])/+(?= |$)")
"""What may stand after a folder, and is not shown: saved views name it so, users seldom do."""

LEAST_LABEL = 8
"""Letters of the content's path that are always shown."""

LONGEST_NAME = 24
"""Cells for the last name of that path before the counts beside it are told in full."""

LONGEST_TAG = 32
"""Cells for the tag, or for what is asked of tags."""

ROOM_FOR_HOST = 120
"""From this width on the header names the host; below, the line of the filters does."""


def header(
    view: View, content: str | None, activity: str, width: int, signs: Signs
) -> tuple[list[Cell | str], list[Cell | str]]:
    """What is looked at, at the left; how much of it the filters leave, at the right. A long path loses its front.

    Where there is room for it, the host that `H` means stands beside the tag.
    """
    tag = f"{_cut_list(visible(view.tag_label), LONGEST_TAG, signs.cut)} {signs.choice}"
    label = LAST_SLASH.sub("", visible(content)) if content is not None else SAMPLE
    host = f" {signs.dot} {host_text(view)}" if width >= ROOM_FOR_HOST else ""
    least = len(SHORT_SAMPLE) if content is None else min(len(label), max(LEAST_LABEL, _least_path(label)))
    free = width - len(f"cachetui   {signs.dot} {tag}{host} ")
    marks = f"{len(view.marks):,} marked" if view.marks else ""
    counts, room = _fitting_counts(view, activity, marks, free, least, signs)
    if marks:  # they may take the place of a count, but the path is no longer for them
        room = min(room, _fitting_counts(view, activity, "", free, least, signs)[1])
    if len(label) > max(room, LEAST_LABEL):
        room = max(room, LEAST_LABEL)
        label = fit_words(SHORT_SAMPLE, room, signs.cut) if content is None else fit_path(label, room, signs.cut)
    left: list[Cell | str] = [Cell("cachetui", "title"), f"  {label} {signs.dot} ", Cell(tag, "tag")]
    return [*left, Cell(host, "host")] if host else left, [counts]


def _fitting_counts(view: View, activity: str, marks: str, free: int, least: int, signs: Signs) -> tuple[str, int]:
    """As many counts as leave at least so many of the free cells, and how many are left."""

    def told(of: str, most: int, inside: str | None, *, widest: bool = False) -> str:
        counts = [text for text, rank in _counts(view, of, inside, widest=widest) if rank <= most]
        return f" {signs.dot} ".join(filter(None, (activity, marks if most > 0 else "", *counts)))

    is_no_tag = not activity and len(view.index) and view.tag is not None and view.tag not in view.index.tags
    last = -1 if activity else 1 if view.inside is None else 0
    lengths = [
        (" of ", 4),
        ("/", 4),
        ("/", 3),
        *((of, most) for most in range(2, last - 1, -1) for of in (" of ", "/")),
    ]
    for of, most in lengths:
        # The room that is left with all counts at their widest, so that nothing moves with every filter, and content
        # and counts look inside a package as they do before it.
        counts = told(of, most, view.inside)
        widest = max((told(of, most, level, widest=True) for level in {view.inside, None}), key=len)
        if is_no_tag:
            counts = widest = f" {signs.dot} ".join(filter(None, (marks, "no such tag")))
        if free - len(widest) >= least:
            break
    return counts, free - len(widest)


def host_text(view: View) -> str:
    """The host that a key looks for what runs on, or that is looked at."""
    return visible(f"host {view.host.name}")


def _least_path(path: str) -> int:
    """Cells for the last name of a path, as far as it is no longer than others need."""
    return min(LONGEST_NAME, len(path.rpartition("/")[2]) + len("~/./"))


def _cut_list(text: str, room: int, cut: str) -> str:
    """The first of the values with commas or blanks between them, as many as have room; a long one loses its middle."""
    if len(text) <= room:
        return text
    ends = [k for k, letter in enumerate(text[:room]) if letter in ", "]
    return f"{text[: ends[-1] + 1]}{cut}" if ends else fit(text, room, cut, ends=True)


def _counts(view: View, of: str, inside: str | None, *, widest: bool = False) -> list[tuple[str, int]]:
    """The specs and the packages, each of how many; inside a package, if one is given, its specs and its name alone.

    With a host, how many are sure to run there and how many may, their libc not being known. Where specs stand in
    several tags, last the number of their rows. Beside each stands its rank: the greatest goes first where room lacks.

    `widest`: as without any filter.
    """
    specs, packages = view.scope.specs, len(view.scope.packages)
    taken = view.scope if widest else view.results
    shown = view.shown if inside is not None else taken
    rows = ""
    if len(shown) != shown.specs:
        rows = f"in {plural(len(tags_of(view.index, shown.rows)), 'tag')}: {len(shown):,} rows"
    fit = host_fit(view.index, view.shown.query)
    runs = f"{fit.certain:,} run, {fit.uncertain:,} may" if fit is not None and fit.uncertain else ""
    if inside is None:
        found = f"{len(taken.packages):,}{of}{packages:,} packages"
        return [(f"{taken.specs:,}{of}{specs:,} specs", 0), (runs, 2), (found, 3), (rows, 4)]
    whole = view.specs_of(inside)
    return [(f"{whole if widest else shown.specs:,}{of}{whole:,} specs", 0), (runs, 2), (visible(inside), 0), (rows, 4)]


def chips(view: View, width: int, why: str, signs: Signs) -> list[Cell | str]:
    """Every active filter but the tag that the header names; what there is no room for is counted.

    Of those that steps put in the newest are shown.

    `why`: the key that lists them, each to be taken out; it is named where filters are not all shown.
    """
    query = view.query if view.plain_tag is None else view.query.without_key("tag")
    chips = [f"{visible(text)} {signs.close}  " for text in query.texts]
    more = f"+{{}} more: {why} lists them"
    room, shown = width, set()
    if len(chips) > 1 and sum(map(len, chips)) > width:
        room -= len(more)
    order: Sequence[int] = range(len(chips))
    if (before := view.history.before) is not None:
        # first to be seen is what the last step put in, wherever that stands in the query
        order = sorted(order, key=lambda k: (query.texts[k] in before.query.texts, -k))
    for k in order:
        if len(chips[k]) <= room or len(chips) == 1:
            room -= len(chips[k])
            shown.add(k)
    cells: list[Cell | str] = []
    for k in sorted(shown):
        cells += [Cell(chips[k][:-4], "host" if chips[k].startswith("fits=") else "key"), chips[k][-4:]]
    if len(shown) < len(chips):
        cells.append(Cell(more.format(len(chips) - len(shown)), ""))
    return cells or [Cell("no filter", "dim")]


def way_out_text(chips: Sequence[Cell | str], why: str) -> str:
    """How one of several filters is taken away, where all of them are shown: by this key; else empty."""
    filters = [chip for chip in chips if isinstance(chip, Cell)]
    is_whole = len(chips) == 2 * len(filters)
    return f"({why}: why, take out)" if len(filters) > 1 and is_whole else ""


def gone_text(before: Query, after: Query) -> str:
    """The filters that a step took away; the tag is none of them."""
    return listed(_gone(before, after))


def _gone(before: Query, after: Query) -> list[str]:
    return [visible(text) for text in before.without_key("tag").texts if text not in after.texts]


def judged_text(host: Host, view: View) -> str:
    """By which host specs are judged after a step; empty where it is the one of before, or a filter names it."""
    if view.query.fits is not None or view.host == host:
        return ""
    again = " again" if view.host == view.assumed_host else ""
    return f"judged by {visible(view.host.name)}{again}"


def changed_text(before: Query, after: Query) -> str:
    """The filters that came and went from one query to another; the tag is none of them."""
    came, gone = gone_text(after, before), gone_text(before, after)
    if came:
        return f"now {came} in place of {gone}" if gone else f"now with {came}"
    return f"{gone} {'is' if len(_gone(before, after)) == 1 else 'are'} gone" if gone else ""


def step_text(said: str, before: Query, host: Host, view: View) -> str:
    """A step that was taken `back` or done `again`: the filters that came and went, the host that specs are judged by
    and the tag that it led to; `before` and `host` are those of before."""
    after = view.query
    filters = changed_text(before, after)
    filters = ", ".join(filter(None, (filters, judged_text(host, view))))
    changed = f"{'taken back' if said == 'back' else 'done again'}: {filters}" if filters else ""
    is_same = before.parts_of("tag") == after.parts_of("tag")
    return ", ".join(filter(None, (changed, "" if is_same else f"{said} in {visible(view.tag_label)}")))


def change_text(before: Query, host: Host, view: View, purpose: str = "") -> str:
    """A step that took a part of a query out, or put another in its place; `before` and `host` are those of before.

    `purpose`: what the part was in the way of, as a verb.
    """
    after = view.query
    came, gone = gone_text(after, before), gone_text(before, after)
    tags = [visible(part.text) for part in before.parts_of("tag") if part not in after.parts]
    if came and gone:
        changed = f"now {came} in place of {gone}"
    else:
        gone = ", ".join(filter(None, (gone, *tags)))
        away = f"taken away to {purpose}" if purpose else "taken away"
        changed = f"now with {came}" if came else gone and f"{away}: {gone}"
    moved = f"in {visible(view.tag_label)} now" if tags else ""
    return "; ".join(filter(None, (changed, moved, judged_text(host, view))))


def idle_text(before: Query, shown: Results, package: str | None) -> str:
    """That filters that came take nothing away from what is `shown`; of a package, if one is given.

    Empty where none does but the name of a package, a tag, a host or what another filter says, such as a tick; and
    where one went: then the others may well take something away.
    """
    after = shown.query
    if not shown.rows or any(part not in after.parts for part in before.parts if part.key != "tag"):
        return ""
    came = [part for part in after.parts if part not in before.parts and part.key not in ("name", "tag", "fits")]
    idle: list[str] = []
    for part in reversed(came):
        rest = after.without(part)
        if not any(_says(old, part) for old in before.parts) and shown.index.rows(rest) == shown.rows:
            idle, after = [part.typed or part.text, *idle], rest
    texts = list(dict.fromkeys(idle))
    if not texts:
        return ""
    specs = "the one spec" if shown.specs == 1 else f"all {plural(shown.specs, 'spec')}"
    takes, holds = ("takes", "it holds") if len(texts) == 1 else ("take", "they hold")
    of = "" if package is None else f" of {package}"
    return visible(f"{listed(texts)} {takes} nothing away: {holds} for {specs}{of}")


def _says(old: Part, new: Part) -> bool:
    """Whether a part says what a new one does: `compiler=gcc@12.1.0`, which a tick puts in, and `%gcc`."""
    return old.within(new) or old.key == new.key == "compiler"


def changes_text(refresh: Refresh) -> str:
    """How many pages changed, which packages they are of, how many specs came and went; empty where no page did."""
    if not refresh.changed:
        return ""
    counts = ((refresh.specs_new, "new"), (refresh.specs_gone, "gone"))
    specs = ", ".join(f"{count:,} {what}" for count, what in counts if count)
    names = f": {listed(refresh.packages)}" if refresh.packages else ""
    gone = f"; tags that are gone: {listed(refresh.tags_gone)}" if refresh.tags_gone else ""
    return f"{plural(refresh.changed, 'page')} changed{names}{gone}{specs and f'; specs: {specs}'}"


def faults_text(index: Index) -> str:
    """How many things are wrong with the pages, and where they stand; empty where nothing is."""
    faults = sum(problem.level == "fault" for problem in index.problems)
    return f"{plural(faults, 'fault')} in the pages: ! lists what is wrong" if faults else ""


def progress_text(progress: Progress) -> str:
    """How far reading is, in steps of a twentieth; or what has come from a server."""
    if progress.transfer:
        return f"fetching {progress.transfer}"
    done = 20 * progress.done // progress.total
    return f"reading [{'#' * (done // 2)}{'.' * (10 - done // 2)}] {5 * done} %"


def problem_texts(problem: str, brief: str, ways: Sequence[str]) -> list[str]:
    """What is wrong with a query and the ways out of it, each text shorter than the one before; none without a problem.

    `brief`: the problem in fewer words, or empty.
    """
    if not problem:
        return []
    least = brief or problem
    return [joined(texts) for texts in ((problem, *ways), (least, *ways), (least, *ways[:1]))]
