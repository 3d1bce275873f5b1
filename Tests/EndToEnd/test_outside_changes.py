"""Other programs change the vault's file while it is mounted."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from support import kdbx, programs
from support.judges import differences, keepassxc, read_by_all, read_own
from pykeepass import PyKeePass

PATH = "Internet/GitHub"
URL = "https://github.com/login"
PASSWORD = "fixture"
PAUSE = 1.1  # seconds: LastModificationTime has whole ones


def by_pykeepass(vault, change):
    """Edits as pykeepass does, and saves: the file is replaced by a rename."""
    file = PyKeePass(os.fspath(vault), PASSWORD)
    change(file)
    file.save()


def entry(file, title="GitHub"):
    return file.find_entries(title=title, first=True)


def set_field(name, value):
    def change(file):
        found = entry(file)
        found.save_history()
        setattr(found, name, value)
        found.touch(modify=True)
    return change


def shows(path: Path, value: str):
    programs.wait_until(
        lambda: path.exists() and path.read_text() == value, f"{path} shows the change", 60)


def all_read(vault, path, password=PASSWORD):
    """What every judge reads of an entry; they must agree."""
    entries = [reading.entry(path) for reading in read_by_all(vault, password).values()]
    first = entries[0]
    for other in entries[1:]:
        assert other.strings == first.strings
        assert [item.strings for item in other.history] == [i.strings for i in first.history]
    return first


class TestFollowing:
    """Nothing waits to be saved: the tree follows the file."""

    def test_what_keepassxc_edits_is_shown(self, mounted, vault):
        before = os.stat(mounted / PATH / "url").st_ino
        keepassxc("edit", "--url", "https://xc.example", vault, PATH, password=PASSWORD)
        assert "FutureElement" not in "".join(read_own(vault, PASSWORD).entry(PATH).rest)
        shows(mounted / PATH / "url", "https://xc.example")
        assert os.stat(mounted / PATH / "url").st_ino == before
        assert mounted.unmount().err == ""
        # What it didn't know and dropped is there again; else it is what it wrote.
        found = read_own(vault, PASSWORD).entry(PATH)
        assert "FutureElement" in "".join(found.rest)
        assert all_read(vault, PATH).strings["URL"] == "https://xc.example"
        assert [item.strings["URL"] for item in found.history].count(URL) == 3

    def test_new_groups_entries_and_moves(self, mounted, vault):
        number = os.stat(mounted / PATH).st_ino
        with open(mounted / PATH / "url", "rb") as held:
            keepassxc("mkdir", vault, "Fresh", password=PASSWORD)
            keepassxc("add", "-u", "ann", vault, "Fresh/New", password=PASSWORD)
            keepassxc("mv", vault, PATH, "Fresh", password=PASSWORD)
            shows(mounted / "Fresh/New/username", "ann")
            programs.wait_until(lambda: (mounted / "Fresh/GitHub").exists(), "it has moved", 60)
            assert not (mounted / PATH).exists()
            assert os.stat(mounted / "Fresh/GitHub").st_ino == number
            assert held.read().decode() == URL
        assert "GitHub" in os.listdir(mounted / "Fresh")

    def test_an_empty_password_that_comes_along_is_protected(self, mounted, vault):
        """KeePassXC writes one as an element without text: it is protected all the same."""
        keepassxc("add", "-u", "ann", vault, "Internet/New", password=PASSWORD)
        shows(mounted / "Internet/New/username", "ann")
        assert os.getxattr(mounted / "Internet/New/password", "user.kdbx.protected") == b"1"
        (mounted / "Internet/New/password").write_text("secret")
        assert mounted.unmount().err == ""
        assert read_own(vault, PASSWORD).entry("Internet/New").protected["Password"]

    def test_what_was_removed_is_gone_in_open_shells_too(self, mounted, vault):
        os.listdir(mounted / "Internet")
        with subprocess.Popen(["sh", "-c", "read x; ls"], cwd=mounted / PATH,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as shell:
            by_pykeepass(vault, lambda file: file.delete_entry(entry(file)))
            # A program that keeps no record only lacks it; the bin does.
            assert (mounted / PATH).exists()
            shell.communicate(b"\n")
        keepassxc("rm", vault, "Internet/Mail", password=PASSWORD)
        programs.wait_until(
            lambda: not (mounted / "Internet/Mail").exists(), "it went to the bin", 60)
        assert (mounted / "Recycle Bin/Mail").exists()

    @pytest.mark.parametrize("way", ["rename", "pieces", "in place", "anew"])
    def test_the_ways_in_which_files_are_written(self, way, mounted, vault, folder):
        copy = Path(shutil.copy(vault, folder / "copy.kdbx"))
        by_pykeepass(copy, set_field("url", "https://" + way.replace(" ", "")))
        content = copy.read_bytes()
        if way == "rename":
            shutil.copy(copy, folder / "vaults" / "other")
            os.replace(folder / "vaults" / "other", vault)
        elif way == "in place":
            vault.write_bytes(content)
        elif way == "anew":
            vault.unlink()
            vault.write_bytes(content)
        else:
            with open(vault, "r+b") as file:
                file.truncate()
                for start in range(0, len(content), 700):
                    file.write(content[start:start + 700])
                    file.flush()
                    time.sleep(0.1)
        shows(mounted / PATH / "url", "https://" + way.replace(" ", ""))
        assert mounted.unmount().err == ""
        assert vault.read_bytes() == content

    def test_a_changed_key_derivation_is_taken_on(self, mounted, vault):
        by_pykeepass(vault, set_field("url", "https://kdf.example"))
        file = kdbx.read(vault.read_bytes(), PASSWORD)
        recipe = kdbx.Recipe(cipher="chacha20", kdf="argon2id", iterations=3, gzip=False)
        vault.write_bytes(kdbx.write(file.tree, recipe, PASSWORD, None, file.binaries))
        shows(mounted / PATH / "url", "https://kdf.example")
        (mounted / PATH / "username").write_text("other")
        mounted.unmount()
        assert all_read(vault, PATH).strings["UserName"] == "other"
        header = kdbx.Header.read(vault.read_bytes())
        assert (header.cipher, header.kdf["I"][1][0]) == ("chacha20", 3)

    def test_a_mount_for_reading_follows(self, vault, place):
        mount = programs.mount(vault, place, "--ro", password=PASSWORD)
        keepassxc("edit", "--url", "https://xc.example", vault, PATH, password=PASSWORD)
        changed = vault.read_bytes()
        shows(mount / PATH / "url", "https://xc.example")
        mount.unmount()
        assert vault.read_bytes() == changed


class TestMerging:
    """Edits here wait to be saved."""

    def test_edits_of_both_sides_are_saved(self, mounted, vault):
        (mounted / PATH / "username").write_text("ours")
        keepassxc("edit", "--url", "https://xc.example", vault, PATH, password=PASSWORD)
        keepassxc("add", "-u", "ann", vault, "Internet/New", password=PASSWORD)
        done = programs.run("save", mounted.place)
        assert (done.code, done.err) == (0, "")
        found = all_read(vault, PATH)
        assert (found.strings["UserName"], found.strings["URL"]) == ("ours", "https://xc.example")
        assert [item.strings["URL"] for item in found.history].count(URL) >= 1
        assert all_read(vault, "Internet/New").strings["UserName"] == "ann"
        assert (mounted / "Internet/New/username").read_text() == "ann"
        assert (mounted / PATH / "url").read_text() == "https://xc.example"
        saved = vault.read_bytes()
        assert mounted.unmount().err == ""
        assert vault.read_bytes() == saved

    @pytest.mark.parametrize("later", ["ours", "theirs"])
    def test_one_field_on_both_sides(self, later, mounted, vault):
        if later == "theirs":
            (mounted / PATH / "url").write_text("https://ours.example")
            time.sleep(PAUSE)
        by_pykeepass(vault, set_field("url", "https://theirs.example"))
        if later == "ours":
            time.sleep(PAUSE)
            (mounted / PATH / "url").write_text("https://ours.example")
        mounted.unmount()
        found = all_read(vault, PATH)
        loser = {"ours": "theirs", "theirs": "ours"}[later]
        assert found.strings["URL"] == f"https://{later}.example"
        versions = [item.strings["URL"] for item in found.history]
        assert versions.count(f"https://{loser}.example") == 1
        # Two it had, and the common old one.
        assert versions.count(URL) == 3

    def test_an_edit_here_outlives_a_removal_there(self, mounted, vault):
        (mounted / PATH / "url").write_text("https://ours.example")
        # KeePassXC deletes for good what is in the bin already, and keeps a record.
        for path in (PATH, "Recycle Bin/GitHub"):
            keepassxc("rm", vault, path, password=PASSWORD)
        assert PATH not in read_own(vault, PASSWORD).paths()
        mounted.unmount()
        assert all_read(vault, PATH).strings["URL"] == "https://ours.example"

    def test_attachments_and_tags_come_over(self, mounted, vault, folder):
        (mounted / PATH / "username").write_text("ours")
        (folder / "note.txt").write_bytes(bytes(range(256)))
        keepassxc("attachment-import", vault, PATH, "note.bin", folder / "note.txt",
                  password=PASSWORD)
        by_pykeepass(vault, set_field("tags", ["x", "y"]))
        mounted.unmount()
        found = all_read(vault, PATH)
        assert found.attachments["note.bin"] == bytes(range(256))
        assert found.tags in ("x;y", "x,y")
        assert found.strings["UserName"] == "ours"

    def test_fsync_merges_too(self, mounted, vault):
        keepassxc("edit", "--url", "https://xc.example", vault, PATH, password=PASSWORD)
        with open(mounted / PATH / "username", "w") as file:
            file.write("ours")
            file.flush()
            os.fsync(file.fileno())
        found = all_read(vault, PATH)
        assert (found.strings["UserName"], found.strings["URL"]) == ("ours", "https://xc.example")

    def test_another_password_is_told_and_nothing_overwritten(self, mounted, vault, folder):
        (mounted / PATH / "url").write_text("https://ours.example")
        file = PyKeePass(os.fspath(vault), PASSWORD)
        file.password = "other"
        file.save()
        changed = vault.read_bytes()
        done = programs.run("umount", mounted.place)
        assert done.code == 24
        assert vault.read_bytes() == changed
        (beside,) = (folder / "vaults").glob("vault.conflict-*.kdbx")
        assert beside.name in done.err
        assert all_read(beside, PATH).strings["URL"] == "https://ours.example"

    def test_a_state_beside_the_vault_is_told_again_after_a_lock(self, mounted, vault, folder):
        """What is edited from then on is in the file beside it only, which nobody may take for the vault."""
        (mounted / PATH / "url").write_text("https://ours.example")
        by_pykeepass(vault, lambda file: setattr(file, "password", "other"))
        changed = vault.read_bytes()
        assert programs.run("lock", mounted.place).code == 24
        (beside,) = (folder / "vaults").glob("vault.conflict-*.kdbx")
        # The key is that of the file beside it.
        assert programs.run("unlock", mounted.place, password="other").code == 12
        assert programs.run("unlock", mounted.place, password=PASSWORD).code == 0
        (mounted / PATH / "username").write_text("bob")
        for command in "save", "umount":
            done = programs.run(command, mounted.place)
            assert done.code == 24 and beside.name in done.err, command
        mounted.wait_for_end()
        assert vault.read_bytes() == changed
        assert all_read(beside, PATH).strings["UserName"] == "bob"

    def test_a_stranger_is_not_overwritten(self, mounted, vault, folder):
        (mounted / PATH / "url").write_text("https://ours.example")
        vault.write_bytes(os.urandom(500))
        strange = vault.read_bytes()
        done = programs.run("umount", mounted.place)
        assert done.code == 24
        assert vault.read_bytes() == strange
        (beside,) = (folder / "vaults").glob("vault.conflict-*.kdbx")
        assert read_own(beside, PASSWORD).entry(PATH).strings["URL"] == "https://ours.example"

    def test_a_vault_that_was_removed_is_written_again(self, mounted, vault):
        (mounted / PATH / "url").write_text("https://ours.example")
        vault.unlink()
        mounted.unmount()
        assert all_read(vault, PATH).strings["URL"] == "https://ours.example"


class TestNobodyEdited:
    """What the file held may be nowhere but in the mount, also where nobody has edited it."""

    @pytest.mark.parametrize("command", ["save", "lock", "umount"])
    def test_a_vault_that_was_removed_is_written_again(self, command, mounted, vault, before):
        vault.unlink()
        done = programs.run(command, mounted.place)
        assert done.code == 0 and "was gone, and has been written again" in done.err
        if command != "umount":
            assert programs.run("umount", mounted.place).code == 0
        mounted.wait_for_end()
        before.expect({})

    @pytest.mark.parametrize("content", [b"", b"\x93garbage" * 100], ids=["empty", "garbage"])
    def test_what_took_its_place_gets_the_vault_beside_it(self, content, mounted, vault, folder):
        stored = read_own(vault, PASSWORD)
        vault.write_bytes(content)
        done = programs.run("umount", mounted.place)
        assert done.code == 24
        mounted.wait_for_end()
        assert vault.read_bytes() == content
        (beside,) = (folder / "vaults").glob("vault.conflict-*.kdbx")
        assert differences(stored, read_own(beside, PASSWORD)) == {}

    def test_a_vault_under_another_password_is_left_alone(self, mounted, vault, folder):
        by_pykeepass(vault, lambda file: setattr(file, "password", "else"))
        changed = vault.read_bytes()
        done = programs.run("umount", mounted.place)
        assert done.code == 0 and "our key doesn't open it" in done.err
        mounted.wait_for_end()
        assert vault.read_bytes() == changed
        assert os.listdir(folder / "vaults") == [vault.name]

    def test_a_pipe_in_its_place_holds_nobody_up(self, vault, place, folder):
        state = folder / "state"
        mount = programs.mount(vault, place, "-o", "autosave=0", password=PASSWORD,
                               env={"XDG_STATE_HOME": str(state)})
        (mount / PATH / "url").write_text("https://ours.example")
        vault.unlink()
        os.mkfifo(vault)
        done = programs.run("umount", place)
        assert done.code == 24 and "--rescue" in done.err
        assert (mount / PATH / "url").read_text() == "https://ours.example"
        assert programs.run("umount", "--rescue", place).code == 24
        mount.wait_for_end()
        assert programs.mount_at(place) is None
        (kept,) = (state / "kdbxfs").glob("*.kdbx")
        assert read_own(kept, PASSWORD).entry(PATH).strings["URL"] == "https://ours.example"
