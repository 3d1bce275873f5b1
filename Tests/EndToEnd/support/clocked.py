"""The tests' own executable: the program with a clock that tests set, and saves that fail or die."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from . import programs


def executable() -> Path:
    """The executable beside the program under test."""
    for place in [
        programs.program().parent,
        programs.ROOT / ".build" / "release",
        programs.ROOT / ".build" / "debug",
    ]:
        if (found := place / "clocked-kdbxfs").exists():
            return found
    raise FileNotFoundError("no built clocked-kdbxfs: run swift build")


class Clocked(programs.Mount):
    """A vault mounted in front; its clock stands still but for what `advance` adds to the machine's."""

    def __init__(self, vault, place, folder, *options, password="fixture", env=None):
        self.clock = Path(folder) / f"clock-{os.urandom(4).hex()}"
        os.mkfifo(self.clock)
        process = subprocess.Popen(
            [executable(), "-f", *map(os.fspath, options), os.fspath(vault), os.fspath(place)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=os.environ | programs.PRINTED | {"KDBXFS_TEST_CLOCK": str(self.clock)} | (env or {}),
            start_new_session=True,
        )
        process.stdin.write(password.encode() + b"\n")
        process.stdin.close()
        process.stdin = None
        super().__init__(Path(vault), Path(place), process, [process.pid])
        programs.wait_until(
            lambda: process.poll() is not None or programs.mount_at(place), "the mount appears")
        assert process.poll() is None, process.stderr.read().decode("utf-8", "replace")
        os.listdir(place)

    def advance(self, seconds: int):
        """Puts the clock forward; returns when that is done."""
        done = Path(f"{self.clock}.done")
        before = done.read_text() if done.exists() else ""
        with open(self.clock, "w") as clock:
            clock.write(f"{seconds}\n")
        programs.wait_until(
            lambda: done.exists() and done.read_text() == f"{before}{seconds}\n",
            "the clock is put forward")

    def end(self):
        """Unmounts what is still mounted."""
        if self.process.poll() is None:
            programs.run("umount", self.place)
        self.wait_for_end()
