"""The cases about codes, large groups, sizes, locking and the disk, through a mount."""

from __future__ import annotations

import errno
import json
import mmap
import os
import random
import shutil
import signal
import string
import subprocess
import tempfile
import threading
import time
from pathlib import Path

import pytest
from support import judges, programs
from support.clocked import Clocked

from corpus.test_cases import CASES, Run, failure, read, run

pytestmark = pytest.mark.skipif(
    not CASES.exists(), reason="no cases at KDBXFS_SHARED or ../shared")
__all__ = ["run"]


# Codes


class Timed(Clocked):
    """A mount whose time of day a test sets; a second goes by as long as it ever does."""

    def __init__(self, run: Run):
        super().__init__(run.vault, run.place, run.folder.parent, "-o", "autosave=0,idle=0",
                         password=run.password)
        self.ahead = 0

    def at(self, seconds: int, body):
        """Runs `body` while it is that second, from the begin of the second on; gives its result."""
        while True:
            now = programs.wait_until(
                lambda: time.time() if time.time() % 1 < 0.1 else None, "a second begins")
            ahead = seconds - int(now)
            self.advance(ahead - self.ahead)
            self.ahead = ahead
            result = body()
            if int(time.time()) == int(now):
                return result


@pytest.fixture
def timed(run):
    timed = Timed(run)
    yield timed
    timed.end()


def check_codes(run, timed):
    """Every code of the case's facts, at its times."""
    facts = json.loads(next(CASES.glob(run.facts.case + "-*/expect.json")).read_text())
    wanted = run.facts.record.get("totp_at_unix_time") or facts["totp_at_unix_time"]
    paths = {entry: run.place / entry / "totp" for entry, codes in wanted.items() if codes}
    for entry in wanted.keys() - paths.keys():
        assert failure(lambda: read(run.place / entry / "totp")) == "ENOENT"
        assert "totp" not in os.listdir(run.place / entry)
    for moment in next(codes for codes in wanted.values() if codes):
        found = timed.at(int(moment), lambda: {
            entry: (read(path), os.stat(path).st_size) for entry, path in paths.items()})
        assert found == {entry: (wanted[entry][moment], len(wanted[entry][moment]))
                         for entry in paths}, moment


