"""The case from practice that is about memory."""

from __future__ import annotations

import os

import pytest
from support import programs
from support.memory import Memory, spellings
from test_cases import CASES, Run

pytestmark = pytest.mark.skipif(
    not CASES.exists() or os.getuid() != 0, reason="no cases at KDBXFS_SHARED or ../shared, or no root")


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
