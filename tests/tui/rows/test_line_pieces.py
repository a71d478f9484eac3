"""Cells as they are painted: what is cut where they lack room."""

from __future__ import annotations

import pytest

from cachetui.tui.rows.layout import Cell
from cachetui.tui.rows.line_pieces import cell_pieces


@pytest.mark.parametrize(
    ("width", "shown"), [(22, "~hl ~mpi, dependencies"), (13, "~hl ~mpi, …  "), (9, "~hl …    "), (3, "~h…")]
)
def test_a_list_loses_its_last_words(width: int, shown: str) -> None:
    pieces = cell_pieces("~hl ~mpi, dependencies", width, (), "…", words=True)
    assert "".join(text for text, _ in pieces) == shown


@pytest.mark.parametrize(
    ("width", "shown"),
    [(26, "+hl +szip patches:=82088c8"), (24, "+hl +szip patches:=8208…"), (17, "+hl +szip …      ")],
)
def test_a_long_word_at_the_end_of_a_list_is_cut_rather_than_left_out_where_many_cells_would_be_blank(
    width: int, shown: str
) -> None:
    pieces = cell_pieces("+hl +szip patches:=82088c8", width, (), "…", words=True, fills=True)
    assert "".join(text for text, _ in pieces) == shown


def filled(text: str, width: int) -> str:
    return "".join(text for text, _ in cell_pieces(text, width, (), "…", words=True, fills=True))


def test_of_a_long_name_that_is_the_next_word_both_ends_stay() -> None:
    text = "+hl in developer-tools-x86_64_v3-linux-gnu +szip"
    assert filled(text, 22) == "+hl in develop…nux-gnu"
    assert filled(text, 14) == "+hl in dev…gnu"
    assert filled(text, 12) == "+hl in de…nu"
    assert filled(text, 11) == "+hl …      ", "what leads to it goes with it"
    assert filled(text, len(text)) == text


@pytest.mark.parametrize("word", ["a" * 32, "cuda_arch=70,75,80,90", "developer-tool", "ünterschied-werkzeug"])
def test_of_a_hash_a_value_or_another_word_the_end_does_not_stay(word: str) -> None:
    assert filled(f"+hl in {word} +szip", 12) == "+hl …       "


def test_a_match_in_a_cell_keeps_its_place_whatever_is_cut() -> None:
    cell = Cell("intel-oneapi-mkl", spans=[(0, 5, "match")])
    pieces = [piece for piece in cell_pieces(cell, 9, (), "…", ends=True) if piece[0]]
    assert pieces == [("intel", ("match",)), ("-on…", ())]
