"""Random operations on a mount, beside a small model of the rules in docs/editing.md.

After each save pykeepass reads the vault, and must find what the model says. A run is its seed:
KDBXFS_MOUNT_SEEDS=FIRST:COUNT runs others than the usual ones.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from conftest import FIXTURES, USUAL
from pykeepass import PyKeePass
from support import programs

OPERATIONS = 30
LOT = 15  # seeds in one mount

STANDARD = {"username": "UserName", "password": "Password", "url": "URL", "notes": "Notes"}
FIELDS = [*STANDARD, "pin", "x y", ".rc", "ünï"]
FILES = ["key", "ö.bin"]
DIRECTORIES = ["a", "b", "c d"]
VALUES = [b"", b"one", b"one\n", b"two\nlines\n", "ß\n".encode(), b"\n", b"&<>]]>\r"]


@dataclass
class Entry:
    """The files of an entry's directory, and what the vault holds beside them."""

    fields: dict[str, bytes] = field(default_factory=dict)
    kept: dict[str, bytes] = field(default_factory=dict)  # moved aside, nothing in their place
    scratch: dict[str, tuple[bytes, str | None]] = field(default_factory=dict)
    files: dict[str, bytes] = field(default_factory=dict)
    stored: set[str] = field(default_factory=set)
    before: Entry | None = None  # what it was before the removals that were all since

    def content(self) -> dict[str, bytes]:
        return {name: b"" for name in STANDARD} | self.kept | self.fields

    def changed(self):
        self.before = None

    def removing(self):
        if self.before is None:
            self.before = Entry(self.content(), files=dict(self.files))

    def put(self, name: str, value: bytes):
        self.changed()
        self.fields[name] = value
        self.kept.pop(name, None)
        for temporary, (content, holds) in self.scratch.items():
            if holds == name:
                self.scratch[temporary] = (content, None)

    def drop(self, temporary: str):
        _, holds = self.scratch.pop(temporary, (b"", None))
        if holds:
            self.removing()
            self.kept.pop(holds, None)


@dataclass
class Directory:
    """A group, or, undecided, what may still become an entry."""

    children: dict[str, Directory | Entry] = field(default_factory=dict)
    undecided: bool = False
    stored: bool = False  # as a group, also while it is undecided

    @property
    def lasts(self) -> bool:
        return self.stored or not self.undecided


def judged(raw: bytes, current: bytes) -> bytes:
    if raw == current + b"\n":
        return current
    return raw[:-1] if raw.endswith(b"\n") and raw.count(b"\n") == 1 else raw


