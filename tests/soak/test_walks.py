"""A thousand random sessions have the same screens with full and partial repaint."""

import pytest
from rich.color import ColorSystem

from tests.support.places import SAMPLE
from tests.support.twin import COLORS, SIZES, walk

pytestmark = pytest.mark.soak


WALKS = 112
"""For each size and number of colours; there are nine pairs."""


@pytest.mark.parametrize("colors", COLORS, ids=lambda colors: colors.name.lower())
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("seed", range(WALKS))
def test_full_and_partial_repaint_look_same_in_random_sessions(
    seed: int, size: tuple[int, int], colors: ColorSystem
) -> None:
    walk(SAMPLE, seed, size, colors, steps=30)
