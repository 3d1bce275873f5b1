"""Saves that can't be made: what stays whole, what is said, where the edits are, how they come back."""

import contextlib
import errno
import json
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pexpect
import pytest
from conftest import FIXTURES, USUAL
from support import programs
from support.clocked import Clocked
from support.judges import keepassxc

ENTRY = "Internet/GitHub"
URL = "https://github.com/login"
NEW = "https://new.example"
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="needs to mount and to change owners")


def status(place) -> dict:
    return json.loads(programs.run("status", "--json", place).out)


def saved(vault) -> str:
    return keepassxc("show", "-a", "URL", vault, ENTRY, password="fixture").decode().strip()


def edit(mount, value=NEW):
    (mount / ENTRY / "url").write_text(value + "\n")


def fsync(path):
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@pytest.fixture
def state(folder):
    return folder / "state"


@pytest.fixture
def disk(folder):
    """A file system of 64 KiB with the vault on it."""
    if os.getuid() != 0:
        pytest.skip("needs to mount")
    place = folder / "disk"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", place], check=True)
    shutil.copy(FIXTURES / USUAL, place / "vault.kdbx")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def fill(disk: Path):
    with contextlib.suppress(OSError), open(disk / "filler", "wb", buffering=0) as filler:
        while True:
            filler.write(b"x" * 1024)


