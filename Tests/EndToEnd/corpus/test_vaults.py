"""Every vault of the corpus: shown as its expectation says, edited, and judged by its readers."""

from __future__ import annotations

import contextlib
import datetime
import errno
import hashlib
import os
import re
import shutil
import struct

import pytest
from support import judges, naming, programs, shared

EDIT = "edited through the mount, größer 🔑"
pytestmark = pytest.mark.skipif(
    not shared.cases("opens"), reason="no corpus of vaults at KDBXFS_SHARED or ../shared")


def named(case: shared.Case) -> str:
    return case.id


def is_no_document(case: shared.Case) -> bool:
    """Whether the XML inside is none: we mend it, and no other program opens it."""
    notes = case.expected["own_reader"].get("notes", [])
    return any("not well formed" in note for note in notes) and not any(
        case.opened_by(program) for program in ("keepassxc-cli", "pykeepass", "KeePass 2"))


def mount(case, vault, place, *options):
    return programs.mount(vault, place, "-o", "autosave=0", *options, *case.options,
                          password=case.password)


# What the tree must show


def created(times):
    found = (times or {}).get("created")
    return found if found and not found.startswith("raw:") else None


class Expected:
    """The tree that a vault's contents make by the naming rules: path to node."""

    def __init__(self, contents: dict):
        self.groups, self.entries = {}, {}
        # Groups come depth first; UUIDs may be missing or doubled, so they say nothing here.
        self.children: list[list[dict]] = []
        self.inner: list[list[int]] = []
        line: list[int] = []
        for number, group in enumerate(contents["groups"]):
            del line[len(group["path"]) :]
            if line:
                self.inner[line[-1]].append(number)
            line.append(number)
            self.inner.append([])
            self.children.append([])
        places = {(g["uuid"], tuple(g["path"])): n for n, g in enumerate(contents["groups"])}
        for entry in contents["entries"]:
            self.children[places[entry["group"], tuple(entry["path"])]].append(entry)
        self.contents = contents
        self.place(0, b"")

    def place(self, number: int, path: bytes):
        groups = [self.contents["groups"][inner] for inner in self.inner[number]]
        siblings = [
            {"name": self.title(item).encode("utf-8", "surrogateescape"),
             "uuid": item["uuid"] or "0" * 32, "created": created(item["times"])}
            for item in groups + self.children[number]
        ]
        names = naming.sibling_names(siblings, at_top=not path)
        for place, item in enumerate(groups + self.children[number]):
            below = path + b"/" + names[place]
            if place < len(groups):
                self.groups[below] = item
                self.place(self.inner[number][place], below)
            else:
                self.entries[below] = item

    @staticmethod
    def title(item: dict) -> str:
        if "name" in item:
            return item["name"]
        titles = [s.get("value", "") for s in item["strings"] if s["key"] == "Title"]
        return titles[-1] if titles else ""


def looks_like(string: dict, content: bytes) -> bool:
    """Whether a file's content is the value; long values are given by their hash."""
    if "value" in string:
        value = string["value"].encode("utf-8", "surrogatepass")
        return content == value
    return (len(content), hashlib.sha256(content).hexdigest()) == (
        string["value_bytes"], string["value_sha256"])


def read(path: bytes) -> bytes:
    with open(path, "rb") as file:
        content = file.read()
    assert os.stat(path).st_size == len(content), path
    return content


def check_entry(path: bytes, entry: dict, is_version: bool = False):
    """An entry's directory shows its fields, attachments, tags and expiry, and nothing more."""
    listed = set(os.listdir(path))
    names = naming.field_names([string["key"] for string in entry["strings"]])
    wanted = {b"username", b"password", b"url", b"notes"}
    for string, name in zip(entry["strings"], names, strict=True):
        if name is None:
            continue
        wanted.add(name)
        content = read(path + b"/" + name)
        if not looks_like(string, content) and "{" in string.get("value", ""):
            # What refers to something else reads resolved; the stored text is beside it.
            content = os.getxattr(path + b"/" + name, "user.kdbx.raw")
        assert looks_like(string, content), (path, name, content, string)
        if not is_version:
            mark = os.getxattr(path + b"/" + name, "user.kdbx.protected")
            assert mark == (b"1" if string["protected"] else b"0"), (path, name)
    for name in wanted - {name for name in names if name}:
        assert read(path + b"/" + name) == b"", (path, name)
    if entry["tags"]:
        wanted.add(b"tags")
        assert read(path + b"/tags").decode().split("\n") == entry["tags"]
    if entry["times"] and entry["times"]["expires"] is True and entry["times"].get("expiry"):
        wanted.add(b"expires")
        assert read(path + b"/expires").decode() == entry["times"]["expiry"]
    if entry["attachments"]:
        wanted.add(b"attachments")
        check_attachments(path + b"/attachments", entry["attachments"])
    # Codes have tests of their own; here they may be there.
    assert listed - {b"totp", b"hotp"} == wanted, path
    if any("codes" in otp for otp in entry.get("otp", ())) and not is_version:
        assert listed & {b"totp", b"hotp"}, path


