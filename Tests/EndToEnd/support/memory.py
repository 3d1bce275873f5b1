"""Searches a process' memory."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

# Pages that hold no data of the process' own: the kernel's time-keeping and its calls.
KERNEL = {"[vvar]", "[vsyscall]", "[vvar_vclock]"}
PIECE = 1 << 24


def spellings(texts: list[str]) -> list[bytes]:
    """Each text as UTF-8 and as UTF-16."""
    return [text.encode() for text in texts] + [text.encode("utf-16-le") for text in texts]


@dataclass
class Mapping:
    start: int
    end: int
    access: str
    name: str


class Memory:
    """All mappings of a process, read through /proc/PID/mem; what can't be read is told."""

    def __init__(self, pid: int):
        self.pid = pid
        self.unread: list[str] = []
        self.found: dict[bytes, list[str]] = {}

    def mappings(self) -> list[Mapping]:
        mappings = []
        for line in Path(f"/proc/{self.pid}/maps").read_text().splitlines():
            fields = line.split(None, 5)
            start, end = (int(part, 16) for part in fields[0].split("-"))
            mappings.append(Mapping(start, end, fields[1], fields[5] if len(fields) > 5 else ""))
        return mappings

    def pieces(self):
        with open(f"/proc/{self.pid}/mem", "rb", buffering=0) as memory:
            for mapping in self.mappings():
                # What can't be read by the process itself holds nothing of it.
                if mapping.name in KERNEL or not mapping.access.startswith("r"):
                    continue
                if mapping.name.startswith("/secretmem"):
                    # No process can read it but its own, root included.
                    continue
                try:
                    memory.seek(mapping.start)
                    data = b""
                    while len(data) < mapping.end - mapping.start:
                        piece = memory.read(min(PIECE, mapping.end - mapping.start - len(data)))
                        if not piece:
                            break
                        data += piece
                    yield mapping, data
                except OSError as error:
                    self.unread.append(f"{mapping.name or hex(mapping.start)}: {error.strerror}")

    def count(self, marks: list[bytes]) -> dict[bytes, int]:
        """How often each mark is there."""
        counts = dict.fromkeys(marks, 0)
        # By their first bytes, which many share: each of these is looked for once.
        groups: dict[bytes, list[bytes]] = {}
        for mark in counts:
            groups.setdefault(mark[:8], []).append(mark)
        for mapping, data in self.pieces():
            for start, group in groups.items():
                place = data.find(start)
                while place >= 0:
                    for mark in group:
                        if data.startswith(mark, place):
                            counts[mark] += 1
                            self.note(mark, mapping, data, place)
                    place = data.find(start, place + 1)
        return counts

    def note(self, mark, mapping, data, place):
        around = data[max(0, place - 48):place + len(mark) + 16]
        self.found.setdefault(mark, []).append(
            f"{mapping.name or 'anonymous'} at {mapping.start + place:#x} (+{place:#x}): {around!r}")

    def where(self, marks) -> str:
        return "\n".join(f"{mark!r}: {place}" for mark in marks for place in self.found[mark][:4])


