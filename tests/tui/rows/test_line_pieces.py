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


def test_a_match_in_a_cell_keeps_its_place_whatever_is_cut() -> None:
    cell = Cell("intel-oneapi-mkl", spans=[(0, 5, "match")])
    pieces = [piece for piece in cell_pieces(cell, 9, (), "…", ends=True) if piece[0]]
    assert pieces == [("intel", ("match",)), ("-on…", ())]
