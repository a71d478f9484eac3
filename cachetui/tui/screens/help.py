"""What the keys do, for people: the help of the browse screen, of the coverage and of the drift.

The help of a pane begins with the keys that matter there; all others follow by what they are for.
"""

from __future__ import annotations

from collections.abc import Sequence

from cachetui.tui.screens.list_screens import HelpSection

PACKAGES_HELP: HelpSection = (
    "The packages",
    (
        ("Enter", "the specs of the package"),
        ("/", "type a query: hdf5 @1.14: +mpi %gcc@12: os=rhel9 stack=e4s"),
        ("#", "what is this hash? over all tags; typing errors are forgiven"),
        ("H", "only what runs on the host that is named above; again: all"),
        ("Ctrl+P host", "choose another host or this machine; or type fits=linux-rhel9-zen4, fits=here"),
        ("f", "the facets: Space or Enter ticks, - leaves out, / finds a value"),
        ("c", "coverage: which stack has what; / e4s hep compares two of them"),
        ("w", "take one filter out; why is nothing left, or so little?"),
        ("u Backspace, U", "take back the last filter step, do it again"),
        ("x", "clear all filters"),
        ("t", "choose the tag;  ,  and  .  the previous and the next one"),
        ("V", "the saved views; Ctrl+P saves this one"),
    ),
)

SPECS_HELP: HelpSection = (
    "The specs of a package",
    (
        ("Enter", "the spec in full: every field, stack and tag, the commands"),
        ("y", "copy the hash, the install line, the mirror lines, this view as a command"),
        ("Space", "mark it; marks feed copy and export"),
        ("=", "two marked specs side by side, of more each pair: what differs, and why"),
        ("n", "what it needs and what needs it, as trees"),
        ("i", "would it install from binaries?"),
        ("differs", "variants in which builds of one version, compiler, os and target are"),
        ("", "unlike, stacks that tell any apart (in …), or what these depend on;"),
        ("", "hash: nothing else that is known; -: no other looks like it"),
        ("", "a day: of its newest develop-… tag; only develop: it has no other"),
        ("H", "only what runs on the host above, the nearest targets first; again: all"),
        ("s S", "sort by the next column, turn the order round"),
        ("", "newest tag: by the newest that has each, days first; in all tags: tag"),
        ("Esc", "back to the packages"),
    ),
)

FACETS_HELP: HelpSection = (
    "The facets",
    (
        ("Space, Enter", "this value too, or no longer; on a heading: all of its values"),
        ("-", "without this value"),
        ("/", "find a value by a part of its name"),
        ("", "of one facet any value that is ticked will do, facets narrow each other down"),
        ("", "values stand by how many specs the tag has of them, and stay there whatever is filtered"),
        ("", "each value is counted as if ticked alone, with the filters of all other facets"),
        ("", "a dimmed value would leave none: it has none, or all that it has are left out with another one"),
        ("u Backspace, U", "take back the last filter step, do it again"),
        ("x", "clear all filters"),
        ("f", "hide the facets"),
        ("Esc", "back to the list: the packages, or the specs of one"),
    ),
)


def browse_help(pane: str | None) -> Sequence[HelpSection]:
    """The help of the browse screen in one of its panes: first what matters there, then all else by its use."""
    first = {"facets": FACETS_HELP, "specs": SPECS_HELP, "detail": SPECS_HELP}.get(pane or "", PACKAGES_HELP)
    said = {key for key, _ in first[1] if key}
    others = ((heading, [entry for entry in entries if entry[0] not in said]) for heading, entries in HELP)
    return (first, *((heading, entries) for heading, entries in others if entries))


