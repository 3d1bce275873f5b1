"""What a vault holds, as four programs read it, and what differs between two readings.

A test edits through the mount and states the differences it expects; everything that it doesn't
state must be as before: other entries, order, unknown elements, times, history, settings.
"""

from __future__ import annotations

import base64
import contextlib
import datetime
import gzip
import hashlib
import os
import re
import struct
import subprocess
import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path

from lxml import etree
from pykeepass import PyKeePass

from . import kdbx
from .programs import ROOT

STANDARD = ("Title", "UserName", "Password", "URL", "Notes")
YEAR_ONE = 62_135_596_800  # seconds from 0001-01-01 to 1970-01-01
EDIT_TIMES = {"LastModificationTime", "LastAccessTime", "UsageCount"}


class Anything:
    """Equal to all: stands for what a judge can't tell."""

    def __eq__(self, other) -> bool:
        return True

    def __repr__(self) -> str:
        return "ANYTHING"


ANYTHING = Anything()

# Stands for a time that a reader may have filled in with that of its reading.
NOW = "now"


def text_of(element, path: str) -> str:
    found = element.find(path)
    return "" if found is None else found.text or ""


def unix_time(text: str) -> int | str:
    """Seconds since 1970 of a stored time in either spelling; other text as it is."""
    text = (text or "").strip()
    if text == NOW:
        return ANYTHING
    found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)Z", text)
    if found:
        moment = datetime.datetime.fromisoformat(found[1]).replace(tzinfo=datetime.UTC)
        return int(moment.timestamp())
    try:
        return struct.unpack("<q", base64.b64decode(text, validate=True))[0] - YEAR_ONE
    except (ValueError, struct.error):
        return text


def uuid_hex(text: str) -> str:
    return base64.b64decode(text or "").hex()


def first_free(name: str, taken) -> str:
    """`name`, or it with a number where a vault gives one UUID to several."""
    number = 1
    while name in taken:
        number += 1
        name = f"{name.split('#')[0]}#{number}"
    return name


def canonical(element) -> str:
    """An element as text in which indentation, quoting and the order of attributes don't show."""
    copy = etree.fromstring(etree.tostring(element))
    for child in copy.iter():
        child.tail = None
        if len(child) and not (child.text or "").strip():
            child.text = None
    return etree.tostring(copy, method="c14n").decode()


@dataclass
class Entry:
    uuid: str
    group: str
    strings: dict[str, str]
    protected: dict[str, bool]
    attachments: dict[str, bytes]
    tags: str
    times: dict[str, int | str]
    rest: list[str]
    history: list[Entry] = field(default_factory=list)

    @property
    def content(self):
        """All that a history item keeps of a state."""
        return (
            {k: v for k, v in self.strings.items() if v or k not in STANDARD},
            {k: p for k, p in self.protected.items() if self.strings[k] or k not in STANDARD},
            self.attachments,
            self.tags,
            self.times,
            self.rest,
        )


@dataclass
class Group:
    uuid: str
    parent: str
    name: str
    times: dict[str, int | str]
    rest: list[str]
    children: list[str]


@dataclass
class Reading:
    entries: dict[str, Entry]
    groups: dict[str, Group]
    meta: dict[str, str]
    deleted: set[str]
    version: tuple[int, int] | None = None
    root: str = ""
    tree: etree._Element | None = None
    taken: int = field(default_factory=lambda: int(time.time()))  # the second of the reading

    def path(self, uuid: str) -> str:
        """Names from below the root, joined by slashes; a group's ends with one."""
        if uuid in self.entries:
            entry = self.entries[uuid]
            return self.path(entry.group) + entry.strings.get("Title", "")
        group = self.groups[uuid]
        return self.path(group.parent) + group.name + "/" if group.parent else ""

    def entry(self, path: str) -> Entry:
        """The only entry at `path`."""
        (found,) = [entry for uuid, entry in self.entries.items() if self.path(uuid) == path]
        return found

    def group(self, path: str) -> Group:
        (found,) = [group for uuid, group in self.groups.items() if self.path(uuid) == path]
        return found

    def paths(self) -> list[str]:
        return sorted(self.path(uuid) for uuid in [*self.entries, *self.groups] if uuid != self.root)


