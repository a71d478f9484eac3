"""The check screen: the verdict and its rows."""

from functools import cache
from pathlib import Path

import pytest

from cachetui.catalogue import Catalogue
from cachetui.model.host import Host
from cachetui.query.query import Query
from cachetui.search.index import Index
from cachetui.settings.settings import Settings
from cachetui.sources.buildcache.remote_binaries import Sizes
from cachetui.tui.check.screen import CheckScreen, CheckState, answers
from cachetui.tui.lines import text_of
from cachetui.tui.view.rows import spec_key
from cachetui.tui.view.view import View
from tests.support.drive import SMALL, WIDE, Drive, browser
from tests.support.frozen_screens import assert_screen, assert_screen_after
from tests.support.installs import INSTALLS, nodes, write_beside
from tests.support.places import SAMPLE_MIRROR
from tests.support.rows import index_of, row

ODD = Host.parse("linux-foo9-zen3")
NEW, OLD = Host.parse("linux-ubuntu24.04-zen4"), Host.parse("linux-ubuntu22.04-zen4")


@cache
def mirror() -> Index:
    return Catalogue(SAMPLE_MIRROR, Settings(), index_cache=False).load()


def answered(state: CheckState) -> CheckState:
    question = state.question
    assert question is not None
    return state.answered(question, next(answers(question, sizes_of)))


def sizes_of(index: Index) -> Sizes:
    return Sizes(index)


def of(package: str, host: Host = NEW) -> CheckState:
    view = View(index=mirror(), host=host)
    return CheckState.of(view.move("packages", package, view.packages.find(package) or 0))


@pytest.mark.parametrize(
    ("package", "host", "verdict"),
    [
        ("py-mpi4py", NEW, "yes: 6 of 6 binaries"),
        ("py-mpi4py", ODD, f"yes: 6 of 6 binaries; 6 may or may not run on {ODD.name}"),
        ("py-mpi4py", OLD, f"no: 6 of 6 binaries do not run on {OLD.name}"),
        ("nowhere", NEW, "no: 1 of 1 root has no binary (nowhere)"),
    ],
)
def test_check_screen_counts_missing_binaries_and_binaries_unfit_for_host(
    package: str, host: Host, verdict: str
) -> None:
    state = answered(of("py-mpi4py", host).find(package))
    assert state.verdict == verdict


def test_check_screen_suggests_remedy_for_binaries_unfit_for_host() -> None:
    view = View(index=mirror(), host=OLD)
    view = view.enter("py-mpi4py")
    state = answered(CheckState.of(view))
    assert state.verdict.startswith("no: 6 of 6 binaries do not run on ")
    rows = state.rows
    assert rows is not None
    why, fix = rows.sections[f"Do not run on {OLD.name}"]
    assert (why.name, why.number) == ("6 binaries", 6), "builds with the same reason share a line"
    assert (fix.name, fix.number, fix.why.split(",")[0]) == ("", 0, f"push builds for {OLD.name}")
    assert {item.means for item in rows.sections["From binaries"]} == {"fails"}


def test_check_screen_examines_marked_specs_instead_of_selected_spec() -> None:
    view = View(index=mirror(), host=NEW).enter("py-mpi4py")
    assert view.current_spec is not None
    marked = view.enter("openmpi").current_spec
    assert marked is not None
    words = CheckState.of(view.with_marks(frozenset({marked, view.current_spec}))).words
    assert words == (f"/{marked[2]}", f"/{view.current_spec[2]}")


def test_check_screen_opened_from_details_examines_only_shown_spec(drive: Drive) -> None:
    pilot = drive(browser(content="cachetui/sample_mirror", host=NEW))
    pilot.press("enter", "space", "escape", "j", "enter", "enter")
    for keys in (("i",), ("n", "i")):
        pilot.press(*keys)
        assert pilot.lines[1].startswith(" / /6ngip4bmyxkqxa2h446d6c7jm5li2xgl ")
        pilot.press("escape")


def test_title_of_check_screen_counts_binaries_unfit_for_host() -> None:
    state = answered(of("py-mpi4py", OLD).turn_host())
    assert state.verdict.startswith("yes: 6 of 6 binaries")
    title = "".join(map(text_of, state.title_answer))
    assert title == f"! yes, but 6 of 6 binaries do not run on {OLD.name}"


def test_specs_with_invalid_hashes_are_not_checked() -> None:
    rows = [row("a", hash="b hdf5"), row("a", hash=None), row("b\nhdf5", hash="x /y"), row("c", hash="y" * 32)]
    view = View(index=index_of(rows), host=NEW)
    keys = [spec_key(view.index, at) for at in view.index.all_rows]
    assert CheckState.of(view.with_marks(frozenset(keys))).words == ("a", f"/{'y' * 32}")


def test_check_screen_opened_on_package_uses_terms_of_query() -> None:
    query = Query.parse("hdf5+mpi %gcc stack=e4s")
    view = View(index=index_of([row(variants=["+mpi"])]), host=Host.parse("zen3"), tag=None, query=query)
    assert CheckState.of(view).words == ("hdf5 +mpi %gcc",)


