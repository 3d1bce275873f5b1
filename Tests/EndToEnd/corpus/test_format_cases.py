"""The cases from practice about the format itself, 009 to 031, by their steps."""

from __future__ import annotations

import base64
import json
import os
import shutil
import struct
import subprocess
import time
from pathlib import Path

import pytest
from support import judges, programs, shared
from test_cases import CASES, Run, copied, failure, read

pytestmark = pytest.mark.skipif(
    not CASES.exists(), reason="no cases at KDBXFS_SHARED or ../shared")
# For vaults that some program refuses, or that sends it round in a loop.
OWN = {"own reader": judges.read_own}
NOON = 1_709_294_400  # 2024-03-01T12:00:00Z


def opened(run: Run) -> shared.kdbx.File:
    return shared.kdbx.read(run.vault.read_bytes(), run.password)


def raw_entry(run: Run, title: str):
    """An entry's element, found by its title."""
    for entry in opened(run).tree.iter("Entry"):
        for string in entry.findall("String"):
            if (string.findtext("Key"), string.findtext("Value")) == ("Title", title):
                return entry
    raise LookupError(title)


def check(run: Run, *options) -> programs.Done:
    return programs.run("check", *options, run.vault, password=run.password)


def sync(path: Path):
    file = os.open(path, os.O_RDONLY)
    os.fsync(file)
    os.close(file)


def size(path: Path) -> int:
    return os.stat(path).st_size


@pytest.mark.parametrize("name", ["chacha.kdbx", "salsa.kdbx", "v31.kdbx"])
def test_009_protected_values_in_an_unusual_order(name, folder, place):
    run = Run("009", folder, place, name)
    mount = run.mount()
    wanted = {"first/deep/deepest/password": "pw-deep", "first/mid/password": "pw-mid",
              "last/password": "pw-last", "last/PIN": "0000",
              "first/mid/.history/2024-02-01T00:00:00Z/password": "pw-mid-old",
              "first/mid/.history/2024-02-02T00:00:00Z/password": ""}
    assert {path: read(mount / path) for path in wanted} == wanted
    (mount / "first/mid/password").write_text("changed\n")
    sync(mount / "first/mid/password")
    (mount / "last/username").write_text("u-2\n")
    sync(mount / "last/username")
    wanted |= {"first/mid/password": "changed", "last/username": "u-2",
               "first/mid/.history/2024-03-01T12:00:00Z/password": "pw-mid"}
    assert {path: read(mount / path) for path in wanted} == wanted
    mount.unmount()
    run.before.expect({
        "first/mid": {"Password": ("pw-mid", "changed"), "history": 1},
        "last": {"UserName": ("u-last", "u-2"), "history": 1},
    })


class TestCase010:
    def test_010_times_of_kdbx_3(self, folder, place):
        run = Run("010", folder, place, "v31.kdbx")
        mount = run.mount()
        for name in run.entries():
            assert os.stat(mount / name).st_mtime == NOON
            assert os.stat(mount / name / "password").st_mtime == NOON
        spelled = {name: [time.text for time in raw_entry(run, name).find("Times")]
                   for name in ("frac", "offset")}
        (mount / "plain/password").write_text("changed\n")
        mount.unmount()
        assert spelled == {name: [time.text for time in raw_entry(run, name).find("Times")]
                           for name in spelled}
        changed = raw_entry(run, "plain").findtext("Times/LastModificationTime")
        assert abs(judges.unix_time(changed) - time.time()) < 120 and changed.endswith("Z")
        run.before.expect({"plain": {"Password": ("pw3", "changed"), "history": 1}})
        assert check(run).code == 0

    def test_010_text_in_kdbx_4(self, folder, place):
        run = Run("010", folder, place, "v4.kdbx", OWN)
        mount = run.mount()
        for name in run.entries():
            assert os.stat(mount / name).st_mtime == NOON
        (mount / "base64/password").write_text("changed\n")
        mount.unmount()
        run.before.expect({"base64": {"Password": ("pw2", "changed"), "history": 1}})
        changed = base64.b64decode(raw_entry(run, "base64").findtext("Times/LastModificationTime"))
        seconds = struct.unpack("<q", changed)[0] - judges.YEAR_ONE
        assert abs(seconds - time.time()) < 120
        times = raw_entry(run, "iso in 4").find("Times")
        assert sum("-" in (time.text or "") for time in times) == 5
        done = check(run)
        assert done.code == 26 and done.out.count(b"/iso in 4: Times/") == 5
        assert check(run, "--repair").code == 0
        entry = raw_entry(run, "iso in 4")
        found = [time.text for time in entry.find("Times") if time.tag.endswith(("Time", "Changed"))]
        assert [struct.unpack("<q", base64.b64decode(text))[0] for text in found] == [63844891200] * 5
        assert not entry.findall("History/Entry")
        assert judges.read_keepass(run.vault, run.password).entry("iso in 4")


