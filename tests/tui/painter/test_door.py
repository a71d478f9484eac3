"""Private names of Textual are used only in `tui/painter`, and never overridden by accident."""

import re
from importlib import import_module
from inspect import getmembers, isclass
from pathlib import Path

import pytest
from textual.app import App
from textual.command import Provider
from textual.screen import Screen
from textual.widget import Widget

import cachetui.tui

FOLDER = Path(cachetui.tui.__file__).parent

PRIVATE_MODULE = re.compile(r"^\s*(?:from|import) textual(?:\.\w+)*\.(?:_\w+|drivers)\b", re.MULTILINE)

PRIVATE_ATTRIBUTE = re.compile(r"\b(?:app|screen|pilot|super\(\))\._(?!_)\w+")
"""A private attribute of another object."""

GIVEN = {name for base in (App, Provider, Screen, Widget) for name in vars(type("Empty", (base,), {}))}
"""The names that Textual gives to each class; for a reactive also `_default_` and its name."""

MODULES = sorted(path for path in FOLDER.rglob("*.py") if path.parent.name != "painter")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_private_names_of_textual_are_used_only_in_painter(path: Path) -> None:
    text = path.read_text()
    assert PRIVATE_MODULE.findall(text) + PRIVATE_ATTRIBUTE.findall(text) == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_private_names_of_textual_are_never_overridden(path: Path) -> None:
    """A method or an attribute with such a name breaks Textual in some cases."""
    name = ".".join(("cachetui.tui", *path.relative_to(FOLDER).with_suffix("").parts)).removesuffix(".__init__")
    module = import_module(name)
    overridden = []
    for _, ours in getmembers(module, isclass):
        if ours.__module__ == name:
            bases = [base for base in ours.__mro__ if base.__module__.startswith("textual")]
            private = {member for member in vars(ours) if re.match("_(?!_|default_)", member)} - GIVEN
            overridden += [f"{ours.__name__}.{member}" for member in private if any(member in vars(b) for b in bases)]
    assert overridden == []