HELP: tuple[HelpSection, ...] = (
    (
        "Find",
        (
            ("/", "type a query: package, @version, +variant, %compiler, os= target= stack="),
            ("#", "look a hash up, over all tags; typing errors are forgiven"),
            ("t", "choose the tag;  ,  and  .  the previous and the next one"),
            ("f", "the facets: Space or Enter ticks, - leaves out, / finds a value"),
            ("H", "only what runs on the host that is named above; again: all"),
            ("Ctrl+P host", "choose another host or this machine; or type fits=linux-rhel9-zen4, fits=here"),
            ("w", "take one filter out; why is nothing left, or so little?"),
            ("u Backspace, U", "take back the last filter step, do it again"),
            ("x", "clear all filters"),
        ),
    ),
    (
        "Compare",
        (
            ("c", "coverage of what is selected: package by stack, the gaps; Enter goes to the specs of a cell"),
            ("d", "what changed between two tags"),
            ("n", "what the spec needs and what needs it, as trees; Enter goes on to a spec, Esc comes back"),
            ("i", "would it install from binaries: the marked specs, the spec, the best build of the package?"),
            ("Ctrl+P check", "would a spack.lock, a spack.yaml or a list install, and what keeps it from that?"),
            ("v", "the package over all tags: since when, until when"),
            ("Ctrl+P expectations", "what there is of a list of names or a spack.yaml"),
        ),
    ),
    (
        "The lists",
        (
            ("s S", "sort by the next column, turn the order round"),
            ("*", "left of a spec: it is marked; *2/6: of 6 that are one row 2 are marked"),
            ("! ?", "left of a spec: it does not run on the host, or that is not known; H leaves what runs"),
            ("Space", "mark a spec; marks feed copy and export"),
            ("m M", "the marked specs, to go to or take away; M takes all marks away"),
            ("=", "two marked specs side by side, of more each pair: what differs, and why"),
            ("y", "copy a hash, a command, this view as a command"),
            ("e", "export the view or the marked specs to a file"),
            ("V", "the saved views: open one, remove one, begin with one; Ctrl+P saves this one"),
            ("!", "the problems found while reading"),
            ("r", "read again what changed on disk"),
            ("Ctrl+L", "paint the screen again"),
            ("Ctrl+P", "all commands"),
            ("q", "close what is on top; with nothing on top, quit"),
        ),
    ),
    (
        "Move",
        (
            ("arrows, j k", "move; the detail follows the cursor"),
            ("g G, Home End", "first, last"),
            ("PgUp PgDn", "by pages; Ctrl+U Ctrl+D by half of one"),
            ("h l, Left Right, Tab", "to the pane beside"),
            ("Enter", "go in: package, its specs, the spec in full; in a facet: tick"),
            ("", "(specs alike in version, compiler, os and target are one row until one goes in)"),
            ("Esc", "close what is on top, or go up one level; in the query line: take back what was typed"),
        ),
    ),
    (
        "A query",
        (
            ("hdf5", "names like hdf5;  =hdf5  that name alone"),
            ("", "(its letters in their order, making up a quarter of a name or more; or misspelt)"),
            ("@1.14  @1.10:1.12  @4:", "versions"),
            ("+mpi ~cuda build_type=Release", "variants"),
            ("%gcc@11", "the compiler; %none for none"),
            ("os=ubuntu22.04,rhel8", "a list means any of them;  os!=amzn2  leaves out"),
            ("target=x86_64_v3:", "x86_64_v3 and all that descend from it"),
            ("stack=e4s stack!=hep", "specs in e4s and not in hep; packages that hep lacks: c"),
            ("fits=zen3  fits=here", "what runs on that machine, on this one;  fits=linux-rhel9-zen4"),
            ("/2feova4", "a hash that begins so"),
        ),
    ),
)

COVERAGE_HELP: tuple[HelpSection, ...] = (
    (
        "Coverage",
        (
            ("Enter", "go to the specs of the cell; Esc there comes back to it"),
            ("/", "find a column or a row by a part of its name"),
            ("/ e4s neoverse", "two names of columns, and Enter: compare them"),
            ("o", "only the rows with a gap; again: all rows"),
            ("z", "a map of one cell a column, two or four rows in a line where there are many; again: numbers"),
            ("s S", "sort by name, specs, gaps; turn the order round"),
            ("m M", "the next axis of the columns, of the rows"),
            ("arrows, h j k l", "move; above the cell in words, below the columns"),
        ),
    ),
    (
        "How columns differ",
        (
            ("Space", "mark the column, or take the mark away; it stays when the coverage is left"),
            ("=", "the marked columns alone, and the rows where they differ"),
            ("", "where one is marked, also the one under the cursor"),
            ("", "what a column lacks stands first; o leaves only that"),
            ("i", "only what one has and the other lacks; again: the other way round; Esc: both"),
            ("y", "copy the names of all these rows, on screen or not"),
            ("= again", "all columns; the marks stay, for = to compare them once more"),
        ),
    ),
    (
        "What stands where",
        (
            ("12", "so many specs (distinct hashes); the more, the further the shade behind is from the background"),
            ("a blank", "none: a gap"),
            ("·", "the column does not exist in the tags looked at"),
        ),
    ),
)

DRIFT_HELP: tuple[HelpSection, ...] = (
    (
        "Drift",
        (
            ("", "what changed between two tags"),
            ("Enter, Space", "unfold or fold a section"),
            ("Right, Left", "unfold, fold"),
            ("Enter on a change", "the specs of both sides"),
            ("m", "by kind of change, or by package"),
            (", .", "the step before and after, in the same series of tags"),
            ("t T", "choose the newer tag, the older tag"),
            ("/", "find a package, a stack or a kind of change: it unfolds what holds it"),
        ),
    ),
    (
        "What stands where",
        (
            ("old | new", "the specs that were, and those that are; bars of headings are on one scale,"),
            ("", "those of the lines below them on another one"),
            ("stacks", "have no bar: their specs stand in the other sections"),
        ),
    ),
    (
        "How it is compared",
        (
            ("", "by signature: version, compiler, os, platform, target, variants;"),
            ("", "a build that is the same but for its hash was only rebuilt: Enter there lists packages"),
        ),
    ),
)
