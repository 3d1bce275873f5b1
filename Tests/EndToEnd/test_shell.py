"""The whole tree from the shell: what people and scripts do with folders, done with a vault."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from corpus.test_cases import EXCHANGE, NO_REPLACE, renameat2
from support import programs
from support.judges import STANDARD
from test_editing import OLD, PATH, shell
from test_writes import refused

NAMES = {"username", "password", "url", "notes"}


def second_twin(before) -> str:
    """What follows the name of the later of two entries of one title."""
    found = [entry for entry in before.readings["own reader"].entries.values()
             if entry.strings["Title"] == "Twin"]
    return max(found, key=lambda entry: entry.times["CreationTime"]).uuid[:8]


def output(command: str, folder, **variables) -> str:
    return shell(command, folder, **variables).stdout


class TestLooking:
    """Reading programs show what is there, say nothing, and change nothing."""

    def test_find_and_the_counts(self, mounted, before):
        place = mounted.place
        entries = output("find . -name password -printf '%h\\n' | sort", place).splitlines()
        assert entries == sorted([
            "./Grüße 🔑/café", "./Internet/GitHub", "./Internet/Mail", "./Internet/a%2Fb",
            "./Recycle Bin/old", "./Work/Servers/www", "./Work/Twin", "./Work/Twin ~" +
            second_twin(before),
            "./" + next(name for name in os.listdir(place) if name.startswith("untitled"))])
        everything = output("find . | wc -l; find . -type f | wc -l; find . -type d | wc -l", place)
        total, files, folders = map(int, everything.split())
        assert total == files + folders
        assert output("ls -lR | grep -c '^-'", place) == f"{files}\n"
        assert output("find . -empty -type d", place) == "./Work/Empty\n"
        assert output("find . -size +0 -name password -perm 600 | wc -l", place) == "8\n"
        assert output("find . -name 'password' -newermt 2026-01-01", place) == f"./{PATH}/password\n"
        mounted.unmount()
        before.expect_untouched()

    def test_grep_and_diff(self, mounted, before, folder):
        place = mounted.place
        assert output("grep -rlF 'correct horse'", place) == f"{PATH}/password\n"
        assert output("grep -rc '' Work | wc -l; grep -r root Work", place).splitlines()[1] == (
            "Work/Servers/www/username:root")
        shutil.copytree(place / "Work", folder / "copy")
        output(f"diff -r Work '{folder}/copy'", place)
        (folder / "copy" / "Servers" / "www" / "username").write_text("admin")
        done = subprocess.run(["diff", "-r", place / "Work", folder / "copy"], capture_output=True)
        assert done.returncode == 1 and b"username" in done.stdout
        mounted.unmount()
        before.expect_untouched()

    def test_sizes(self, mounted, before):
        place = mounted.place
        sizes = output("find . -type f -printf '%s %p\\n'", place).splitlines()
        for line in sizes:
            size, name = line.split(" ", 1)
            if not name.endswith("/totp"):
                assert int(size) == len((place / name).read_bytes()), name
        assert output("stat -c '%A %U %h %s %F' Internet/GitHub/password", place).split() == [
            "-rw-------", output("id -un", place).strip(), "1", str(len(OLD)), "regular", "file"]
        assert output("stat -c '%A %F' Internet Internet/GitHub", place) == (
            "drwx------ directory\n" * 2)
        total = sum(int(line.split()[0]) for line in sizes)
        assert output("du -sb --apparent-size .", place) == f"{total}\t.\n"
        output("du -a .; df .; stat -f .; ls -laR; tree . 2>/dev/null || true", place)
        mounted.unmount()
        before.expect_untouched()

    def test_attributes(self, mounted, before):
        found = output("getfattr -d Internet/GitHub Internet/GitHub/password Internet", mounted.place)
        uuid = before.readings["own reader"].entry(PATH).uuid
        shown = re.sub("-", "", found).lower()
        assert f'user.kdbx.uuid="{uuid}"' in shown
        assert 'user.kdbx.created="2024-01-02T09:00:00Z"' in found
        assert 'user.kdbx.protected="1"' in found
        assert output("getfattr --only-values -n user.kdbx.protected Internet/GitHub/url",
                      mounted.place) == "0"
        output("getfattr -Rd -m - . > /dev/null", mounted.place)
        mounted.unmount()
        before.expect_untouched()

    def test_reading_the_whole_tree_at_once_changes_nothing(self, mounted, before, folder):
        script = """
          tar cf "$OUT/all.tar" . ; cp -a . "$OUT/copy"; rsync -a . "$OUT/mirror/"
          find . -type f -exec md5sum {} + > /dev/null
          sort Internet/GitHub/notes | head -n 1; wc -c */*/password > /dev/null
        """
        output(script, mounted.place, OUT=str(folder))
        mounted.unmount()
        before.expect_untouched()


class TestMaking:
    def test_mkdir_p(self, mounted, before):
        output("mkdir -p A/B/C && mkdir -p A/B/C && mkdir -p Work/Servers/x && rmdir Work/Servers/x",
               mounted.place)
        output("mkdir -p A/B/entry && echo secret > A/B/entry/password", mounted.place)
        mounted.unmount()
        before.expect({"A/": {"new": True}, "A/B/": {"new": True}, "A/B/C/": {"new": True},
                       "A/B/entry": {"new": {"Title": "entry", "Password": "secret"}}})

    def test_a_deep_tree(self, mounted, before):
        path = "/".join(f"level {i}" for i in range(40))
        output(f"mkdir -p '{path}/entry' && echo x > '{path}/entry/password'", mounted.place)
        assert (mounted / path / "entry" / "password").read_text() == "x"
        mounted.unmount()
        now = before.read()["own reader"]
        assert now.entry(f"{path}/entry").strings["Password"] == "x"


def copied(reading, old: str, new: str):
    """What a copy of an entry must hold: the strings of the original under another title."""
    original = reading.entry(old)
    strings = {k: v for k, v in original.strings.items() if v or k not in STANDARD}
    strings["Title"] = new.rsplit("/", 1)[-1]
    return {"new": strings | {"@" + name: data for name, data in original.attachments.items()}}


class TestCopying:
    @pytest.mark.parametrize("flags", ["-r", "-a", "-R --preserve=mode,timestamps"])
    def test_an_entry(self, flags, mounted, before):
        output(f"cp {flags} Internet/GitHub Work/Hub", mounted.place)
        mounted.unmount()
        old = before.readings["own reader"]
        now = before.expect({"Work/Hub": copied(old, PATH, "Work/Hub")})
        assert now["own reader"].entry("Work/Hub").tags == "code;work"
        for reading in now.values():
            marks, wanted = (reading.entry(path).protected for path in ("Work/Hub", PATH))
            assert flags != "-a" or {k: marks[k] for k in wanted} == wanted

    def test_a_group(self, mounted, before):
        output("cp -r Work Internet/Work2", mounted.place)
        mounted.unmount()
        old = before.readings["own reader"]
        twin = "Twin ~" + second_twin(before)
        before.expect({
            "Internet/Work2/": {"new": True}, "Internet/Work2/Servers/": {"new": True},
            "Internet/Work2/Empty/": {"new": True},
            "Internet/Work2/Servers/www": copied(old, "Work/Servers/www", "www"),
            "Internet/Work2/Twin": {"new": {"Title": "Twin", "Password": "one"}},
            f"Internet/Work2/{twin}": {"new": {"Title": twin, "Password": "two"}},
        })

    def test_the_protected_flags_arrive_with_cp_a(self, mounted, before):
        output("setfattr -n user.kdbx.protected -v 1 Internet/GitHub/url", mounted.place)
        output("cp -a Internet/GitHub Work/Hub; cp -r Internet/GitHub Work/Plain", mounted.place)
        mounted.unmount()
        now = before.read()["own reader"]
        assert now.entry("Work/Hub").protected["URL"] is True
        assert now.entry("Work/Hub").protected["Security question"] is False
        assert now.entry("Work/Plain").protected["URL"] is False
        assert now.entry(PATH).protected["URL"] is True

    def test_a_field_into_another_entry(self, mounted, before):
        output("cp 'Internet/GitHub/Recovery codes' Internet/Mail/", mounted.place)
        mounted.unmount()
        before.expect({"Internet/Mail": {
            "Recovery codes": (None, "1111-2222\n3333-4444\n"), "history": 1}})


class TestMoving:
    def test_a_field_to_another_entry(self, mounted, before):
        output("mv 'Internet/GitHub/Recovery codes' Internet/Mail/Codes", mounted.place)
        mounted.unmount()
        before.expect({
            PATH: {"Recovery codes": ("1111-2222\n3333-4444\n", None), "history": 1},
            "Internet/Mail": {"Codes": (None, "1111-2222\n3333-4444\n"), "history": 1}})

    def test_a_standard_field_to_another_entry(self, mounted, before):
        output("mv -f Internet/GitHub/password Internet/Mail/password", mounted.place)
        mounted.unmount()
        before.expect({PATH: {"Password": (OLD, ""), "history": 1},
                       "Internet/Mail": {"Password": ("pass", OLD), "history": 1}})

    def test_an_attachment_to_another_entry(self, mounted, before):
        output("mv 'Internet/GitHub/attachments/every byte.bin' Internet/Mail/attachments/",
               mounted.place)
        content = before.readings["own reader"].entry(PATH).attachments["every byte.bin"]
        mounted.unmount()
        before.expect({PATH: {"@every byte.bin": (content, None), "history": 1},
                       "Internet/Mail": {"@every byte.bin": (None, content), "history": 1}})

    def test_an_attachment_that_is_text_becomes_a_field(self, mounted, before):
        output("mv Internet/GitHub/attachments/id_ed25519 Internet/GitHub/key", mounted.place)
        mounted.unmount()
        content = b"not a real key\n"
        before.expect({PATH: {
            "@id_ed25519": (content, None), "key": (None, "not a real key\n"), "history": 1}})

    def test_an_attachment_that_is_no_text_stays(self, mounted, before):
        place = mounted / PATH
        assert refused(lambda: os.rename(place / "attachments" / "every byte.bin", place / "x")) in (
            "EINVAL", "EILSEQ")
        mounted.unmount()
        before.expect_untouched()

    def test_exchange_and_no_replace(self, mounted, before):
        place = mounted.place
        renameat2(place / "Work", place / "Internet", EXCHANGE)
        assert (place / "Internet" / "Servers").exists() and (place / "Work" / "GitHub").exists()
        assert refused(lambda: renameat2(place / "Work", place / "Internet", NO_REPLACE)) == "EEXIST"
        renameat2(place / "Work" / "Mail" / "username", place / "Work" / "GitHub" / "username",
                  EXCHANGE)
        renameat2(place / "Work" / "a%2Fb", place / "Work" / "c", NO_REPLACE)
        mounted.unmount()
        before.expect({
            "Internet/": {"name": ("Work", "Internet")}, "Work/": {"name": ("Internet", "Work")},
            "Work/Mail": {"UserName": ("bob", "alice"), "history": 1},
            "Work/GitHub": {"UserName": ("alice", "bob"), "history": 1},
            "Work/c": {"Title": ("a/b", "c"), "history": 1},
        })


class TestRemoving:
    def test_rmdir_wants_empty_directories(self, mounted, before):
        place = mounted.place
        assert refused(lambda: os.rmdir(place / "Work")) == "ENOTEMPTY"
        assert refused(lambda: os.rmdir(place / PATH)) == "ENOTEMPTY"
        assert refused(lambda: os.unlink(place / "Work")) == "EISDIR"
        assert refused(lambda: os.rmdir(place / PATH / "password")) == "ENOTDIR"
        output("rmdir Work/Empty", place)
        mounted.unmount()
        before.expect({"Recycle Bin/Empty/": {"moved": ("Work/", "Recycle Bin/")}})

    def test_rm_rf_of_all_is_not_the_end(self, mounted, before):
        """`rm -rf MOUNT/*`: what this mount threw away is in the bin, whole, and stays there."""
        subprocess.run(["bash", "-c", "rm -rf *"], cwd=mounted.place, capture_output=True)
        subprocess.run(["bash", "-c", "rm -rf *"], cwd=mounted.place, capture_output=True)
        left = os.listdir(mounted.place)
        assert left == ["Recycle Bin"]
        mounted.unmount()
        old = before.readings["own reader"]
        for reading in before.read().values():
            gone = {uuid for uuid in old.entries if uuid not in reading.entries}
            # What lay in the bin before this mount is gone for good.
            assert {old.path(uuid) for uuid in gone} <= {"Recycle Bin/old"}
            for uuid in old.entries.keys() - gone:
                assert reading.path(uuid).startswith("Recycle Bin/")
                assert reading.entries[uuid].strings == old.entries[uuid].strings
                assert len(reading.entries[uuid].history) == len(old.entries[uuid].history)
                assert reading.entries[uuid].attachments == old.entries[uuid].attachments

    def test_a_file_managers_trash(self, mounted, before):
        """There is no trash folder in a vault: who asks for one is told so, and nothing happens."""
        for path in (PATH, "Work", f"{PATH}/password"):
            done = subprocess.run(["gio", "trash", mounted / path], capture_output=True, text=True,
                                  env=os.environ | {"GIO_USE_VFS": "local"})
            assert done.returncode != 0 and done.stderr, path
            assert (mounted / path).exists()
        for name in (".Trash", f".Trash-{os.getuid()}", "lost+found", ".xdg-volume-info"):
            assert refused(lambda: os.mkdir(mounted / name)) == "EPERM"
        mounted.unmount()
        before.expect_untouched()

    def test_rm_of_fields_and_what_stays(self, mounted, before):
        output("rm Internet/GitHub/url 'Internet/GitHub/Security question'", mounted.place)
        assert "url" not in os.listdir(mounted / PATH)
        mounted.unmount()
        before.expect({PATH: {"URL": ("https://github.com/login", ""),
                              "Security question": ("First pet?", None), "history": 1}})


class TestArchives:
    """A group written out and back: the same fields are no change, and what has no file survives."""

    @pytest.mark.parametrize("pack, unpack", [
        ('tar cf "$OUT/a.tar" Internet', 'tar xf "$OUT/a.tar"'),
        ('tar cf "$OUT/a.tar" Internet', 'tar xf "$OUT/a.tar" --overwrite'),
        ('rsync -a Internet "$OUT/"', 'rsync -a "$OUT/Internet" .'),
        ('rsync -a Internet "$OUT/"', 'rsync -a --checksum --delete "$OUT/Internet" .'),
        ('rsync -a Internet "$OUT/"', 'rsync -a --inplace --ignore-times "$OUT/Internet" .'),
        ('cp -a Internet "$OUT/"', 'cp -a "$OUT/Internet" .'),
    ])
    def test_out_and_back_is_no_change(self, pack, unpack, mounted, before, folder):
        output(pack, mounted.place, OUT=str(folder))
        output(unpack, mounted.place, OUT=str(folder))
        mounted.unmount()
        before.expect_untouched()

    @pytest.mark.parametrize("back", [
        'rsync -a "$OUT/Internet" .', 'tar cf - -C "$OUT" Internet | tar xf -',
        'cp -a "$OUT/Internet" .',
    ])
    def test_changed_outside_and_back(self, back, mounted, before, folder):
        output('cp -a Internet "$OUT/"; echo https://new.example > "$OUT/Internet/GitHub/url"; '
               f'echo 1 > "$OUT/Internet/GitHub/PIN"; {back}', mounted.place, OUT=str(folder))
        mounted.unmount()
        before.expect({PATH: {"URL": ("https://github.com/login", "https://new.example"),
                              "PIN": (None, "1"), "history": 1}})

    @pytest.mark.parametrize("copy", ['tar cf - Internet | tar xf - -C New',
                                      'rsync -a Internet New/'])
    def test_into_another_group(self, copy, mounted, before):
        output(f"mkdir New; {copy}", mounted.place)
        mounted.unmount()
        old = before.readings["own reader"]
        before.expect({
            "New/": {"new": True}, "New/Internet/": {"new": True},
            "New/Internet/GitHub": copied(old, PATH, "GitHub"),
            "New/Internet/Mail": copied(old, "Internet/Mail", "Mail"),
            "New/Internet/a/b": {"new": {"Title": "a/b", "Password": "slash"}},
        })

    def test_rsync_delete_takes_away_what_the_source_lacks(self, mounted, before, folder):
        output('rsync -a Internet "$OUT/"; rm -r "$OUT/Internet/Mail"; '
               'rm "$OUT/Internet/GitHub/Security question"; '
               'rsync -a --delete "$OUT/Internet" .', mounted.place, OUT=str(folder))
        mounted.unmount()
        before.expect({
            "Recycle Bin/Mail": {"moved": ("Internet/", "Recycle Bin/")},
            PATH: {"Security question": ("First pet?", None), "history": 1}})


class TestHistory:
    def test_a_copy_of_an_old_file_brings_it_back(self, mounted, github, before):
        versions = sorted(os.listdir(github / ".history"))
        assert versions == ["2024-01-02T09:00:00Z", "2024-02-03T10:11:12Z"]
        output("cp .history/2024-02-03T10:11:12Z/password password; "
               "cp .history/2024-02-03T10:11:12Z/attachments/id_ed25519 attachments/", github)
        mounted.unmount()
        before.expect({PATH: {"Password": (OLD, "second"), "history": 1,
                              "@id_ed25519": (b"not a real key\n", b"an old key\n")}})

    def test_it_is_read_only_and_not_listed(self, mounted, github, before):
        version = github / ".history" / "2024-01-02T09:00:00Z"
        assert ".history" not in os.listdir(github)
        assert (version / "password").read_text() == "first"
        attempts = [
            lambda: (version / "password").write_text("x"), lambda: os.unlink(version / "password"),
            lambda: (version / "new").write_text("x"), lambda: os.mkdir(github / ".history" / "x"),
            lambda: os.rmdir(version), lambda: os.rename(version / "url", version / "b"),
            lambda: os.truncate(version / "password", 0),
            lambda: os.rename(github / "url", version / "url"),
        ]
        found = [refused(attempt) for attempt in attempts]
        assert set(found) <= {"EACCES", "EPERM", "EXDEV"}, found
        assert output("stat -c %a .history/*/password | sort -u", github) == "400\n"
        mounted.unmount()
        before.expect_untouched()