class Run:
    """One seed: a directory of its own at the top of a mount."""

    def __init__(self, seed: int, mount: programs.Mount):
        self.random = random.Random(seed)
        self.mount = mount
        self.top = mount / f"seed {seed}"
        self.root = Directory(undecided=True)
        self.removed: list[tuple[str, Directory | Entry]] = []
        self.log: list[str] = []
        self.top.mkdir()

    # Looking

    def nodes(self, wanted) -> list[tuple[Path, Directory | Entry, Directory | None]]:
        found = []

        def walk(path, node, parent):
            if wanted(node):
                found.append((path, node, parent))
            if isinstance(node, Directory):
                for name, child in sorted(node.children.items()):
                    walk(path / name, child, node)

        walk(self.top, self.root, None)
        return found

    def entry(self):
        found = self.nodes(lambda node: isinstance(node, Entry))
        return self.random.choice(found) if found else None

    def parent_chain(self, path: Path):
        """Makes all directories above a path groups."""
        node = self.root
        node.undecided = False
        for name in path.relative_to(self.top).parts[:-1]:
            node = node.children[name]
            node.undecided = False

    def note(self, what: str):
        self.log.append(what)

    # Steps

    def step(self):
        steps = {
            self.write: 30, self.append: 6, self.unlink: 9, self.rename: 12, self.edit: 12,
            self.attach: 8, self.mkdir: 10, self.move: 5, self.remove: 4, self.refused: 5,
        }
        self.random.choices(list(steps), list(steps.values()))[0]()

    def write(self):
        name, value = self.random.choice(FIELDS), self.random.choice(VALUES)
        if not (nodes := self.nodes(lambda _: True)[1:]):
            return
        path, node, parent = self.random.choice(nodes)
        self.note(f"write {value!r} > {path.name}/{name}")
        if isinstance(node, Directory):
            if not node.undecided:
                with pytest.raises(PermissionError):
                    (path / name).write_bytes(value)
                return
            (path / name).write_bytes(value)
            self.parent_chain(path)
            node = parent.children[path.name] = Entry()
            node.put(name, judged(value, b""))
            return
        (path / name).write_bytes(value)
        current = node.fields.get(name, node.kept.get(name, b""))
        node.put(name, judged(value, current))

    def append(self):
        if not (found := self.entry()) or not found[1].fields:
            return
        path, entry, _ = found
        name, value = self.random.choice(sorted(entry.fields)), self.random.choice(VALUES)
        self.note(f"append {value!r} >> {path.name}/{name}")
        with open(path / name, "ab", buffering=0) as file:
            file.write(value)
        old = entry.fields[name]
        line = b"\n" if value.endswith(b"\n") and old and not old.endswith(b"\n") else b""
        if value:
            entry.put(name, judged(old + line + value, old))

    def unlink(self):
        if not (found := self.entry()):
            return
        path, entry, _ = found
        names = sorted(entry.fields) + sorted(entry.scratch)
        if not names:
            return
        name = self.random.choice(names)
        self.note(f"rm {path.name}/{name}")
        os.unlink(path / name)
        if name in entry.scratch:
            entry.drop(name)
        else:
            entry.removing()
            del entry.fields[name]

    def rename(self):
        if not (found := self.entry()) or not found[1].fields:
            return
        path, entry, _ = found
        old, new = self.random.choice(sorted(entry.fields)), self.random.choice(FIELDS)
        if old == new:
            return
        self.note(f"mv {path.name}/{old} {new}")
        os.rename(path / old, path / new)
        value = entry.fields.pop(old)
        entry.put(new, value)

    def edit(self):
        """As editors save: the old file aside, a new one, perhaps the old one removed."""
        if not (found := self.entry()) or not found[1].fields:
            return
        path, entry, _ = found
        name, value = self.random.choice(sorted(entry.fields)), self.random.choice(VALUES)
        way = self.random.choice(["backup", "atomic", "killed"])
        self.note(f"edit {path.name}/{name} ({way}) {value!r}")
        if way == "atomic":
            temporary = f".{name}.aB3xYz"
            (path / temporary).write_bytes(value)
            os.replace(path / temporary, path / name)
            entry.put(name, judged(value, entry.fields[name]))
            return
        backup = name + "~"
        if backup in entry.scratch:
            entry.drop(backup)
        os.rename(path / name, path / backup)
        old = entry.fields.pop(name)
        entry.kept[name] = old
        entry.scratch[backup] = (old, name)
        if way == "killed":
            return
        (path / name).write_bytes(value)
        entry.put(name, judged(value, old))
        os.unlink(path / backup)
        entry.drop(backup)

    def attach(self):
        if not (found := self.entry()):
            return
        path, entry, _ = found
        name = self.random.choice(FILES)
        value = self.random.choice([b"\xff\0\1", b"text\n", bytes(5000)])
        self.note(f"attach {path.name}/{name}")
        (path / "attachments").mkdir(exist_ok=True)
        (path / "attachments" / name).write_bytes(value)
        entry.changed()
        entry.files[name] = value

    def mkdir(self):
        path, node, _ = self.random.choice(self.nodes(lambda node: isinstance(node, Directory)))
        name = self.random.choice(DIRECTORIES)
        self.note(f"mkdir {path.name}/{name}")
        if name in node.children:
            with pytest.raises(FileExistsError):
                (path / name).mkdir()
            return
        (path / name).mkdir()
        self.parent_chain(path / name)
        node.children[name] = Directory(undecided=True)

    def move(self):
        nodes = self.nodes(lambda _: True)[1:]
        if not nodes:
            return
        path, node, parent = self.random.choice(nodes)
        above, new_parent, _ = self.random.choice(
            self.nodes(lambda node: isinstance(node, Directory)))
        name = self.random.choice(DIRECTORIES)
        new = above / name
        if new == path or name in new_parent.children:
            return
        self.note(f"mv {path.relative_to(self.top)} {new.relative_to(self.top)}")
        if new.is_relative_to(path):
            with pytest.raises(OSError) as refused:
                os.rename(path, new)
            assert refused.value.errno == errno.EINVAL
            return
        os.rename(path, new)
        self.parent_chain(new)
        del parent.children[path.name]
        new_parent.children[name] = node
        if isinstance(node, Entry) and path.name != name:
            node.changed()

    def remove(self):
        nodes = self.nodes(lambda _: True)[1:]
        if not nodes:
            return
        path, node, parent = self.random.choice(nodes)
        self.note(f"rm -r {path.relative_to(self.top)}")
        shutil.rmtree(path)
        del parent.children[path.name]
        if isinstance(node, Entry) or node.lasts:
            self.removed.append((path.name, node))

    def refused(self):
        if not (found := self.entry()):
            return
        path, _, _ = found
        name, (value, number) = self.random.choice(FIELDS), self.random.choice(
            [(b"a\xffb", errno.EILSEQ), (b"a\1", errno.EINVAL), (b"\xc3", errno.EILSEQ)])
        self.note(f"write {value!r} > {path.name}/{name}, refused")
        known = (path / name).exists()
        with pytest.raises(OSError) as refused:
            with open(path / name, "wb", buffering=0) as file:
                file.write(value)
        assert refused.value.errno == number
        if known:
            assert (path / name).exists()
            return
        # The name goes when the kernel lets go of the file, which nobody waits for.
        programs.wait_until(lambda: not (path / name).exists(), "the refused name goes")
        found[1].changed()

    # Comparing

    def compare_shown(self):
        for path, node, _ in self.nodes(lambda _: True):
            if isinstance(node, Directory):
                assert set(os.listdir(path)) == set(node.children)
                continue
            names = set(node.fields) | set(node.scratch) | ({"attachments"} if node.files else set())
            assert set(os.listdir(path)) == names
            for name, value in node.fields.items():
                assert (path / name).read_bytes() == value, name
                assert (path / name).stat().st_size == len(value)
            for name, value in node.files.items():
                assert (path / "attachments" / name).read_bytes() == value, name

    def stored(self, node=None) -> dict:
        """What the vault should hold of it, by path."""
        found = {}

        def walk(path, node):
            if isinstance(node, Entry):
                found[path] = (node.content(), node.files)
                return
            found[path] = "group"
            for name, child in node.children.items():
                walk(f"{path}/{name}", child)

        walk("", self.root if node is None else node)
        return found

    def compare_stored(self, kdbx: PyKeePass):
        for _, node, _ in self.nodes(lambda node: isinstance(node, Directory)):
            node.stored = True
        group = next(g for g in kdbx.root_group.subgroups if g.name == self.top.name)
        assert read(group) == self.stored()
        trash = [read(node) for node in (*kdbx.recyclebin_group.subgroups, *kdbx.recyclebin_group.entries)]
        for _, node in self.removed:
            was = self.stored(as_it_was(node))
            assert was in trash, was