# Reading


class Builder:
    """Turns a document whose protected values are clear text into a `Reading`."""

    def __init__(self, tree, binaries: list[bytes] | None, missing=b"no such binary"):
        self.tree, self.missing = tree, missing
        self.pool = {str(number): content for number, content in enumerate(binaries or [])}
        for element in tree.iterfind("Meta/Binaries/Binary"):
            self.pool[element.get("ID")] = self.binary(element)
        self.reading = Reading({}, {}, {}, set())

    @staticmethod
    def binary(element) -> bytes:
        content = base64.b64decode(element.text or "")
        if (element.get("Compressed") or "").lower() == "true" and content:
            content = gzip.decompress(content)
        return content

    def attachment(self, element) -> bytes:
        value = element.find("Value")
        reference = value.get("Ref")
        if reference is None:
            return self.binary(value)
        return self.pool.get(reference, self.missing)

    def entry(self, element, group: str) -> Entry:
        strings, protected = {}, {}
        for string in element.iterfind("String"):
            key, value = text_of(string, "Key"), string.find("Value")
            strings[key] = value.text or ""
            protected[key] = any(
                (value.get(mark) or "").lower() == "true"
                for mark in ("Protected", "ProtectInMemory")
            )
        attachments = {
            text_of(child, "Key"): self.attachment(child) for child in element.iterfind("Binary")
        }
        own = {"UUID", "String", "Binary", "Tags", "Times", "History"}
        return Entry(
            uuid_hex(text_of(element, "UUID")),
            group,
            strings,
            protected,
            attachments,
            text_of(element, "Tags"),
            self.times(element),
            [canonical(child) for child in self.children(element) if child.tag not in own],
            [self.entry(item, group) for item in element.iterfind("History/Entry")],
        )

    @staticmethod
    def children(element):
        return [child for child in element if isinstance(child.tag, str)]

    def times(self, element):
        times = element.find("Times")
        plain = {"Expires", "UsageCount"}
        return {
            child.tag: (child.text or "") if child.tag in plain else unix_time(child.text)
            for child in ([] if times is None else self.children(times))
        }

    def add(self, element, parent: str) -> str:
        uuid = first_free(uuid_hex(text_of(element, "UUID")), self.reading.groups)
        own = {"UUID", "Name", "Times", "Group", "Entry"}
        rest = [canonical(child) for child in self.children(element) if child.tag not in own]
        group = Group(uuid, parent, text_of(element, "Name"), self.times(element), rest, [])
        self.reading.groups[uuid] = group
        for child in self.children(element):
            if child.tag == "Group":
                group.children.append(self.add(child, uuid))
            elif child.tag == "Entry":
                entry = self.entry(child, uuid)
                entry.uuid = first_free(entry.uuid, self.reading.entries)
                self.reading.entries[entry.uuid] = entry
                group.children.append(entry.uuid)
        return uuid

    def build(self) -> Reading:
        self.reading.root = self.add(self.tree.find("Root/Group"), "")
        for child in self.children(self.tree.find("Meta")):
            if child.tag not in ("HeaderHash", "Binaries"):
                self.reading.meta[child.tag] = canonical(child)
        self.reading.deleted = {
            uuid_hex(text_of(item, "UUID"))
            for item in self.tree.iterfind("Root/DeletedObjects/DeletedObject")
        }
        return self.reading


def read_own(path, password, keyfile=None) -> Reading:
    """Our own strict reader."""
    key = Path(keyfile).read_bytes() if keyfile else None
    file = kdbx.read(Path(path).read_bytes(), password, key)
    reading = Builder(file.tree, [content for _, content in file.binaries]).build()
    reading.version = file.header.version
    return reading


def read_pykeepass(path, password, keyfile=None, transformed_key=None) -> Reading:
    keyfile = os.fspath(keyfile) if keyfile else None
    vault = PyKeePass(os.fspath(path), password, keyfile, transformed_key)
    binaries = vault.binaries if vault.version >= (4, 0) else None
    reading = Builder(vault.tree.getroot(), binaries).build()
    reading.version = vault.version
    return reading


