"""A build cache of layout v3, as large as the largest public caches, and a lock file and an install tree of its specs.

The same made-up packages are built in many worlds. Each world has another target, operating system or compiler. So all
hashes differ between worlds, but only a few other values. Each spec depends on specs of the same world. 60,000 specs
give an index of about 100 MB with 500,000 edges. Most specs have 25 to 50 direct and indirect dependencies.
Only the index is written, without spec files and tarballs. The same number of specs and seed give the same bytes.
"""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests.support.cache_writer import Node, external, hash_of, node, write_index_v3, write_lock
from tests.support.trees import write_tree

SPECS = 60_000
"""The number of specs at scale 1."""

ROOTS = 150
"""Maximum number of roots of an environment."""

HASH = re.compile(r"[a-z2-7]{32}")

PACKAGES = 1000
"""The number of packages in each world. The last package is only in the first `OLD_WORLDS` worlds.

So a larger cache does not have more builds of the last package.
"""

OLD_WORLDS = 50

SYSTEMS = ("ubuntu22.04", "ubuntu24.04", "rhel8", "amzn2023")
TARGETS = ("x86_64_v3", "x86_64_v4", "zen4", "icelake", "neoverse_v2")
COMPILERS = ("11.4.0", "12.3.0", "13.2.0", "14.2.0")

FEATURES = [
    "adx",
    "aes",
    "avx",
    "avx2",
    "avx512_bitalg",
    "avx512_vbmi2",
    "avx512bw",
    "avx512cd",
    "avx512dq",
    "avx512f",
    "bmi1",
    "bmi2",
    "clflushopt",
    "clwb",
    "cx16",
    "f16c",
    "fma",
    "gfni",
    "lahf_lm",
    "mmx",
    "movbe",
    "pclmulqdq",
    "popcnt",
    "rdpid",
    "rdrand",
    "rdseed",
    "sha_ni",
    "sse",
    "sse2",
    "sse3",
    "sse4_1",
    "sse4_2",
    "ssse3",
    "vaes",
    "vpclmulqdq",
    "xsave",
    "xsavec",
    "xsaveopt",
]

BUILD, LINK, RUN, ALL = ("build",), ("build", "link"), ("build", "run"), ("build", "link", "run")

SWITCHES = ("shared", "mpi", "openmp", "cuda", "static", "docs", "tools", "python", "fortran", "pic")


class Package(NamedTuple):
    """The common values of all builds of a package."""

    name: str
    versions: tuple[str, ...]
    parameters: dict[str, Any]
    needs: tuple[tuple[int, tuple[str, ...]], ...]
    """Indexes of other packages in the list, each with the types of the edge."""


def write_large_cache(folder: Path, specs: int, seed: int = 0, lacking: int = 0) -> Path:
    """Write a cache with this number of specs, `lacking` of them without binaries; return its new folder."""
    random = Random(seed)
    nodes = list(chain.from_iterable(_worlds(random, specs)))
    random.shuffle(nodes)
    return _write(folder, nodes, lacking)


def write_stacks(folder: Path, specs: int, stacks: int) -> Path:
    """Write a cache for each stack of one tag, and for the tag itself a cache with the specs of all stacks."""
    random = Random(0)
    worlds = list(_worlds(random, specs))
    parts = {f"develop/stack{k}": worlds[k::stacks] for k in range(stacks)} | {"develop": worlds}
    for path, part in parts.items():
        nodes = list(chain.from_iterable(part))
        random.shuffle(nodes)
        _write(folder / path, nodes)
    return folder


def write_large_lock(path: Path, nodes: Sequence[Node], missing: float) -> Path:
    """Write a lock file of these nodes with at most 150 roots. No cache contains the share `missing` of the hashes."""
    random = Random(0)
    new = {
        each["hash"]: hash_of(each["hash"]) for each in nodes if "external" not in each and random.random() < missing
    }
    text = json.dumps(
        [each | {"version": f"{each['version']}.1"} if random.random() < 0.05 else each for each in nodes]
    )
    specs = json.loads(HASH.sub(lambda found: new.get(found[0], found[0]), text))
    return write_lock(path, specs, [each for each in specs if "external" not in each][-ROOTS:])


