"""Trees, upstreams and mirrors in Spack's configuration, compared with Spack itself."""

import getpass
import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from cachetui.settings.settings import Settings
from cachetui.sources.mirrors import mirrors_of
from cachetui.sources.scopes.scopes import Scopes
from cachetui.sources.source import ContentError
from tests.support.places import ROOT

SCOPES = {
    "base": "root/etc/spack/defaults/base",
    "defaults": "root/etc/spack/defaults",
    "system": "system",
    "site": "root/etc/spack/site",
    "root": "root/etc/spack",
    "user": "user",
    "environment": "environment",
}
"""The folder of each scope; up to 1.0, the site scope is in `root`."""


def scopes(place: Path, version: str, files: Mapping[str, str], environment: str = "", **environ: str) -> Scopes:
    """Write files, each named `scope/name.yaml`, below a Spack of this version; return the scopes of this Spack."""
    module = place / "root" / "lib" / "spack" / "spack"
    module.mkdir(parents=True)
    written = f'__version__ = "{version}"' if version > "0.2" else f"spack_version_info = {version.split('.')}"
    (module / "__init__.py").write_text(f"{written}\n")
    for name, text in files.items():
        scope, _, file = name.partition("/")
        path = place / SCOPES[scope] / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    folders = {"SPACK_SYSTEM_CONFIG_PATH": f"{place}/system", "SPACK_USER_CONFIG_PATH": f"{place}/user"}
    return Scopes(
        f"{place}/root", Settings({**folders, "SITE": "/site", **environ}), environment and f"{place}/{environment}"
    )


def tree(root: str) -> str:
    return f"config: {{install_tree: {{root: '{root}'}}}}"


BEFORE = ("base", "defaults", "system", "root", "user")
SINCE = ("base", "defaults", "system", "site", "user", "root")
"""The scopes before and since Spack 1.1, the weakest first."""


@pytest.mark.parametrize("version", ["0.16.3", "0.21.3", "1.0.2", "1.1.0", "1.2.0.dev0"])
def test_stronger_scope_overrides_weaker_scope(tmp_path: Path, version: str) -> None:
    files: dict[str, str] = {}
    for scope in SINCE if version > "1.1" else BEFORE:
        files[f"{scope}/config.yaml"] = tree(f"/{scope}")
        assert scopes(tmp_path / scope, version, files).tree == f"/{scope}"


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("config: {install_tree: /opt/x}", "/opt/x"),
        ("config: {install_tree: {root: /opt/x}}", "/opt/x"),
        ("config: {install_tree: {root: /opt/x, padded_length: 256, projections: {all: '{name}'}}}", "/opt/x"),
        ("config: {install_tree: {padded_length: 256}}", "ROOT/opt/spack"),
        ("config: {install_tree: '/opt/x$padding:128'}", "/opt/x"),
        ("config: {install_tree: {root: '/opt/x/${padding}'}}", "/opt/x"),
        ("config::\n  install_tree::\n    root: /opt/x", "/opt/x"),
        (tree("$spack/trees/a"), "ROOT/trees/a"),
        (tree("${spack}/trees"), "ROOT/trees"),
        (tree("$SPACK/trees"), "ROOT/trees"),
        (tree("~/trees"), "HOME/trees"),
        (tree("$SITE/${SITE}x"), "/site/sitex"),
        (tree("$SITE/$user"), f"/site/{getpass.getuser()}"),
        (tree("$tempdir/x"), f"{tempfile.gettempdir()}/x"),
        (tree("$user_cache_path/x"), "HOME/.spack/x"),
        (tree("/x/$unknown/${other}"), "/x/$unknown/${other}"),
        (tree("/x/$env"), "/x/$env"),
        (tree("../trees/./a/"), "ROOT/etc/trees/a"),
        (tree(""), "ROOT/opt/spack"),
        ("config: {install_tree: [1, 2]}", "ROOT/opt/spack"),
        ("config: 7", "ROOT/opt/spack"),
        ("[]", "ROOT/opt/spack"),
        ("", "ROOT/opt/spack"),
    ],
)
def test_install_tree_is_read_from_configuration(tmp_path: Path, written: str, found: str) -> None:
    real = found.replace("ROOT", f"{tmp_path}/root").replace("HOME", str(Path.home()))
    assert scopes(tmp_path, "0.21.3", {"root/config.yaml": written}).tree == real


def test_user_configuration_is_ignored_if_disabled(tmp_path: Path) -> None:
    files = {f"{scope}/config.yaml": tree(f"/{scope}") for scope in ("system", "site", "user")}
    assert scopes(tmp_path / "a", "1.1.0", files).tree == "/user"
    for value in ("1", ""):
        place = tmp_path / f"b{value}"
        assert scopes(place, "1.1.0", files, SPACK_DISABLE_LOCAL_CONFIG=value).tree == "/site"


def test_environment_overrides_all_other_scopes(tmp_path: Path) -> None:
    spack = "spack:\n  config: {install_tree: {root: $env/../tree}}\n  upstreams: {near: {install_tree: near}}\n"
    files = {"environment/spack.yaml": spack, "root/config.yaml": tree("/far")}
    found = scopes(tmp_path, "1.1.0", files, "environment")
    assert (found.tree, found.upstreams) == (f"{tmp_path}/tree", {"near": f"{tmp_path}/environment/near"})
    weaker = scopes(tmp_path / "b", "1.1.0", files | {"environment/spack.yaml": "spack: {specs: []}"}, "environment")
    assert weaker.tree == "/far"


