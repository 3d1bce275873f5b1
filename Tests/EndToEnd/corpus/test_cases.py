"""The cases from practice: each vault as its facts say, and the steps of those about this much."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from support import judges, programs, shared

CASES = shared.SHARED / "cases"
pytestmark = pytest.mark.skipif(
    not CASES.exists(), reason="no cases at KDBXFS_SHARED or ../shared")
NO_REPLACE, EXCHANGE = 1, 2


@dataclass
class Facts:
    case: str
    name: str
    record: dict

    @property
    def password(self) -> str | None:
        return self.record["password"]

    def options(self, folder: Path) -> list:
        keyfile = self.record.get("keyfile")
        options = ["--keyfile", folder / keyfile] if keyfile else []
        return options + (["--no-password"] if self.password is None else [])


def all_facts(want: str) -> list[Facts]:
    found = []
    for file in sorted(CASES.glob("*/expect.json")):
        for name, record in json.loads(file.read_text())["vaults"].items():
            if record["want"] == want:
                found.append(Facts(file.parent.name, name, record))
    return found


def called(facts: Facts) -> str:
    return f"{facts.case[:3]}-{facts.name}"


def copied(case: str, folder: Path) -> Path:
    """The case's inputs in a folder of their own."""
    (source,) = CASES.glob(case + "-*")
    for file in source.iterdir():
        if file.suffix not in (".md", ".json"):
            shutil.copyfile(file, folder / "vaults" / file.name)
    return folder / "vaults"


class Run:
    """One case: its vault mounted and unmounted as the steps say, judged by all readers."""

    def __init__(self, case: str, folder: Path, place: Path, name: str = "vault.kdbx",
                 readers=judges.JUDGES):
        self.folder = copied(case, folder)
        self.vault, self.place = self.folder / name, place
        facts = json.loads(next(CASES.glob(case + "-*/expect.json")).read_text())
        self.facts = Facts(case, name, facts["vaults"][name])
        self.password = self.facts.password
        self.before = judges.Witness(self.vault, self.password, judges=readers)

    def mount(self, *options, autosave=0, **more) -> programs.Mount:
        return programs.mount(self.vault, self.place, "-o", f"autosave={autosave}", *options,
                              password=self.password, **more)

    def entries(self) -> list[str]:
        return [path for path, node in self.facts.record["tree"].items() if "entry" in node]


@pytest.fixture
def run(request, folder, place) -> Run:
    """The case that the test's class or function is named after: `…_001_…`."""
    number = next(part for part in request.node.name.split("[")[0].split("_") if part.isdigit())
    return Run(number, folder, place)


# Every vault


@pytest.mark.parametrize("facts", all_facts("opens"), ids=called)
def test_a_vault_shows_its_facts(facts, folder, place):
    inputs = copied(facts.case[:3], folder)
    vault = inputs / facts.name
    stored = vault.read_bytes()
    mount = programs.mount(vault, place, "-o", "autosave=0", *facts.options(inputs),
                           password=facts.password)
    tree, found = facts.record.get("tree"), {}
    for base, folders, _ in os.walk(place):
        for name in list(folders):
            path = os.path.join(base, name)
            uuid = os.getxattr(path, "user.kdbx.uuid").decode().replace("-", "").lower()
            kind = "entry" if os.path.exists(os.path.join(path, "username")) else "group"
            found[os.path.relpath(path, place)] = {kind: uuid}
            if kind == "entry":
                folders.remove(name)
    if tree is None:
        # A rule stands for many entries; the listing has as many as it says.
        assert len(found) == sum(facts.record[kind]["count"] for kind in ("entries", "groups"))
        mount.unmount()
        return
    assert found == tree
    by_uuid = {}
    for entry in facts.record["entries"]:
        by_uuid.setdefault(entry["uuid"], []).append(entry)
    fixed = {"UserName": "username", "Password": "password", "URL": "url", "Notes": "notes"}
    for path, node in tree.items():
        if len(by_uuid.get(node.get("entry"), [])) != 1:
            continue
        (entry,) = by_uuid[node["entry"]]
        listed = {name for name in os.listdir(mount / path)}
        for key, name in fixed.items():
            value = entry["strings"].get(key, "")
            if "{" not in value:
                assert (mount / path / name).read_bytes() == value.encode(), (path, name)
        names = {record["string"]: name.rsplit("/", 1)[1] for name, record in
                 facts.record.get("files", {}).items()
                 if "string" in record and name.rsplit("/", 1)[0] == path}
        for key, value in entry["strings"].items():
            if key not in (*fixed, "Title") and "{" not in value:
                file = mount / path / names.get(key, key)
                assert file.name in listed, (path, key)
                assert file.read_bytes() == value.encode(), (path, key)
        for attachment in entry.get("attachments", []):
            names = {record["attachment"]: name.rsplit("/", 1)[1] for name, record in
                     facts.record.get("files", {}).items()
                     if "attachment" in record and name.startswith(path + "/attachments/")}
            file = mount / path / "attachments" / names.get(attachment["name"], attachment["name"])
            content = file.read_bytes()
            assert (len(content), judges.digest(content)) == (
                attachment["size"], attachment["sha256"]), (path, attachment["name"])
        if entry.get("history"):
            assert len(os.listdir(mount / path / ".history")) == len(entry["history"])
    mount.unmount()
    assert vault.read_bytes() == stored