class TestFullDisk:
    @pytest.fixture
    def mount(self, disk, place, state):
        mount = programs.mount(disk / "vault.kdbx", place, "-o", "autosave=0", password="fixture",
                               env={"XDG_STATE_HOME": str(state)})
        yield mount
        if programs.mount_at(place):
            programs.run("umount", "--lazy", place)
            if programs.mount_at(place):
                mount.signal(15)

    def test_fsync_and_save_say_so_and_the_old_file_is_whole(self, mount, disk):
        before = (disk / "vault.kdbx").read_bytes()
        edit(mount)
        fill(disk)
        with pytest.raises(OSError) as caught:
            fsync(mount / ENTRY / "url")
        assert caught.value.errno == errno.ENOSPC
        done = programs.run("save", mount.place)
        assert done.code == 24 and "No space left on device" in done.err
        assert "No space left on device" in status(mount.place)["save_error"]
        assert (disk / "vault.kdbx").read_bytes() == before
        assert {path.name for path in disk.iterdir()} == {"vault.kdbx", "filler"}
        assert (mount / ENTRY / "url").read_text() == NEW
        (disk / "filler").unlink()
        fsync(mount / ENTRY / "url")
        assert status(mount.place)["save_error"] is None
        assert saved(disk / "vault.kdbx") == NEW
        mount.unmount()

    def test_umount_keeps_a_complete_vault_elsewhere_and_stays(self, mount, disk, state):
        edit(mount)
        fill(disk)
        done = programs.run("umount", mount.place)
        assert done.code == 24
        named = re.search(r"kept in '([^']*)'", done.err)
        rescue = Path(named[1])
        assert rescue.parent == state / "kdbxfs"
        assert stat.S_IMODE(rescue.stat().st_mode) == 0o600
        assert saved(rescue) == NEW
        # The edits are still in the mount, and go to the vault when they can.
        assert (mount / ENTRY / "url").read_text() == NEW
        (disk / "filler").unlink()
        mount.unmount()
        assert saved(disk / "vault.kdbx") == NEW
        assert list((state / "kdbxfs").iterdir()) == []

    @pytest.mark.parametrize("command", ["save", "lock", "umount"])
    def test_what_was_taken_back_does_not_come_again(self, mount, disk, state, command):
        """The edits that were kept elsewhere aren't what the vault is to be any more."""
        edit(mount)
        (mount / "Work/Servers/www/attachments").mkdir()
        (mount / "Work/Servers/www/attachments/blob").write_bytes(os.urandom(1000))
        fill(disk)
        assert programs.run("umount", mount.place).code == 24
        edit(mount, URL)
        (mount / "Work/Servers/www/attachments/blob").unlink()
        assert programs.run(command, mount.place).code == 0
        assert list((state / "kdbxfs").iterdir()) == []
        if command != "umount":
            mount.unmount()
        (disk / "filler").unlink()
        again = programs.mount(disk / "vault.kdbx", mount.place, password="fixture",
                               env={"XDG_STATE_HOME": str(state)})
        assert (again / ENTRY / "url").read_text() == URL
        assert not (again / "Work/Servers/www/attachments").exists()
        again.unmount()

    def test_a_lock_keeps_it_elsewhere_and_an_unlock_takes_it_up(self, mount, disk, state):
        edit(mount)
        fill(disk)
        done = programs.run("lock", mount.place)
        assert done.code == 24 and "No space left on device" in done.err
        assert status(mount.place)["state"] == "locked"
        assert status(mount.place)["save_error"]
        with pytest.raises(OSError) as caught:
            os.listdir(mount.place)
        assert caught.value.errno == errno.ENOKEY
        (disk / "filler").unlink()
        assert programs.run("unlock", mount.place, password="fixture").code == 0
        assert (mount / ENTRY / "url").read_text() == NEW
        fsync(mount / ENTRY / "url")
        assert saved(disk / "vault.kdbx") == NEW
        assert list((state / "kdbxfs").iterdir()) == []
        mount.unmount()

    def test_what_was_edited_in_the_file_is_saved_when_there_is_room(self, disk, state, folder):
        """The editor's copy is gone by then, and the edit is nowhere else."""
        vault = disk / "vault.kdbx"
        before = vault.read_bytes()
        editor = folder / "editor"
        editor.write_text(f"#!/bin/sh\nprintf {NEW} > \"$1\"\n")
        editor.chmod(0o755)
        fill(disk)
        child = pexpect.spawn(
            os.fspath(programs.program()), ["edit", "-v", os.fspath(vault), f"{ENTRY}/url"],
            encoding="utf-8", timeout=programs.PATIENCE,
            env=os.environ | programs.PRINTED | {"VISUAL": os.fspath(editor), "XDG_STATE_HOME": os.fspath(state)})
        child.expect("Password for vault.kdbx: ?")
        child.waitnoecho(programs.PATIENCE)
        child.sendline("fixture")
        for attempt in range(2):
            child.expect(r"No space left on device.*Try to save again\? \[Y/n\] ")
            assert vault.read_bytes() == before
            if attempt == 1:
                (disk / "filler").unlink()
            child.sendline("y")
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0, child.before
        assert saved(vault) == NEW

    @pytest.mark.parametrize("what", ["full", "read-only"])
    @pytest.mark.parametrize("command", [
        ("set", ENTRY + "/url"), ("new", "--username", "carol", "Internet/Wiki"), ("rm", ENTRY),
        ("new", "--generate", "Internet/Wiki"), ("mv", ENTRY, "Work")], ids=lambda c: c[0] + str(len(c)))
    def test_a_command_on_the_file_says_so_and_leaves_it(self, disk, state, folder, command, what):
        vault = disk / "vault.kdbx"
        before = vault.read_bytes()
        if what == "full":
            fill(disk)
        else:
            subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        left = sorted(path.name for path in disk.iterdir())
        (folder / "key").write_text("fixture")
        arguments = [command[0], "-v", vault, "--passfile", folder / "key", *command[1:]]

        def run():
            return programs.run(*arguments, password=NEW, env={"XDG_STATE_HOME": str(state)})

        done = run()
        assert done.code == 24 and len(done.errors) == 1, done.err
        said = "No space left on device" if what == "full" else "can't be written"
        assert said in done.errors[0]
        assert done.out == b""
        # The old file is whole, nothing lies beside it, and nothing waits elsewhere to be taken up.
        assert vault.read_bytes() == before
        assert sorted(path.name for path in disk.iterdir()) == left
        assert not state.exists() or not list(state.rglob("*.kdbx"))
        if what == "full":
            (disk / "filler").unlink()
        else:
            subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
        assert run().code == 0
        assert vault.read_bytes() != before

    def test_the_next_mount_takes_it_up(self, mount, disk, state, place):
        edit(mount)
        fill(disk)
        assert programs.run("lock", mount.place).code == 24
        done = programs.run("umount", mount.place)
        assert done.code == 24 and "kept in" in done.err
        assert programs.mount_at(place) is None
        mount.wait_for_end()
        (disk / "filler").unlink()
        again = programs.mount(disk / "vault.kdbx", place, "-o", "autosave=0", password="fixture",
                               env={"XDG_STATE_HOME": str(state)})
        assert "taken up again" in again.said
        assert (again / ENTRY / "url").read_text() == NEW
        again.unmount()
        assert saved(disk / "vault.kdbx") == NEW
        assert list((state / "kdbxfs").iterdir()) == []

    def test_nothing_is_written_where_nothing_changed(self, mount, disk):
        fill(disk)
        assert (mount / ENTRY / "url").read_text() == URL
        mount.unmount()
        assert {path.name for path in disk.iterdir()} == {"vault.kdbx", "filler"}


STEPS = ["resolve", "openFolder", "create", "write", "synchronize", "readBack", "verify",
         "attributes", "rename", "synchronizeFolder"]


@pytest.mark.parametrize("step", STEPS)
def test_each_step_of_a_save_can_fail(step, vault, place, folder, state):
    """The old vault is whole but after the rename; reading goes on; the next try makes it good."""
    log = folder / "steps"
    failing = folder / "steps.fail"
    failing.touch()
    before = vault.read_bytes()
    mount = Clocked(vault, place, folder, "--idle", "0", env={
        "KDBXFS_TEST_STEPS": str(log), "KDBXFS_TEST_FAIL": f"{step}={errno.EIO}",
        "XDG_STATE_HOME": str(state)})
    edit(mount)
    done = programs.run("save", place)
    assert done.code == 24 and "could not be saved" in done.err
    assert status(place)["save_error"]
    if step == "synchronizeFolder":
        assert saved(vault) == NEW
    else:
        assert vault.read_bytes() == before
    assert {path.name for path in vault.parent.iterdir()} == {vault.name}
    assert (mount / ENTRY / "url").read_text() == NEW
    # After 5 seconds it is tried again, then after a minute.
    tries = len(log.read_text().splitlines())
    mount.advance(6)
    programs.wait_until(lambda: len(log.read_text().splitlines()) > tries, "it is tried again", 60)
    # Over, so that the next try is counted from before the clock is put forward.
    programs.wait_until(lambda: status(place)["state"] == "unlocked", "the try is over", 60)
    failing.unlink()
    mount.advance(61)
    programs.wait_until(lambda: status(place)["save_error"] is None, "it is saved", 60)
    assert saved(vault) == NEW
    mount.end()