def test_upstreams_of_all_scopes_have_same_order_as_in_spack(tmp_path: Path) -> None:
    files = {
        "user/upstreams.yaml": "upstreams: {own: {install_tree: ~/t, modules: {}}, both: {install_tree: /strong}}",
        "root/upstreams.yaml": "upstreams: {both: {install_tree: /weak}, site: {install_tree: $spack/../t}, odd: 7}",
        "system/config.yaml": "config: {upstreams: {old: {install_tree: /old}}}",
    }
    found = list(scopes(tmp_path, "0.21.3", files).upstreams.items())
    wanted = [("own", f"{Path.home()}/t"), ("both", "/strong"), ("site", f"{tmp_path}/t"), ("old", "/old")]
    assert found == wanted


def test_configuration_key_with_two_colons_ignores_weaker_scopes(tmp_path: Path) -> None:
    files = {
        "user/upstreams.yaml": "upstreams::\n  own: {install_tree: /own}\n",
        "root/upstreams.yaml": "upstreams: {site: {install_tree: /site}}",
    }
    assert scopes(tmp_path, "0.21.3", files).upstreams == {"own": "/own"}


def test_configured_environments_root_replaces_default(tmp_path: Path) -> None:
    found = scopes(tmp_path, "1.1.0", {"user/config.yaml": "config: {environments_root: ~/envs}"})
    assert found.environments == f"{Path.home()}/envs"
    assert scopes(tmp_path / "b", "1.1.0", {}).environments == f"{tmp_path}/b/root/var/spack/environments"


@pytest.mark.parametrize(
    "written",
    [
        "config: {",
        "config: &a {install_tree: *a}",
        'config: {install_tree: "a\\0b"}',
        f"config: {{install_tree: /{'a/' * 4096}}}",
    ],
)
def test_error_message_states_the_unreadable_scope(tmp_path: Path, written: str) -> None:
    with pytest.raises(ContentError, match=r"root/etc/spack"):
        _ = scopes(tmp_path, "0.21.3", {"root/config.yaml": written}).tree


def test_very_long_spack_version_is_accepted(tmp_path: Path) -> None:
    assert scopes(tmp_path, f"{'9' * 5000}.1", {"site/config.yaml": tree("/site")}).tree.endswith("/opt/spack")


ANSWERS = ROOT / "tests" / "environments" / "spack"
"""Scopes and environments with recorded answers of real Spack."""


@pytest.mark.parametrize("name", json.loads((ANSWERS / "scopes.json").read_text()))
@pytest.mark.parametrize("version", ["1.2.0.dev0", "0.23.1"])
def test_mirrors_of_all_scopes_equal_mirrors_in_spack(tmp_path: Path, name: str, version: str) -> None:
    answer = json.loads((ANSWERS / "scopes.json").read_text())[name][version]
    case = ANSWERS / "scopes" / name
    places = SCOPES if version > "1" else SCOPES | {"site": "root/etc/spack"}
    for scope, place in {**places, "spack": "root/etc/spack"}.items():
        if (case / scope).is_dir() and not (version < "1" and scope == "spack" and (case / "site").is_dir()):
            shutil.copytree(case / scope, tmp_path / place, dirs_exist_ok=True)
    environment = "environment" if (case / "env").is_dir() else ""
    if environment:
        shutil.copytree(case / "env", tmp_path / environment)
    found = scopes(tmp_path, version, {}, environment, CACHETUI_HOST="linux-rhel9-zen3")
    if "error" in answer:
        with pytest.raises(ValueError, match="has no url, fetch or push"):
            list(mirrors_of(found.mirrors, found.paths))
        return
    mirrors = list(mirrors_of(found.mirrors, found.paths))
    wanted = [(key, mirror["fetch"]) for key, mirror in answer["mirrors"].items() if mirror["binary"]]
    assert [(mirror.name, mirror.url or f"file://{mirror.folder}") for mirror in mirrors] == wanted


def test_includes_of_site_scope_are_read_or_reported(tmp_path: Path) -> None:
    include = """include:
- {path: $SITE_SCOPE, when: '"SITE_SCOPE" in env'}
- {path: ~/nowhere, optional: true}
- {path: missing}
- {git: https://git.example.org/configs.git, branch: main, paths: [a.yaml]}
- {git: https://git.example.org/more.git, branch: main, paths: [a.yaml], when: platform == "none"}
- {path: a.yaml, when: undefined}
"""
    files = {"root/include.yaml": include, "site/upstreams.yaml": "upstreams: {a: {install_tree: $tempdir/a}}"}
    files |= {"user/upstreams.yaml": "upstreams: {b: {install_tree: b}}"}
    found = scopes(tmp_path, "1.1.0", files, SITE_SCOPE=f"{tmp_path}/root/etc/spack/site")
    assert found.upstreams == {"a": f"{tempfile.gettempdir()}/a"}
    assert list(found.unread) == [
        "the include missing, which is missing",
        "the include https://git.example.org/configs.git",
        "the include a.yaml when undefined",
    ]