class TestCodes:
    def test_035_totp_where_it_is_kept(self, run, timed):
        check_codes(run, timed)
        (run.place / "uri/password").write_text("changed\n")
        timed.end()
        now = run.before.read()["own reader"]
        before = run.before.readings["own reader"]
        for uuid, entry in before.entries.items():
            wanted = entry.strings | ({"Password": "changed"} if entry.strings["Title"] == "uri" else {})
            assert now.entries[uuid].strings == wanted

    def test_035_secrets_typed_into_totp(self, run):
        before = judges.Witness(run.vault, run.password)
        mount = run.mount()
        assert failure(lambda: (run.place / "none/totp").write_text("234567\n")) == "EINVAL"
        script = "/bin/echo JBSWY3DPEHPK3PXP > none/totp; /bin/echo 'gezd gnbv gy3t qojq' > tray/totp"
        script += "; /bin/echo 234567 > uri/totp"
        done = subprocess.run(["bash", "-euc", script], cwd=run.place, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        for entry in ("none", "tray", "uri"):
            assert len(read(run.place / entry / "totp")) == 6
        mount.unmount()
        now = before.read()["own reader"]
        none, tray = now.entry("none"), now.entry("tray")
        assert none.strings["otp"].startswith("otpauth://totp/")
        assert "secret=JBSWY3DPEHPK3PXP" in none.strings["otp"] and none.protected["otp"]
        assert tray.strings["TOTP Seed"] == "GEZDGNBVGY3TQOJQ"
        old = before.readings["own reader"]
        assert tray.strings["TOTP Settings"] == old.entry("tray").strings["TOTP Settings"]
        assert now.entry("uri").content == old.entry("uri").content

    def test_036_totp_untidy_secrets(self, run, timed):
        check_codes(run, timed)
        stored = run.before.readings["own reader"]
        for entry in stored.entries.values():
            for key in ("otp", "TOTP Seed"):
                if key in entry.strings:
                    assert read(run.place / entry.strings["Title"] / key) == entry.strings[key]
        timed.end()
        run.before.expect_untouched()

    def test_037_totp_algorithms(self, run, timed):
        check_codes(run, timed)
        path = run.place / "defaults" / "totp"
        left = timed.at(59, lambda: os.getxattr(path, "user.kdbx.totp.remaining"))
        assert left == b"1"
        file = timed.at(59, lambda: open(path, "rb", buffering=0))
        first = file.read(3)
        after = timed.at(60, lambda: (file.read(), read(path), os.getxattr(
            run.place / "defaults", "user.kdbx.totp.remaining")))
        file.close()
        assert first + after[0] == b"996554"
        assert after[1] != "996554" and len(after[1]) == 6
        assert after[2] == b"30"


def test_029_field_references(run):
    mount = run.mount()
    place, raw = mount.place, run.before.readings["own reader"]
    shown = {"clone/username": "sam", "clone/password": "pw-source", "mixed/username": "dom\\sam2",
             "chain/password": "pw-source"}
    kept = {f"{entry}/password": raw.entry(entry).strings["Password"]
            for entry in ("self", "unknown", "chance")}
    for path, value in (shown | kept).items():
        assert (path, read(place / path)) == (path, value)
        assert os.stat(place / path).st_size == len(value.encode())
    reference = b"{REF:P@I:4D7B760064BA2E9BF5884A6618A02D07}"
    assert os.getxattr(place / "clone/password", "user.kdbx.raw") == reference
    (place / "source/password").write_text("rotated\n")
    for path in ("clone/password", "chain/password"):
        assert (read(place / path), os.stat(place / path).st_size) == ("rotated", 7)
    (place / "clone/password").write_text(read(place / "clone/password") + "\n")
    (place / "clone/username").write_text("plain-user\n")
    mount.unmount()
    run.before.expect({
        "source": {"Password": ("pw-source", "rotated"), "history": 1},
        "clone": {"UserName": (raw.entry("clone").strings["UserName"], "plain-user"), "history": 1},
    })


# Listings and sizes


def test_038_large_group(run):
    mount = run.mount()
    many = mount / "many"
    listed = subprocess.run(["ls", "-f", many], capture_output=True, text=True, check=True).stdout
    names = [name for name in listed.splitlines() if name not in (".", "..")]
    assert len(names) == len(set(names)) == 300
    with os.scandir(many) as listing:
        seen = [next(listing).name for _ in range(50)]
        gone = [name for name in reversed(names) if name not in seen][:10]
        for name in gone:
            subprocess.run(["rm", "-r", many / name], check=True)
        seen += [entry.name for entry in listing]
    assert len(seen) == len(set(seen))
    assert set(names) - set(gone) <= set(seen)
    ticking = threading.Event()
    find = subprocess.Popen(["find", many, "-name", "password"], stdout=subprocess.PIPE)

    def tick():
        # Signals that the program survives, and that interrupt its calls.
        while not ticking.wait(0.001) and find.poll() is None:
            find.send_signal(signal.SIGCONT)

    ticker = threading.Thread(target=tick)
    ticker.start()
    out, _ = find.communicate()
    ticking.set()
    ticker.join()
    assert (find.returncode, len(out.splitlines())) == (0, 290)
    done = subprocess.run(["rm", "-r", many], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    mount.unmount()
    old, now = run.before.readings["own reader"], run.before.read()["own reader"]
    in_many = {uuid for uuid in old.entries if old.path(uuid).startswith("many/")}
    places = {uuid: now.path(uuid) for uuid in in_many}
    assert sum(path.startswith("Recycle Bin/many/") for path in places.values()) == 290
    assert all(path.startswith("Recycle Bin/") for path in places.values())
    for uuid in old.entries.keys() - in_many:
        assert now.entries[uuid] == old.entries[uuid]
    for uuid in in_many:
        assert now.entries[uuid].strings == old.entries[uuid].strings
        assert now.entries[uuid].history == old.entries[uuid].history


def test_039_sizes_and_reads(run, folder):
    mount = run.mount()
    files = [mount / entry / name for entry in ("office/git-host", "mail")
             for name in os.listdir(mount / entry)
             if not (mount / entry / name).is_dir()]
    assert {"otp", "totp"} <= {file.name for file in files}
    for file in files:
        size = os.stat(file).st_size
        is_code = file.name == "totp"
        content = file.read_bytes()
        assert len(content) == size and (size == 6 or not is_code)

        def out(*command) -> bytes:
            return subprocess.run(command, capture_output=True, check=True).stdout

        pieces = [out("cat", file), out("dd", "bs=1", f"if={file}", "status=none")]
        shutil.copyfile(file, folder / "copy")
        pieces.append((folder / "copy").read_bytes())
        both = [subprocess.Popen(["cat", file], stdout=subprocess.PIPE) for _ in range(2)]
        pieces += [child.communicate()[0] for child in both]
        assert all(len(piece) == size and (is_code or piece == content) for piece in pieces), file
        assert out("tail", "-c", "2", file) == content[-2:] or is_code
        assert out("head", "-c", "0", file) == b""
        with open(file, "rb", buffering=0) as opened:
            assert os.pread(opened.fileno(), 10, size) == b""
            assert os.pread(opened.fileno(), 10, size + 1_000_000) == b""
            if size:
                with mmap.mmap(opened.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ) as mapped:
                    assert mapped[:] == content or is_code
                shared = failure(lambda: mmap.mmap(
                    opened.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ).close())
                assert shared in (None, "ENODEV")
    assert os.stat(mount / "office/git-host/notes").st_size == 0
    assert read(mount / "office/git-host/notes") == ""
    mount.unmount()
    run.before.expect_untouched()


# Locking


def is_locked(place) -> bool:
    return failure(lambda: os.listdir(place)) == "ENOKEY"


class TestIdle:
    def clocked(self, run, *options):
        return Clocked(run.vault, run.place, run.folder.parent, "-o", "autosave=0", *options,
                       password=run.password)

    def test_040_use_keeps_it_open(self, run):
        mount = self.clocked(run, "--idle", "5s")
        for _ in range(10):
            mount.advance(2)
            assert read(run.place / "mail/password") == "mail-pw-1"
        old = read(run.place / "mail/notes")
        with open(run.place / "mail/notes", "wb", buffering=0) as file:
            file.write(b"the first half, ")
            mount.advance(12)
            assert read(run.place / "mail/notes") == old
            file.write(b"and the rest")
        assert read(run.place / "mail/notes") == "the first half, and the rest"
        mount.end()
        run.before.expect({"mail": {"Notes": (old, "the first half, and the rest"), "history": 1}})

    @pytest.mark.parametrize("shell", [True, False], ids=["with a shell inside", "unused"])
    def test_040_it_locks(self, shell, run):
        mount = self.clocked(run, "--idle", "5s")
        expected = {}
        inside = None
        numbers = {path: os.stat(run.place / path).st_ino
                   for path in ("mail", "mail/password", "office/vpn", "office/vpn/password")}
        if shell:
            old = read(run.place / "mail/url")
            (run.place / "mail/url").write_text("new-url\n")
            expected = {"mail": {"URL": (old, "new-url"), "history": 1}}
            inside = subprocess.Popen(["bash"], cwd=run.place / "office/vpn", text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT)

        def asks(command: str) -> str:
            inside.stdin.write(command + "; echo\n")
            inside.stdin.flush()
            return inside.stdout.readline().strip()

        mount.advance(4)
        assert not is_locked(run.place)
        mount.advance(8)
        programs.wait_until(lambda: is_locked(run.place), "the vault locks")
        run.before.expect(expected) if expected else run.before.expect_untouched()
        assert "locked" in programs.run("status", run.place).out.decode()
        os.stat(run.place)
        assert failure(lambda: read(run.place / "mail/password")) == "ENOKEY"
        if inside:
            assert "Required key not available" in asks("cat password 2>&1 | tr -d '\\n'")
        assert programs.run("unlock", run.place, password=run.password).code == 0
        assert {path: os.stat(run.place / path).st_ino for path in numbers} == numbers
        if inside:
            assert asks("cat password") == "vpn-pw-1"
            inside.communicate("exit\n")
        mount.end()

    @pytest.mark.parametrize("way", ["idle", "lock"])
    def test_041_lock_saves_first(self, way, run):
        mount = self.clocked(run, "--idle", "3s")
        (run.place / "mail/password").write_text("kept-1\n")
        if way == "idle":
            mount.advance(10)
        else:
            assert programs.run("lock", run.place).code == 0
        programs.wait_until(lambda: is_locked(run.place), "the vault locks")
        run.before.expect({"mail": {"Password": ("mail-pw-1", "kept-1"), "history": 1}})
        mount.end()


# The disk


@pytest.fixture
def disk(run):
    """A file system of 64 KiB that holds the vault."""
    if os.getuid() != 0:
        pytest.skip("only root mounts a tmpfs")
    place = run.folder.parent / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "disk", place], check=True)
    run.vault = Path(shutil.copy(run.vault, place))
    run.before = judges.Witness(run.vault, run.password)
    yield place
    for _ in range(2):
        subprocess.run(["umount", run.place], capture_output=True)
        subprocess.run(["umount", "-l", place], capture_output=True)


