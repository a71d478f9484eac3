"""What segments have in one table: held against sorting all of it."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from array import array
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.store import one_table, united
from cachetui.store.segment import Encoder, Files
from cachetui.store.stamps import FileStamp
from cachetui.store.strings import Strings
from cachetui.store.united import united_column, united_files
from tests.support.places import ROOT
from tests.support.strategies import CHARACTERS

BEGINNINGS = ["a" * 8, "a" * 7 + "b", "2" * 8, "z" * 8, "7" * 8]
ALIKE = st.builds(lambda first, last: first + last * 24, st.sampled_from(BEGINNINGS), st.sampled_from("a2z"))
"""Hashes, some of which differ behind their eighth letter alone."""

NEAR = st.one_of(ALIKE, st.sampled_from(["", "é" * 16, "a" * 31, "a" * 33]))
"""Those, and texts that are none, though some of them are as long."""


@st.composite
def columns(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> list[list[str]]:
    """The rows of several segments."""
    return draw(st.lists(st.lists(texts, max_size=12), max_size=4))


def numbered(rows: Sequence[str]) -> tuple[Strings, array[int]]:
    table = sorted(set(rows))
    return Strings.of(table), array("I", map(table.index, rows))


@given(columns(st.one_of(ALIKE, st.text("ab2", min_size=32, max_size=32))) | columns(NEAR), st.integers(1, 20))
def test_a_column_has_the_same_values_in_one_table(segments: list[list[str]], part: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(one_table, "PART", part)
        table, found = united_column([numbered(rows) for rows in segments])
    assert list(table) == sorted(set(chain.from_iterable(segments)))
    assert [[table[number] for number in column] for column in found] == segments


def test_large_tables_become_one_in_parts_and_are_gone_then() -> None:
    # Of one length, so that what each part is put into is as long as all tables, whose last entries are the same.
    texts = [f"{k:06}" * 40 for k in range(3 * one_table.PART)]
    tables = [Strings.of([*texts[k:-1:2], texts[-1]]) for k in (0, 1)]
    united, places = one_table.one_table(tables)
    assert list(united) == texts
    assert [list(each) for each in places] == [[*range(k, len(texts) - 1, 2), len(texts) - 1] for k in (0, 1)]
    assert tables == []
    assert pickle.loads(pickle.dumps(united)) == united


def test_hashes_that_begin_alike_are_told_apart() -> None:
    one, other = "a" * 31 + "b", "a" * 31 + "c"
    table, found = united_column([numbered([other, "b" * 32]), numbered([one, other])])
    assert list(table) == [one, other, "b" * 32]
    assert [list(column) for column in found] == [[1, 2], [0, 1]]


@pytest.mark.parametrize("odd", ["\u00e9" * 16, "\x7f\U0001f600" + "a" * 27])
def test_texts_as_long_as_hashes_are_put_in_order_though_they_are_none(odd: str) -> None:
    texts = sorted([odd, "a" * 32, "z" * 32])
    table, _ = united_column([numbered([text]) for text in reversed(texts)])
    assert list(table) == texts


PATHS = st.text(st.one_of(CHARACTERS, st.just("/")), min_size=1, max_size=3)


@given(st.lists(st.lists(st.tuples(PATHS, st.integers(0, 3)), max_size=12), max_size=4), st.integers(0, 2))
def test_files_of_several_segments_are_sorted_each_with_its_last_stamp(
    segments: list[list[tuple[str, int]]], long: int
) -> None:
    files: list[Files] = []
    expected: dict[str, tuple[int, int]] = {}
    for number, read in enumerate(segments):
        encoder = Encoder()
        for path, part in read:
            size = 10 * number + part
            encoder.add_file(FileStamp(path, size, number), now=10**10 + part)
            expected[path] = size, number
        files.append(encoder.segment().files)
    with pytest.MonkeyPatch.context() as meanwhile:
        meanwhile.setattr(united, "PART_SIZE", long)
        found = united_files(files)
    stamps = zip(found.paths, zip(found.sizes, found.times, strict=True), strict=True)
    assert list(stamps) == sorted(expected.items(), key=lambda item: item[0].encode("utf-8", "surrogatepass"))


def test_no_files_are_united_again() -> None:
    none = Encoder().segment().files
    assert united_files([united_files([none, none]), united_files([])]) == none


def test_parts_that_were_read_in_turns_are_put_in_order_whole() -> None:
    files = []
    for own in (0, 1):
        encoder = Encoder()
        for tag in "ab":
            for part in range(own, 6, 2):
                for k in range(4):
                    encoder.add_file(FileStamp(f"{tag}/{part}{k}", 0, 5), now=10**10 + part)
        files.append(encoder.segment().files)
    assert [list(each.parts) for each in files] == [[0, 4, 8, 12, 16, 20]] * 2
    assert list(united_files(files).paths) == [
        f"{tag}/{part}{k}" for tag in "ab" for part in range(6) for k in range(4)
    ]


@given(st.lists(st.text(CHARACTERS, max_size=4)))
def test_a_table_is_handed_to_another_process(texts: list[str]) -> None:
    table = Strings(b"before" + Strings.of(texts).buffer, Strings.of(texts).offsets, len(b"before"))
    assert pickle.loads(pickle.dumps(table)) == table


RANKED_THERE = """
from hypothesis import given, settings, strategies as st
from cachetui.store import gathering
from cachetui.store.columns import ROW_COLUMNS
from cachetui.workers import beside
from tests.support.random_catalogues import pages, segment
beside.cores = lambda: 2
many, united, here = gathering.MANY, gathering.united_column, []
gathering.united_column = lambda column: here.append(column) or united(column)

@given(pages(), st.integers(1, 3))
@settings(max_examples=20, database=None, deadline=None)
def compare(some, step):
    found = []
    for rows in (many, -1):
        gathering.MANY = rows
        here.clear()
        found.append(gathering.merge_all([segment(some[start::step]) for start in range(step)]))
    assert found[0] == found[1]
    assert len(here) == len(ROW_COLUMNS) - 1

compare()
print("the same")
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="only Linux tells how many threads run")
def test_columns_are_the_same_where_a_copy_of_this_process_ranks_the_hashes(tmp_path: Path) -> None:
    """In a process of its own: those that run tests beside each other have threads, and are never copied."""
    command, environ = [sys.executable, "-c", RANKED_THERE], os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("the same\n", "")
