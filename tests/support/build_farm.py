"""The builds of a made-up build farm: its stacks over time, tags, packages, versions and variants.

With the numbers in these tables, the benchmark catalogue resembles the public catalogue. All random values come from
the given generator.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from typing import NamedTuple

from cachetui.model.spec import NO_COMPILER, ROOT, normal_compiler

ERAS = """
aws-ahug amzn2 linux x86_64_v3 gcc@7.3.1,gcc@10.3.1 - 2023-11-05
aws-ahug-aarch64 amzn2 linux aarch64,neoverse_n1 gcc@7.3.1,arm@23.10 - 2023-11-05
aws-isc amzn2 linux x86_64_v3 gcc@7.3.1,gcc@10.3.1 - -
aws-isc-aarch64 amzn2 linux aarch64,neoverse_n1 gcc@7.3.1,gcc@10.3.1 - -
aws-pcluster-icelake amzn2 linux icelake oneapi@2023.2.1,gcc@12.3.0 2023-06-04 2024-09-01
aws-pcluster-neoverse_n1 amzn2 linux neoverse_n1 gcc@12.3.0 2023-06-04 2024-06-02
aws-pcluster-neoverse_v1 amzn2 linux neoverse_v1 gcc@12.3.0 2023-06-04 2025-01-05
aws-pcluster-neoverse_v1 amzn2023 linux neoverse_v1 gcc@12.4.0 2025-01-05 -
aws-pcluster-skylake amzn2 linux skylake_avx512 oneapi@2023.2.1,gcc@12.3.0 2023-06-04 2024-09-01
aws-pcluster-x86_64_v4 amzn2 linux x86_64_v4 gcc@12.3.0,oneapi@2024.0.0 2023-06-04 2025-01-05
aws-pcluster-x86_64_v4 amzn2023 linux x86_64_v4 gcc@12.4.0,oneapi@2024.2.1 2025-01-05 -
bootstrap-aarch64-darwin sonoma darwin m1 apple-clang@15.0.0 2024-05-05 -
bootstrap-x86_64-linux-gnu centos7 linux x86_64 gcc@4.8.5,gcc@10.2.1 2024-01-07 -
build_systems ubuntu18.04 linux x86_64 gcc@7.5.0 - 2024-03-03
build_systems ubuntu22.04 linux x86_64_v3 gcc@11.4.0 2024-03-03 -
data-vis-sdk ubuntu18.04 linux x86_64 gcc@7.5.0 - 2023-09-03
data-vis-sdk ubuntu20.04 linux x86_64_v3 gcc@11.1.0 2023-09-03 -
deprecated ubuntu22.04 linux x86_64_v3 gcc@11.4.0,gcc@13.3.0 2024-02-04 -
developer-tools centos7 linux x86_64_v2,x86_64_v3 gcc@10.2.1,gcc@10.5.0 2023-09-03 2025-02-02
developer-tools almalinux8 linux x86_64_v3 gcc@13.3.0 2025-02-02 -
developer-tools-aarch64-linux-gnu almalinux8 linux aarch64 gcc@13.3.0 2024-11-03 -
developer-tools-darwin ventura darwin m1,aarch64 apple-clang@14.0.0 2023-12-03 2024-10-06
developer-tools-darwin sequoia darwin m1,aarch64 apple-clang@16.0.0 2024-10-06 -
developer-tools-manylinux2014 centos7 linux x86_64 gcc@10.2.1 2023-09-03 -
developer-tools-x86_64_v3-linux-gnu almalinux8 linux x86_64_v3 gcc@13.3.0 2024-11-03 -
e4s ubuntu18.04 linux x86_64 gcc@7.5.0,gcc@9.4.0 - 2023-02-05
e4s ubuntu20.04 linux x86_64_v3 gcc@11.1.0 2023-02-05 2024-05-05
e4s ubuntu22.04 linux x86_64_v3 gcc@11.4.0 2024-05-05 -
e4s-arm ubuntu20.04 linux aarch64 gcc@11.1.0 - 2024-01-07
e4s-clang ubuntu22.04 linux x86_64_v3 clang@15.0.7,clang@18.1.8 2024-03-03 -
e4s-cray-rhel rhel8 linux x86_64_v3 cce@15.0.1 2023-10-01 2025-01-05
e4s-cray-rhel rhel9 linux x86_64_v3 cce@18.0.0 2025-01-05 -
e4s-cray-sles sles15 cray zen3 cce@15.0.1 2023-10-01 2024-08-04
e4s-cray-sles sles15 linux zen4 cce@18.0.0 2024-08-04 -
e4s-gcc-14 ubuntu24.04 linux x86_64_v3 gcc@14.2.0 2024-10-06 -
e4s-mac monterey darwin m1 apple-clang@14.0.0 - 2023-10-01
e4s-neoverse-v2 ubuntu22.04 linux neoverse_v2 gcc@11.4.0 2024-05-05 -
e4s-neoverse_v1 ubuntu20.04 linux neoverse_v1 gcc@11.1.0 2023-09-03 2024-05-05
e4s-neoverse_v1 ubuntu22.04 linux neoverse_v1 gcc@11.4.0 2024-05-05 -
e4s-nvhpc ubuntu22.04 linux x86_64_v3 nvhpc@24.5 2024-07-07 -
e4s-oneapi ubuntu20.04 linux x86_64,x86_64_v3 oneapi@2022.1.0,oneapi@2023.0.0 - 2023-12-03
e4s-oneapi ubuntu22.04 linux x86_64_v3 oneapi@2024.0.0,oneapi@2024.2.1 2023-12-03 2025-03-02
e4s-oneapi ubuntu22.04 linux x86_64_v3 oneapi@2025.1.0 2025-03-02 -
e4s-power ubuntu20.04 linux ppc64le,power9le gcc@9.4.0,gcc@11.1.0 - 2024-08-04
e4s-rocm-external ubuntu20.04 linux x86_64_v3 gcc@11.1.0 2023-07-02 2024-05-05
e4s-rocm-external ubuntu22.04 linux x86_64_v3 gcc@11.4.0,rocmcc@6.2.1 2024-05-05 -
gpu-tests ubuntu18.04 linux x86_64 gcc@7.5.0 - 2023-06-04
gpu-tests ubuntu20.04 linux x86_64_v3 gcc@11.1.0 2023-06-04 2024-12-01
hep ubuntu22.04 linux x86_64_v3 gcc@11.4.0 2024-01-07 -
ml-darwin-aarch64-mps monterey darwin m1 apple-clang@14.0.0 - 2024-04-07
ml-darwin-aarch64-mps sequoia darwin aarch64 apple-clang@16.0.0 2024-04-07 -
ml-linux-aarch64-cpu ubuntu24.04 linux aarch64 gcc@13.2.0 2024-08-04 -
ml-linux-aarch64-cuda ubuntu24.04 linux aarch64 gcc@13.2.0 2024-08-04 -
ml-linux-x86_64-cpu ubuntu18.04 linux x86_64 gcc@8.5.0 - 2023-07-02
ml-linux-x86_64-cpu ubuntu22.04 linux x86_64_v3 gcc@11.4.0 2023-07-02 2024-08-04
ml-linux-x86_64-cpu ubuntu24.04 linux x86_64_v3 gcc@13.2.0 2024-08-04 -
ml-linux-x86_64-cuda ubuntu18.04 linux x86_64 gcc@8.5.0 - 2023-07-02
ml-linux-x86_64-cuda ubuntu22.04 linux x86_64_v3 gcc@11.4.0 2023-07-02 2024-08-04
ml-linux-x86_64-cuda ubuntu24.04 linux x86_64_v3 gcc@13.2.0 2024-08-04 -
ml-linux-x86_64-rocm ubuntu22.04 linux x86_64_v3 gcc@11.4.0 2023-07-02 2024-08-04
ml-linux-x86_64-rocm ubuntu24.04 linux x86_64_v3 gcc@13.2.0 2024-08-04 -
radiuss ubuntu18.04 linux x86_64,x86_64_v3 gcc@7.5.0 - -
radiuss-aws amzn2 linux x86_64_v3 gcc@7.3.1,gcc@8.5.0 - 2024-12-01
radiuss-aws-aarch64 amzn2 linux aarch64 gcc@7.3.1,gcc@8.5.0 - 2024-12-01
tutorial ubuntu18.04 linux x86_64 gcc@7.5.0,gcc@8.5.0 - 2023-05-07
tutorial ubuntu22.04 linux x86_64_v3 gcc@11.4.0,gcc@12.3.0,clang@14.0.6 2023-05-07 -
"""
"""Every change of a stack: stack, os, platform, targets, compilers, first day, day after the last."""

CORE_STACKS = ("e4s", "e4s-oneapi", "build_systems", "data-vis-sdk", "ml-linux-x86_64-cpu", "radiuss")
"""Stacks that exist at all times. Each package is in one of them, so its page exists in all tags."""

RELEASES = """
v0.18.0=2022-05-28 v0.18.1=2022-07-20 v0.19.0=2022-11-12 v0.19.1=2023-02-08 v0.19.2=2023-04-05
v0.20.0=2023-05-22 v0.20.1=2023-07-11 v0.20.3=2023-11-01 v0.21.0=2023-11-13 v0.21.1=2024-01-12
v0.21.2=2024-03-02 v0.22.0=2024-05-14 v0.22.1=2024-07-05 v0.22.2=2024-09-21 v0.23.0=2024-11-15
v0.23.1=2025-02-20 v1.0.0=2025-07-20
"""
LAST_WEEK = date(2025, 4, 20)
VERSIONS_SINCE = date(2021, 6, 1)

NAMES = """
hdf5 zlib py-mpi4py cmake openmpi mpich zlib-ng python gmake perl openssl py-numpy boost petsc trilinos
kokkos openblas py-setuptools ncurses pkgconf gcc-runtime libxml2 bzip2 xz curl hwloc netcdf-c adios2 gcc
llvm fftw cuda paraview py-cython libiconv readline gdbm zstd diffutils autoconf automake libtool m4
findutils expat libffi sqlite gettext util-macros py-pip py-wheel intel-oneapi-mkl py-torch amrex hypre
mfem sundials slepc superlu-dist metis parmetis scotch strumpack tau dyninst papi umpire raja camp chai
blt caliper adiak conduit ascent vtk-m visit sz zfp c-blosc mgard libpressio py-pandas py-scipy
py-scikit-learn py-matplotlib py-h5py py-ml-dtypes py-safetensors py-pdm-backend py-jaxlib py-tensorflow
py-torchvision py-transformers netlib-lapack netlib-scalapack intel-oneapi-mpi mvapich parallel-netcdf
netcdf-fortran netcdf-cxx4 darshan-runtime darshan-util hpctoolkit flux-core flux-sched legion charmpp
upcxx gasnet libfabric ucx pmix prrte slurm nccl rccl hip hsa-rocr-dev rocblas rocm-core llvm-amdgpu magma
ginkgo heffte arborx cabana dealii libcatalyst lammps gromacs quantum-espresso nwchem cp2k openfoam wrf
root geant4 dd4hep gaudi pythia8 fastjet lhapdf ampt hepmc3 edm4hep podio acts xrootd
ca-certificates-mozilla nghttp2 libssh2 berkeley-db eigen nlohmann-json fmt spdlog yaml-cpp googletest
catch2 pugixml tcl tk lua ruby openjdk go rust node-js ninja meson binutils elfutils libunwind libpng
libjpeg-turbo freetype fontconfig cairo pango glib qt-base mesa glew libx11 r julia aluminum adol-c archer
bolt butterflypack datatransferkit exago faodel globalarrays gptune hiop lbann omega-h papyrus plumed
precice py-libensemble py-warpx qthreads quantum-volume rempi scr stc swig sz3 turbine unifyfs variorum
veloc
"""
WORDS = """
array async atlas atom base bench binary block bridge cache cell chart cloud cluster color core crypto
data date deep digest dist event exact fast field file flow format forge frame geo graph grid hash image
index io json kernel kit lab lattice lens link list log map mark math matrix mesh meta model mono net node
object optim pack parse path phylo pixel plot point poly query queue random range ray rest ring sample
scale seq signal sim socket sparse spatial spec stat stream string table task tensor test text time token
tools tree type unit utils vector view wave web xml yaml zip
"""
FLAGS = """
benchmarks blas cblas cuda cxx debug doc examples fortran gpl hang_check hl hip icu internal-hwloc int64
ipo java jit ld lto map memchecker mpi mpi_thread mumps nccl nls openmp openmp_cuda optimize pic plugin
profile pthreads pugixml python rocm romio rust shared singleton slurm ssl static stats subdomains superlu
symlinks szip tests thread_multiple threadsafe tools trace uring vtk werror x11 zfp
"""
VALUED = """
api=default cuda_arch:=70,80 cuda_arch:=90 cuda_arch:=70,80,90 amdgpu_target:=gfx90a
amdgpu_target:=gfx908,gfx90a cxxstd=14 cxxstd=17 fabrics:=ofi,ucx fabrics:=none schedulers:=slurm
schedulers:=none threads=openmp threads=none symbol_suffix=none libs:=shared,static libs:=shared
clanglibcpp=default precision:=double precision:=double,float patches:=7a9a4f1 patches:=0b9d9a4,1f2d5c3
patches:=438a6f0 patches:=b5a6e1f,dd6a4f9,f2a1c8d commit_filter=none
"""
BUILD_SYSTEMS = {
    "cmake": (120, 4, 25),
    "autotools": (90, 2, 18),
    "makefile": (25, 1, 8),
    "meson": (20, 3, 10),
    "python_pip": (24, 1, 5),
    "generic": (8, 1, 3),
    "perl": (4, 1, 2),
}
"""For each build system: number of variant lists, and minimum and maximum number of variants in a list."""
KNOWN_VARIANTS = {
    "hdf5": tuple(
        "~cxx ~fortran build_system=cmake build_type=Release generator=make api=default ~ipo ~java ~map "
        f"+shared ~subfiling ~threadsafe +tools {options}"
        for options in ("~hl +mpi ~szip", "~hl ~mpi ~szip", "+hl +mpi +szip patches:=82088c8")
    ),
    "zlib": ("build_system=makefile +optimize +pic +shared", "build_system=makefile +optimize +pic ~shared"),
    "py-mpi4py": ("build_system=python_pip",),
}

KNOWN_VERSIONS = {
    "hdf5": "1.10.8 1.12.2 1.14.0 1.14.3 1.14.5 1.14.6",
    "zlib": "1.2.11 1.2.12 1.2.13 1.3 1.3.1",
    "py-mpi4py": "3.1.2 3.1.4 3.1.5 3.1.6 4.0.1",
    "openjdk": "11.0.9.1_1 11.0.17_8 17.0.8.1_1 17.0.11_9",
    "ampt": "2.26-t9b_atlas",
    "gcc-runtime": "11.1.0 11.4.0 13.2.0",
}


TWINS, SHARED, LATE, COMPILER_FREE = 0.06, 0.35, 0.27, 0.15
"""Probabilities: a line is doubled, another stack also has a line, a package is new, a package needs no compiler."""


class Era(NamedTuple):
    """The settings of a stack in a period without changes."""

    stack: str
    os: str
    platform: str
    targets: Sequence[str]
    compilers: Sequence[str]


class Signature(NamedTuple):
    """All values of a row except its hash."""

    compiler: str
    os: str
    platform: str
    target: str
    stacks: tuple[str, ...]
    variants: tuple[str, ...]
    version: str


class Tag:
    """A tag: its day, and the stacks of that day."""

    def __init__(self, name: str, day: date) -> None:
        self.name = name
        self.day = day
        self.release = name.startswith("v")

        self.eras = {era.stack: era for era, first, last in _ERAS if first <= day < last}
        self._builders: dict[tuple[str, str, str], set[str]] = {}
        for era in self.eras.values():
            for target in era.targets:
                for compiler in era.compilers:
                    self._builders.setdefault((era.os, target, compiler), set()).add(era.stack)

    def stacks_with(self, os: str, target: str, compiler: str) -> set[str]:
        """Return every stack that builds for this os and target with this compiler."""
        return self._builders[os, target, compiler]


class Line(NamedTuple):
    """A binary of a package that is built again for every tag."""

    stack: str
    shared_with: frozenset[str]
    target: float
    """The position of the target among the stack's targets, from 0 to 1. `compiler` is a position among compilers."""
    compiler: float
    variants: tuple[str, ...]
    age: int
    """Number of newer versions."""


