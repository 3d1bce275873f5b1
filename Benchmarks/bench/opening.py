"""Opening a vault: to the first answer, its stages alone, and the memory it takes."""

import re

from .bench import PASSWORD, Bench
from .measuring import Command, in_turn, median, ratio_of_pairs
from .rows import Figure, of_pairs, row, seconds


# KeePass's own default, as `kdf_limit` and `stage-timer` take it: 15 runs.
ARGON2 = 65536, 2, 2, 15


def argon2_line(kind: str, pages: str = "") -> str:
    """What `kdf_limit` begins the line of those runs with."""
    return rf"argon2{kind} m=65536 KiB t=2 p=2, 2 threads{pages}"


def shown(bench: Bench, entries: int, kdf: str, goal: float, runs: int = 9, by: str = "wall",
          names_limit: bool = False):
    """`kdbxfs cat` of one password beside `keepassxc-cli show` of it.

    With `names_limit` also what is left to reach: the key derivation alone, as `libargon2` does it from
    C in huge pages.
    """
    vault = bench.vault(entries, kdf)
    ours, xc, py = in_turn(
        bench.cat(vault), bench.keepassxc_show(vault), bench.pykeepass_show(vault), runs=runs)
    # No goal was set beside pykeepass; to be slower than it would be a fault.
    for peer, theirs, wanted in ("keepassxc-cli show", xc, goal), ("pykeepass", py, 1):
        yield of_pairs(f"{peer}, {by}", ours, theirs, wanted, by)
    if names_limit:
        said = bench.limit_says("kdf_limit", "argon2", "d", *ARGON2)
        alone = milliseconds_of(said, argon2_line("d", ", huge")) / 1e3
        whole = median(run.wall for run in xc)
        yield Figure("the same, of libargon2 in C alone", seconds(alone), seconds(whole), alone / whole)


@row("P1", "open 10 entries, default KDF, to the first answer")
def ten(bench):
    yield from shown(bench, 10, "default", 0.55, runs=15, names_limit=True)


@row("P2", "open 1,000 entries, default KDF")
def thousand(bench):
    yield from shown(bench, 1000, "default", 0.40, runs=15)


@row("P3", "open 1,000 entries, cheap KDF")
def thousand_cheap(bench):
    yield from shown(bench, 1000, "cheap", 0.16, runs=15)


@row("P4", "open 10,000 entries, cheap KDF")
def ten_thousand(bench):
    yield from shown(bench, 10_000, "cheap", 0.09)


@row("P5", "open 100,000 entries, cheap KDF")
def hundred_thousand(bench):
    yield from shown(bench, 100_000, "cheap", 0.08, runs=3, by="cpu")


@row("P6", "peak memory, cheap KDF")
def peak(bench):
    for entries, runs in (10_000, 3), (100_000, 1):
        vault = bench.vault(entries)
        ours, theirs = in_turn(bench.cat(vault), bench.keepassxc_show(vault), runs=runs)
        mine, peers = ([run.peak for run in side] for side in (ours, theirs))
        yield Figure(f"{entries:,} entries, keepassxc-cli show", f"{median(mine):.0f} MB",
                     f"{median(peers):.0f} MB", ratio_of_pairs(mine, peers), 0.45)


def milliseconds_of(said: str, line: str) -> float:
    found = re.search(rf"^{line} +([0-9.]+) ms wall", said, re.MULTILINE)
    if not found:
        raise RuntimeError(f"no line '{line}' in: {said}")
    return float(found[1])


@row("P7", "Argon2, 64 MiB, 2 passes, 2 lanes")
def argon2(bench):
    for kind in "d", "id":
        said = bench.limit_says("kdf_limit", "argon2", kind, *ARGON2)
        ours = bench.stage("argon2", kind, *ARGON2)
        for what, pages, goal in ("plain pages", "", 0.85), ("huge pages", ", huge", 1.15):
            theirs = milliseconds_of(said, argon2_line(kind, pages))
            yield Figure(f"Argon2{kind}, libargon2 from C, {what}, wall", f"{ours['wall_ms']:.1f} ms",
                         f"{theirs:.1f} ms", ours["wall_ms"] / theirs, goal)


@row("P8", "AES-KDF")
def aes(bench):
    theirs = min(
        float(found) for found in re.findall(
            r"NI.* ([0-9.]+) ms CPU", bench.limit_says("kdf_limit", "aes", 600_000, 15)))
    ours = bench.stage("aes", 600_000, 15)["cpu_ms"]
    yield Figure("600,000 rounds, AES-NI from C, CPU", f"{ours:.2f} ms", f"{theirs:.2f} ms",
                 ours / theirs, 1.3)
    vault = bench.vault(10, "aes60M")
    mine, peers = in_turn(Command([bench.program, "ls", vault], PASSWORD),
                          bench.keepassxc("ls", vault), runs=5)
    yield of_pairs("60,000,000 rounds, keepassxc-cli ls, wall", mine, peers, 1.05)


@row("P9", "XML scan of 100,000 entries")
def scan(bench):
    xml = bench.vault(100_000, xml=True).with_suffix(".xml")
    ours = bench.stage("scan", xml, 5)["cpu_ms"]
    said = bench.limit_says("parse_limit", xml, 3)
    theirs = float(re.search(r"^XML libxml2 SAX2 whole +([0-9.]+) ms", said, re.MULTILINE)[1])
    yield Figure("libxml2 SAX2 from C, CPU", f"{ours:.0f} ms", f"{theirs:.0f} ms", ours / theirs, 0.60)


@row("P10", "mount, ls of the top, unmount: 1,000 entries, default KDF")
def mount_and_leave(bench):
    vault, place = bench.vault(1000, "default"), bench.place("ours")
    script = '"$1" "$2" "$3" && ls "$3" && "$1" umount "$3"'
    ours, theirs = in_turn(
        Command(["sh", "-ec", script, "sh", bench.program, vault, place], PASSWORD),
        bench.keepassxc("ls", vault), runs=9)
    yield of_pairs("keepassxc-cli ls, wall", ours, theirs, 0.60, tells_cpu=False)


@row("P24", "search a word in 10,000 entries, cheap KDF")
def search(bench):
    if not bench.has_find:
        return
    vault = bench.vault(10_000)
    ours, theirs = in_turn(
        Command([bench.program, "find", "-v", vault, "haystackneedle"], PASSWORD),
        bench.keepassxc("search", vault, "haystackneedle"), runs=7)
    yield of_pairs("keepassxc-cli search, wall", ours, theirs, 0.15)
