"""Print the lowest versions that `pyproject.toml` allows, as constraints for pip; see `make soak`."""

import re
import tomllib
from collections.abc import Iterator
from typing import NamedTuple

from tests.support.places import ROOT


class Dependency(NamedTuple):
    name: str
    lowest: str
    below: str
    """The first version that is too new; empty if there is none."""
    python_below: str
    """The first Python that does not need the package; empty if there is none."""


def dependencies() -> Iterator[Dependency]:
    """Yield the dependencies in `pyproject.toml`, each with a lower bound."""
    for each in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]:
        found = re.fullmatch(r"([\w.-]+)>=([\d.]+)(?:,<([\d.]+))?(?:; python_version < '([\d.]+)')?", each)
        assert found, f"without a lower bound: {each}"
        yield Dependency(*found.groups(""))


if __name__ == "__main__":
    for dependency in dependencies():
        print(f"{dependency.name}=={dependency.lowest}")
