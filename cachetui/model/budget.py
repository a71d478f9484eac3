"""Limits on the work that one build cache or file can cause."""

MAX_SPECS = 100_000
"""Maximum number of specs of an environment (after expansion), and of roots of a lock file."""

MAX_PAGES = 1_000
"""Maximum number of parts (HTTP pages) in which a server may send one list."""

MAX_BYTES = 500_000_000
"""Maximum number of bytes of memory for one file or request of a user."""


class OverBudgetError(ValueError):
    """The work exceeds its limit. The message gives the limit and the input that cachetui stopped reading."""


class Budget:
    """A counter of steps with a limit. Recursive functions pass one budget down, so that all levels share the limit."""

    def __init__(self, subject: str, unit: str, limit: int) -> None:
        """The error message is `too many UNIT in SUBJECT (limit: LIMIT)`, such as `too many hashes in the log (…)`."""
        self.subject = subject
        self.unit = unit
        self.limit = limit
        self.spent = 0

    def spend(self, steps: int = 1) -> None:
        """Count these steps; raise OverBudgetError if their sum exceeds the limit."""
        self.spent += steps
        if self.spent > self.limit:
            raise OverBudgetError(f"too many {self.unit} in {self.subject} (limit: {self.limit:,})")