def fill(disk: Path):
    with open(disk / "other", "ab", buffering=0) as file:
        while True:
            try:
                file.write(bytes(512))
            except OSError as error:
                assert error.errno == errno.ENOSPC
                return


NOTE = "".join(random.Random(43).choices(string.ascii_letters, k=20_000))


class TestFullDisk:
    @pytest.fixture
    def full(self, run, disk, folder):
        """A mount with a change that no longer fits; where its edits go if they can't be saved."""
        (folder / "state").mkdir()
        mount = run.mount(env={"XDG_STATE_HOME": str(folder / "state")})
        (run.place / "mail/notes").write_text(NOTE)
        fill(disk)
        yield mount

    def test_043_full_disk(self, run, full, disk):
        done = programs.run("save", run.place)
        assert done.code == 24 and "No space left on device" in done.err
        assert "No space left on device" in programs.run("status", run.place).out.decode()
        run.before.expect_untouched()
        assert sorted(os.listdir(disk)) == ["other", "vault.kdbx"]
        assert read(run.place / "mail/notes") == NOTE
        (disk / "other").unlink()
        assert programs.run("save", run.place).code == 0
        full.unmount()
        old = run.before.readings["own reader"].entry("mail").strings["Notes"]
        run.before.expect({"mail": {"Notes": (old, NOTE), "history": 1}})

    def test_043_unmount_with_a_full_disk(self, run, full, disk, folder):
        done = programs.run("umount", "--rescue", run.place)
        if done.code == 1:
            # Where umount has no such option it leaves by a signal.
            full.signal(signal.SIGTERM)
        full.wait_for_end()
        (rescued,) = (folder / "state" / "kdbxfs").glob("*.kdbx")
        assert os.stat(rescued).st_mode & 0o777 == 0o600
        assert judges.read_own(rescued, run.password).entry("mail").strings["Notes"] == NOTE
        run.before.expect_untouched()
        assert sorted(os.listdir(disk)) == ["other", "vault.kdbx"]

    def test_043_only_read_with_a_full_disk(self, run, disk):
        fill(disk)
        mount = run.mount()
        assert read(run.place / "mail/password") == "mail-pw-1"
        assert mount.unmount().code == 0
        run.before.expect_untouched()

    def test_041_locks_though_the_disk_is_full(self, run, full, disk, folder):
        done = programs.run("lock", run.place)
        assert done.code == 24 and "No space left on device" in done.err
        assert is_locked(run.place)
        assert "No space left on device" in programs.run("status", run.place).out.decode()
        run.before.expect_untouched()
        (disk / "other").unlink()
        assert programs.run("unlock", run.place, password=run.password).code == 0
        assert read(run.place / "mail/notes") == NOTE
        assert programs.run("save", run.place).code == 0
        full.unmount()
        assert judges.read_own(run.vault, run.password).entry("mail").strings["Notes"] == NOTE


