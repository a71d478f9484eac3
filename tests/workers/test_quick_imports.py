"""Modules that are found by their compiled files are what Python itself would have imported."""

from __future__ import annotations

import inspect
import os
import py_compile
import sys
import traceback
from collections.abc import Iterator
from importlib import import_module
from importlib.machinery import PathFinder, SourceFileLoader
from pathlib import Path

import pytest

from cachetui.workers.quick_imports import QuickFinder, find_modules_quickly

SOURCE = """def half(number):
    return number / 0 if number else TEXT

TEXT = "first"
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package that is found quickly, with a module in it that is not compiled, and a package with one that is."""
    monkeypatch.setattr("cachetui.workers.quick_imports.PACKAGES", frozenset({"found_quickly"}))
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "found_quickly"
    (folder / "below").mkdir(parents=True)
    for path in (folder / "__init__.py", folder / "below" / "__init__.py"):
        path.touch()
        py_compile.compile(str(path))
    (folder / "below" / "compiled.py").write_text(SOURCE)
    py_compile.compile(str(folder / "below" / "compiled.py"))
    (folder / "plain.py").write_text(SOURCE)
    find_modules_quickly()
    yield folder
    for name in [each for each in sys.modules if each.partition(".")[0] == "found_quickly"]:
        del sys.modules[name]


def test_it_is_asked_once_and_right_before_the_usual_search() -> None:
    before = list(sys.meta_path)
    try:
        find_modules_quickly()
        find_modules_quickly()
        assert sys.meta_path.count(QuickFinder) == 1
        assert sys.meta_path[sys.meta_path.index(QuickFinder) + 1] is PathFinder
    finally:
        sys.meta_path[:] = before


def test_a_module_says_of_itself_what_it_always_says(package: Path) -> None:
    for name in ("found_quickly.below", "found_quickly.below.compiled"):
        folder = package if name.endswith("below") else package / "below"
        quick, usual = QuickFinder.find_spec(name, [str(folder)]), PathFinder.find_spec(name, [str(folder)])
        assert quick is not None
        assert usual is not None
        for field in ("name", "origin", "cached", "parent", "has_location", "submodule_search_locations"):
            assert getattr(quick, field) == getattr(usual, field), field
        module = import_module(name)
        assert type(module.__loader__).__name__ == "_CompiledLoader"
        assert (module.__file__, module.__package__) == (usual.origin, usual.parent)


def test_sources_and_tracebacks_are_as_ever(package: Path) -> None:
    module = import_module("found_quickly.below.compiled")
    assert inspect.getsource(module) == SOURCE
    with pytest.raises(ZeroDivisionError) as raised:
        module.half(1)
    assert "number / 0 if number" in "".join(traceback.format_exception(raised.value))
    assert isinstance(module.__loader__, SourceFileLoader)
    code = module.__loader__.get_code(module.__name__)
    assert code is not None
    assert code.co_filename == module.__file__


def test_what_was_not_compiled_is_left_to_python(package: Path) -> None:
    assert QuickFinder.find_spec("found_quickly.plain", [str(package)]) is None
    assert QuickFinder.find_spec("found_quickly.nothing", [str(package)]) is None
    assert import_module("found_quickly.plain").TEXT == "first"
    assert QuickFinder.find_spec("json.decoder", [str(package)]) is None
    assert QuickFinder.find_spec("found_quickly") is None


@pytest.mark.parametrize("change", ["source", "time", "version", "gone"])
def test_a_compiled_file_of_another_source_is_not_used(package: Path, change: str) -> None:
    source = package / "below" / "compiled.py"
    compiled = next((package / "below" / "__pycache__").glob("compiled.*"))
    if change == "source":
        status = source.stat()
        source.write_text(SOURCE.replace("first", "and then"))
        os.utime(source, ns=(status.st_atime_ns, status.st_mtime_ns))
    elif change == "time":
        os.utime(source, (1, 1))
    elif change == "version":
        compiled.write_bytes(b"\0" + compiled.read_bytes()[1:])
    else:
        source.unlink()
    assert QuickFinder.find_spec("found_quickly.below.compiled", [str(package / "below")]) is None
