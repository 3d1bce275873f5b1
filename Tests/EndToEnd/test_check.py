"""`kdbxfs check`: it says what other programs refuse, garble or lose, and mends it when asked.

Each fault is made by hand in an otherwise whole vault. What is said of KeePass 2, KeePassXC and
pykeepass is held against the programs: who is said to refuse the vault does, and takes it once it
is mended.
"""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import struct

import pytest
from conftest import FIXTURES, SAMPLE
from lxml.builder import E
from support import fixtures, judges, kdbx, programs

PASSWORD = "check"
FAULTS, UNWRITABLE = 26, 24


def content() -> fixtures.Content:
    """Two entries, one with a bit of everything."""
    made = fixtures.Content("Check")
    old = made.entry("one", "2024-01-02 09:00:00", key="one", fields={"Password": "old"})
    made.root.extend([
        made.entry(
            "one", "2024-01-02 09:00:00", "2024-02-02 09:00:00",
            fields={"UserName": "u", "Password": "pw1"}, attachments={"a.txt": b"hello"},
            extra=[E.CustomData(E.Item(E.Key("k"), E.Value("v")))], history=[old]),
        made.entry("two", "2024-01-02 09:00:00", fields={"Password": "pw2"}),
        made.group("inner", "2024-01-02 09:00:00"),
    ])
    return made


def set_text(path: str, text: str):
    return lambda tree: setattr(tree.find(path), "text", text)


def remove(path: str):
    def change(tree):
        element = tree.find(path)
        element.getparent().remove(element)
    return change


def add(path: str, *elements):
    return lambda tree: tree.find(path).extend(list(elements))


def icons(*parts):
    return add("Meta", E.CustomIcons(E.Icon(*parts)))


def seconds(count: int) -> str:
    return base64.b64encode(struct.pack("<q", count)).decode()


ENTRY = "Root/Group/Entry"
TIMES = ENTRY + "/Times"
ICON = fixtures.identity("icon")

# Name: the change, the fault that it makes, and where.
XML = {
    "a time as text": (set_text(TIMES + "/CreationTime", "2024-01-01T00:00:00Z"),
                       "time-as-text", "/one", "Times/CreationTime"),
    "a time before year 1": (set_text(TIMES + "/CreationTime", seconds(-5)), "time-out-of-range",
                             "/one", "Times/CreationTime"),
    "no time at all": (set_text(TIMES + "/ExpiryTime", "when?"), "bad-time", "/one",
                       "Times/ExpiryTime"),
    "a time of the settings": (set_text("Meta/MasterKeyChanged", "2024-01-01T00:00:00Z"),
                               "time-as-text", "(settings)", "MasterKeyChanged"),
    "a boolean in small letters": (set_text(TIMES + "/Expires", "true"), "boolean-spelling", "/one",
                                   "Times/Expires"),
    "a boolean that is none": (set_text(TIMES + "/Expires", "yes"), "bad-boolean", "/one",
                               "Times/Expires"),
    "an empty boolean": (set_text("Root/Group/EnableSearching", ""), "bad-boolean", "/",
                         "EnableSearching"),
    "a large number": (set_text(TIMES + "/UsageCount", "9999999999"), "bad-integer", "/one",
                       "Times/UsageCount"),
    "an empty number": (set_text("Meta/HistoryMaxItems", ""), "bad-integer", "(settings)",
                        "HistoryMaxItems"),
    "a short UUID": (set_text("Meta/LastSelectedGroup", "AAAA"), "bad-uuid", "(settings)",
                     "LastSelectedGroup"),
    "a short UUID of an entry": (set_text(ENTRY + "/UUID", "AAAA"), "bad-uuid", "/one", "UUID"),
    "a colour that is none": (set_text(ENTRY + "/ForegroundColor", "rgb(1,2,3)"), "bad-colour",
                              "/one", "ForegroundColor"),
    "an icon without a UUID": (icons(E.Data("aGk=")), "incomplete-icon", "(settings)",
                               "CustomIcons/Icon"),
    "an icon without a picture": (icons(E.UUID(ICON)), "incomplete-icon", "(settings)",
                                  "CustomIcons/Icon"),
    "a field without a value": (remove(ENTRY + "/String[2]/Value"), "incomplete-field", "/one",
                                "String"),
    "a field without a key": (remove(ENTRY + "/String[2]/Key"), "incomplete-field", "/one",
                              "String"),
    "two fields of one name": (add(ENTRY, E.String(E.Key("UserName"), E.Value("v"))),
                               "repeated-field", "/one", "String"),
    "an attachment without a name": (remove(ENTRY + "/Binary/Key"), "incomplete-attachment", "/one",
                                     "Binary"),
    "an attachment without a content": (remove(ENTRY + "/Binary/Value"), "incomplete-attachment",
                                        "/one", "Binary"),
    "an association without a window": (
        add(ENTRY + "/AutoType", E.Association(E.KeystrokeSequence("x"))), "incomplete-association",
        "/one", "AutoType/Association"),
    "plug-in data without a value": (remove(ENTRY + "/CustomData/Item/Value"), "incomplete-item",
                                     "/one", "CustomData/Item"),
    "a history in a history": (add(ENTRY + "/History/Entry", E.History()), "nested-history",
                               "/one/.history (1)", "History"),
    "the hash of another header": (
        add("Meta", E.HeaderHash(base64.b64encode(bytes(32)).decode())), "header-hash",
        "(settings)", "HeaderHash"),
    "two entries of one UUID": (set_text(ENTRY + "[2]/UUID", fixtures.identity("one")),
                                "repeated-entry-uuid", "/two", "UUID"),
    "a reference to no attachment": (
        lambda tree: tree.find(ENTRY + "/Binary/Value").set("Ref", "7"), "missing-content", "/one",
        "Binary"),
    "a reference to no icon": (
        lambda tree: tree.find(ENTRY).insert(2, E.CustomIconUUID(ICON)), "missing-icon", "/one",
        "CustomIconUUID"),
}