def test_verdict_on_spec_without_recorded_dependencies_follows_from_target() -> None:
    view = View(index=index_of([row(target="x86_64_v4")]), host=Host.parse("linux-ubuntu24.04-x86_64_v3"))
    state = answered(CheckState.of(view.enter("hdf5")))
    assert state.verdict.startswith("no: 1 of 1 binary does not run on")


def test_check_screen_ignores_result_for_previous_host() -> None:
    state = answered(of("py-mpi4py"))
    other = state.on_view(state.view.choose_host(OLD))
    assert other.question is not None
    late = of("py-mpi4py").question
    assert late is not None
    assert other.answered(late, next(answers(late, sizes_of))) is other


def test_check_screen_verdict_reports_unreadable_input() -> None:
    assert "nowhere.lock" in answered(of("py-mpi4py").find("./nowhere.lock")).verdict
    assert answered(of("py-mpi4py").find("-")).verdict.startswith("in the browser, standard input")


@pytest.mark.parametrize(("name", "size"), [("check_80x24", SMALL), ("check_140x40", WIDE)])
def test_check_screen_matches_expected_lines(drive: Drive, name: str, size: tuple[int, int]) -> None:
    assert_screen_after("Gki", drive(browser(content="cachetui/sample_mirror", host=NEW), size), name)


@pytest.mark.parametrize(("name", "size"), [("check_installed_80x24", SMALL), ("check_installed_140x40", WIDE)])
def test_check_screen_shows_installation_and_cache_together(
    drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, size: tuple[int, int]
) -> None:
    monkeypatch.chdir(write_beside(tmp_path))
    pilot = drive(browser(content=(str(INSTALLS / "1.1.0"), "mirror"), host=NEW), size)
    pilot.press("i", "/", *"./spack.lock", "enter", "pagedown", "up")
    assert_screen(pilot.lines, name)
    assert isinstance(pilot.app.screen, CheckScreen)
    copies = dict(pilot.app.screen.copies())
    assert copies["mirrors"].split()[:5] == ["spack", "mirror", "add", "--unsigned", "spack-mirror-mirror"]
    assert "local" not in copies["mirrors"]
    assert "install" not in copies, "app lacks a binary, all other roots are installed"


def test_installed_spec_in_check_screen_opens_its_installation_record(
    drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(write_beside(tmp_path))
    pilot = drive(browser(content=(str(INSTALLS / "1.1.0"), "mirror"), host=NEW))
    pilot.press("i", "/", *"xz oniguruma libpng@1.6.37", "enter")
    assert isinstance(pilot.app.screen, CheckScreen)
    rows = pilot.app.screen.state.rows
    assert rows is not None
    reasons = {section: {item.name: item.why for item in own} for section, own in rows.sections.items()}
    asked = {item.name: (item.why, item.asked) for item in rows.sections["From binaries"]}
    assert asked["libpng@1.6.37"] == ("mirror/mirror", "requested")
    local = dict.fromkeys(["xz@5.6.3", "gcc-runtime@12.2.0", "zlib-ng@2.2.4"], "installed, local")
    assert reasons["Installed"] == {"oniguruma@6.9.10": "prefix removed, local", **local}
    libpng = nodes()["libpng@1.6.37"]["hash"]
    assert dict(pilot.app.screen.copies())["install"] == f"spack install --cache-only /{libpng}"
    xz = nodes()["xz@5.6.3"]["hash"]
    row = rows.find(("Installed", ("Installed", "xz@5.6.3", xz))) or 0
    pilot.press(*["down"] * (row - 1), "enter", "enter")
    assert any(f"spack load /{xz}" in line for line in pilot.lines), "the row opens the installed spec, not the binary"


def test_copied_check_command_contains_tag_and_host(drive: Drive) -> None:
    pilot = drive(browser("os=ubuntu24.04 tag=site", content="cachetui/sample_mirror", host=NEW))
    pilot.press("enter", "i")
    assert isinstance(pilot.app.screen, CheckScreen)
    assert "· site ▾ " in pilot.lines[0]
    command = pilot.app.screen.texts()["this view"]
    assert command.startswith(f"cachetui check cachetui/sample_mirror --tag=site --fits={NEW} /m4oryg7")


def test_check_dialog_suggests_environment_files_and_paths(
    drive: Drive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("spack.yaml", "my env/spack.yaml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("spack: {specs: [zlib-ng]}")
    pilot = drive(browser("", str(SAMPLE_MIRROR)))
    pilot.press("i", "slash")
    assert [line.strip("▌ ") for line in pilot.lines if "spack.yaml" in line][-2:] == [
        "spack.yaml",
        "'my env/spack.yaml'",
    ]
    pilot.press("down", "enter")
    screen = pilot.app.screen
    assert isinstance(screen, CheckScreen)
    assert screen.state.words == ("my env/spack.yaml",)
    assert "2 of 2 binaries" in screen.state.verdict
    pilot.press("slash", "s", "tab")
    assert "spack.yaml" in pilot.text
