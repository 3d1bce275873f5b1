"""Faults in system calls: one chosen call on the files of a folder fails (`faults.c`)."""

from __future__ import annotations

import mmap
import os
import struct
import subprocess
from pathlib import Path

from support.programs import ROOT

PATH_MAX, MOST, NAME = 4096, 512, 16
SOURCE = Path(__file__).with_name("faults.c")


def library() -> Path:
    """The shared library, built when its source is newer."""
    built = ROOT / ".build" / "faults" / "faults.so"
    if not built.exists() or built.stat().st_mtime < SOURCE.stat().st_mtime:
        built.parent.mkdir(parents=True, exist_ok=True)
        new = built.with_suffix(f".{os.getpid()}")
        subprocess.run(
            ["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", new, SOURCE, "-ldl"],
            check=True)
        new.rename(built)
    return built


class Faults:
    """The calls of one program on the files of a folder, and which of them is to fail."""

    def __init__(self, folder: Path, control: Path):
        control.write_bytes(bytes(16 + PATH_MAX + MOST * NAME))
        with open(control, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)
        self.map[16 : 16 + PATH_MAX] = os.fsencode(folder).ljust(PATH_MAX, b"\0")
        self.env = {"LD_PRELOAD": os.fspath(library()), "KDBXFS_FAULTS": os.fspath(control)}

    def arm(self, target: int, error: int):
        """From now on calls count, and that of number `target` fails; 0: it does only half."""
        self.map[0:16] = struct.pack("<iiii", 1, 0, target, error)

    def disarm(self) -> list[str]:
        """The calls since it was armed."""
        _, count, _, _ = struct.unpack("<iiii", self.map[0:16])
        self.map[0:4] = struct.pack("<i", 0)
        start = 16 + PATH_MAX
        names = [self.map[start + i * NAME : start + (i + 1) * NAME] for i in range(min(count, MOST))]
        return [name.split(b"\0")[0].decode() for name in names]
