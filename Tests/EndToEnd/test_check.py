"""`kdbxfs check`: it says what other programs refuse, garble or lose, and mends it when asked.

Each fault is made by hand in an otherwise whole vault. What is said of KeePass 2, KeePassXC and
pykeepass is held against the programs: who is said to refuse the vault does, and takes it once it
is mended.
"""

from __future__ import annotations

import base64
import gzip
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


def mark(path: str, name: str, value: str):
    return lambda tree: tree.find(path).set(name, value)


def text64(content: bytes) -> str:
    return base64.b64encode(content).decode()


ENTRY = "Root/Group/Entry"
TIMES = ENTRY + "/Times"
ICON = fixtures.identity("icon")
PASSWORD_OF_ONE = ENTRY + "/String[Key='Password']/Value"

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
    "protection in small letters": (mark(PASSWORD_OF_ONE, "Protected", "true"),
                                    "protected-spelling", "/one", ""),
    "protection of a plain text": (
        add(ENTRY, E.String(E.Key("plain"), E.Value("in the clear!", Protected="1"))),
        "protected-plain", "/one", ""),
    "protection where nobody looks for it": (
        lambda tree: tree.find(ENTRY).insert(1, E.Odd("xyz", Protected="True")),
        "protected-unknown", "/one", ""),
    "an entry without a UUID": (remove(ENTRY + "/UUID"), "missing-uuid", "/one", "UUID"),
    "two groups of one UUID": (
        lambda tree: tree.find("Root/Group").append(
            content().group("twin", "2024-01-02 09:00:00", key="inner")),
        "repeated-group-uuid", "/twin", "UUID"),
    "an old version of another entry": (
        set_text(ENTRY + "/History/Entry/UUID", fixtures.identity("other")), "history-uuid",
        "/one/.history (1)", "UUID"),
    "a value of blanks": (set_text(ENTRY + "/String[Key='UserName']/Value", " "), "blank-value",
                          "/one", "String"),
    "a value that is no text": (mark(PASSWORD_OF_ONE + "/.", "raw", "70773161ff"), "bad-text",
                                "/one", "String"),
    "two attachments of one name": (
        add(ENTRY, E.Binary(E.Key("a.txt"), E.Value(text64(b"other")))), "repeated-attachment",
        "/one", "Binary"),
    "an attachment with an empty name": (set_text(ENTRY + "/Binary/Key", ""), "unnamed-attachment",
                                         "/one", "Binary"),
    "an attachment that is no base64": (
        add(ENTRY, E.Binary(E.Key("b"), E.Value("?"))), "damaged-content", "/one", "Binary"),
    "an attachment that is compressed in its place": (
        add(ENTRY, E.Binary(E.Key("b"), E.Value(text64(gzip.compress(b"b")), Compressed="True"))),
        "compressed-inline", "/one", "Binary"),
    "an attachment whose number is none": (
        add("Meta", E.Binaries(E.Binary(text64(b"b"), ID="x"))), "pool-number", "(settings)",
        "Binaries/Binary"),
    "two plug-in data of one name": (
        add(ENTRY + "/CustomData", E.Item(E.Key("k"), E.Value("w"))), "repeated-item", "/one",
        "CustomData/Item"),
}

# What is unusual and allowed: the change, the note, and where.
NOTES = {
    "an entry without times": (remove(TIMES), "missing-times", "/one", ""),
    "a bin that is not there": (set_text("Meta/RecycleBinUUID", fixtures.identity("no bin")),
                                "missing-recycle-bin", "(settings)", "RecycleBinUUID"),
    "a field with an empty name": (add(ENTRY, E.String(E.Key(), E.Value("v"))), "unnamed-field",
                                   "/one", "String"),
    "two icons of one UUID": (
        add("Meta", E.CustomIcons(*[E.Icon(E.UUID(ICON), E.Data("aGk=")) for _ in range(2)])),
        "repeated-icon", "(settings)", "CustomIcons/Icon"),
    "a deletion of nothing": (
        add("Root/DeletedObjects", E.DeletedObject(E.DeletionTime(seconds(63844891200)))),
        "incomplete-deletion", "(deletions)", "DeletedObject"),
    "a deletion of what is there": (
        add("Root/DeletedObjects", E.DeletedObject(
            E.UUID(fixtures.identity("one")), E.DeletionTime(seconds(63844891200)))),
        "deleted-alive", "(deletions)", ""),
    "an element of KDBX 4.1": (add(ENTRY, E.QualityCheck("False")), "element-of-version-4.1",
                               "(document)", ""),
    "an element that nobody knows": (add(ENTRY, E.Odd("x")), "unknown-element", "/one", "Odd"),
    "an attachment of nobody": (remove(ENTRY + "/Binary"), "unused-attachment", "(inner header)",
                                ""),
}