class TestLinks:
    def edit(self, run, path, value, *, before_unmount=lambda: None, said=""):
        mount = programs.mount(path, run.place, "-o", "autosave=0", password=run.password)
        assert said in mount.said
        (run.place / "mail/password").write_text(value)
        before_unmount()
        mount.unmount()
        return mount

    def password(self, run, path):
        return judges.read_own(path, run.password).entry("mail").strings["Password"]

    @pytest.fixture
    def real(self, run):
        (run.folder / "real").mkdir()
        shutil.move(run.vault, run.folder / "real" / "vault.kdbx")
        os.symlink("real/vault.kdbx", run.folder / "link.kdbx")
        os.symlink("link.kdbx", run.folder / "link2.kdbx")
        return run.folder / "real" / "vault.kdbx"

    def test_044_linked_vault_file(self, run, real):
        self.edit(run, run.folder / "link2.kdbx", "new-1\n")
        assert os.readlink(run.folder / "link2.kdbx") == "link.kdbx"
        assert os.readlink(run.folder / "link.kdbx") == "real/vault.kdbx"
        assert self.password(run, real) == "new-1"

    def test_044_hard_link(self, run, real):
        os.link(real, run.folder / "hard.kdbx")
        stored = real.read_bytes()
        mount = self.edit(run, real, "new-2\n")
        assert "warning" in mount.said and "link" in mount.said
        assert self.password(run, real) == "new-2"
        assert (run.folder / "hard.kdbx").read_bytes() == stored

    def test_044_a_link_that_changes(self, run, real):
        second = Path(shutil.copy(real, run.folder / "second.kdbx"))
        stored = real.read_bytes()

        def turn():
            (run.folder / "link.kdbx").unlink()
            os.symlink("second.kdbx", run.folder / "link.kdbx")

        self.edit(run, run.folder / "link.kdbx", "new-3\n", before_unmount=turn)
        assert self.password(run, second) == "new-3"
        assert real.read_bytes() == stored


