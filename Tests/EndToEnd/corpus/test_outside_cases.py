"""Cases 047 and 048: the file changed while it was mounted."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from support import programs
from support.judges import keepassxc, read_by_all, read_own
from support.shared import SHARED

CASES = SHARED / "cases"
PASSWORD = "pw-basic"
pytestmark = pytest.mark.skipif(
    not CASES.exists(), reason="no cases at KDBXFS_SHARED or ../shared")


@pytest.fixture
def files(folder):
    """Puts a case's files into the folder of vaults, and gives it."""
    def take(case: str) -> Path:
        (source,) = CASES.glob(case + "-*")
        for file in source.glob("*.kdbx"):
            shutil.copyfile(file, folder / "vaults" / file.name)
        return folder / "vaults"
    return take


def mounted(files: Path, place) -> programs.Mount:
    return programs.mount(
        files / "vault.kdbx", place, "-o", "autosave=0", password=PASSWORD)


def replace(files: Path, name: str):
    shutil.copyfile(files / name, files / "tmp")
    os.replace(files / "tmp", files / "vault.kdbx")


def entries(path: Path, title: str):
    """What each judge reads of an entry."""
    return [reading.entry(title) for reading in read_by_all(path, PASSWORD).values()]


def passwords(entry) -> list[str]:
    return [state.strings["Password"] for state in [*entry.history, entry]]


class TestCase047:
    def test_both_sides_are_saved(self, files, place):
        folder = files("047")
        mount = mounted(folder, place)
        (mount / "mail/password").write_text("mail-pw-2")
        replace(folder, "other.kdbx")
        assert mount.unmount().err == ""
        for mail in entries(folder / "vault.kdbx", "mail"):
            assert passwords(mail) == ["mail-pw-1", "mail-pw-2"]
        for vpn in entries(folder / "vault.kdbx", "office/vpn"):
            assert passwords(vpn) == ["vpn-pw-1", "vpn-pw-2"]
        for added in entries(folder / "vault.kdbx", "added-elsewhere"):
            assert added.strings["Password"] == "pw-added"

    def test_without_a_change_the_file_stays_theirs(self, files, place):
        folder = files("047")
        mount = mounted(folder, place)
        replace(folder, "other.kdbx")
        path = mount / "added-elsewhere/password"
        programs.wait_until(path.exists, "the added entry shows", 60)
        assert path.read_text() == "pw-added"
        assert (mount / "office/vpn/password").read_text() == "vpn-pw-2"
        assert mount.unmount().err == ""
        assert (folder / "vault.kdbx").read_bytes() == (folder / "other.kdbx").read_bytes()

    @pytest.mark.parametrize("kind", ["garbage", "other password"])
    def test_a_strange_file_is_left_alone(self, kind, files, place):
        folder = files("047")
        mount = mounted(folder, place)
        (mount / "mail/password").write_text("mail-pw-2")
        if kind == "garbage":
            (folder / "vault.kdbx").write_bytes(os.urandom(500))
        else:
            strange = folder / "strange.kdbx"
            shutil.copyfile(folder / "vault.kdbx", strange)
            # The old password, and the new one twice.
            keepassxc("db-edit", "-p", strange, password="\n".join([PASSWORD, "new", "new"]))
            replace(folder, "strange.kdbx")
        before = (folder / "vault.kdbx").read_bytes()
        done = programs.run("umount", mount.place)
        mount.wait_for_end()
        assert done.code == 24
        assert (folder / "vault.kdbx").read_bytes() == before
        (beside,) = folder.glob("vault.conflict-*.kdbx")
        assert beside.name in done.err
        assert read_own(beside, PASSWORD).entry("mail").strings["Password"] == "mail-pw-2"

    def test_a_vault_that_is_gone_is_written_again(self, files, place):
        folder = files("047")
        mount = mounted(folder, place)
        (mount / "mail/password").write_text("mail-pw-2")
        (folder / "vault.kdbx").unlink()
        mount.unmount()
        assert read_own(folder / "vault.kdbx", PASSWORD).entry("mail").strings["Password"] == (
            "mail-pw-2")


class TestCase048:
    @pytest.mark.parametrize("other", ["other.kdbx", "other-future.kdbx"])
    def test_one_entry_on_both_sides(self, other, files, place):
        folder = files("048")
        mount = mounted(folder, place)
        (mount / "mail/password").write_text("mine")
        replace(folder, other)
        assert programs.run("save", mount.place).code == 0
        warnings = programs.run("status", mount.place).out.decode()
        mount.unmount()
        theirs = "pw-theirs" if other == "other.kdbx" else "pw-theirs-future"
        winner, loser = ("mine", theirs) if other == "other.kdbx" else (theirs, "mine")
        for mail in entries(folder / "vault.kdbx", "mail"):
            assert mail.strings["Password"] == winner
            assert mail.strings["Notes"] == "note from elsewhere\n"
            old = passwords(mail)[:-1]
            assert old.count(loser) == 1 and old.count("mail-pw-1") == 1
            (lost,) = [item for item in mail.history if item.strings["Password"] == loser]
            if other == "other.kdbx":
                assert lost.strings["Notes"] == "note from elsewhere\n"
        assert "Password was changed here and in another program" in warnings
        assert "mine" not in warnings and "pw-theirs" not in warnings
        assert ("in the future" in warnings) == (other == "other-future.kdbx")

    def test_merging_again_changes_nothing(self, files, place):
        folder = files("048")
        mount = mounted(folder, place)
        (mount / "mail/password").write_text("mine")
        replace(folder, "other.kdbx")
        mount.unmount()
        vault = folder / "vault.kdbx"
        before = vault.read_bytes()
        for other in ("other.kdbx", "vault.kdbx"):
            done = programs.run("merge", vault, folder / other, password=PASSWORD)
            assert (done.code, done.out, done.err) == (0, b"", "")
            assert vault.read_bytes() == before