def keepassxc(*arguments, password=None, keyfile=None, check=True) -> bytes:
    """Runs keepassxc-cli on a vault; returns what it prints."""
    command = ["keepassxc-cli", arguments[0], "-q"]
    command += ["--no-password"] if password is None else []
    command += ["-k", os.fspath(keyfile)] if keyfile else []
    done = subprocess.run(
        [*command, *map(os.fspath, arguments[1:])],
        input=b"" if password is None else password.encode() + b"\n",
        capture_output=True,
        timeout=120,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen", "LC_ALL": "C.UTF-8"},
    )
    if check and done.returncode != 0:
        raise AssertionError(f"keepassxc-cli {arguments[0]}: {done.stderr.decode().strip()}")
    return done.stdout


def mark_filled_in(tree, start: int):
    """Marks the times that a reader may have filled in: those of its reading, which began then."""
    for element in tree.iter():
        # A time that the file lacks is that of the reading.
        if isinstance(element.tag, str) and element.tag.endswith(("Time", "Changed")):
            if element.text and unix_time(element.text) in range(start, int(time.time()) + 1):
                element.text = NOW


def read_keepassxc(path, password, keyfile=None, exports=True) -> Reading:
    start = int(time.time())
    xml = keepassxc("export", path, password=password, keyfile=keyfile)
    tree = etree.fromstring(xml, etree.XMLParser(huge_tree=True))
    mark_filled_in(tree, start)
    for data in tree.iter("CustomData"):
        # It keeps items in no order, and notes the moment of its own reading.
        items = [item for item in data if text_of(item, "Key") != "_LAST_MODIFIED"]
        data[:] = sorted(items, key=lambda item: text_of(item, "Key"))
    reading = Builder(tree, None, missing=ANYTHING).build()
    # Filled in with the moment of the export, where the file has none.
    reading.meta.pop("SettingsChanged", None)
    # An export of KDBX 4 names attachments and leaves their content out.
    for uuid, entry in reading.entries.items() if exports else ():
        for name in [name for name, content in entry.attachments.items() if content is ANYTHING]:
            # To a file: what it prints, it takes for text.
            with tempfile.NamedTemporaryFile() as file:
                arguments = "attachment-export", path, "/" + reading.path(uuid), name, file.name
                keepassxc(*arguments, password=password, keyfile=keyfile)
                entry.attachments[name] = Path(file.name).read_bytes()
    return reading


class CannotJudge(Exception):
    """The program doesn't know something that the vault has."""


def keepass_knows(path) -> bool:
    """Whether Debian's KeePass 2 has the vault's cipher and key derivation: no Argon2id, no Twofish."""
    header = kdbx.Header.read(Path(path).read_bytes())
    if header.cipher == "unknown":
        return False
    return header.major < 4 or header.kdf["$UUID"][1] != kdbx.KDFS["argon2id"]


def keepass(path, output, password, keyfile=None, copy=None) -> str:
    """Has KeePass 2 read a vault, and write it as plain XML and, if asked, as a copy of its own.

    Returns what it says: `opened`, or why it refuses.
    """
    program = ROOT / ".build" / "keepass2" / "Judge.exe"
    if not program.exists():
        subprocess.run([ROOT / "scripts" / "build-judge"], check=True)
    arguments = [path, output, keyfile or "-"] + ([copy] if copy else [])
    done = subprocess.run(
        ["mono", program, *map(os.fspath, arguments)],
        input=b"-\n" if password is None else password.encode().hex().encode() + b"\n",
        capture_output=True,
        timeout=300,
        env=os.environ | {"TZ": "UTC", "LC_ALL": "C.UTF-8"},
    )
    return done.stdout.decode().strip()


def read_keepass(path, password, keyfile=None) -> Reading:
    if not keepass_knows(path):
        raise CannotJudge
    start = int(time.time())
    with tempfile.NamedTemporaryFile(suffix=".xml") as file:
        said = keepass(path, file.name, password, keyfile)
        if said != "opened":
            raise AssertionError(f"KeePass 2: {said}")
        tree = etree.parse(file.name, etree.XMLParser(huge_tree=True)).getroot()
    mark_filled_in(tree, start)
    reading = Builder(tree, None).build()
    # Filled in with the moment of the reading, where the file has none.
    reading.meta.pop("SettingsChanged", None)
    return reading