@pytest.mark.parametrize("facts", all_facts("refused"), ids=called)
def test_a_vault_is_refused(facts, folder, place):
    inputs = copied(facts.case[:3], folder)
    vault = inputs / facts.name
    state = {path.name: path.read_bytes() for path in inputs.iterdir()}
    done = programs.run(*facts.options(inputs), vault, place, password=facts.password)
    assert done.code == facts.record["exit"], done.err
    assert len(done.errors) == 1
    assert "wrong password" not in done.err.lower()
    assert programs.mount_at(place) is None
    assert {path.name: path.read_bytes() for path in inputs.iterdir()} == state


def test_014_whole_with_another_password(folder, place):
    vault = copied("014", folder) / "whole.kdbx"
    done = programs.run(vault, place, password="not-it")
    assert done.code == 12 and "wrong password" in done.err.lower()


@pytest.mark.parametrize("name, words, is_right", [
    ("header-bit", "damaged, in its header, whose checksum is wrong", False),
    ("body-bit", "damaged, in its data blocks: at its byte ", True),
    ("not-kdbx", "is not a KeePass vault", False),
])
def test_014_says_what_is_damaged(name, words, is_right, folder, place):
    vault = copied("014", folder) / f"{name}.kdbx"
    done = programs.run(vault, place, password="pw-damaged")
    assert words in done.errors[0]
    assert ("hint: the password and the key file are right" in done.err) == is_right


def test_015_names_the_character_and_its_place(folder, place):
    vault = copied("015", folder) / "broken.kdbx"
    done = programs.run(vault, place, password="pw-ctrl")
    where = re.fullmatch(
        r".*a character that XML can't hold \(0x02\) at byte (\d+) of the XML", done.errors[0])
    dump = shared.dumper()
    header = dump.parse_header(vault.read_bytes())
    xml = dump.raw_open(header, "pw-ctrl", None)[0]
    assert xml[int(where[1])] == 2


# Names


def failure(attempt) -> str | None:
    try:
        attempt()
    except OSError as error:
        return errno.errorcode[error.errno]
    return None


def read(path) -> str:
    return Path(path).read_bytes().decode()


def test_001_slash_in_names(run):
    mount = run.mount()
    passwords = {path: read(mount / path / "password") for path in run.entries()}
    assert passwords == {
        "a%2Fb": "pw-top", "%2F": "pw-only", "a%252Fb": "pw-esc", "a∕b": "pw-div", "a/b": "pw-inner",
        "IT%2FOps/https:%2F%2Fexample.org%2Flogin": "pw-ops",
    }
    (mount / "IT%2FOps/https:%2F%2Fexample.org%2Flogin/password").write_text("new-1\n")
    os.mkdir(mount / "x%2Fy")
    (mount / "x%2Fy/password").write_text("pw-xy\n")
    assert failure(lambda: read(mount / "a%2fb/password")) == "ENOENT"
    assert failure(lambda: os.mkdir(mount / "x%2fz")) == "EINVAL"
    mount.unmount()
    run.before.expect({
        "IT/Ops/https://example.org/login": {"Password": ("pw-ops", "new-1"), "history": 1},
        "x/y": {"new": {"Title": "x/y", "Password": "pw-xy"}},
    })


