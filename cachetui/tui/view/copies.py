"""What can be copied and exported of a view: specs, and the command that finds them."""

from collections.abc import Iterable, Iterator

from pyroaring import BitMap

from cachetui.model.spec import Spec
from cachetui.query.query import Query
from cachetui.report.paste import copies, environment
from cachetui.search.results import Results
from cachetui.sources.buildcache.pull_command import pull_command
from cachetui.sources.buildcache.signatures import seems_signed
from cachetui.tui.view.rows import row_of
from cachetui.tui.view.view import View


def copies_of(view: View) -> list[tuple[str, str]]:
    """Return the texts of the chosen specs by name."""
    specs, graph, settings = chosen_specs(view), view.index.graph, view.settings
    texts = copies(specs, settings.mirror, graph, seems_signed(graph, settings))
    if pulls := list(filter(None, (pull_command(spec, graph, settings) for spec in specs))):
        texts.append(("pull", "\n".join(pulls)))
    return texts


def chosen_specs(view: View) -> list[Spec]:
    """Return the marked specs, else the one under the cursor."""
    return marked_specs(view) or ([] if view.row_here is None else [view.index.spec(view.row_here)])


def marked_specs(view: View) -> list[Spec]:
    """Return the marked specs, by package, the newest version first."""
    rows = BitMap(row for key in view.marks if (row := row_of(view.index, key)) is not None)
    return list(map(view.index.spec, Results(view.index, Query(), rows).in_order()))


def shown_specs(view: View) -> Iterable[Spec]:
    """Return the specs to export: the marked ones, else those of the package gone into, else all that match."""
    if view.marks:
        return marked_specs(view)
    return map(view.index.spec, view.results.in_order() if view.package is None else view.sorted_specs)


def environment_of(view: View) -> Iterator[str]:
    """Yield the lines of a spack.yaml with the specs to export; what is installed is taken from a cache that has it."""

    def in_cache(spec: Spec) -> Spec:
        row = view.index.cache_row(spec.hash or "") if spec.state else None
        return spec if row is None else view.index.spec(row)

    specs = map(in_cache, shown_specs(view))
    graph, settings = view.index.graph, view.settings
    return environment(specs, settings.mirror, graph, seems_signed(graph, settings))