JUDGES = {
    "own reader": read_own,
    "pykeepass": read_pykeepass,
    "keepassxc-cli": read_keepassxc,
    "KeePass 2": read_keepass,
}


def read_by_all(path, password, keyfile=None, judges=JUDGES) -> dict[str, Reading]:
    """What every judge reads that knows what the vault has, by the judge's name."""
    readings = {}
    for name, judge in judges.items():
        with contextlib.suppress(CannotJudge):
            readings[name] = judge(path, password, keyfile)
    return readings


# Comparing


def differences(before: Reading, after: Reading) -> dict[str, dict]:
    """What differs, by path.

    An entry's changes are `{KEY: (old, new)}` for strings (None: not there), `@NAME` for
    attachments, `tags`, `expires`; `history: N` when N items were added and the first of them is
    the old state; `moved: (from, to)`; `new` and `gone`. Times that go with a change don't show;
    any other difference does, under the name of what differs.
    """
    out: dict[str, dict] = {}

    def note(path: str, changes: dict):
        if changes:
            out[path] = changes

    for uuid in before.entries.keys() | after.entries.keys():
        old, new = before.entries.get(uuid), after.entries.get(uuid)
        if old is None:
            note(after.path(uuid), {"new": shown(new)})
        elif new is None:
            note(before.path(uuid), {"gone": True})
        else:
            changes = entry_changes(old, new, before.taken)
            if old.group != new.group:
                changes["moved"] = (before.path(old.group), after.path(new.group))
                changes.pop("times LocationChanged", None)
            note(after.path(uuid), changes)
    for uuid in before.groups.keys() | after.groups.keys():
        old, new = before.groups.get(uuid), after.groups.get(uuid)
        if old is None:
            note(after.path(uuid), {"new": True})
        elif new is None:
            note(before.path(uuid), {"gone": True})
        else:
            note(after.path(uuid) or "/", group_changes(before, after, old, new))
    meta = {
        tag: (before.meta.get(tag), after.meta.get(tag))
        for tag in before.meta.keys() | after.meta.keys()
        if before.meta.get(tag) != after.meta.get(tag)
        and not any(f">{NOW}<" in (reading.meta.get(tag) or "") for reading in (before, after))
    }
    note("META", meta)
    if before.deleted != after.deleted:
        out["DELETED"] = after.deleted ^ before.deleted
    return out


def shown(entry: Entry) -> dict[str, str | bytes]:
    """An entry's strings that aren't empty standard ones, and its attachments."""
    strings = {k: v for k, v in entry.strings.items() if v or k not in STANDARD}
    return strings | {"@" + name: content for name, content in entry.attachments.items()}


def entry_changes(old: Entry, new: Entry, since: int) -> dict:
    changes: dict = {}
    for key in old.strings.keys() | new.strings.keys():
        absent = "" if key in STANDARD else None
        pair = old.strings.get(key, absent), new.strings.get(key, absent)
        if pair[0] != pair[1]:
            changes[key] = pair
        marks = old.protected.get(key), new.protected.get(key)
        if key in old.strings and key in new.strings and marks[0] != marks[1]:
            changes["protected " + key] = marks
    for name in old.attachments.keys() | new.attachments.keys():
        pair = old.attachments.get(name), new.attachments.get(name)
        if pair[0] != pair[1]:
            changes["@" + name] = pair
    if old.tags != new.tags:
        changes["tags"] = old.tags, new.tags
    expiry = [e.times.get("Expires") == "True" and e.times.get("ExpiryTime") for e in (old, new)]
    if expiry[0] != expiry[1]:
        changes["expires"] = tuple(expiry)
    moved = old.group != new.group
    if old.rest != new.rest:
        changes |= rest_changes(old.rest, new.rest)
    if moved:
        changes.pop("PreviousParentGroup", None)
    history = history_changes(old, new, moved)
    edited = bool(changes) or bool(history)
    changes |= history | time_changes(
        old.times, new.times, since, edited, bool(changes.get("expires")))
    return changes