def test_002_same_title_twice(run):
    def web(mount):
        return {name: read(mount / "Web" / name / "username") for name in os.listdir(mount / "Web")}

    twins = {"GitHub": "", "GitHub ~9332de96": "work", "GitHub ~c484187b": "home",
             "GitHub (2)": "real"}
    mount = run.mount()
    assert web(mount) == twins
    mount.unmount()
    mount = run.mount()
    assert web(mount) == twins
    assert subprocess.run(["rm", "-r", mount / "Web/GitHub"]).returncode == 0
    assert not (mount / "Web/GitHub").exists()
    assert set(os.listdir(mount / "Recycle Bin")) == {"GitHub", "GitHub ~035ace4a"}
    (mount / "Web/GitHub ~9332de96/password").write_text("changed\n")
    mount.unmount()
    mount = run.mount()
    assert web(mount) == {"GitHub": "work", "GitHub ~c484187b": "home", "GitHub (2)": "real"}
    assert read(mount / "Web/GitHub/password") == "changed"
    assert set(os.listdir(mount / "Recycle Bin")) == {"GitHub", "GitHub ~e26c65d3"}
    mount.unmount()


def test_003_empty_titles(run):
    mount = run.mount()
    os.rename(mount / "untitled ~861b8765", mount / "was empty")
    mount.unmount()
    run.before.expect({"was empty": {"Title": ("", "was empty"), "history": 1}})
    tree = shared.kdbx.read(run.vault.read_bytes(), run.password).tree
    keys = [[s.findtext("Key") for s in e.findall("String")] for e in tree.iter("Entry")
            if any((s.findtext("Value") or "") == "u-none" for s in e.findall("String"))]
    assert keys and all("Title" not in found for found in keys)


def test_004_long_titles(run):
    mount = run.mount()
    (found,) = [path for path in run.entries() if path.endswith(" ~641ec8bf")]
    old = read(mount / found / "password")
    (mount / found / "password").write_text("changed\n")
    assert failure(lambda: os.mkdir(mount / ("n" * 256))) == "ENAMETOOLONG"
    mount.unmount()
    title = "y" * 299 + "B"
    run.before.expect({title: {"Password": (old, "changed"), "history": 1}})


def test_005_attribute_names_clash(run):
    mount = run.mount()
    assert set(os.listdir(mount / "clash")) == {
        "%70assword", "%75sername", "%74otp", "%75rl", "%6Eotes", "%61ttachments", "Uuid", "Tags",
        "title", "history", "PASSWORD", "Password ", "username", "password", "url", "notes", "tags",
    }
    (mount / "clash/password").write_text("fixed-new\n")
    (mount / "clash/%70assword").write_text("custom-new\n")
    for name in ("Password", "Title"):
        assert failure(lambda: (mount / "clash" / name).write_text("x")) == "EINVAL"
    mount.unmount()
    run.before.expect({"clash": {"Password": ("real-pw", "fixed-new"),
                                 "password": ("attr-password", "custom-new"), "history": 1}})


def test_006_accents_two_forms(run):
    mount = run.mount()
    names = {b"caf\xc3\xa9": "pw-nfc", b"cafe\xcc\x81": "pw-nfd", b"CAF\xc3\x89": "pw-up",
             "שלום".encode(): "pw-rtl"}
    (base,) = {os.path.dirname(path) for path in run.entries()}
    top = os.fsencode(mount / base)
    for name, password in names.items():
        assert read(top.decode() + "/" + name.decode() + "/password") == password
    assert failure(lambda: read(mount / base / "Café" / "password")) == "ENOENT"
    (mount / base / "cafe\u0301" / "password").write_text("changed\n")
    mount.unmount()
    path = os.path.join(base, "cafe\u0301")
    run.before.expect({path: {"Password": ("pw-nfd", "changed"), "history": 1}})


def test_007_quotes_and_shell_marks(run):
    mount = run.mount()
    assert len(run.entries()) == 15
    for path in run.entries():
        (mount / path / "password").write_text("changed\n")
    mount.unmount()
    now = run.before.read()
    for name, reading in now.items():
        found = judges.differences(run.before.readings[name], reading)
        assert len(found) == 15
        assert all(change["Password"][1] == "changed" and change["history"] == 1 and
                   len(change) == 2 for change in found.values()), (name, found)


