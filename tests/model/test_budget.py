"""Budgets count steps and stop before the first step beyond the limit."""

import pytest

from cachetui.model.budget import Budget, OverBudgetError


def test_work_stops_at_first_step_over_the_limit() -> None:
    budget = Budget("the roots of spack.lock", "roots", 10)
    budget.spend(9)
    budget.spend()
    with pytest.raises(OverBudgetError, match=r"^too many roots in the roots of spack\.lock \(limit: 10\)"):
        budget.spend()