@dataclass(frozen=True, slots=True)
class Package:
    """The builds of a package on the farm."""

    name: str
    born: date
    needs_compiler: bool
    releases: tuple[tuple[date, str], ...]
    """The days and versions, oldest first."""
    lines: tuple[Line, ...]

    def signature(self, line: Line, tag: Tag) -> Signature | None:
        """Return the signature of the line in this tag; None if the stack of the line does not exist in the tag."""
        era = tag.eras.get(line.stack)
        if era is None:
            return None
        target = era.targets[int(line.target * len(era.targets))]
        compiler = era.compilers[int(line.compiler * len(era.compilers))]
        partners = tag.stacks_with(era.os, target, compiler) & line.shared_with
        if not self.needs_compiler:
            compiler = NO_COMPILER
        newest = bisect_right(self.releases, tag.day, key=lambda release: release[0]) - 1
        return Signature(
            compiler=compiler,
            os=era.os,
            platform=era.platform,
            target=target,
            stacks=tuple(sorted(partners | {line.stack, ROOT})),
            variants=line.variants,
            version=self.releases[max(0, newest - line.age)][1],
        )


def _parse_eras() -> list[tuple[Era, date, date]]:
    eras = []
    for line in ERAS.split("\n")[1:-1]:
        stack, os, platform, targets, compilers, first, last = line.split()
        era = Era(stack, os, platform, targets.split(","), list(map(normal_compiler, compilers.split(","))))
        start = date.min if first == "-" else date.fromisoformat(first)
        eras.append((era, start, date.max if last == "-" else date.fromisoformat(last)))
    return eras


