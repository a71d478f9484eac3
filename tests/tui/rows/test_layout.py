"""Where columns stand, and what of a text has room."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from cachetui.tui.rows.layout import Column, figure, fit, fit_path, lay_out, measure, plain
from tests.support.strategies import CHARACTERS


@given(
    st.lists(
        st.builds(
            Column,
            st.just("c"),
            st.integers(1, 40),
            st.integers(0, 3),
            drop=st.integers(0, 3),
            most=st.sampled_from([0, 1, 20]),
            gap=st.sampled_from([0, 1]),
        ),
        max_size=9,
    ),
    st.integers(0, 200),
)
def test_slots_lie_apart_and_fill_the_width(columns: list[Column], width: int) -> None:
    slots = lay_out(columns, width)
    ends = [slot.x + slot.width for slot in slots]
    assert all(slot.width > 0 for slot in slots)
    assert all(
        end + columns[slot.column].gap == after.x for end, (slot, after) in zip(ends, pairwise(slots), strict=False)
    )
    assert all(end <= width for end in ends)
    shown = [(columns[slot.column], slot.width) for slot in slots]
    kept = [column for column in columns if not column.drop]
    too_wide = sum(column.width for column in kept) + sum(column.gap for column in kept[:-1]) > width
    if not too_wide:
        assert all(column.width <= wide <= max(column.width, column.most or width) for column, wide in shown)
        can_grow = any(column.share and (not column.most or wide < column.most) for column, wide in shown)
        assert ends[-1:] == [width] or not can_grow


@pytest.mark.parametrize(("width", "widths"), [(21, [10, 10]), (31, [10, 20]), (41, [10, 30]), (47, [16, 30])])
def test_what_most_rows_need_no_more_goes_to_the_others_first(width: int, widths: list[int]) -> None:
    columns = [Column("compiler", 10, share=6, most=16, usual=10), Column("differs", 10, share=3, most=30)]
    assert [slot.width for slot in lay_out(columns, width)] == widths


@given(st.text(CHARACTERS).map(plain), st.integers(0, 20))
@example(plain("0\x1f00"), 3)
def test_text_fits_or_is_marked_as_cut(text: str, width: int) -> None:
    """A text as lists have it: a control character takes no cell, and would not be shown as one."""
    shown = fit(text, width, "…")
    assert measure(text) == cell_len(text)
    assert cell_len(shown) <= width
    assert shown == text or not width or (shown.endswith("…") and cell_len(shown) == width)


@pytest.mark.parametrize(
    ("width", "shown"), [(0, ""), (1, "…"), (2, "m…"), (3, "m…a"), (8, "ml-l…uda"), (15, "ml-linu…64-cuda")]
)
def test_what_is_told_apart_by_its_ends_loses_its_middle(width: int, shown: str) -> None:
    assert fit("ml-linux-x86_64-cuda", width, "…", ends=True) == shown


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (9, "intel-on…"),
        (10, "int…@2025…"),
        (11, "inte…@2025…"),
        (12, "int…@2025.1…"),
        (13, "int…@2025.1.0"),
        (14, "inte…@2025.1.0"),
        (20, "intel-onea…@2025.1.0"),
        (24, "intel-oneapi…rs@2025.1.0"),
    ],
)
def test_what_is_behind_an_at_sign_is_cut_last(width: int, shown: str) -> None:
    """As long as there are letters enough to know the name by; then it is marked as cut, as it is another version."""
    assert fit("intel-oneapi-compilers@2025.1.0", width, "…", ends=True) == shown


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("gcc@13.2.0", 9, "gcc@13.2…"),
        ("hdf5@1.14.6", 10, "hdf5@1.14…"),
        ("py-mpi4py@develop", 12, "py-mpi4py@d…"),
        ("llvm-amdgpu@6.3.3", 10, "llv…@6.3.3"),
        ("intel-oneapi-compilers@develop", 10, "intel-one…"),
        ("a@1", 1, "…"),
    ],
)
def test_of_a_name_before_an_at_sign_there_is_never_but_a_letter(text: str, width: int, shown: str) -> None:
    assert fit(text, width, "…", ends=True) == shown


@pytest.mark.parametrize(
    ("path", "width", "shown"),
    [
        ("/home/me/caches/develop", 30, "~/caches/develop"),
        ("/home/me", 30, "~"),
        ("/home/mean/develop", 30, "/home/mean/develop"),
        ("/home/me/caches/stacks/develop", 18, "~/…/stacks/develop"),
        ("/home/me/caches/stacks/develop", 17, "~/…/develop"),
        ("/srv/caches/develop", 12, "/…/develop"),
        ("/srv/caches/develop", 7, "develop"),
        ("/srv/caches/develop", 5, "deve…"),
        ("./caches/develop", 11, "./…/develop"),
        ("develop", 4, "dev…"),
    ],
)
def test_a_path_loses_its_middle_and_says_home_in_short(
    monkeypatch: pytest.MonkeyPatch, path: str, width: int, shown: str
) -> None:
    monkeypatch.setenv("HOME", "/home/me")
    assert fit_path(path, width, "…") == shown


@pytest.mark.parametrize(("number", "text"), [(999, "999"), (1417, "1,417"), (13098, "13,098"), (100000, "100000")])
def test_a_figure_has_commas_where_they_fit(number: int, text: str) -> None:
    assert figure(number, 6) == text