def test_011_other_key_files(folder, place):
    inputs = copied("011", folder)
    vault = inputs / "v1-key.kdbx"
    for key, code in (("raw32.key", 0), ("hex64.key", 0), ("hex64-lf.key", 12)):
        done = programs.run("cat", "--keyfile", inputs / key, vault, "one/password",
                            password="pw-keyfile")
        assert (done.code, done.out) == (code, b"" if code else b"pw-one"), key
    done = programs.run("ls", "--keyfile", inputs / "hex64.key", inputs / "hex64-lf-key.kdbx",
                        password="pw-keyfile")
    assert done.code == 12
    done = programs.run(vault, place, password="pw-keyfile")
    assert done.code == 12 and "wrong password or key" in done.err
    done = programs.run("--keyfile", inputs / "nowhere.key", vault, place, password="pw-keyfile")
    assert done.code == 9 and "nowhere.key" in done.err
    done = programs.run("cat", "--no-password", "--keyfile", inputs / "v2.keyx",
                        inputs / "v2-only.kdbx", "one/password")
    assert (done.code, done.out) == (0, b"pw-one")


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_012_a_password_outside_ascii(locale, folder, place):
    vault = copied("012", folder) / "vault.kdbx"
    facts = json.loads(next(CASES.glob("012-*/expect.json")).read_text())
    password = facts["vaults"]["vault.kdbx"]["password"].encode()
    file = folder / "pw.txt"
    ways = []
    for ending in (b"", b"\n"):
        ways.append((dict(password=password + ending), []))
    for ending in (b"\n", b""):
        ways.append((dict(password=None), ["--passfile", file]))
    ways.append((dict(password=None), ["--extpass", "cat", "--extpass", file]))
    file.write_bytes(password)
    for given, options in ways:
        done = programs.run("cat", *options, vault, "one/password", env={"LC_ALL": locale}, **given)
        assert (done.code, done.out) == (0, b"pw-one"), options
    mount = programs.mount(vault, place, "--passfile", file, env={"LC_ALL": locale})
    (pid,) = mount.pids
    for name in ("cmdline", "environ"):
        assert password not in Path(f"/proc/{pid}/{name}").read_bytes()
    mount.unmount()
    assert programs.run("ls", vault, password=password.rstrip(b" ")).code == 12


def test_015_control_characters(folder, place):
    run = Run("015", folder, place, "clean.kdbx")
    mount = run.mount()
    script = r"""
      set +e
      printf 'a\002b' > good/notes; echo $?
      printf 'x\000y' > good/username; echo $?
      printf 'p\033q' > good/password; echo $?
      printf '\f' >> good/notes; echo $?
      printf 'tab\there\n' > bad/notes; echo $?
    """
    done = subprocess.run(["bash", "-c", script], cwd=mount.place, capture_output=True, text=True)
    assert done.stdout.split() == ["1", "1", "1", "1", "0"]
    assert done.stderr.count("Invalid argument") == 4
    assert read(mount / "bad/notes") == "tab\there"
    mount.unmount()
    old = run.before.readings["own reader"].entry("bad").strings["Notes"]
    run.before.expect({"bad": {"Notes": (old, "tab\there"), "history": 1}})