_ERAS = _parse_eras()
_STACKS = sorted({era.stack for era, _, _ in _ERAS})


def tags(weeks: int) -> list[Tag]:
    """Return the given number of weekly tags and a tag for every release, oldest first; `develop` is not included."""
    days = (LAST_WEEK - timedelta(weeks=week) for week in range(weeks))
    releases = (release.split("=") for release in RELEASES.split())
    found = [Tag(f"develop-{day}", day) for day in days]
    found += [Tag(name, date.fromisoformat(day)) for name, day in releases]
    return sorted(found, key=lambda tag: tag.day)


def package_names(number: int, rng: Random) -> list[str]:
    """Return the given number of package names: first real names, the most built first, then made-up names."""
    names = dict.fromkeys(NAMES.split())
    words = WORDS.split()
    while len(names) < number:
        prefix = rng.choices(("py-", "r-", "perl-", "", "lib", "rocm-"), (45, 22, 10, 18, 4, 1))[0]
        names.setdefault(prefix + "-".join(rng.sample(words, rng.choice((1, 2, 2, 2)))))
    return list(names)[:number]


def variant_lists(rng: Random) -> dict[str, list[tuple[str, ...]]]:
    """Return the possible lists of variants for each build system."""
    return {
        system: list({_variant_list(system, rng.randint(fewest, most), rng): None for _ in range(number)})
        for system, (number, fewest, most) in BUILD_SYSTEMS.items()
    }


