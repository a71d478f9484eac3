"""`find`: print the specs that match a query, one on each line, or their packages."""

from collections.abc import Callable, Iterable
from itertools import islice
from operator import attrgetter
from typing import Annotated, Any

from cachetui.cli.options import Option, QueryResultOptions, Tags, UsageError, format_option
from cachetui.cli.output import FOUND, NOTHING, print_document, print_lines, print_notes
from cachetui.cli.session import (
    answer,
    open_catalogue,
    query_notes,
    query_of,
    searched,
    settled,
)
from cachetui.model.spec import Spec, normal_compiler
from cachetui.model.version import natural_key, sort_key
from cachetui.query.parser import NEED_GRAPH
from cachetui.report.formats import FORMATS, ListDocument, cell_text, format_names
from cachetui.report.specs import (
    FIELDS,
    PackageRow,
    Places,
    SpecRecord,
    hidden_notes,
    spec_list,
    template,
)
from cachetui.safe_text import plural
from cachetui.search.index import Index, newest_first, newest_tag_order
from cachetui.search.results import Results
from cachetui.search.signatures import Builds


class FindOptions(QueryResultOptions, frozen=True, kw_only=True):
    tag: Tags = ()
    format: Annotated[
        str,
        Option(
            f"{format_option(format_names()).help}, or a template such as '{{name}}@{{version}}/{{hash:7}}'",
            "F",
            "output",
            offered=format_names(),
        ),
    ] = "table"
    sort: Annotated[
        str | None,
        Option(
            "sort by this field; -FIELD reverses (-tag: newest first)",
            "FIELD",
            "output",
            offered=("name", *FIELDS),
            signed=True,
        ),
    ] = None
    packages: Annotated[
        bool, Option("print one line per package; --sort then accepts name, specs or versions", group="output")
    ] = False


DOCUMENT = (list[SpecRecord], list[PackageRow])


def run(options: FindOptions) -> int:
    """Print the specs that match the query, or their packages."""
    typed = query_of(options, tag=options.tag)
    line = _line_of(options)
    field, descending = _sort_of(options)
    catalogue = open_catalogue(options, typed.named_tags)

    # with --history and a package name, print each build once, with the snapshots that had it
    package = typed.package if options.history and not typed.terms_of("tag") else None
    has_graph = any(term.key in NEED_GRAPH for term in typed.terms)

    def ask(index: Index) -> tuple[Results, Iterable[int]]:
        if package is None:
            results = Results.of(index, settled(index, typed, options.tag))
            return results, results.rows
        joint = catalogue.over_snapshots(index, package=package.name, has_graph=has_graph)
        return Results.of(joint, settled(joint, typed, ())), ()  # without rows, `answer` compares all files

    _, results = answer(catalogue, options, ask)
    index, query = results.index, results.query
    if options.packages:
        packages = [] if options.count else _sorted_packages(results, field, descending=descending)
        print_document(
            ListDocument(packages, PackageRow.__struct_fields__, right=(1,), headed=False),
            options,
            len(results.packages),
        )
    else:
        spec = _spec_reader(index, options, field)
        rows = () if options.count else _sorted_rows(results, spec, field, descending=descending)
        if package is not None:
            build = Builds(index).build
            rows = list({build(row): row for row in reversed([*rows])}.values())[::-1]
        specs = map(spec, rows)
        if line is None or options.count:
            has_state, snapshots = bool(index.graph.trees), catalogue.snapshots if package else ()
            print_document(
                spec_list(specs, Places(catalogue.contents), snapshots, with_state=has_state), options, results.specs
            )
        else:
            print_lines(line(each).removesuffix("\n") + "\n" for each in islice(specs, options.limit))
    if query.fits:
        from cachetui.report.why import host_notes

        print_notes(host_notes(index, query))
    if results.rows:
        in_rows = "" if results.specs == len(results) else f" in {plural(len(results), 'row')}"
        counted = f"{plural(results.specs, 'spec')}{in_rows}; {searched(index, query)}"
        kinds = [plural(len(results.packages), "package")] if options.packages else []
        print_notes([*query_notes(index, query), ", ".join((*kinds, counted)), *hidden_notes(index, query)])
        return FOUND
    # late, because only an empty result needs an explanation
    from cachetui.report.why import nothing_found

    print_notes(nothing_found(index, query))
    return NOTHING