class TestCase016:
    def test_016_usual_spellings(self, folder, place):
        run = Run("016", folder, place, "usual.kdbx", OWN)
        mount = run.mount()
        assert read(mount / "c/ec/expires") == "2024-03-01T12:00:00Z"
        assert [name for name in run.entries() if (mount / name / "expires").exists()] == ["c/ec"]
        flags = self.flags(run)
        (mount / "top/password").write_text("changed\n")
        mount.unmount()
        run.before.expect({"top": {"Password": ("pw-top", "changed"), "history": 1}})
        assert self.flags(run) == flags
        marks = {value.get("Protected") for value in opened(run).tree.iter("Value")}
        assert marks == {"True", None}
        assert judges.read_keepassxc(run.vault, run.password).entry("top").strings["Password"] == (
            "changed")

    @staticmethod
    def flags(run):
        tags = ("EnableSearching", "EnableAutoType", "Expires", "IsExpanded")
        return [(e.tag, e.text) for e in opened(run).tree.iter(*tags)
                if next(e.iterancestors("History"), None) is None]

    def test_016_an_empty_boolean(self, folder, place):
        run = Run("016", folder, place, "empty.kdbx", OWN)
        mount = run.mount()
        (mount / "top/password").write_text("changed\n")
        mount.unmount()
        run.before.expect({"top": {"Password": ("pw-top", "changed"), "history": 1}})
        with pytest.raises(AssertionError):
            judges.read_keepassxc(run.vault, run.password)
        done = check(run)
        assert done.code == 26 and b"/d: EnableSearching: " in done.out
        assert check(run, "--repair").code == 0
        group = judges.read_keepassxc(run.vault, run.password).group("d/")
        assert "<EnableSearching>null</EnableSearching>" in group.rest


def test_017_repeated_uuids(folder, place):
    run = Run("017", folder, place, readers=OWN)
    mount = run.mount()
    paths = sorted(os.path.relpath(os.path.join(base, name), place)
                   for base, folders, files in os.walk(place) for name in [*folders, *files])
    assert "outer/middle/looped/e-loop" in paths
    assert len({os.stat(mount / path).st_ino for path in paths}) == len(paths)
    passwords = {path: read(mount / path / "password") for path in run.entries()}
    assert len(passwords) == 6
    done = check(run)
    assert done.code == 26
    for name in ("/outer/middle/looped", "/twin2", "/twin2/e-t2"):
        assert f"fault: {name}: UUID: ".encode() in done.out
    (mount / "twin2/e-t2/password").write_text("changed\n")
    mount.unmount()
    mount = run.mount()
    passwords["twin2/e-t2"] = "changed"
    assert {path: read(mount / path / "password") for path in passwords} == passwords
    mount.unmount()
    entry = raw_entry(run, "e-t2")
    assert {entry.findtext("UUID")} == {old.findtext("UUID") for old in entry.findall("History/Entry")}
    left = check(run).out
    assert b"/twin2/e-t2: UUID" not in left and b"/twin2: UUID" in left
    assert check(run, "--repair").code == 0
    mount = run.mount()
    assert {path: read(mount / path / "password") for path in passwords} == passwords
    mount.unmount()
    # KeePassXC hung on it; now it reads all six.
    reading = judges.read_keepassxc(run.vault, run.password)
    assert sorted(e.strings["Password"] for e in reading.entries.values()) == sorted(
        passwords.values())


def header_facts(vault: Path) -> dict:
    """What a save must keep of the header."""
    header = shared.dumper().parse_header(vault.read_bytes())
    raw = shared.kdbx.Header.read(vault.read_bytes())
    kdf = {name: (kind, len(value) if name == "S" else value)
           for name, (kind, value) in (raw.kdf.items() if raw.major >= 4 else ())}
    kept = {number: value for number, value in raw.fields if number in (2, 3, 6)}
    return {"version": (header.major, header.minor), "fields": kept, "kdf": kdf}


@pytest.mark.parametrize("name", ["twofish", "salt16", "argon2id", "aeskdf4", "aeskdf3id", "plain"])
def test_018_less_common_choices(name, folder, place):
    readers = {"keepassxc-cli": judges.read_keepassxc, "own reader": shared.read_with_dumper}
    run = Run("018", folder, place, f"{name}.kdbx", readers)
    facts = header_facts(run.vault)
    mount = run.mount()
    old = read(mount / "one/password")
    (mount / "one/password").write_text("changed\n")
    mount.unmount()
    run.before.expect({"one": {"Password": (old, "changed"), "history": 1}})
    if name == "aeskdf4":
        facts["kdf"]["$UUID"] = 0x42, shared.kdbx.KDFS["aeskdf"]
    assert header_facts(run.vault) == facts


