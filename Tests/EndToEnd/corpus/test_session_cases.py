"""The cases from practice that are about a lock's save and about memory."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from support import judges, programs
from support.clocked import Clocked
from support.memory import Memory, spellings
from test_cases import CASES, Run

pytestmark = pytest.mark.skipif(
    not CASES.exists(), reason="no cases at KDBXFS_SHARED or ../shared")
needs_root = pytest.mark.skipif(os.getuid() != 0, reason="needs root")


def failure(call, *arguments) -> int:
    with pytest.raises(OSError) as caught:
        call(*arguments)
    return caught.value.errno


def status(place) -> dict:
    return json.loads(programs.run("status", "--json", place).out)


def password_of(vault, title, password) -> str:
    return judges.keepassxc("show", "-s", "-a", "Password", vault, title,
                            password=password).decode().strip("\n")


class TestLockSaves041:
    def test_by_itself_and_asked(self, folder, place):
        run = Run("041", folder, place)
        mount = Clocked(run.vault, place, folder, "--idle", "3s", "-o", "autosave=0",
                        password=run.password)
        (mount / "mail/password").write_text("kept-1\n")
        mount.advance(5)
        programs.wait_until(lambda: status(place)["state"] == "locked", "it locks", 60)
        assert password_of(run.vault, "mail", run.password) == "kept-1"
        mount.end()
        mount = run.mount()
        (mount / "mail/password").write_text("kept-2\n")
        assert programs.run("lock", place).code == 0
        assert failure(os.listdir, place) == errno.ENOKEY
        assert password_of(run.vault, "mail", run.password) == "kept-2"
        mount.unmount()

    @needs_root
    @pytest.mark.parametrize("then", ["unlock", "unmount"])
    def test_with_a_full_disk(self, folder, place, then):
        run = Run("041", folder, place)
        disk, state = folder / "disk", folder / "state"
        disk.mkdir()
        state.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", disk], check=True)
        try:
            vault = Path(shutil.copy(run.vault, disk / "vault.kdbx"))
            before = vault.read_bytes()
            mount = programs.mount(vault, place, "-o", "autosave=0", password=run.password,
                                   env={"XDG_STATE_HOME": str(state)})
            (mount / "mail/password").write_text("kept-3\n")
            with contextlib.suppress(OSError), open(disk / "filler", "wb", buffering=0) as filler:
                while True:
                    filler.write(b"x" * 512)
            done = programs.run("lock", place)
            assert done.code == 24 and "No space left on device" in done.err
            assert status(place)["state"] == "locked" and status(place)["save_error"]
            assert failure(os.listdir, place) == errno.ENOKEY
            assert vault.read_bytes() == before
            if then == "unlock":
                (disk / "filler").unlink()
                assert programs.run("unlock", place, password=run.password).code == 0
                assert (mount / "mail/password").read_text() == "kept-3"
                assert programs.run("save", place).code == 0
                assert password_of(vault, "mail", run.password) == "kept-3"
                mount.unmount()
            else:
                done = programs.run("umount", place)
                assert done.code == 24
                rescue = Path(re.search(r"'([^']*/kdbxfs/[^']*)'", done.err)[1])
                assert rescue.parent == state / "kdbxfs"
                assert stat.S_IMODE(rescue.stat().st_mode) == 0o600
                assert password_of(rescue, "mail", run.password) == "kept-3"
                mount.wait_for_end()
        finally:
            subprocess.run(["umount", "-l", disk], check=True)


@needs_root
def test_050_memory(folder, place):
    run = Run("050", folder, place)
    mount = run.mount()
    (mount / "read-me/password").read_text()
    (mount / "write-me/password").write_text("MARK-pw-after-4b7e11d0\n")
    assert programs.run("save", place).code == 0
    protected = ["MARK-pw-read-77d0c3b1e2", "MARK-pw-before-19aa0c44f7", "MARK-pw-after-4b7e11d0",
                 "MARK-pw-untouched-c0ffee8812", "MARK-attr-untouched-6ab3", run.password]
    memory = Memory(mount.pids[0])
    found = {mark for mark, count in memory.count(spellings(protected)).items() if count}
    assert found == set(), memory.where(found)
    assert programs.run("lock", place).code == 0
    memory = Memory(mount.pids[0])
    marks = spellings([*protected, "MARK-user-5f1c9a"])
    found = {mark for mark, count in memory.count(marks).items() if count}
    assert found == set(), memory.where(found)
    mount.unmount()
