"""At rest: memory and CPU of a mount nobody uses, start-up, and the size of the program."""

import subprocess
import time

from .measuring import Command, in_turn, median, resident_megabytes, scheduled_seconds
from .rows import Figure, of_pairs, row


@row("P21", "resident memory, mounted and idle: 1,000 entries")
def resident(bench):
    peak = median(run.peak for run in in_turn(bench.keepassxc_show(bench.vault(1000)), runs=3)[0])
    for kdf in "cheap", "default":
        with bench.mounted(bench.vault(1000, kdf)) as (_, pid):
            time.sleep(2)
            ours = resident_megabytes(pid)
        yield Figure(f"{kdf} KDF, keepassxc-cli show's peak", f"{ours:.1f} MB", f"{peak:.1f} MB",
                     ours / peak, 0.9)


@row("P22", "CPU used in an idle minute")
def idle_minute(bench):
    with bench.mounted(bench.vault(1000)) as (_, pid):
        time.sleep(5)
        start = scheduled_seconds(pid)
        time.sleep(60)
        used = scheduled_seconds(pid) - start
    yield Figure("10 ms", f"{used * 1e3:.3f} ms", "10 ms", used / 0.010, 1)


@row("start", "start-up of what needs no vault")
def start(bench):
    empty = bench.limit("empty")
    for arguments in (["--version"], ["--help"], ["umount", "--help"], ["generate"],
                      ["generate", "words"]):
        ours, theirs = in_turn(Command([bench.program, *arguments]), Command([empty]), runs=20)
        yield of_pairs(f"{' '.join(arguments)}, an empty C program, wall", ours, theirs, 2)


@row("size", "the stripped program")
def size(bench):
    stripped = bench.folder / "stripped"
    subprocess.run(["strip", "-o", stripped, bench.program], check=True)
    megabytes = stripped.stat().st_size / 1e6
    yield Figure("8 MB", f"{megabytes:.2f} MB", "8 MB", megabytes / 8, 1)