@pytest.mark.parametrize("name", ["nodecl", "minimal", "spaced"])
def test_019_little_meta(name, folder, place):
    run = Run("019", folder, place, f"{name}.kdbx")
    before = opened(run).xml
    mount = run.mount()
    if name == "spaced":
        assert read(mount / "one/notes") == "  keep my blanks  "
        assert read(mount / "two/notes") == "\n"
    (mount / "one/password").write_text("changed\n")
    assert subprocess.run(["rm", "-r", mount / "two"]).returncode == 0
    mount.unmount()
    for reading in run.before.read().values():
        assert reading.entry("one").strings["Password"] == "changed"
        assert reading.entry("Recycle Bin/two").strings["Password"] == "pw2"
    tree = opened(run).tree
    bin_uuid = tree.findtext("Meta/RecycleBinUUID")
    assert judges.uuid_hex(bin_uuid) == run.before.read()["own reader"].group("Recycle Bin/").uuid
    if name == "spaced":
        comments = [line for line in before.splitlines() if b"<!--" in line]
        after = opened(run).xml
        assert comments and all(line in after for line in comments)


def test_020_fields_of_41(run_41):
    run = run_41
    mount = run.mount()
    (mount / "here/plain/password").write_text("changed\n")
    mount.unmount()
    now = run.before.expect({"here/plain": {"Password": ("pw-plain", "changed"), "history": 1}})
    assert now["own reader"].version == (4, 1)
    tree = opened(run).tree
    for path in (".//Group/Tags", ".//QualityCheck", ".//Group/PreviousParentGroup",
                 ".//Entry/PreviousParentGroup", ".//Icon/Name", ".//Icon/LastModificationTime",
                 "Meta/CustomData/Item/LastModificationTime", ".//CustomIconUUID"):
        assert tree.findtext(path), path


@pytest.fixture
def run_41(folder, place) -> Run:
    return Run("020", folder, place)


def test_021_data_of_others(folder, place):
    run = Run("021", folder, place)
    public = opened(run).header.field(12)
    mount = run.mount()
    (mount / "grp/other/password").write_text("changed\n")
    mount.unmount()
    # That nothing else differs holds for unknown elements and plug-in data too.
    run.before.expect({"grp/other": {"Password": ("pw-other", "changed"), "history": 1}})
    assert public and opened(run).header.field(12) == public
    text = opened(run).xml.decode()
    assert text.index("<FutureEntry") and text.index("<FutureGroup")
    done = check(run)
    assert done.code == 0 and b"FutureEntry" in done.out


def test_022_tags(folder, place):
    run = Run("022", folder, place)
    mount = run.mount()
    shown = {name: read(mount / name / "tags") for name in run.entries()}
    assert shown == {"semi": "one\ntwo", "comma": "one\ntwo", "colon": "web:site\nx",
                     "blank": "two words\nthree", "hole": "a\nb"}
    raw = {name: raw_entry(run, name).findtext("Tags") for name in shown}
    for name in shown:
        (mount / name / "password").write_text("changed\n")
    mount.unmount()
    assert {name: raw_entry(run, name).findtext("Tags") for name in shown} == raw


def test_023_line_ends_and_blanks(folder, place):
    run = Run("023", folder, place)
    (values,) = [e for e in run.facts.record["entries"] if e["strings"]["Title"] == "values"]
    files = {"username": "UserName", "password": "Password", "notes": "Notes"}
    files |= {key: key for key in ("pem", "pem-open", "only-lf", "spaces", "cr-end")}
    wanted = {file: values["strings"][key].encode() for file, key in files.items()}
    mount = run.mount()
    assert {file: (mount / "values" / file).read_bytes() for file in wanted} == wanted
    notes = (run.folder / "new-notes.txt").read_bytes()
    shutil.copyfile(run.folder / "new-notes.txt", mount / "values/notes")
    assert (mount / "values/notes").read_bytes() == notes
    mount.unmount()
    wanted["notes"] = notes
    for step in ("again", "after another edit"):
        mount = run.mount()
        assert {file: (mount / "values" / file).read_bytes() for file in wanted} == wanted, step
        (mount / "other/password").write_text(step)
        mount.unmount()
    xml = opened(run).xml
    assert b"\r" not in xml and b"&#13;" in xml
    marks = [value for value in raw_entry(run, "values").iter("Value")
             if value.text and not value.text.strip() and not value.get("Protected")]
    assert marks
    assert all(v.get("{http://www.w3.org/XML/1998/namespace}space") == "preserve" for v in marks)
    for key in ("Password", "pem", "cr-end"):
        shown = judges.keepassxc("show", "-s", "-a", key, run.vault, "values", password=run.password)
        assert shown.removesuffix(b"\n") == values["strings"][key].encode(), key