# Faults that the tests of `HeaderExaminerTests` make, for which no other program need be asked.
BY_HAND = {"newer-version", "twofish", "unknown-header-field", "kdf-secret"}


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


class OtherName(kdbx.Recipe):
    """AES-KDF under the name that only KeePassXC has for it."""
    def kdf_items(self):
        return super().kdf_items() | {"$UUID": (0x42, kdbx.OTHER_AES_KDF)}


# Name: the recipe, the fault, and where.
HEADERS = {
    "memory in 32 bits": (width("M", "<I"), "kdf-number-type", "M"),
    "lanes in 64 bits": (width("P", "<Q"), "kdf-number-type", "P"),
    "a long salt": (salt(64), "salt-length", "S"),
    "a field of KDBX 3": (kdbx.Recipe(extra_fields=[(6, bytes(8))]), "field-of-version-3",
                          "field 6"),
    "AES-KDF under another name": (OtherName(kdf="aeskdf"), "kdf-identifier", "$UUID"),
    "public data that can't be read": (kdbx.Recipe(extra_fields=[(12, b"\0\2\0")]), "public-data",
                                       ""),
}

# The same for the inner header of KDBX 4.
INNER = {
    "no inner stream": (kdbx.Recipe(stream=0), "no-inner-stream", ""),
}


def control_character(xml: bytes) -> bytes:
    return xml.replace(b"<Value>u</Value>", b"<Value>u\1</Value>")


