"""Segments merged into one table, compared with sorting all values."""

import pickle
from array import array
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.store import merge
from cachetui.store.arrays import StringTable
from cachetui.store.columns import SegmentBuilder
from tests.support.strategies import CHARACTERS

HASHES = st.builds(lambda first, last: first * 7 + last * 25, st.sampled_from("a2z"), st.sampled_from("ab2z"))
TEXTS = HASHES | st.sampled_from(["", "é" * 16, "\x7f\U0001f600" + "a" * 27, "a" * 31])
PATHS = st.text(st.one_of(CHARACTERS, st.just("/")), min_size=1, max_size=3)


@given(st.lists(st.lists(TEXTS, max_size=12), max_size=4), st.integers(1, 20))
def test_merged_column_keeps_all_values_in_order(segments: list[list[str]], part: int) -> None:
    tables = [sorted(set(rows)) for rows in segments]
    columns = [array("I", map(table.index, rows)) for table, rows in zip(tables, segments, strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merge, "PART_ENTRIES", part)
        table, found = merge.build_column(list(zip(map(StringTable.of, tables), columns, strict=True)))
    assert list(table) == sorted(set(chain.from_iterable(segments)))
    assert [[table[number] for number in column] for column in found] == segments


@given(st.lists(st.lists(st.tuples(PATHS, st.integers(0, 3)), max_size=12), max_size=4))
def test_merged_list_of_files_keeps_last_size_and_time(segments: list[list[tuple[str, int]]]) -> None:
    files = []
    expected: dict[str, tuple[int, int]] = {}
    for number, read in enumerate(segments):
        builder = SegmentBuilder(files={path: (10 * number + part, number) for path, part in read})
        expected |= builder.files
        segment = builder.segment()
        files.append((segment.file_path, segment.file_size, segment.file_time))
    paths, sizes, times = merge.build_files(files)
    stamps = zip(paths, zip(sizes, times, strict=True), strict=True)
    assert list(stamps) == sorted(expected.items(), key=lambda item: item[0].encode("utf-8", "surrogatepass"))


@given(st.lists(st.text(CHARACTERS, max_size=4)))
def test_pickled_string_table_is_unchanged(texts: list[str]) -> None:
    table = StringTable(b"before" + StringTable.of(texts).buffer, StringTable.of(texts).offsets, len(b"before"))
    assert pickle.loads(pickle.dumps(table)) == table