def rest_changes(old: list[str], new: list[str]) -> dict:
    name = lambda text: re.match(r"<([^\s/>]+)", text)[1]  # noqa: E731
    gone = {name(text): text for text in old if text not in new}
    come = {name(text): text for text in new if text not in old}
    if not gone and not come:
        return {"order of elements": (old, new)}
    return {tag: (gone.get(tag), come.get(tag)) for tag in gone.keys() | come.keys()}


def history_changes(old: Entry, new: Entry, moved: bool) -> dict:
    def states(entries: list[Entry]):
        # What was moved and edited in one go may have its old state say when it was moved.
        return [replace(entry, times=entry.times | ({"LocationChanged": 0} if moved else {})).content
                for entry in entries]

    earlier, later, (state,) = states(old.history), states(new.history), states([old])
    if earlier == later:
        return {}
    added = len(later) - len(earlier)
    if added > 0 and later[: len(earlier)] == earlier and later[len(earlier)] == state:
        return {"history": added}
    return {"history differs": (len(earlier), len(later))}


def time_changes(old: dict, new: dict, since: int, edited: bool, expiry: bool) -> dict:
    """`since`: the second of the earlier reading; an edit in that very second keeps its stamp."""
    changes = {}
    for tag in old.keys() | new.keys():
        if old.get(tag) == new.get(tag):
            continue
        if (edited and tag in EDIT_TIMES) or (expiry and tag in ("Expires", "ExpiryTime")):
            continue
        changes["times " + tag] = old.get(tag), new.get(tag)
    stamps = old.get("LastModificationTime"), new.get("LastModificationTime")
    told = not any(stamp is ANYTHING for stamp in stamps)
    if edited and told and stamps[0] == stamps[1] and not is_at_least(stamps[1], since):
        changes["times"] = "the time of the edit was not noted"
    return changes


def is_at_least(stamp, since: int) -> bool:
    return isinstance(stamp, int) and stamp >= since


def group_changes(before: Reading, after: Reading, old: Group, new: Group) -> dict:
    changes: dict = {}
    if old.name != new.name:
        changes["name"] = old.name, new.name
    if old.rest != new.rest:
        changes |= rest_changes(old.rest, new.rest)
    moved = old.parent != new.parent
    if moved:
        changes.pop("PreviousParentGroup", None)
    times = time_changes(old.times, new.times, before.taken, bool(changes), False)
    if moved:
        changes["moved"] = before.path(old.parent), after.path(new.parent)
        times.pop("times LocationChanged", None)
    kept = set(old.children) & set(new.children)
    orders = [[uuid for uuid in group.children if uuid in kept] for group in (old, new)]
    if orders[0] != orders[1]:
        changes["order"] = tuple([reading.path(u) for u in o] for reading, o in
                                 zip((before, after), orders, strict=True))
    return changes | times


class Witness:
    """All judges' readings of a vault at one moment, to hold a later state against."""

    def __init__(self, path, password, keyfile=None, judges=JUDGES):
        self.path, self.password, self.keyfile = Path(path), password, keyfile
        self.bytes = self.path.read_bytes()
        self.stat = os.stat(path)
        self.judges = judges
        self.readings = self.read()

    def read(self) -> dict[str, Reading]:
        return read_by_all(self.path, self.password, self.keyfile, self.judges)

    def expect(self, expected: dict[str, dict]) -> dict[str, Reading]:
        """The vault differs from then in what is expected, and in nothing else: all judges agree."""
        now = self.read()
        for name, reading in now.items():
            found = differences(self.readings[name], reading)
            assert found == expected, f"{name} sees {found}"
        return now

    def expect_untouched(self):
        """Not a byte was written: the same file, the same time."""
        now = os.stat(self.path)
        assert self.path.read_bytes() == self.bytes
        assert (now.st_ino, now.st_mtime_ns) == (self.stat.st_ino, self.stat.st_mtime_ns)


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