def width(name: str, form: str):
    """A recipe whose key derivation states a number in another width."""
    class Odd(kdbx.Recipe):
        def kdf_items(self):
            items = super().kdf_items()
            kind = {"<I": 0x04, "<Q": 0x05}[form]
            items[name] = kind, struct.pack(form, int.from_bytes(items[name][1], "little"))
            return items
    return Odd()


def salt(count: int):
    class Odd(kdbx.Recipe):
        def kdf_items(self):
            return super().kdf_items() | {"S": (0x42, os.urandom(count))}
    return Odd()


# Name: the recipe, the fault, and where.
HEADERS = {
    "memory in 32 bits": (width("M", "<I"), "kdf-number-type", "M"),
    "lanes in 64 bits": (width("P", "<Q"), "kdf-number-type", "P"),
    "a long salt": (salt(64), "salt-length", "S"),
    "a field of KDBX 3": (kdbx.Recipe(extra_fields=[(6, bytes(8))]), "field-of-version-3",
                          "field 6"),
}


def refusing(vault) -> set[str]:
    """The programs that refuse a vault."""
    found = set()
    try:
        judges.keepassxc("export", vault, password=PASSWORD)
    except AssertionError:
        found.add("KeePassXC")
    if judges.keepass(vault, vault.parent.parent / "out.xml", PASSWORD) != "opened":
        found.add("KeePass")
    return found


def findings(done: programs.Done) -> list[dict]:
    return [json.loads(line) for line in done.out.splitlines()]


def check(vault, *options) -> programs.Done:
    return programs.run("check", *options, vault, password=PASSWORD)


def judged(vault, fault: str, place: str, element: str):
    """Checks and repairs a vault with one fault; gives what was found."""
    before, others = vault.read_bytes(), refusing(vault)
    done = check(vault, "--json")
    found = [finding for finding in findings(done) if finding["level"] == "fault"]
    assert [f["fault"] for f in found] == [fault], done.out
    assert (found[0]["place"], found[0]["element"]) == (place, element)
    said = {program for f in found for program, effect in zip(f["programs"], f["effects"], strict=True)
            if effect == "refuses the vault"}
    assert said & {"KeePass", "KeePassXC"} == others
    assert done.code == FAULTS and vault.read_bytes() == before
    assert [path.name for path in vault.parent.iterdir()] == ["vault.kdbx"]
    done = check(vault, "--repair", "--json")
    assert refusing(vault) == set()
    if found[0]["mendable"]:
        assert (done.code, check(vault).code) == (0, 0)
        (old,) = set(vault.parent.iterdir()) - {vault}
        assert re.fullmatch(r"vault\.before-repair-\d{8}T\d{6}Z\.kdbx", old.name)
        assert old.read_bytes() == before
        assert old.stat().st_mode == vault.stat().st_mode
    else:
        assert done.code == FAULTS and vault.read_bytes() == before
    return found[0]


@pytest.mark.parametrize("name", XML)
def test_a_fault_in_the_document(name, folder):
    change, fault, place, element = XML[name]
    made, vault = content(), folder / "vaults" / "vault.kdbx"
    tree = made.tree()
    change(tree)
    binaries = [(0, binary) for binary in made.binaries]
    vault.write_bytes(kdbx.write(tree, kdbx.Recipe(), PASSWORD, binaries=binaries))
    judged(vault, fault, place, element)
    now = judges.read_own(vault, PASSWORD)
    passwords = sorted(entry.strings["Password"] for entry in now.entries.values())
    assert passwords == ["pw1", "pw2"]