def check_attachments(path: bytes, attachments: list[dict]):
    names = naming.attachment_names([attachment["name"] for attachment in attachments])
    assert set(os.listdir(path)) == set(names)
    for name, attachment in zip(names, attachments, strict=True):
        if not attachment.get("missing"):
            content = read(path + b"/" + name)
            found = len(content), hashlib.sha256(content).hexdigest()
            assert found == (attachment["size"], attachment["sha256"]), name


def check_history(path: bytes, entry: dict):
    versions = entry.get("history", [])
    listed = sorted(os.listdir(path + b"/.history")) if versions else []
    assert len(listed) == entry["history_count"] == len(versions), path
    times = [(version["times"] or {}).get("modified") or "" for version in versions]
    for place, (time, version) in enumerate(zip(times, versions, strict=True)):
        earlier = times[:place].count(time)
        name = time.encode() + (b" (%d)" % (earlier + 1) if earlier else b"")
        if name in listed:
            check_entry(path + b"/.history/" + name, version, is_version=True)
        else:
            assert not time or time.startswith("raw:"), (path, time, listed)


def check_tree(place, contents: dict):
    """All that the contents say, and nothing beside it, is in the mount."""
    top = os.fsencode(place)
    tree = Expected(contents)
    assert len(tree.groups) == len(contents["groups"]) - 1
    assert len(tree.entries) == len(contents["entries"])
    for path in [b"", *tree.groups]:
        children = {p[len(path) + 1 :] for p in [*tree.groups, *tree.entries]
                    if p.rsplit(b"/", 1)[0] == path}
        assert set(os.listdir(top + path)) == children, path
    for path, entry in tree.entries.items():
        if entry["uuid"]:
            uuid = os.getxattr(top + path, "user.kdbx.uuid").decode().replace("-", "").lower()
            assert uuid == entry["uuid"], path
        check_entry(top + path, entry)
        check_history(top + path, entry)
    return tree


# One edit, and who sees it


def has_all_uuids(contents: dict) -> bool:
    """KeePassXC gives what has no UUID another one each time it reads."""
    return all(item["uuid"] for item in contents["groups"] + contents["entries"])


def witness(case: shared.Case, vault) -> judges.Witness:
    """The readers that open the vault as it was given; the corpus's own always does."""
    readers = {"own reader": lambda path, password, keyfile: shared.read_with_dumper(
        path, password, keyfile, case.responder)}
    if case.opened_by("pykeepass"):
        readers["pykeepass"] = lambda path, password, keyfile: judges.read_pykeepass(
            path, password, keyfile, shared.transformed_key(case, path))
    if case.opened_by("keepassxc-cli") and has_all_uuids(case.expected):
        few = case.cost < 0.3 and case.expected["counts"]["attachments"] <= 4
        readers["keepassxc-cli"] = lambda path, password, keyfile: judges.read_keepassxc(
            path, password, keyfile, exports=few)
    # Under mono AES-KDF takes its time.
    if case.opened_by("KeePass 2") and has_all_uuids(case.expected) and case.cost < 0.3:
        readers["KeePass 2"] = judges.read_keepass
    return judges.Witness(vault, case.password, case.keyfile, readers)


def edit_something(top: bytes, tree: Expected, before: judges.Reading):
    """Writes one field of the first entry, or makes one; tells its path and the change."""
    if not tree.entries:
        os.mkdir(top + b"/made here")
        with open(top + b"/made here/password", "w") as file:
            file.write(EDIT)
        return "made here", {"new": {"Title": "made here", "Password": EDIT}}
    path, entry = next(iter(tree.entries.items()))
    with open(top + path + b"/password", "w") as file:
        file.write(EDIT)
    found = before.entries[entry["uuid"] or next(iter(before.entries))]
    return before.path(found.uuid), {"Password": (found.strings.get("Password", ""), EDIT)}


