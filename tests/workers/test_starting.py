"""The modules that a process imports at its start."""

import subprocess
import sys
from pathlib import Path

LATER = """
import sys
sys.modules.pop("platform", None)
from cachetui.workers.starting import import_msgspec
import_msgspec()
assert not {"platform", "typing_extensions", "msgspec.inspect", "decimal", "uuid"} & set(sys.modules)
import decimal, platform, uuid, msgspec, msgspec.inspect
assert platform.machine() and uuid.uuid4() and decimal.Decimal("1.5") + 1 == 2.5
assert isinstance(msgspec.inspect.type_info(int), msgspec.inspect.IntType)
assert msgspec.json.decode(msgspec.json.encode(1.5), type=float) == 1.5
"""

WITHOUT = """
import sys
from cachetui.workers.starting import import_msgspec
import_msgspec()
import msgspec, uuid
msgspec.json.encode(uuid.UUID(int=1))
"""

NEEDED = """
import sys
from cachetui.workers.starting import import_msgspec
sys.path.insert(0, sys.argv[1])
import_msgspec()
import msgspec
print(msgspec.found)
"""


def test_modules_skipped_by_msgspec_import_can_be_imported_later() -> None:
    subprocess.run([sys.executable, "-c", LATER], check=True)


def test_msgspec_refuses_types_of_skipped_modules() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert "TypeError: Encoding objects of type UUID is unsupported" in done.stderr


def test_msgspec_import_is_complete_if_skipped_modules_are_needed(tmp_path: Path) -> None:
    package = tmp_path / "msgspec"
    package.mkdir()
    (package / "__init__.py").write_text("from .inspect import found\n")
    (package / "inspect.py").write_text("found = 'all of it'\n")
    done = subprocess.run([sys.executable, "-c", NEEDED, tmp_path], check=True, capture_output=True, text=True)
    assert done.stdout == "all of it\n"