@pytest.mark.parametrize("name", HEADERS)
def test_a_fault_in_the_header(name, folder):
    recipe, fault, element = HEADERS[name]
    made, vault = content(), folder / "vaults" / "vault.kdbx"
    binaries = [(0, binary) for binary in made.binaries]
    vault.write_bytes(kdbx.write(made.tree(), recipe, PASSWORD, binaries=binaries))
    judged(vault, fault, "(header)", element)


def test_a_whole_vault_is_silent(folder):
    for source in (SAMPLE, FIXTURES / "kdbx3.1-aeskdf-aes-gzip-password.kdbx"):
        vault = shutil.copy(source, folder / "vaults" / "vault.kdbx")
        password = "sample" if source == SAMPLE else "fixture"
        done = programs.run("check", "-q", vault, password=password)
        assert (done.code, done.out, done.err) == (0, b"", "")
        done = programs.run("check", "-q", "--repair", vault, password=password)
        assert (done.code, done.out, done.err) == (0, b"", "")
        assert vault.read_bytes() == source.read_bytes()


def test_notes_are_no_faults(vault):
    """The fixture has elements that no program knows: worth a note."""
    done = programs.run("check", vault, password="fixture")
    assert done.code == 0
    assert done.out.decode().splitlines()[0].startswith("note: (settings): FutureSetting: ")


def test_a_repair_changes_nothing_else(folder):
    """The entries, their order, times, history, attachments: all as before but what was mended."""
    made, vault = content(), folder / "vaults" / "vault.kdbx"
    tree = made.tree()
    set_text(ENTRY + "/Times/UsageCount", "")(tree)
    binaries = [(0, binary) for binary in made.binaries]
    vault.write_bytes(kdbx.write(tree, kdbx.Recipe(), PASSWORD, binaries=binaries))
    readers = {"own reader": judges.read_own, "pykeepass": judges.read_pykeepass,
               "KeePass 2": judges.read_keepass}
    before = judges.Witness(vault, PASSWORD, judges=readers)
    assert check(vault, "--repair").code == 0
    now = before.read()
    for name in ("own reader", "pykeepass"):
        found = judges.differences(before.readings[name], now[name])
        assert found == {"one": {"times UsageCount": ("", "0")}}, name
    assert judges.differences(before.readings["KeePass 2"], now["KeePass 2"]) == {}


def test_a_mounted_vault_is_not_repaired(vault, place, mounted):
    done = programs.run("check", "--repair", vault, password="fixture")
    assert done.code == 23 and str(place) in done.errors[0]
    assert programs.run("check", vault, password="fixture").code == 0


def test_a_folder_that_cannot_be_written(folder, vault):
    if os.getuid() == 0:
        pytest.skip("root writes everywhere")
    (folder / "vaults").chmod(0o500)
    done = programs.run("check", "--repair", vault, password="fixture")
    (folder / "vaults").chmod(0o700)
    assert done.code == UNWRITABLE and len(done.errors) == 1


def test_what_does_not_open(vault):
    assert programs.run("check", vault, password="wrong").code == 12
    vault.write_bytes(vault.read_bytes()[:-1])
    done = programs.run("check", vault, password="fixture")
    assert done.code == 23 and "cut off" in done.errors[0]


def test_the_documents_name_every_fault():
    source = (programs.ROOT / "Sources/KDBX/Check/Fault.swift").read_text()
    faults = re.findall(r'case \w+ = "([^"]+)"', source)
    table = (programs.ROOT / "docs/check.md").read_text()
    named = re.findall(r"^\| `([^`]+)` \|", table, re.M)
    assert sorted(named) == sorted(faults)


def test_the_tests_of_the_traps_are_there():
    """docs/traps.md names tests, which a renaming must not lose."""
    root = programs.ROOT
    named = re.findall(r"`([^`]+)`", (root / "docs/traps.md").read_text().split("\n## ", 1)[1])
    swift = "\n".join(path.read_text() for path in (root / "Tests").rglob("*.swift"))
    python = "\n".join(path.read_text() for path in (root / "Tests/EndToEnd").rglob("test_*.py"))
    known = set(re.findall(r"func `([^`]+)`", swift)) | set(re.findall(r"def (test_\w+)", python))
    words = {"Protected", "]]>", "K", "A"}
    assert set(named) - known <= words