def _line_of(options: FindOptions) -> Callable[[Spec], str] | None:
    """Return a function that formats a spec with the template in `--format`; raises UserError.

    Return None if `--format` is the name of a format.
    """
    if options.format in format_names():
        return None
    if options.packages or "{" not in options.format:
        texts = "" if options.packages else ", or write a template such as '{name}/{hash:7}'"
        raise UsageError(f"--format cannot be {options.format}: choose one of {', '.join(format_names())}{texts}")
    return template(options.format)


def _spec_reader(index: Index, options: FindOptions, field: str | None) -> Callable[[int], Spec]:
    """Return a function that reads the spec of a row. The function reads the signature only if the output shows it."""
    form = options.format
    is_shown = FORMATS[form].for_programs if form in FORMATS else "{signed" in form
    if not is_shown and field != "signed":
        return index.spec
    from cachetui.sources.buildcache.remote_binaries import with_signature

    return lambda row: with_signature(index.spec(row), index.graph, options.settings)


def _sort_of(options: FindOptions) -> tuple[str | None, bool]:
    """Return the field of `--sort` (None for the usual order), and whether the order is descending.

    Raise UsageError for an unknown field.
    """
    if options.sort is None:
        return None, False
    fields = PackageRow.__struct_fields__ if options.packages else FIELDS
    name = options.sort.removeprefix("-")
    name = "package" if name == "name" else name
    if name not in fields:
        raise UsageError(f"--sort cannot be {name}: choose one of {', '.join(('name', *fields))}")
    return name, options.sort.startswith("-")


NATURAL = ("package", "bytes", "tarball")
"""The fields that are sorted as text with numbers, not as versions."""

FALLING = ("version", "tag")
"""The fields that users mostly sort in descending order, so that the newest value is first: `--sort -tag`."""


def _sorted_rows(
    results: Results, spec: Callable[[int], Spec], field: str | None, *, descending: bool
) -> Iterable[int]:
    """Return the rows sorted by a field. Without a field, use the usual order: package, newest version, hash.

    The usual direction is ascending (for the fields in `FALLING`: descending). In the usual direction, rows with equal
    values are in the usual order. The opposite direction is the exact reverse of the whole list.
    """
    if field is None:
        return results.in_order()
    index = results.index
    packages = (results.rows & index.package_rows(number) for number in results.packages)
    rows = [row for own in packages for row in newest_first(index, own)]

    def key(row: int) -> Any:
        text = cell_text(getattr(spec(row), field))
        if field == "compiler" and text:  # sort by the spelling of the screens, not of the pages
            text = normal_compiler(text)
        return text if field == "hash" else natural_key(text) if field in NATURAL else sort_key(text)

    rows.sort(key=newest_tag_order(index) if field == "tag" else key, reverse=field == "version")
    return rows if descending == (field in FALLING) else rows[::-1]


def _sorted_packages(results: Results, field: str | None, *, descending: bool) -> list[PackageRow]:
    """Return the packages of the results, sorted by a field of `PackageRow`. Without a field, sort by name.

    In descending order, packages with equal values are sorted by name. The ascending list is the reverse of this
    list.
    """
    index = results.index
    found = [
        PackageRow(index.packages[number], results.specs_of(number), tuple(results.versions(number)))
        for number in results.packages
    ]
    if field is None:
        return found
    key = (lambda each: sort_key(next(iter(each.versions), ""))) if field == "versions" else attrgetter(field)
    found.sort(key=key, reverse=field != "package")
    return found if descending == (field != "package") else found[::-1]
