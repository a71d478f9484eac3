"""Modules found by their compiled files, which halves what it takes to find one.

Python asks several finders and lists folders; here the compiled file of a module is opened at once, and used by the
rule of Python itself: where it is of the source as that is now. All else is left to Python, and what a module says of
itself, its source and its lines in a traceback are as ever.
Input: the names of modules as they are imported.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import MAGIC_NUMBER, spec_from_file_location
from types import CodeType, ModuleType

PACKAGES = frozenset({"cachetui", "rich", "textual"})
"""Each of their modules is one file of source, and none has the name of a folder beside it."""

HEADER = MAGIC_NUMBER + bytes(4)
"""What a compiled file begins with that holds as long as its source has the same time and size."""

NUMBERS = 0xFFFFFFFF
"""The bits of both that are kept."""


def find_modules_quickly() -> None:
    """From now on modules of these packages are found here, after whatever else stands before Python's own search."""
    is_usual = sys.implementation.cache_tag and not sys.pycache_prefix and not sys.flags.optimize
    if is_usual and PathFinder in sys.meta_path and QuickFinder not in sys.meta_path:
        sys.meta_path.insert(sys.meta_path.index(PathFinder), QuickFinder)


class QuickFinder:
    """Finds a module by its compiled file, if that is in the usual place and up to date."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, _: ModuleType | None = None) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder`; `path` is where the modules of the package lie that this one is in."""
        if path is None or name[: name.find(".")] not in PACKAGES:
            return None
        folder, last = next(iter(path), ""), name[name.rfind(".") + 1 :]
        return _spec(name, folder, last) or _spec(name, f"{folder}/{last}", "__init__")


class _CompiledLoader(SourceFileLoader):
    """Has the code of a module already; everything else is done as ever."""

    def __init__(self, name: str, path: str, code: CodeType) -> None:
        super().__init__(name, path)
        self._code: CodeType | None = code

    def get_code(self, fullname: str) -> CodeType | None:
        code, self._code = self._code, None  # nobody needs it twice
        return code or super().get_code(fullname)


def _spec(name: str, folder: str, last: str) -> ModuleSpec | None:
    """The module whose source is a file of this folder; None where there is none, or not compiled as it is now."""
    compiled = f"{folder}/__pycache__/{last}.{sys.implementation.cache_tag}.pyc"
    try:
        descriptor = os.open(compiled, os.O_RDONLY)
        try:
            content = memoryview(os.read(descriptor, os.fstat(descriptor).st_size))
        finally:
            os.close(descriptor)
        source = f"{folder}/{last}.py"
        status = os.stat(source)
    except OSError:
        return None
    numbers = (status.st_size & NUMBERS) << 32 | int(status.st_mtime) & NUMBERS
    if content[:8] != HEADER or int.from_bytes(content[8:16], "little") != numbers:
        return None
    loader = _CompiledLoader(name, source, marshal.loads(content[16:]))
    below = [folder] if last == "__init__" else None
    spec = spec_from_file_location(name, source, loader=loader, submodule_search_locations=below)
    if spec is not None:
        spec.cached = compiled
    return spec
