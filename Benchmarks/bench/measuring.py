"""Times commands as whole processes, in turn, so that a drift of the machine falls on all."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 900  # seconds after which a command is taken to hang


@dataclass(frozen=True)
class Command:
    """What is timed; `before` runs ahead of each run, untimed."""

    argv: list
    stdin: bytes = b""
    before: object = None


@dataclass(frozen=True)
class Run:
    wall: float  # seconds
    cpu: float  # seconds, user and system
    peak: float  # MB of the largest process; below some 12 it can't be seen


def once(command: Command) -> Run:
    """Runs a command to its end; it must succeed."""
    if command.before:
        command.before()
    start = time.monotonic()
    process = subprocess.Popen(
        [os.fspath(part) for part in command.argv],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with process.stdin as stdin:
        stdin.write(command.stdin)
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{command.argv} ended with {process.returncode}: {said.decode()}")
    return Run(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def in_turn(*commands: Command, runs: int = 7) -> list[list[Run]]:
    """Each command's runs: all once uncounted, then A B A B …"""
    results: list[list[Run]] = [[] for _ in commands]
    for number in range(-1, runs):
        for command, result in zip(commands, results, strict=True):
            run = once(command)
            if number >= 0:
                result.append(run)
    return results


def median(values) -> float:
    return statistics.median(values)


def ratio_of_pairs(ours: list[float], theirs: list[float]) -> float:
    """The median of what each pair says, which a drifting machine moves less than either side."""
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def cpu_seconds(pid: int) -> tuple[float, float]:
    """User and system CPU seconds of a process so far, in ticks of 10 ms."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    tick = os.sysconf("SC_CLK_TCK")
    return int(fields[11]) / tick, int(fields[12]) / tick


def scheduled_seconds(pid: int) -> float:
    """CPU seconds of all threads of a process, as the scheduler counts them (nanoseconds)."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def resident_megabytes(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"process {pid} tells no resident size")