def write_large_tree(folder: Path, records: int) -> Path:
    """Write the database of an install tree with specs of the cache; return its folder.

    A tenth of the specs are explicit, and 2 % are missing. The prefixes do not exist, like on an unmounted file system.
    """
    random, installs = Random(11), {}
    for number, spec in enumerate(some_nodes(records)[:records]):
        prefix = f"/srv/tree/{spec['name']}-{spec['version']}-{spec['hash']}"
        installs[spec["hash"]] = {
            "spec": spec,
            "path": spec.get("external", {}).get("path") or prefix,
            "installed": random.random() > 0.02,
            "ref_count": 1,
            "explicit": random.random() < 0.1,
            "installation_time": 1_790_000_000 + number * 864.0,
            "deprecated_for": None,
        }
    return write_tree(folder, installs)


def some_nodes(count: int) -> list[Node]:
    """Return about this number of nodes that caches of every size contain."""
    found: list[Node] = []
    for world in _worlds(Random(0), SPECS):
        found += world
        if len(found) >= count:
            return found
    return found


def _worlds(random: Random, specs: int) -> Iterator[list[Node]]:
    """Yield the nodes of one world after another until there are enough specs with binaries."""
    packages = [_package(random, place) for place in range(PACKAGES)]
    world = 0
    while specs > 0:
        built = list(_world(random, packages[: PACKAGES - (world >= OLD_WORLDS)], world, specs))
        specs -= sum("external" not in each for each in built)
        world += 1
        yield built


def _write(folder: Path, nodes: Sequence[Node], lacking: int = 0) -> Path:
    return write_index_v3(folder, nodes, [each for each in nodes if "external" not in each][lacking:])


def _package(random: Random, place: int) -> Package:
    """Return the package at this index. It depends on earlier packages, most often on the first packages."""
    count = min(place, random.choice((1, 2, 3, 3, 4, 4, 5, 6)))
    others = {int(place * random.random() ** 4): random.choice((LINK, LINK, LINK, ALL)) for _ in range(count)}
    tools = {int(place * random.random() ** 3): random.choice((BUILD, BUILD, RUN)) for _ in range(min(place, 2))}
    switches = {name: random.random() < 0.5 for name in random.sample(SWITCHES, random.randrange(2, 8))}
    flags: dict[str, list[str]] = {
        name: [] for name in ("cflags", "cppflags", "cxxflags", "fflags", "ldflags", "ldlibs")
    }
    return Package(
        f"{random.choice(('lib', 'py-', 'r-', 'perl-', ''))}package{place}",
        tuple(f"{random.randrange(9)}.{random.randrange(30)}.{k}" for k in range(random.randrange(1, 5))),
        {"build_system": random.choice(("cmake", "autotools", "generic")), **switches, **flags},
        tuple(sorted((tools | others).items())),
    )


def _world(random: Random, packages: Sequence[Package], world: int, binaries: int) -> Iterator[Node]:
    """Yield the nodes of one world: at most this number of packages, and their compiler, libc and runtime."""
    target = TARGETS[world % len(TARGETS)]
    arch = {
        "platform": "linux",
        "platform_os": SYSTEMS[world % len(SYSTEMS)],
        "target": {
            "name": target,
            "vendor": "GenuineIntel",
            "features": FEATURES,
            "generation": 0,
            "parents": ["x86_64"],
            "cpupart": "",
        },
    }
    version = COMPILERS[world // 2 % len(COMPILERS)]
    gcc = external("gcc", version, f"/opt/gcc-{world}") | {"arch": arch}
    glibc = external("glibc", "2.35", f"/usr/{world}") | {"arch": arch}
    runtime = node("gcc-runtime", version, [(gcc, BUILD, ()), (glibc, ("link",), ("libc",))], arch=arch)
    yield from (gcc, glibc, runtime)
    built: list[Node] = []
    for package in packages[: binaries - 1]:
        needs = [
            (gcc, BUILD, ("c", "cxx")),
            (runtime, ("link",), ()),
            (glibc, ("link",), ("libc",)),
            *((built[place], types, ()) for place, types in package.needs),
        ]
        parameters = package.parameters
        if random.random() < 0.3:
            parameters = parameters | {random.choice(SWITCHES): random.random() < 0.5}
        made = node(package.name, random.choice(package.versions), needs, arch=arch, parameters=parameters)
        built.append(made)
        yield made
