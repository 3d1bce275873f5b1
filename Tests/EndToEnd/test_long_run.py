"""Eight hours of use, by a clock that the test sets: neither memory nor descriptors grow."""

import os
import re
from pathlib import Path

from support import programs
from support.clocked import Clocked

ENTRY = "Internet/GitHub"
ROUND = 5 * 60  # seconds
ROUNDS = 96


def resident(pid: int) -> int:
    """KiB of memory that the process has in use."""
    return int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1])


def descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def test_eight_hours(vault, place, folder):
    mount = Clocked(vault, place, folder, "--idle", "15m")
    entry = mount / ENTRY
    pid = mount.pids[0]

    def use(number):
        (entry / "url").write_text(f"https://round-{number % 7}.example\n")
        (entry / "attachments" / "key").write_bytes(bytes([number % 5]) * 20_000)
        (entry / "url~").write_text("backup")
        os.rename(entry / "url~", entry / "url")
        for name in os.listdir(entry):
            if (entry / name).is_file():
                (entry / name).read_bytes()
        mount.advance(ROUND)
        if number % 4 == 0:
            assert programs.run("lock", place).code == 0
            assert programs.run("unlock", place, password="fixture").code == 0
        elif number % 4 == 2:
            assert programs.run("save", place).code == 0

    for number in range(ROUNDS // 4):
        use(number)
    early = resident(pid), descriptors(pid)
    for number in range(ROUNDS // 4, ROUNDS):
        use(number)
    # Who asked last may not be gone yet.
    programs.wait_until(lambda: descriptors(pid) <= early[1], "no more descriptors than before", 60)
    late = resident(pid), descriptors(pid)
    # The history of the entry is full by then; what is left is the allocator's breathing.
    assert late[0] <= early[0] + 1024, f"memory grew from {early[0]} to {late[0]} KiB"
    mount.end()