def test_008_attribute_odd_names(run):
    mount = run.mount()
    assert set(os.listdir(mount / "odd")) == {
        "username", "password", "url", "notes", "a%2Fb", "%00", "%2E", "%2E%2E", "two%0Alines",
        "k" * 245 + " ~17b16d8e", " ", "Key", "key",
    }
    old = read(mount / "odd/a%2Fb"), read(mount / "odd/password")
    (mount / "odd/a%2Fb").write_text("new\n")
    (mount / "odd/password").write_text("changed\n")
    mount.unmount()
    run.before.expect({"odd": {"a/b": (old[0], "new"), "Password": (old[1], "changed"),
                               "history": 1}})


# Changes


def renameat2(old, new, flags: int):
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.renameat2(-100, os.fsencode(old), -100, os.fsencode(new), flags) != 0:
        raise OSError(ctypes.get_errno(), "renameat2")


@pytest.mark.parametrize("name, bin_name", [("bin.kdbx", "Papierkorb"),
                                            ("newbin.kdbx", "Recycle Bin"), ("off.kdbx", None)])
def test_028_remove_goes_to_bin(name, bin_name, folder, place):
    run = Run("028", folder, place, name)
    old = run.before.readings["own reader"]
    mount = run.mount()
    for victim in ("drop", "folder"):
        done = subprocess.run(["rm", "-r", mount / victim], capture_output=True)
        assert (done.returncode, done.stderr) == (0, b"")
    mount.unmount()
    for reading in run.before.read().values():
        if bin_name is None:
            gone = {old.entry("drop").uuid, old.entry("folder/leaf").uuid, old.group("folder/").uuid}
            assert gone <= reading.deleted
            assert not {"drop", "folder/"} & set(reading.paths())
            continue
        drop = reading.entry(f"{bin_name}/drop")
        assert drop.uuid == old.entry("drop").uuid
        assert len(drop.history) == len(old.entry("drop").history)
        assert reading.entry(f"{bin_name}/folder/leaf").uuid == old.entry("folder/leaf").uuid
        assert not {"drop", "folder/"} & set(reading.paths())
        assert [path for path in reading.paths() if path.count("/") == 1 and path.endswith("/")] == [
            bin_name + "/"]
    now = run.before.read()["own reader"]
    assert now.version == (4, 0)
    if bin_name:
        moved = now.entry(f"{bin_name}/drop").times["LocationChanged"]
        assert abs(moved - time.time()) < 120
        assert now.entry(f"{bin_name}/drop").strings == old.entry("drop").strings


def test_030_move_keeps_entry(run):
    mount = run.mount()
    place = mount.place
    assert subprocess.run(["mv", place / "from/box", place / "to/"]).returncode == 0
    assert subprocess.run(["mv", place / "from/name-a", place / "from/name-b"]).returncode == 0
    assert subprocess.run(["mv", place / "from", place / "to/"]).returncode == 0
    found = [
        failure(lambda: os.rename(place / "to", place / "to/from/to")),
        failure(lambda: os.rename(place / "to/from/taken", place / "to/taken")),
        failure(lambda: renameat2(place / "to/from/taken", place / "to/taken", NO_REPLACE)),
        failure(lambda: os.rename(place / "to/from/name-b", place / "to/taken/name-b")),
    ]
    assert found[0] == "EINVAL" and found[1] in ("ENOTEMPTY", "EEXIST")
    assert found[2:] == ["EEXIST", "EPERM"]
    mount.unmount()
    run.before.expect({
        "to/box": {"moved": ("from/", "to/")},
        "to/from/name-b": {"Title": ("name-a", "name-b"), "history": 1},
        "to/from/": {"moved": ("", "to/")},
    })
    box = shared.kdbx.read(run.vault.read_bytes(), run.password).tree
    old = run.before.readings["own reader"]
    parents = [judges.uuid_hex(e.findtext("PreviousParentGroup")) for e in box.iter("Entry")
               if judges.text_of(e, "UUID") and e.findtext("PreviousParentGroup")]
    assert old.group("from/").uuid in parents


