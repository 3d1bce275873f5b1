"""Every read and write of opening and saving fails once: nothing is lost, and it is said.

The outcomes are those of the table in `docs/faults.md`.
"""

from __future__ import annotations

import errno
import os

import pytest
from support import judges, programs
from support.faults import Faults

READING, WRITING = 23, 24
HALF = 0
# Reading the vault's status, and so who owns it, may fail in silence where it changes nothing.
ERRORS = {"EIO": errno.EIO, "half": HALF}


@pytest.fixture
def faults(folder) -> Faults:
    return Faults(folder / "vaults", folder / "control")


def password_in(vault) -> str:
    return judges.read_own(vault, "fixture").entry("Internet/GitHub").strings["Password"]


@pytest.mark.parametrize("error", ERRORS)
def test_opening(error, vault, faults):
    """Each call of opening fails in turn: the vault's content, or one error and nothing."""
    stored, number, outcomes = vault.read_bytes(), 0, set()
    while True:
        number += 1
        faults.arm(number, ERRORS[error])
        done = programs.run(
            "cat", vault, "Internet/GitHub/password", password="fixture", env=faults.env)
        calls = faults.disarm()
        assert vault.read_bytes() == stored
        assert os.listdir(vault.parent) == [vault.name]
        if len(calls) < number:
            break
        outcomes.add((calls[number - 1], done.code))
        if done.code == 0:
            assert done.out == b"correct horse battery staple"
        else:
            assert (done.code, done.out, len(done.errors)) == (READING, b"", 1), done.err
    assert done.code == 0 and number > 2
    if error == "half":
        assert {code for _, code in outcomes} == {0}
    else:
        assert ("read", READING) in outcomes


@pytest.mark.parametrize("error", ["EIO", "ENOSPC", "half"])
def test_saving(error, vault, place, faults):
    """Each call of a save fails in turn: the old vault or the new one, whole, and a retry saves."""
    mount = programs.mount(vault, place, "-o", "autosave=0", password="fixture", env=faults.env)
    field = mount / "Internet/GitHub/password"
    number, value, outcomes = 0, "correct horse battery staple", set()
    while True:
        number += 1
        old, value = value, f"value {number}"
        field.write_text(value)
        faults.arm(number, getattr(errno, error, HALF))
        done = programs.run("save", place)
        calls = faults.disarm()
        if len(calls) < number:
            assert done.code == 0
            break
        outcomes.add((calls[number - 1], done.code))
        found = password_in(vault)
        if done.code == 0:
            assert found == value, calls
        else:
            assert done.code == WRITING and len(done.errors) == 1, done.err
            # From the rename on the new vault is there, though it may not outlive a crash yet; the old
            # one comes back if it can't be compared with what was read.
            names = [at for at, call in enumerate(calls, 1) if call.startswith("rename")]
            has_name = len([at for at in names if at != number]) % 2 == 1
            assert found == (value if has_name else old), calls
        assert field.read_text() == value
        again = programs.run("save", place)
        assert again.code == 0, again.err
        assert password_in(vault) == value
        left = [name for name in os.listdir(vault.parent) if name != vault.name]
        if calls[number - 1] == "unlinkat":
            for name in left:
                os.unlink(vault.parent / name)
        else:
            assert left == [], calls
    mount.unmount()
    assert password_in(vault) == value
    assert number > 10
    # The new file is on the disk before it takes the name, and the name before the save is done.
    written = max(at for at, call in enumerate(calls) if call in ("write", "pwrite"))
    named = [at for at, call in enumerate(calls) if call.startswith("rename")]
    assert "fsync" in calls[written : named[0]] and "fsync" in calls[named[-1] :], calls
    if error == "half":
        assert {code for _, code in outcomes} == {0}
    else:
        # Nothing that puts bytes or names on the disk may fail in silence.
        for call in ("write", "pwrite", "fsync", "fdatasync", "renameat", "renameat2"):
            assert (call, 0) not in outcomes, outcomes
        assert ("fsync", WRITING) in outcomes