def without_mended(changes: dict, before: judges.Reading, path: str) -> dict:
    """The changes but for what an edit mends along: names of doubled attachments, spellings."""
    doubled = re.compile(r"@(.*) \(\d+\)")
    entries = [e for u, e in before.entries.items() if before.path(u) == path]
    known = {name for entry in entries for name in entry.attachments}

    def is_spelling(key: str, change) -> bool:
        return key.startswith("times ") and str(change[0]).lower() == str(change[1]).lower()

    return {key: change for key, change in changes.items()
            if not is_spelling(key, change)
            and not ((found := doubled.fullmatch(key)) and found[1] in known)}


def rest_of_document(reading: judges.Reading, uuid: str) -> str:
    """The whole document without one entry, references by number and the header's hash."""
    tree = judges.etree.fromstring(judges.etree.tostring(reading.tree))
    for element in tree.iter("Entry"):
        if judges.uuid_hex(judges.text_of(element, "UUID")) == uuid:
            parent = element.getparent()
            if parent is not None and parent.tag == "Group":
                parent.remove(element)
    for name in ("Meta/HeaderHash", "Meta/Binaries"):
        for element in tree.findall(name):
            element.getparent().remove(element)
    for element in tree.iter():
        element.tail = None
        if isinstance(element.tag, str):
            element.attrib.pop("Ref", None)
            if len(element) and not (element.text or "").strip():
                element.text = None
    return judges.etree.tostring(tree, method="c14n", with_comments=True).decode()


@pytest.mark.parametrize("case", shared.cases("opens"), ids=named)
def test_a_vault_that_opens(case, folder, place):
    vault = folder / "vaults" / "vault.kdbx"
    shutil.copyfile(case.vault, vault)
    if is_no_document(case):
        # No program reads the file as it was; each reads what we save.
        mounted = mount(case, vault, place)
        assert "warning: the vault holds control characters (1)" in mounted.said
        check_tree(place, case.expected)
        next(place.rglob("password")).write_text(EDIT)
        mounted.unmount()
        for name, reading in judges.Witness(vault, case.password).readings.items():
            assert EDIT in [e.strings.get("Password") for e in reading.entries.values()], name
        return
    before = witness(case, vault)
    mounted = mount(case, vault, place)
    tree = check_tree(place, case.expected)
    path, changes = edit_something(os.fsencode(place), tree, before.readings["own reader"])
    mounted.unmount()
    now = before.read()
    for name, reading in now.items():
        found = judges.differences(before.readings[name], reading)
        assert list(found) == [path], f"{name} sees {found}"
        mine = found[path]
        if "new" not in mine:
            # How many are kept is the vault's to say; trimming one's own history is allowed.
            mine.pop("history", None) or mine.pop("history differs")
        assert without_mended(mine, before.readings[name], path) == changes, name
    reading = now["own reader"]
    (uuid,) = [u for u, e in reading.entries.items() if e.strings.get("Password") == EDIT]
    rests = [rest_of_document(r["own reader"], uuid) for r in (before.readings, now)]
    assert rests[0] == rests[1]


@pytest.mark.parametrize("case", shared.cases("refused"), ids=named)
def test_a_vault_that_is_refused(case, folder, place):
    vault = folder / "vaults" / "vault.kdbx"
    shutil.copyfile(case.vault, vault)
    done = programs.run(*case.options, vault, place, password=case.password)
    assert done.code in (12, 22, 23), done.err
    assert len(done.errors) == 1
    assert programs.mount_at(place) is None
    assert vault.read_bytes() == case.vault.read_bytes()


NEVER = "2999-12-28T23:59:59"