def test_reading_waits_for_no_save(vault, place, folder):
    """While a save is tried and fails, reads are answered."""
    (folder / "steps.fail").touch()
    mount = Clocked(vault, place, folder, env={
        "KDBXFS_TEST_STEPS": str(folder / "steps"), "KDBXFS_TEST_FAIL": f"write={errno.EDQUOT}"})
    edit(mount)
    done = programs.run("save", place)
    assert done.code == 24 and "quota" in done.err.lower()
    assert (mount / ENTRY / "password").read_text()
    (folder / "steps.fail").unlink()
    mount.end()
    assert saved(vault) == NEW


class TestFolders:
    def test_a_read_only_folder_mounts_read_only_and_says_so(self, folder, place):
        if os.getuid() == 0:
            pytest.skip("root may write anywhere")
        vault = shutil.copy(FIXTURES / USUAL, folder / "vaults" / "vault.kdbx")
        os.chmod(folder / "vaults", 0o500)
        try:
            mount = programs.mount(vault, place, password="fixture")
            assert "mounted read-only" in mount.said
            with pytest.raises(OSError) as caught:
                edit(mount)
            assert caught.value.errno == errno.EROFS
            mount.unmount()
        finally:
            os.chmod(folder / "vaults", 0o700)

    @needs_root
    def test_a_disk_that_turns_read_only(self, disk, place, state):
        mount = programs.mount(disk / "vault.kdbx", place, "-o", "autosave=0", password="fixture",
                               env={"XDG_STATE_HOME": str(state)})
        edit(mount)
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        done = programs.run("save", place)
        assert done.code == 24 and "Read-only file system" in done.err
        subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
        mount.unmount()
        assert saved(disk / "vault.kdbx") == NEW

    def test_a_folder_that_vanished_and_came_back(self, mounted, vault, state):
        edit(mounted)
        aside = vault.parent.with_name("aside")
        vault.parent.rename(aside)
        done = programs.run("save", mounted.place)
        assert done.code == 24
        assert (mounted / ENTRY / "url").read_text() == NEW
        aside.rename(vault.parent)
        mounted.unmount()
        assert saved(vault) == NEW

    def test_a_chain_of_links_is_followed_anew(self, folder, place):
        real = folder / "vaults" / "real"
        real.mkdir()
        vault = Path(shutil.copy(FIXTURES / USUAL, real / "vault.kdbx"))
        (folder / "vaults" / "link.kdbx").symlink_to("real/vault.kdbx")
        (folder / "vaults" / "link2.kdbx").symlink_to("link.kdbx")
        mount = programs.mount(folder / "vaults" / "link2.kdbx", place, password="fixture")
        edit(mount)
        mount.unmount()
        assert (folder / "vaults" / "link.kdbx").is_symlink()
        assert (folder / "vaults" / "link2.kdbx").is_symlink()
        assert saved(vault) == NEW
        assert {p.name for p in real.iterdir()} == {"vault.kdbx"}

    def test_a_hard_link_parts_and_it_is_said(self, vault, place, folder):
        os.link(vault, folder / "vaults" / "hard.kdbx")
        mount = programs.mount(vault, place, password="fixture")
        assert "hard link" in mount.said
        edit(mount)
        mount.unmount()
        assert saved(vault) == NEW
        assert saved(folder / "vaults" / "hard.kdbx") == URL

    @needs_root
    def test_owner_group_mode_and_attributes_stay(self, vault, place):
        os.chown(vault, 65534, 12345)
        vault.chmod(0o640)
        os.setxattr(vault, "user.note", b"kept")
        subprocess.run(["setfacl", "-m", "u:nobody:r", vault], check=False)
        os.utime(vault, (1577836800, 1577836800))
        acl = subprocess.run(["getfacl", "-cn", vault], capture_output=True).stdout
        mount = programs.mount(vault, place, password="fixture")
        edit(mount)
        mount.unmount()
        found = vault.stat()
        assert (found.st_uid, found.st_gid) == (65534, 12345)
        assert os.getxattr(vault, "user.note") == b"kept"
        assert subprocess.run(["getfacl", "-cn", vault], capture_output=True).stdout == acl
        assert found.st_mtime > 1577836800
        assert saved(vault) == NEW
