"""Saving: one field to the disk, many fields, and reading meanwhile."""

import os
import subprocess
import threading
import time
from dataclasses import replace

from .bench import NEEDLE
from .measuring import Command, Run, cpu_seconds, median, once, ratio_of_pairs
from .rows import Figure, of_pairs, row


def durable_write(field, number: int) -> Command:
    """Returns when the value is on the disk: fsync saves the vault."""
    return Command(["dd", f"of={field}", "conv=fsync", "status=none"], b"changed-%d" % number)


@row("P17", "one field changed, durable on the disk: 1,000 entries")
def one_field(bench):
    for kdf, goal, runs in ("default", 0.12, 9), ("second", 0.03, 5):
        vault = bench.vault(1000, kdf)
        adding = bench.keepassxc_add(vault)
        mine, peers = [], []
        with bench.mounted(bench.copy(vault, "ours-")) as (place, pid):
            for number in range(runs):
                mine.append(saved(place, pid, number))
                peers.append(once(adding))
        yield of_pairs(f"{kdf} KDF, keepassxc-cli add, wall", mine, peers, goal)


def saved(place, pid: int, number: int) -> Run:
    """A field changed until it is durable; the CPU time is the client's and the server's."""
    before = sum(cpu_seconds(pid))
    client = once(durable_write(place / NEEDLE / "username", number))
    return replace(client, cpu=client.cpu + sum(cpu_seconds(pid)) - before)


@row("P18", "the same, large vaults, CPU")
def large(bench):
    for entries, runs in (10_000, 5), (100_000, 3):
        vault = bench.vault(entries)
        adding = bench.keepassxc_add(vault)
        mine, peers = [], []
        with bench.mounted(bench.copy(vault, "ours-")) as (place, pid):
            for number in range(runs):
                mine.append(saved(place, pid, number))
                peers.append(once(adding))
        yield of_pairs(f"{entries:,} entries, keepassxc-cli add, CPU", mine, peers, 0.20, by="cpu")


@row("P19", "p99 of open, read, close while saves run back to back")
def reading_meanwhile(bench):
    vault = bench.copy(bench.vault(1000))
    calm, busy, saves = [], [], 0
    with bench.mounted(vault) as (place, _):
        for _ in range(3):
            calm.append(bench.load(place, "orc", 4, seconds=4)["p99"])
            done = threading.Event()

            def keep_saving():
                nonlocal saves
                # By this process: a new one for each save would be a load of its own.
                while not done.is_set():
                    with open(place / NEEDLE / "username", "wb", buffering=0) as field:
                        field.write(b"changed-%d" % saves)
                        os.fsync(field.fileno())
                    saves += 1

            saver = threading.Thread(target=keep_saving)
            saver.start()
            busy.append(bench.load(place, "orc", 4, seconds=4)["p99"])
            done.set()
            saver.join()
    yield Figure(f"p99 without saves ({saves} saves)", f"{median(busy):.0f} µs",
                 f"{median(calm):.0f} µs", ratio_of_pairs(busy, calm), 3)


@row("P20", "1,000 fields written one after another, until durable")
def many_fields(bench):
    vault = bench.copy(bench.vault(1000))
    with bench.mounted(vault) as (place, _):
        entries = sorted(path.parent for path in place.rglob("username"))[:1000]
        numbers, done = {vault.stat().st_ino}, threading.Event()

        def watch():
            # Each save puts a new file in the vault's place.
            while not done.wait(0.005):
                numbers.add(vault.stat().st_ino)

        watcher = threading.Thread(target=watch)
        watcher.start()
        start = time.monotonic()
        for number, entry in enumerate(entries):
            (entry / "username").write_text(f"user-{number}\n")
        subprocess.run([bench.program, "save", place], check=True)
        wall = time.monotonic() - start
        done.set()
        watcher.join()
    saves = len(numbers) - 1
    yield Figure("saves, beside one a second of wall", f"{saves} in {wall:.2f} s",
                 "1/s", saves / max(wall, 1), 1)
    yield Figure("saves in all", f"{saves}", "20", saves / 20, 1)