# Name: what KDBX 3 has wrong, as a change, a recipe and a rewriting; the fault, and where.
OLD = {
    "a time that is none": (set_text(TIMES + "/CreationTime", "when?"), kdbx.Recipe((3, 1)), None,
                            "time-taken-for-now", "/one", "Times/CreationTime"),
    "a control character": (lambda tree: None, kdbx.Recipe((3, 1)), control_character,
                            "control-character", "(document)", ""),
    "another inner stream": (lambda tree: None, kdbx.Recipe((3, 1), stream=3), None,
                             "inner-stream", "(inner header)", ""),
    "no inner stream": (lambda tree: None, kdbx.Recipe((3, 1), stream=0), None, "no-inner-stream",
                        "(inner header)", ""),
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
    return json.loads(done.out)


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
    assert refusing(vault) == (set() if found[0]["mendable"] else others)
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
    assert passwords == (["pw1", "pw2"] if fault != "bad-text" else ["", "pw2"])


@pytest.mark.parametrize("name", HEADERS)
def test_a_fault_in_the_header(name, folder):
    recipe, fault, element = HEADERS[name]
    made, vault = content(), folder / "vaults" / "vault.kdbx"
    binaries = [(0, binary) for binary in made.binaries]
    vault.write_bytes(kdbx.write(made.tree(), recipe, PASSWORD, binaries=binaries))
    judged(vault, fault, "(header)", element)


@pytest.mark.parametrize("name", INNER)
def test_a_fault_in_the_inner_header(name, folder):
    recipe, fault, element = INNER[name]
    made, vault = content(), folder / "vaults" / "vault.kdbx"
    binaries = [(0, binary) for binary in made.binaries]
    vault.write_bytes(kdbx.write(made.tree(), recipe, PASSWORD, binaries=binaries))
    judged(vault, fault, "(inner header)", element)
    assert passwords_in(vault) == ["pw1", "pw2"]


@pytest.mark.parametrize("name", OLD)
def test_a_fault_in_kdbx_3(name, folder):
    change, recipe, rewrite, fault, place, element = OLD[name]
    vault = folder / "vaults" / "vault.kdbx"
    tree = fixtures.as_version3(content())
    change(tree)
    vault.write_bytes(kdbx.write(tree, recipe, PASSWORD, rewrite=rewrite or (lambda xml: xml)))
    judged(vault, fault, place, element)
    assert passwords_in(vault) == ["pw1", "pw2"]


def passwords_in(vault) -> list[str]:
    """The passwords in a vault, as the strict reader and KeePassXC have them."""
    found = [sorted(entry.strings["Password"] for entry in reading.entries.values())
             for reading in (judges.read_own(vault, PASSWORD), judges.read_keepassxc(vault, PASSWORD))]
    assert found[0] == found[1]
    return found[0]


@pytest.mark.parametrize("name", NOTES)
def test_a_note(name, folder):
    """It is told, no program refuses it, and neither a repair nor a code minds."""
    change, fault, place, element = NOTES[name]
    made, vault = content(), folder / "vaults" / "vault.kdbx"
    # So that what KeePass and KeePassXC fill in is nothing new.
    made.meta.find("RecycleBinUUID").text = fixtures.ZERO
    tree = made.tree()
    change(tree)
    binaries = [(0, binary) for binary in made.binaries]
    vault.write_bytes(kdbx.write(tree, kdbx.Recipe(), PASSWORD, binaries=binaries))
    before = vault.read_bytes()
    done = check(vault, "--json")
    assert [(f["level"], f["fault"], f["place"], f["element"]) for f in findings(done)] == [
        ("note", fault, place, element)]
    assert done.code == 0 and refusing(vault) == set()
    assert check(vault, "--repair").code == 0 and vault.read_bytes() == before


def test_notes_of_the_file(folder):
    made, vault = content(), folder / "vaults" / "vault.kdbx"
    made.meta.find("RecycleBinUUID").text = fixtures.ZERO
    binaries = [(0, binary) for binary in made.binaries]
    recipe = kdbx.Recipe(inner_fields=[(0x55, b"odd")], trailer=b"behind")
    vault.write_bytes(kdbx.write(made.tree(), recipe, PASSWORD, binaries=binaries))
    done = check(vault, "--json")
    assert [(f["level"], f["fault"], f["place"], f["count"]) for f in findings(done)] == [
        ("note", "unknown-inner-field", "(inner header)", 1),
        ("note", "trailing-bytes", "(file)", 6)]
    assert done.code == 0 and refusing(vault) == set()


def test_every_fault_is_made():
    source = (programs.ROOT / "Sources/KDBX/Check/Fault.swift").read_text()
    faults = dict(re.findall(r'case (\w+) = "([^"]+)"', source))
    made = {row[1] for row in (*XML.values(), *NOTES.values(), *HEADERS.values(), *INNER.values())}
    made |= {row[3] for row in OLD.values()} | {"unknown-inner-field", "trailing-bytes"}
    assert made | BY_HAND == set(faults.values())
    swift = (programs.ROOT / "Tests/KDBXTests/Check/HeaderExaminerTests.swift").read_text()
    assert BY_HAND <= {value for name, value in faults.items() if f".{name}]" in swift}


def test_a_whole_vault_is_silent(folder):
    for source in (SAMPLE, FIXTURES / "kdbx3.1-aeskdf-aes-gzip-password.kdbx"):
        vault = shutil.copy(source, folder / "vaults" / "vault.kdbx")
        password = "sample" if source == SAMPLE else "fixture"
        done = programs.run("check", "-q", vault, password=password)
        assert (done.code, done.out, done.err) == (0, b"", "")
        done = programs.run("check", "-q", "--repair", vault, password=password)
        assert (done.code, done.out, done.err) == (0, b"", "")
        done = programs.run("check", "-q", "--json", vault, password=password)
        assert (done.code, done.out, done.err) == (0, b"[]\n", "")
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


def test_what_is_written_has_no_fault(folder, place):
    """After edits of every kind: neither a fault nor a note, and every program opens it."""
    vault = folder / "vaults" / "vault.kdbx"
    assert programs.run("create", "--kdf", "aes", vault, password=PASSWORD).code == 0
    for number in range(2):
        mount = programs.mount(vault, place, password=PASSWORD)
        entry = mount / "Group" / f"Entry {number}"
        entry.mkdir(parents=True)
        for name, value in {"username": "u", "password": "p\r\n", "notes": "  ", "url": "a&b",
                            "Own <field>": "x]]>y", "tags": "one\ntwo", "expires": "2030-01-01",
                            "totp": "JBSWY3DPEHPK3PXP"}.items():
            (entry / name).write_text(value)
        (entry / "attachments").mkdir()
        (entry / "attachments" / "a.bin").write_bytes(bytes(range(256)))
        (mount / "Group" / ".notes").write_text("of the group")
        (mount / "Group" / "Inner").mkdir()
        assert programs.run("save", place).code == 0
        (entry / "password").write_text("changed")
        shutil.copytree(entry, mount / "Group" / "Inner" / "Copy")
        (entry / "username").rename(mount / "Group" / "Inner" / "Copy" / "url")
        (mount / "Group" / "Inner").rename(mount / f"Moved {number}")
        shutil.rmtree(entry)
        mount.unmount()
        done = check(vault)
        assert (done.code, done.out) == (0, b"")
        assert refusing(vault) == set()


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
