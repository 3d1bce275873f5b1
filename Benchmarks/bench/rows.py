"""What a row is, and the list of all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .measuring import median, ratio_of_pairs


@dataclass(frozen=True)
class Figure:
    """One line of the table: ours beside the peer's or the limit's."""

    what: str
    ours: str
    peer: str
    ratio: float
    goal: float | None = None  # None for a figure that only explains another
    at_least: bool = False  # the ratio is to be at least the goal, not at most
    cpu: float | None = None  # the ratio of CPU times where `ratio` is of something else

    @property
    def cpu_text(self) -> str:
        return "" if self.cpu is None else f"{self.cpu:.2f}"

    @property
    def reached(self) -> str:
        if self.goal is None:
            return ""
        reached = self.ratio >= self.goal if self.at_least else self.ratio <= self.goal
        return "yes" if reached else "NO"

    @property
    def wanted(self) -> str:
        if self.goal is None:
            return ""
        return f"{'≥' if self.at_least else '≤'} {self.goal:g}"


Measure = Callable[["Bench"], Iterator[Figure]]  # noqa: F821
ROWS: dict[str, tuple[str, Measure]] = {}


def row(name: str, what: str):
    """Declares a row: a function that takes the bench and yields figures."""

    def declare(measure: Measure) -> Measure:
        ROWS[name] = what, measure
        return measure

    return declare


def of_pairs(what: str, ours: list, theirs: list, goal: float | None, by: str = "wall",
             tells_cpu: bool = True) -> Figure:
    """The time of runs of commands in turn, by "wall" or "cpu".

    With the first goes the ratio of CPU time, unless a server has a part in it that isn't in the runs.
    """
    mine, peers = ([getattr(run, by) for run in side] for side in (ours, theirs))
    cpu = of_pairs(what, ours, theirs, None, by="cpu").ratio if by == "wall" and tells_cpu else None
    return Figure(what, seconds(median(mine)), seconds(median(peers)), ratio_of_pairs(mine, peers),
                  goal, cpu=cpu)


def seconds(value: float) -> str:
    return f"{value:.3f} s" if value >= 0.1 else f"{value * 1e3:.2f} ms"