def test_024_values_that_look_like_markup(folder, place):
    run = Run("024", folder, place)
    mount = run.mount()
    strings = run.facts.record["entries"][0]["strings"]
    name = "has <markup> & ]]>"
    for file, key in {"username": "UserName", "password": "Password", "url": "URL",
                      "notes": "Notes", "<k>&": "<k>&"}.items():
        assert read(mount / name / file) == strings[key]
    payload = run.folder / "payload.txt"
    for file in ("notes", "username", "url", "password"):
        shutil.copyfile(payload, mount / "target" / file)
    mount.unmount()
    text = payload.read_text()
    run.before.expect({"target": {
        "Notes": ("", text), "UserName": ("u", text), "URL": ("", text),
        "Password": ("pw-target", text), "history": 1}})


def test_025_shared_attachments(folder, place):
    run = Run("025", folder, place)
    flags = self_flags(run)
    mount = run.mount()
    version = "first/.history/2024-02-01T00:00:00Z/attachments"
    names = ["first/attachments/a.txt", "first/attachments/all-bytes.bin",
             "second/attachments/a.txt", "third/attachments/copy.bin", f"{version}/a.txt",
             f"{version}/gone.txt"]
    wanted = {name: (mount / name).read_bytes() for name in names}
    (mount / "first/password").write_text("changed\n")
    mount.unmount()
    run.before.expect({"first": {"Password": ("pw1", "changed"), "history": 1}})
    assert self_flags(run) == flags
    mount = run.mount()
    assert {name: (mount / name).read_bytes() for name in names} == wanted
    os.unlink(mount / "second/attachments/a.txt")
    assert "attachments" not in os.listdir(mount / "second")
    mount.unmount()
    mount = run.mount()
    names.remove("second/attachments/a.txt")
    assert {name: (mount / name).read_bytes() for name in names} == {n: wanted[n] for n in names}
    (old,) = os.listdir(mount / "second/.history")
    assert (mount / "second/.history" / old / "attachments/a.txt").read_bytes() == wanted[
        "second/attachments/a.txt"]
    mount.unmount()
    assert self_flags(run) == flags


def self_flags(run) -> dict:
    """The flag that asks to keep a content protected in memory, for each attachment's content."""
    file = opened(run)
    found = {}
    for entry in file.tree.iter("Entry"):
        for binary in entry.findall("Binary"):
            flag, content = file.binaries[int(binary.find("Value").get("Ref"))]
            found.setdefault((binary.findtext("Key"), judges.digest(content)), set()).add(flag)
    return found


@pytest.mark.parametrize("name", ["v4.kdbx", "v31.kdbx"])
def test_026_the_files_own_choices(name, folder, place):
    run = Run("026", folder, place, name)
    facts, copies = header_facts(run.vault), [run.vault.read_bytes()]
    mount = run.mount()
    (mount / "one/password").write_text("one-1\n")
    mount.unmount()
    copies.append(run.vault.read_bytes())
    mount = run.mount()
    for text in ("one-2", "one-3"):
        (mount / "one/password").write_text(text + "\n")
        sync(mount / "one/password")
        copies.append(run.vault.read_bytes())
    mount.unmount()
    assert run.vault.read_bytes() == copies[-1]
    heads = [shared.kdbx.Header.read(copy) for copy in copies]
    fresh = (4, 7) if heads[0].major >= 4 else (4, 7, 8, 9)
    for number in fresh:
        assert len({head.field(number) for head in heads}) == len(copies), number
    salts = [head.kdf["S"][1] if head.major >= 4 else head.field(5) for head in heads]
    assert salts[0] != salts[1] and salts[1] == salts[2] == salts[3]
    for copy, text in zip(copies[1:], ("one-1", "one-2", "one-3"), strict=True):
        run.vault.write_bytes(copy)
        assert header_facts(run.vault) == facts
        assert judges.read_keepassxc(run.vault, run.password).entry("one").strings["Password"] == text


