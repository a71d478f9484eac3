"""A limit on the work that one content or file can cause, counted at each step."""

MAX_SPECS = 100_000
"""Maximum number of specs of an environment or roots of a lock file, after expansion."""

MAX_PAGES = 1_000
"""Maximum number of pages of one list that a server sends."""

MAX_BYTES = 500_000_000
"""Maximum memory for one file or request of a user, in bytes."""


class OverBudgetError(ValueError):
    """A budget is exceeded. The message names the part that cachetui stopped reading, and the limit."""


class Budget:
    """The number of steps that one part of the work may take.

    One budget goes through all levels of a recursive or nested part, so that the levels share the limit.
    """

    def __init__(self, part: str, unit: str, limit: int) -> None:
        """`part` and `unit` are words of the message: `the matrix of line 4: more than 100,000 specs`."""
        self.part = part
        self.unit = unit
        self.limit = limit
        self.spent = 0

    def spend(self, steps: int = 1) -> None:
        """A counter of steps, which raises OverBudgetError before the first step beyond its limit."""
        self.spent += steps
        if self.spent > self.limit:
            raise OverBudgetError(f"{self.part}: cachetui stopped after {self.limit:,} {self.unit}")