# Attachments


@pytest.fixture
def key(folder) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "key"], check=True)
    return folder / "key"


def test_ssh_takes_the_mode_of_a_key_in_a_vault(key, mounted, github):
    shutil.copyfile(key, github / "attachments" / "id_ed25519")
    public = output("ssh-keygen -y -f attachments/id_ed25519", github)
    assert public.split()[:2] == Path(f"{key}.pub").read_text().split()[:2]
    os.chmod(github / "attachments" / "id_ed25519", 0o644)
    assert output("ssh-keygen -y -f attachments/id_ed25519", github) == public


@pytest.mark.skipif(os.getuid() != 0, reason="sshd lets only root log people in")
def test_ssh_logs_in_with_a_key_in_a_vault(key, mounted, github, folder):
    shutil.copyfile(key, github / "attachments" / "id_ed25519")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "host"], check=True)
    shutil.copyfile(f"{key}.pub", folder / "authorized")
    (folder / "sshd.conf").write_text(
        f"HostKey {folder}/host\nAuthorizedKeysFile {folder}/authorized\nStrictModes no\n"
        "UsePAM no\nPermitRootLogin prohibit-password\nPasswordAuthentication no\n")
    os.makedirs("/run/sshd", exist_ok=True)
    done = subprocess.run(
        ["ssh", "-F", "none", "-i", github / "attachments" / "id_ed25519", "-o", "IdentitiesOnly=yes",
         "-o", "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={folder}/known",
         "-o", f"ProxyCommand=/usr/sbin/sshd -i -f {folder}/sshd.conf", "-o", "LogLevel=ERROR",
         "root@vault", "echo", "logged in"],
        capture_output=True, text=True, timeout=60, env={k: v for k, v in os.environ.items()
                                                         if not k.startswith("SSH_")})
    assert (done.returncode, done.stdout) == (0, "logged in\n"), done.stderr


