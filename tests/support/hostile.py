"""Pages and installations with hostile text, and a check that the text has no effect."""

import json
import os
import unicodedata
from pathlib import Path
from typing import Any

from tests.support.trees import key, record, write_index, write_tree

TOUCH = "touch pwned"
EVIL = (
    "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b31m\x90q\x9c\x7f\r\n\t\b\u202eabc\u2066\u200b\u200f\ufeff\u00ad\u3164\ufe0f\ue000"
    f"[red]x[/red][link=file:///etc]';{TOUCH};'$({TOUCH})`{TOUCH}`\"|{TOUCH}&{TOUCH}\n{TOUCH}\n>pwned !! \\ ~ * #"
)
"""Everything that acts on a terminal, on markup or on a shell, or hides itself."""


def row(letter: str, **fields: Any) -> dict[str, Any]:
    given = {"compiler": "gcc@11.4.0", "os": "rhel8", "platform": "linux", "target": "zen3", "size": "-"}
    return {"hash": letter * 32, "versions": ["1.2"], "variants": ["+shared"], "stacks": ["e4s"], **given, **fields}


def page(title: str, *rows: dict[str, Any], tag: str = "develop") -> str:
    head = f"---\ntitle: {json.dumps(title)}\nlayout: cache\ncategories: [package, {json.dumps(tag)}]\n"
    return f"{head}spec_details: {json.dumps(rows)}\n---\n"


EVIL_PAGE = page(
    EVIL,
    row(
        "b",
        compiler=EVIL,
        versions=[EVIL],
        os=EVIL,
        platform=EVIL,
        target=EVIL,
        variants=[f"+{EVIL}", EVIL, f"k={EVIL}"],
        stacks=[EVIL, "root"],
        tarball=EVIL,
        size=EVIL,
    ),
    row("c", hash=f"/{EVIL}"),
    tag=EVIL,
)


def hides(letter: str) -> bool:
    return letter != "\n" and unicodedata.category(letter) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")


def harmless(text: str) -> None:
    assert [letter for letter in set(text) if hides(letter)] == []


def evil_installation(root: Path) -> Path:
    """Write a Spack checkout with one valid spec. Its database, configuration and environments have hostile values."""
    for folder in ("bin", "lib/spack/spack", "etc/spack", "var/spack/environments"):
        (root / folder).mkdir(parents=True)
    (root / "bin" / "spack").touch()
    tree = root / "opt" / "spack"
    loop = tree / "linux-zen3" / "loop"
    loop.parent.mkdir(parents=True)
    loop.symlink_to(loop)
    long = "/" + "a/" * 2**19
    paths = [
        long,
        f"{tree}/../../../../../etc",
        "/a\0b",
        f"/{EVIL}",
        f"{tree}/{EVIL}",
        str(loop),
        "None",
        "relative",
        "",
        "/",
    ]
    records = {key(k): record(f"p{k}", path=path) for k, path in enumerate(paths)}
    wrong = {
        "installed": "yes",
        "explicit": 7,
        "installation_time": "now",
        "deprecated_for": [],
        "path": {},
        "spec": [],
    }
    records |= {key(100 + k): record("wrong") | {name: value} for k, (name, value) in enumerate(wrong.items())}
    times = (-5, 0, 1e300, 2**70, 1e-300)
    records |= {key(200 + k): record(f"time{k}", installation_time=when) for k, when in enumerate(times)}
    records |= {
        key(300 + k): record("circle", deprecated_for=key(300 + (k + 1) % 3), installed=False) for k in range(3)
    }
    records[key(310)] = record("itself", deprecated_for=key(310), installed=False)
    records[key(311)] = record("replaced", deprecated_for=EVIL, installed=False)
    records[key(312)] = record("missing", installed=False, path="/nowhere")
    records |= {name: record("hash") for name in (EVIL, "--help", "", "../../x", "x" * 2**20)}
    records[key(400)] = record(EVIL, [(EVIL, EVIL), ("circle", key(401)), ("--x", key(999))], path=f"/{EVIL}")
    records[key(401)] = record("--config=x", [(EVIL, key(400)), ("--config=x", key(401))], version="-x")
    records[key(402)] = record("n" * 2**20)
    values = dict.fromkeys(("version", "namespace", "package_hash"), EVIL)
    records[key(400)]["spec"] |= {**values, "parameters": {EVIL: EVIL, "k": [EVIL], "cflags": [EVIL], "--x": True}}
    records[key(400)]["spec"]["arch"] = {"platform": EVIL, "platform_os": EVIL, "target": {"name": EVIL}}
    externals: tuple[Any, ...] = (
        {"path": EVIL, "module": [EVIL]},
        {"path": 7},
        {"path": long},
        {"path": "/a\0b"},
        7,
        [],
        {"module": {}},
    )
    for k, external in enumerate(externals):
        records[key(500 + k)] = record(f"external{k}", path=f"/{EVIL}")
        records[key(500 + k)]["spec"]["external"] = external
    records[key(600)] = record("good", [("external0", key(500)), ("p0", key(0))])
    good = loop.with_name("good")
    (good / ".spack").mkdir(parents=True)
    os.mkfifo(good / ".spack" / "install_manifest.json")
    for each in records.values():
        each["path"] = str(good) if each["path"] is None else each["path"]
    write_tree(tree, records)
    _evil_surroundings(root, tree)
    return root


def _evil_surroundings(root: Path, tree: Path) -> None:
    """Write the upstreams, the environments and the temporary files of a hostile Spack checkout."""
    failures = tree / ".spack-db" / "failures"
    failures.mkdir()
    (failures / ("\udcff" + EVIL.replace("/", "-")[:60])).touch()
    (tree / ".spack-db" / "index.json.\udcff\x1b[2J.1.temp").touch()
    damaged = write_tree(root / "damaged", {})
    write_index(damaged, "{")
    trees = {
        EVIL: f"{tree}/../spack",
        "local": f"{root}/damaged",
        "again": f"{root}/./damaged",
        "--same": f"{root}/damaged",
        "gone": f"/nowhere/{EVIL}",
        "lo\x1b[2Jng": "/" + "a/" * 2**10,
        "number": 7,
    }
    upstreams: dict[str, Any] = {name: {"install_tree": path} for name, path in trees.items()}
    upstreams["list"] = []
    (root / "etc" / "spack" / "upstreams.yaml").write_text(json.dumps({"upstreams": upstreams}))
    environments = root / "var" / "spack" / "environments"
    locks = {
        "huge": "",
        "empty": "",
        "--all": "{}",
        "list": "[]",
        "\x1b[2Jodd": '{"roots": [{"hash": "x"}]}',
        "deep": "[" * 10**5,
    }
    for name, text in locks.items():
        (environments / name).mkdir()
        (environments / name / "spack.lock").write_text(text)
    os.truncate(environments / "huge" / "spack.lock", 2**40)
    (environments / "folder" / "spack.lock").mkdir(parents=True)
    (environments / "loop").symlink_to("loop")
    (environments / "pipe").mkdir()
    os.mkfifo(environments / "pipe" / "spack.lock")