def _variant_list(system: str, size: int, rng: Random) -> tuple[str, ...]:
    fixed = [f"build_system={system}"]
    if system in ("cmake", "meson"):
        fixed += ["build_type=" + rng.choice(("Release", "Release", "RelWithDebInfo", "Debug"))]
    if system == "cmake":
        fixed += ["generator=" + rng.choice(("make", "ninja"))]
    flags = [rng.choice("+~~") + flag for flag in rng.sample(FLAGS.split(), max(0, size - len(fixed)))]
    valued = {value.partition("=")[0]: value for value in rng.sample(VALUED.split(), min(len(flags) // 5, 3))}
    return sort_variants(fixed + flags[len(valued) :] + list(valued.values()))


def sort_variants(variants: Sequence[str]) -> tuple[str, ...]:
    """Return variants sorted by name, like a package's web page."""
    return tuple(sorted(variants, key=lambda variant: variant.lstrip("+~")))


def make_package(name: str, lines: int, variants: dict[str, list[tuple[str, ...]]], rng: Random) -> Package:
    """Return a package with the given number of `Line`s. The first is in a stack that exists at all times."""
    known = [sort_variants(text.split()) for text in KNOWN_VARIANTS.get(name, ())]
    pool = variants[_build_system(name, rng)]
    own = known or rng.sample(pool, min(len(pool), rng.randint(1, 2 + lines // 8)))
    made = [_line(rng.choice(CORE_STACKS), own, rng)]
    while len(made) < lines:
        stack = "e4s" if rng.random() < 0.1 else rng.choice(_STACKS)
        made.append(made[-1] if rng.random() < TWINS else _line(stack, own, rng))
    late = not known and rng.random() < LATE
    born = LAST_WEEK - timedelta(days=rng.randrange(30, 900)) if late else date.min
    return Package(name, born, bool(known) or rng.random() >= COMPILER_FREE, _releases(name, rng), tuple(made))


def _line(stack: str, variants: Sequence[tuple[str, ...]], rng: Random) -> Line:
    return Line(
        stack=stack,
        shared_with=frozenset(other for other in _STACKS if rng.random() < SHARED),
        target=rng.random(),
        compiler=rng.random(),
        variants=rng.choice(variants),
        age=rng.choices((0, 1, 2), (80, 16, 4))[0],
    )


def _build_system(name: str, rng: Random) -> str:
    for prefix, system in (("py-", "python_pip"), ("r-", "generic"), ("perl-", "perl")):
        if name.startswith(prefix):
            return system
    return rng.choices(("cmake", "autotools", "makefile", "meson"), (50, 35, 8, 7))[0]


def _releases(name: str, rng: Random) -> tuple[tuple[date, str], ...]:
    day = date.min
    releases = []
    for version in KNOWN_VERSIONS[name].split() if name in KNOWN_VERSIONS else _versions(rng):
        releases.append((day, version))
        day = max(day, VERSIONS_SINCE) + timedelta(days=1 + int(rng.expovariate(1 / 280)))
    return tuple(releases)


def _versions(rng: Random) -> list[str]:
    """Return twelve increasing versions."""
    major, minor = rng.choice((0, 1, 1, 2, 3, 5)), rng.randrange(12)
    return [f"{major}.{minor + number // 3}.{number % 3}" for number in range(12)]