# Other users


@pytest.fixture
def open_place():
    """A mount point in a folder that everybody may enter."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        place = Path(folder) / "mnt"
        place.mkdir()
        yield place
        if programs.mount_at(place):
            programs.run("umount", place)


def as_nobody(*command) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *map(str, command)],
        capture_output=True, text=True)


class TestOtherUsers:
    @pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user")
    @pytest.mark.parametrize("others", [False, True])
    def test_051_nobody_else_gets_in(self, others, run, open_place):
        run.place = open_place
        mount = run.mount(*(["-o", "allow_other"] if others else []))
        assert ("warning" in mount.said) == others
        for command in (["ls", open_place], ["cat", open_place / "mail/password"]):
            done = as_nobody(*command)
            assert done.returncode != 0 and "Permission denied" in done.stderr
        mount.unmount()

    def test_051_modes_and_refusals(self, run):
        mount = run.mount()
        found = subprocess.run(["find", run.place, "-printf", "%m %u %y\n"], capture_output=True,
                               text=True, check=True).stdout.splitlines()
        user = subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
        assert set(found) == {f"700 {user} d", f"600 {user} f"}
        assert {"nosuid", "nodev", "noexec"} <= set(
            programs.mount_at(run.place).options.split(","))
        mail = run.place / "mail"
        (history, *_) = [*mail.glob(".history/*/password"), None]
        assert history is None or os.stat(history).st_mode & 0o777 == 0o400
        os.chmod(mail / "password", 0o604)
        os.chown(mail / "password", os.getuid(), -1)
        assert os.stat(mail / "password").st_mode & 0o777 == 0o600
        attempts = [
            lambda: os.chown(mail / "password", os.getuid() + 1, -1),
            lambda: os.link(mail / "password", mail / "p2"), lambda: os.mkfifo(mail / "p"),
            lambda: os.symlink("x", run.place / "s"), lambda: os.symlink("x", mail / "s"),
        ]
        assert [failure(attempt) for attempt in attempts] == ["EPERM"] * 5
        assert failure(lambda: os.setxattr(mail / "password", "user.x", b"1")) in (
            "EOPNOTSUPP", "ENOTSUP")
        os.symlink("x", mail / ".#password")
        assert os.readlink(mail / ".#password") == "x"
        mount.unmount()
        run.before.expect_untouched()
