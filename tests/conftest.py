"""The machine and the environment that every test shares, and the profiles of hypothesis.

The profile `long`, for `make soak`, runs fifty times as many examples. Without the tests of screens, the examples take
four to five minutes.
"""

import gc
import os
import signal
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

import tests.support.machine.sitecustomize  # noqa: F401  # first, because the machine is examined only once
from tests.support.places import MACHINE, ROOT
from tests.support.users import open_folder

os.environ["TEXTUAL_FPS"] = "1000"  # set before the import, so that driven apps wait for no frame
settings.register_profile("here", deadline=None, max_examples=20)
settings.register_profile("everywhere", deadline=None, max_examples=20, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE") or ("everywhere" if os.environ.get("CI") else "here"))

KEPT = ("PATH", "PYTHONHOME", "PYTHONDONTWRITEBYTECODE", "PYTEST_", "TMP", "LD_", "DYLD_")
"""Prefixes of the variables that tests take over from the real environment."""

PLAIN = {
    "SPACK_SYSTEM_CONFIG_PATH": "/nonexistent",
    "PYTHONPATH": f"{MACHINE}:{ROOT}",
    "LC_ALL": "C.UTF-8",
    "TERM": "xterm-256color",
}
"""Variables with the same value in all tests."""

HOME = {"HOME": "", "CACHETUI_CACHE_DIR": "/cache", "CACHETUI_HISTORY": "/history"}
"""The variables that name folders in the home folder of a test, each with its path below this folder."""

NUMBERS = count()


def pytest_configure() -> None:
    """Restore the default handling of terminal signals, which background jobs and nohup change.

    Otherwise, programs started by a test would ignore these signals, including Ctrl+C.
    """
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def pytest_collection_finish() -> None:
    """Exclude imported modules from garbage collection, because they stay until the end.

    Other objects are collected rarely.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000)


@pytest.fixture(scope="session")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The build caches that Spack wrote, with every file that their indexes name."""
    from tests.support.caches import whole_caches

    return whole_caches(tmp_path_factory.mktemp("whole") / "caches")


@pytest.fixture(scope="session", autouse=True)
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Create the folder for the home folders of all tests, and set the same environment on every machine.

    PATH contains no Spack, because the tests would use its configuration.
    """
    with pytest.MonkeyPatch.context() as environment:
        for name in os.environ:
            if not name.startswith(KEPT):
                environment.delenv(name)
        for name, value in PLAIN.items():
            environment.setenv(name, value)
        folders = os.environ["PATH"].split(os.pathsep)
        environment.setenv("PATH", os.pathsep.join(each for each in folders if not Path(each, "spack").exists()))
        folder = tmp_path_factory.mktemp("homes")
        for name, place in HOME.items():
            environment.setenv(name, f"{folder}{place}")
        yield folder


@pytest.fixture(autouse=True)
def home(homes: Path) -> Path:
    """The home folder of a test, for index caches. The first write creates it, because most tests write nothing."""
    folder = homes / str(next(NUMBERS))
    for name, place in HOME.items():
        os.environ[name] = f"{folder}{place}"
    return folder


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that users other than root may enter."""
    with open_folder() as folder:
        yield folder
