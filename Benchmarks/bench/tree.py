"""The mounted tree: single calls under load, whole commands, and what the server itself spends."""

import os
import subprocess

from .bench import NEEDLE, Bench
from .measuring import Command, cpu_seconds, in_turn, median, once, ratio_of_pairs
from .rows import Figure, of_pairs, row

ENTRIES = 10_000
ROUNDS = 5


def in_rounds(bench: Bench, operation: str, clients: int, places, rounds: int = ROUNDS):
    """Calls a second on each place, in turn, and the CPU seconds of its server a call: two lists a place.

    A place goes with the process that serves it; without one no CPU time is told.
    """
    rates, shares = [[] for _ in places], [[] for _ in places]
    for _ in range(rounds):
        for number, (place, pid) in enumerate(places):
            before = sum(cpu_seconds(pid)) if pid else 0
            said = bench.load(place, operation, clients)
            rates[number].append(said["rate"])
            if pid:
                shares[number].append((sum(cpu_seconds(pid)) - before) / said["calls"])
    return rates, shares


def loads(bench: Bench, operations, clients: int, places, peer: str):
    for operation, goal in operations:
        (ours, theirs), shares = in_rounds(bench, operation, clients, places)
        plural = "client" if clients == 1 else "clients"
        yield Figure(f"{operation}, {clients} {plural}, {peer}", f"{median(ours):,.0f}/s",
                     f"{median(theirs):,.0f}/s", ratio_of_pairs(ours, theirs), goal, at_least=True,
                     cpu=ratio_of_pairs(*shares) if all(min(of, default=0) for of in shares)
                     else None)


@row("P11", "one secret read from a mounted vault, whole process")
def one_secret(bench):
    vault = bench.vault(1000, "default")
    with bench.mounted(vault) as (place, _):
        ours, theirs = in_turn(Command(["cat", place / NEEDLE / "password"]),
                               bench.keepassxc_show(vault), runs=15)
    yield of_pairs("keepassxc-cli show, wall", ours, theirs, 0.02)


@row("P12", "open, read, close")
def open_read_close(bench):
    with bench.mounted(bench.vault(ENTRIES, "flat")) as ours, bench.c_server() as limit:
        yield from loads(bench, [("orc", 0.90)], 4, (ours, limit), "C server")


@row("P13", "stat, readdir, ls -l, missing names")
def lookups(bench):
    wanted = [("stat", 0.85), ("readdir", 0.85), ("lsl", 0.85), ("miss", 0.75)]
    with bench.mounted(bench.vault(ENTRIES, "flat")) as ours, bench.c_server() as limit:
        yield from loads(bench, wanted, 4, (ours, limit), "C server")


@row("P14", "beside gocryptfs on tmpfs: calls")
def beside_gocryptfs(bench):
    wanted = [("orc", 2.0), ("readdir", 2.0), ("lsl", 2.0)]
    with bench.mounted(bench.vault(ENTRIES)) as (ours, _), bench.gocryptfs(ours) as theirs:
        for clients in 1, 4:
            yield from loads(bench, wanted, clients, ((ours, None), (theirs, None)), "gocryptfs")


def walk(place) -> dict[str, list]:
    return {
        "find": ["find", place],
        "ls -lR": ["ls", "-lR", place],
        "grep -r": ["sh", "-c", 'grep -r no-such-word "$1"; [ $? -eq 1 ]', "sh", place],
        "tar": ["sh", "-c", 'tar c -C "$1" . | cat >/dev/null', "sh", place],
    }


@row("P15", "whole commands over 10,000 entries, beside gocryptfs")
def whole_commands(bench):
    with bench.mounted(bench.vault(ENTRIES)) as (ours, _), bench.gocryptfs(ours) as theirs:
        mine, peers = walk(ours), walk(theirs)
        for name in mine:
            yield whole_command(f"{name}, gocryptfs, wall", mine[name], peers[name], 0.8)
        # What the round trips alone take: grep makes four for each file that it reads.
        with bench.c_server(f"dirs={directories_for(count_files(ours))}") as (limit, _):
            yield whole_command("grep -r, the C server with as many files in our place",
                                walk(limit)["grep -r"], peers["grep -r"], None)


def whole_command(what: str, mine: list, peers: list, goal: float | None) -> Figure:
    ours, theirs = in_turn(Command(mine), Command(peers), runs=5)
    return of_pairs(what, ours, theirs, goal, tells_cpu=False)


def count_files(place) -> int:
    return sum(len(files) for _, _, files in os.walk(place))


def directories_for(files: int) -> int:
    """How many directories of six files the C server needs, in whole hundreds."""
    return round(files / 600) * 100


@row("P16", "find, twice")
def find_twice(bench):
    vault = bench.vault(ENTRIES)
    # The C server tells what is the kernel's: a second find asks for attributes after the first's reading.
    for side, mounted, goal in (("the first find, wall", lambda: bench.mounted(vault), 0.5),
                                ("the C server's second find, its first", bench.c_server, None)):
        finds = []
        for _ in range(5):
            with mounted() as (place, _):
                finds.append([once(Command(["find", place])) for _ in range(2)])
        firsts, laters = zip(*finds, strict=True)
        yield of_pairs(side, laters, firsts, goal, tells_cpu=False)


def read_all(paths: list) -> None:
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            file.read(65536)


@row("P23", "10,000 protected values read: user CPU of the server")
def protected_values(bench, rounds: int = 12):
    with bench.mounted(bench.vault(ENTRIES, "flat")) as (ours, our_pid), \
            bench.c_server() as (limit, limit_pid):
        sides = [
            (our_pid, sorted(ours.rglob("password"))), (limit_pid, sorted(limit.rglob("Password")))]
        # In turn, because the machine's pace changes, and so often that a tick of 10 ms is little.
        spent = [0.0, 0.0]
        for _ in range(rounds):
            for side, (pid, paths) in enumerate(sides):
                start = cpu_seconds(pid)[0]
                read_all(paths)
                spent[side] += (cpu_seconds(pid)[0] - start) / len(paths)
    mine, theirs = (seconds / rounds * 1e6 for seconds in spent)
    yield Figure("C server, user CPU a value", f"{mine:.2f} µs", f"{theirs:.2f} µs",
                 mine / theirs, 2.5)


@row("sshfs", "beside sshfs on a local sftp-server: calls")
def beside_sshfs(bench):
    wanted = [("orc", 1.0), ("readdir", 1.0), ("lsl", 1.0), ("miss", 1.0)]
    with bench.mounted(bench.vault(ENTRIES)) as (ours, _), bench.tmpfs("plain") as plain:
        subprocess.run(["cp", "-r", f"{ours}/.", plain], check=True)
        with bench.sshfs(plain) as theirs:
            yield from loads(bench, wanted, 4, ((ours, None), (theirs, None)), "sshfs")