def test_032_line_feed_at_end(run):
    mount = run.mount()
    script = """
      echo new-pw > mail/password; printf no-lf > mail/username
      printf 'two\\n\\n' > office/vpn/username
      printf 'a\\nb\\n' > mail/notes; printf 'a\\nb' > office/vpn/notes
      printf '%s\\n' "$(cat office/git-host/password)" > office/git-host/password
    """
    assert subprocess.run(["bash", "-euc", script], cwd=mount.place).returncode == 0
    wanted = {"mail/password": "new-pw", "mail/username": "no-lf", "office/vpn/username": "two\n\n",
              "mail/notes": "a\nb\n", "office/vpn/notes": "a\nb"}
    assert {path: read(mount / path) for path in wanted} == wanted
    assert os.stat(mount / "mail/password").st_size == 6
    mount.unmount()
    old = run.before.readings["own reader"]
    mail, vpn = old.entry("mail").strings, old.entry("office/vpn").strings
    run.before.expect({
        "mail": {"Password": (mail["Password"], "new-pw"), "UserName": (mail["UserName"], "no-lf"),
                 "Notes": (mail["Notes"], "a\nb\n"), "history": 1},
        "office/vpn": {"UserName": (vpn["UserName"], "two\n\n"), "Notes": (vpn["Notes"], "a\nb"),
                       "history": 1},
    })
    before = judges.Witness(run.vault, run.password)
    mount = run.mount("-o", "exact")
    (mount / "mail/url").write_text("x\n")
    mount.unmount()
    before.expect({"mail": {"URL": (mail["URL"], "x\n"), "history": 1}})