def as_it_was(node):
    """What lies in the bin of a directory that was removed."""
    if isinstance(node, Entry):
        return node.before or node
    children = {
        name: as_it_was(child) for name, child in node.children.items()
        if isinstance(child, Entry) or child.lasts
    }
    return Directory(children)


def read(node) -> dict:
    """A group or entry as pykeepass reads it, by path."""
    found = {}

    def walk(path, node):
        if hasattr(node, "subgroups"):
            found[path] = "group"
            for child in (*node.subgroups, *node.entries):
                name = child.name if hasattr(child, "subgroups") else child.title
                walk(f"{path}/{name}", child)
            return
        strings = {
            element.find("Key").text: element.find("Value").text or ""
            for element in node._element.findall("String")
        }
        strings.pop("Title")
        shown = {key: name for name, key in STANDARD.items()}
        fields = {shown.get(key, key): value.encode() for key, value in strings.items()}
        found[path] = (
            {name: b"" for name in STANDARD} | fields,
            {attachment.filename: attachment.data for attachment in node.attachments},
        )

    walk("", node)
    return found


def seeds() -> list[int]:
    first, count = map(int, os.environ.get("KDBXFS_MOUNT_SEEDS", "1:60").split(":"))
    return list(range(first, first + count))


@pytest.mark.parametrize("lot", [seeds()[i:i + LOT] for i in range(0, len(seeds()), LOT)], ids=str)
def test_the_mount_and_its_model_agree(lot, folder, place):
    vault = Path(shutil.copy(FIXTURES / USUAL, folder / "vaults" / "vault.kdbx"))
    mount = programs.mount(vault, place, "-o", "autosave=0", password="fixture")
    runs: list[Run] = []
    for seed in lot:
        run = Run(seed, mount)
        runs.append(run)
        try:
            for number in range(OPERATIONS):
                run.step()
                if number % 10 == 9:
                    run.compare_shown()
                    programs.run("save", place)
                    run.compare_stored(PyKeePass(vault, "fixture"))
        except BaseException:
            print(f"seed {seed}, after:", *run.log, sep="\n")
            raise
    mount.unmount()
    kdbx = PyKeePass(vault, "fixture")
    for run in runs:
        run.compare_stored(kdbx)