@pytest.mark.parametrize("name, kept", [
    ("limit3", ["pw-v2", "pw-v3", "pw-v4"]),
    ("unlimited", [f"pw-v{number}" for number in range(1, 14)]),
    ("none", []),
])
def test_027_limits_for_old_versions(name, kept, folder, place):
    run = Run("027", folder, place, f"{name}.kdbx")
    limits = [opened(run).tree.findtext(f"Meta/{tag}") for tag in ("HistoryMaxItems", "HistoryMaxSize")]
    mount = run.mount()
    (mount / "busy/password").write_text("new-1\n")
    (mount / "busy/password").write_text("new-2\n")
    mount.unmount()
    entry = run.before.read()["own reader"].entry("busy")
    assert [old.strings["Password"] for old in entry.history] == kept
    assert entry.strings["Password"] == "new-2"
    raw = raw_entry(run, "busy")
    assert not raw.findall("History/Entry/History")
    assert limits == [opened(run).tree.findtext(f"Meta/{tag}")
                      for tag in ("HistoryMaxItems", "HistoryMaxSize")]
    before = judges.Witness(run.vault, run.password, judges=OWN)
    mount = run.mount()
    read(mount / "busy/password")
    mount.unmount()
    before.expect_untouched()


def test_029_references(folder, place):
    run = Run("029", folder, place)
    raw = "{REF:P@I:4D7B760064BA2E9BF5884A6618A02D07}"
    mount = run.mount()
    shown = {"clone/username": "sam", "clone/password": "pw-source", "mixed/username": "dom\\sam2",
             "chain/password": "pw-source",
             "self/password": "{REF:P@I:F606B8510AD81997F372482877075A42}",
             "unknown/password": "{REF:P@I:00112233445566778899AABBCCDDEEFF}",
             "chance/password": "{REF:not a reference"}
    assert {path: read(mount / path) for path in shown} == shown
    assert {path: size(mount / path) for path in shown} == {p: len(v) for p, v in shown.items()}
    assert os.getxattr(mount / "clone/password", "user.kdbx.raw").decode() == raw
    (mount / "source/password").write_text("rotated\n")
    for path in ("clone/password", "chain/password"):
        assert (read(mount / path), size(mount / path)) == ("rotated", 7)
    (mount / "clone/password").write_text(read(mount / "clone/password") + "\n")
    (mount / "clone/username").write_text("plain-user\n")
    mount.unmount()
    run.before.expect({
        "source": {"Password": ("pw-source", "rotated"), "history": 1},
        "clone": {"UserName": (raw.replace("P@", "U@"), "plain-user"), "history": 1},
    })


def test_031_extreme_times(folder, place):
    run = Run("031", folder, place, readers=OWN)
    mount = run.mount()
    for base, folders, files in os.walk(place):
        for name in [*folders, *files]:
            os.stat(os.path.join(base, name))
    shown = subprocess.run(["stat", "-c", "%Y", mount / "1969"], capture_output=True, check=True)
    assert shown.stdout == b"-1\n"
    assert os.getxattr(mount / "year1", "user.kdbx.created") == b"0001-01-01T00:00:00Z"
    shown = subprocess.run(["stat", "-c", "%X", mount / "negative"], capture_output=True, check=True)
    assert shown.stdout == b"-62135596805\n"
    expiring = {name: read(mount / name / "expires") for name in run.entries()
                if (mount / name / "expires").exists()}
    assert expiring == {"year9999": "9999-12-31T23:59:59Z"}
    others = [name for name in run.entries() if name != "normal"]
    raw = {name: [t.text for t in raw_entry(run, name).find("Times")] for name in others}
    (mount / "normal/password").write_text("changed\n")
    mount.unmount()
    assert {name: [t.text for t in raw_entry(run, name).find("Times")] for name in others} == raw
    run.before.expect({"normal": {"Password": ("p6", "changed"), "history": 1}})
    done = check(run)
    assert done.code == 26
    assert b"fault: /beyond: " in done.out and b"fault: /negative: " in done.out
    assert failure(lambda: (mount / "normal").stat()) == "ENOENT"
