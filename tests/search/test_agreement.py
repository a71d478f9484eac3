"""Builds of several roots with the same build of each shared dependency, compared with a naive search."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cachetui.model.budget import OverBudgetError
from cachetui.search import agreement
from cachetui.search.agreement import agreeing, contested

BUILDS = st.lists(st.dictionaries(st.sampled_from("abcd"), st.sampled_from("123"), max_size=4), min_size=1, max_size=4)


@given(st.lists(BUILDS, max_size=5))
def test_search_for_builds_that_share_dependencies_agrees_with_naive_search(roots: list[list[dict[str, str]]]) -> None:
    found = agreeing(roots)
    choices = product(*(range(len(builds)) for builds in roots))
    agree = [c for c in choices if not contested([builds[k] for builds, k in zip(roots, c, strict=True)])]
    assert (found is None) is (not agree)
    assert found is None or tuple(found) in agree


def test_search_for_builds_that_share_dependencies_stops_at_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "MAX_COMPARISONS", 10)
    with pytest.raises(OverBudgetError, match="too many comparisons of builds in the check of unify"):
        agreeing([[{"a": "1"}, {"a": "2"}]] * 6)