def as_kdbx(contents: dict) -> dict:
    """What a KDB file holds, in the words of KDBX: a root above all, UUIDs for its groups."""
    groups = contents["groups"]
    created = {group["uuid"]: group["times"].get("created") for group in groups}

    def converted(item: dict) -> dict:
        times = {key: time + "Z" for key, time in item["times"].items() if is_time(time)}
        times["expires"] = item["times"].get("expiry") != NEVER
        return item | {"times": times, "tags": [], "history_count": 0}

    def uuid_of(name: str | None) -> str | None:
        number = int(name.removeprefix("kdb:")) if name in created else None
        return None if number is None else group_uuid(number, created[name])

    root = {"uuid": None, "path": [], "name": "", "times": None}
    return {
        "groups": [root, *(converted(g) | {"uuid": uuid_of(g["uuid"])} for g in groups)],
        "entries": [converted(e) | {"group": uuid_of(e.get("group"))}
                    for e in contents["entries"]],
    }


def is_time(text: str) -> bool:
    """Whether it is one: some files have zeros for a time, or what no calendar has."""
    with contextlib.suppress(ValueError):
        return bool(datetime.datetime.fromisoformat(text))
    return False


def group_uuid(number: int, created: str | None) -> str:
    """The UUID that a group gets, whose file has none for it: docs/formats.md."""
    seconds = 0
    with contextlib.suppress(TypeError, ValueError):
        time = datetime.datetime.fromisoformat(created + "+00:00")
        seconds = int(time.timestamp())
    told = b"KDB group" + struct.pack("<IqI", number, seconds, 0)
    raw = bytearray(hashlib.sha256(told).digest()[:16])
    raw[6], raw[8] = raw[6] & 0x0F | 0x80, raw[8] & 0x3F | 0x80
    return raw.hex()


@pytest.mark.parametrize("case", shared.cases("legacy"), ids=named)
def test_a_vault_of_keepass_1(case, folder, place):
    """Mounted read-only, with all that it holds."""
    vault = folder / "vaults" / "vault.kdb"
    shutil.copyfile(case.vault, vault)
    told = programs.run("info", vault)
    assert told.code == 0 and b"KDB (KeePass 1)" in told.out
    mounted = mount(case, vault, place)
    assert "KeePass 1" in mounted.said and "read-only" in mounted.said
    assert "hint" in mounted.said
    check_tree(place, as_kdbx(case.expected))
    with pytest.raises(OSError) as caught:
        (place / "made here").mkdir()
    assert caught.value.errno == errno.EROFS
    listed = programs.run("ls", *case.options, vault, password=case.password)
    assert sorted(listed.out.splitlines()) == sorted(os.listdir(os.fsencode(place)))
    for file in [*place.rglob("password")][:1]:
        inside = file.relative_to(place)
        shown = programs.run("cat", *case.options, vault, inside, password=case.password)
        assert shown.out == file.read_bytes()
        with pytest.raises(OSError) as caught:
            file.write_text(EDIT)
        assert caught.value.errno == errno.EROFS
    mounted.unmount()
    assert vault.read_bytes() == case.vault.read_bytes()


@pytest.mark.parametrize("case", shared.cases("either"), ids=named)
def test_a_vault_on_which_programs_differ(case, folder, place):
    vault = folder / "vaults" / "vault.kdbx"
    shutil.copyfile(case.vault, vault)
    done = programs.run(*case.options, vault, place, password=case.password)
    if done.code == 0:
        if "format:KDBX-pre-release" in case.record["features"]:
            assert "before its release: mounted read-only" in done.err
            with pytest.raises(OSError) as caught:
                (place / "made here").mkdir()
            assert caught.value.errno == errno.EROFS
        check_tree(place, case.expected)
        assert programs.run("umount", place).code == 0
    else:
        assert done.code in (12, 23) and len(done.errors) == 1, done.err
    assert vault.read_bytes() == case.vault.read_bytes()


@pytest.mark.parametrize("record", shared.key_files(), ids=lambda record: record["file"])
def test_a_key_file(record, folder):
    """Each opens a vault that was locked with the key it must hold."""
    from support import fixtures, kdbx

    vault = folder / "vaults" / "vault.kdbx"
    content = fixtures.Content("Key")
    key = bytes.fromhex(record["key"]) if record["expect"] == "key" else bytes(32)
    composite = kdbx.sha256(key)
    vault.write_bytes(kdbx.write(content.tree(), kdbx.Recipe(), composite=composite))
    keyfile = shared.SHARED / "vaults" / record["file"]
    done = programs.run("ls", "--no-password", "--keyfile", keyfile, vault)
    if record["expect"] == "key":
        assert (done.code, done.err) == (0, "")
    else:
        assert done.code == 12 and len(done.errors) == 1, done.err