def most_memory(pid: int) -> int:
    """The most memory that a process ever held, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) << 10


def test_a_large_attachment_in_and_out(vault, before, place, folder):
    """200 MiB, of which the process holds about twice that, at a save three times, and no twin.

    A save has the vault, the new file and, to compare, what that holds.
    """
    size = 200 << 20
    with open(folder / "large", "wb") as file:
        for _ in range(size >> 20):
            file.write(os.urandom(1 << 20))
    mount = programs.mount(vault, place, "-o", "autosave=0", password="fixture")
    (pid,) = mount.pids
    start = most_memory(pid)
    target = mount / PATH / "attachments"
    shutil.copyfile(folder / "large", target / "large")
    assert os.stat(target / "large").st_size == size
    after_write = most_memory(pid)
    subprocess.run(["cmp", folder / "large", target / "large"], check=True)
    after_read = most_memory(pid)
    assert programs.run("save", place).code == 0
    assert after_read - start < 2.1 * size, [
        (value - start) >> 20 for value in (after_write, after_read)]
    after_save = most_memory(pid)
    assert after_save - start < 3.2 * size, (after_save - start) >> 20
    once = vault.stat().st_size
    assert once < size + (1 << 20)
    shutil.copyfile(folder / "large", mount / "Internet" / "Mail" / "attachments" / "twin")
    mount.unmount()
    assert vault.stat().st_size < once + (1 << 20)
    read = programs.run("cat", vault, f"{PATH}/attachments/large", password="fixture").out
    assert read == (folder / "large").read_bytes()
    (folder / "large").unlink()