class TestCase033:
    def save_by_rename(self, entry: Path, name: str, text: str):
        """What an editor does, call by call."""
        swap = os.open(entry / f".{name}.swp", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(swap, b"\0" * 4096)
        os.fsync(swap)
        probe = os.open(entry / "4913", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        os.fchmod(probe, 0o644)
        os.close(probe)
        os.unlink(entry / "4913")
        os.rename(entry / name, entry / f"{name}~")
        assert failure(lambda: os.stat(entry / name)) == "ENOENT"
        file = os.open(entry / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.write(file, text.encode())
        os.fsync(file)
        os.fchmod(file, 0o600)
        os.utime(file, (1, 1))
        acl = failure(lambda: os.setxattr(file, "system.posix_acl_access", b"\2\0\0\0"))
        assert acl == errno.errorcode[errno.EOPNOTSUPP]
        os.close(file)
        os.unlink(entry / f"{name}~")
        os.close(swap)
        os.unlink(entry / f".{name}.swp")

    def test_033_save_with_backup_and_rename(self, run):
        mount = run.mount()
        self.save_by_rename(mount / "office/vpn", "password", "edited-pw\n")
        self.save_by_rename(mount / "office/vpn", "notes", "edited-notes\n")
        mount.unmount()
        run.before.expect({"office/vpn": {
            "Password": ("vpn-pw-1", "edited-pw"), "Notes": ("dial 7 first", "edited-notes"),
            "history": 1,
        }})

    def test_033_a_real_editor(self, run):
        mount = run.mount()
        done = subprocess.run(
            ["vim", "-es", "-u", "NONE", "-c", "set backup writebackup", "-c", "%s/.*/edited-pw/",
             "-c", "wq", "password"], cwd=mount / "mail", capture_output=True, timeout=60)
        assert done.returncode == 0
        mount.unmount()
        run.before.expect({"mail": {"Password": ("mail-pw-1", "edited-pw"), "history": 1}})

    def test_033_killed_in_between(self, run):
        mount = run.mount()
        entry = mount / "office/vpn"
        (entry / ".password.swp").write_bytes(b"\0" * 4096)
        os.rename(entry / "password", entry / "password~")
        mount.unmount()
        run.before.expect_untouched()
        mount = run.mount()
        assert read(entry / "password") == "vpn-pw-1"
        mount.unmount()


def test_034_exchange_and_no_replace(run):
    mount = run.mount()
    renameat2(mount / "mail/username", mount / "mail/password", EXCHANGE)
    renameat2(mount / "office/git-host", mount / "office/vpn", EXCHANGE)
    assert failure(lambda: renameat2(mount / "mail/url", mount / "mail/notes", NO_REPLACE)) == "EEXIST"
    assert failure(lambda: renameat2(mount / "mail/url", mount / "office/vpn", EXCHANGE)) == "EPERM"
    assert (mount / "office/vpn/otp").exists()
    assert read(mount / "office/git-host/PIN") == "4711"
    mount.unmount()
    run.before.expect({
        "mail": {"UserName": ("sam@example.org", "mail-pw-1"),
                 "Password": ("mail-pw-1", "sam@example.org"), "history": 1},
        "office/vpn": {"Title": ("git-host", "vpn"), "history": 1},
        "office/git-host": {"Title": ("vpn", "git-host"), "history": 1},
    })


# Saving and ending


ENDINGS = ["umount", "fusermount3 -u", "fusermount3 -uz", "SIGTERM", "SIGINT", "SIGHUP"]


@pytest.mark.parametrize("way", ENDINGS)
def test_042_save_on_unmount_and_signals(way, run):
    mount = run.mount(front=True)
    (mount / "mail/password").write_text("done-1\n")
    if way == "umount":
        assert programs.run("umount", mount.place).code == 0
    elif way.startswith("SIG"):
        mount.signal(getattr(signal, way))
    elif way.endswith("z"):
        with programs.held(mount / "mail/url"):
            subprocess.run(["fusermount3", "-uz", mount.place], check=True)
    else:
        subprocess.run(["fusermount3", "-u", mount.place], check=True)
    assert mount.wait_for_end() == 0, mount.said
    assert programs.mount_at(mount.place) is None
    run.before.expect({"mail": {"Password": ("mail-pw-1", "done-1"), "history": 1}})


def test_042_killed(run):
    mount = run.mount()
    (mount / "mail/password").write_text("done-8\n")
    assert programs.run("save", mount.place).code == 0
    (mount / "mail/password").write_text("done-9\n")
    mount.kill()
    run.before.expect({"mail": {"Password": ("mail-pw-1", "done-8"), "history": 1}})
    again = run.mount()
    assert read(again / "mail/password") == "done-8"
    again.unmount()
    assert os.listdir(run.folder) == ["vault.kdbx"]


@pytest.mark.parametrize("umask", [0o000, 0o077])
def test_045_owner_mode_time_kept(umask, run):
    os.chmod(run.vault, 0o640)
    if os.getuid() == 0:
        os.chown(run.vault, -1, 50)
        subprocess.run(["setfacl", "-m", "u:nobody:r", run.vault], check=True)
    os.setxattr(run.vault, "user.note", b"1")
    os.utime(run.vault, (1_577_836_800, 1_577_836_800))

    def look():
        found = os.stat(run.vault)
        acl = subprocess.run(["getfacl", "-cE", run.vault], capture_output=True, check=True).stdout
        return found.st_uid, found.st_gid, found.st_mode, acl, os.getxattr(run.vault, "user.note")

    old, start = look(), time.time()
    previous = os.umask(umask)
    try:
        mount = run.mount()
        (mount / "mail/password").write_text("new-1\n")
        mount.unmount()
    finally:
        os.umask(previous)
    assert look() == old
    assert os.stat(run.vault).st_mtime >= start - 1


def test_046_read_only_use(run):
    mount = run.mount()
    place = mount.place
    script = """
      find . > "$OUT/found"; grep -r nothing . || true; find . -type f -exec cat {} + > "$OUT/all"
      cat office/vpn/.history/*/* > "$OUT/old" 2>/dev/null || true
      touch -a mail/url; touch mail/url; : >> mail/url
      for name in username password url notes otp totp tags; do
        [ ! -e office/git-host/$name ] || {
          cp office/git-host/$name "$OUT/copy"; cp "$OUT/copy" office/git-host/$name; }
      done
      echo x > mail/.url.swp; rm mail/.url.swp
    """
    out = run.folder.parent
    done = subprocess.run(["bash", "-euc", script], cwd=place, capture_output=True, text=True,
                          env=os.environ | {"OUT": str(out)})
    assert (done.returncode, done.stderr) == (0, "")
    mount.unmount()
    run.before.expect_untouched()


def test_049_stale_mount(run, folder):
    mount = run.mount()
    mount.kill()
    assert failure(lambda: os.listdir(run.place)) == "ENOTCONN"
    mount = run.mount()
    assert sum(entry.place == str(run.place) for entry in programs.mount_table()) == 1
    copy = shutil.copy(run.vault, folder / "copy.kdbx")
    done = programs.run(copy, run.place, password=run.password)
    assert done.code == 10
    (folder / "second").mkdir()
    done = programs.run(run.vault, folder / "second", password=run.password)
    assert done.code == 23 and str(run.place) in done.err
    mount.unmount()
