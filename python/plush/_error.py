"""The error of Plush."""

from __future__ import annotations


class Error(Exception):
    """What went wrong, where, and how to fix it.

    `str(error)` is "FILE: PLACE: PROBLEM (FIX)"; parts that are empty are left out.
    """

    def __init__(self, problem: str, fix: str = "", place: str = "", file: str = "") -> None:
        super().__init__(problem, fix, place, file)
        self.problem = problem
        self.fix = fix
        self.place = place
        self.file = file

    def __str__(self) -> str:
        head = "".join(part + ": " for part in (self.file, self.place) if part)
        return head + self.problem + (f" ({self.fix})" if self.fix else "")
