"""Edits that could not be saved at an unmount: the next mount takes them up, whatever has happened to
the vault meanwhile."""

from __future__ import annotations

import contextlib
import datetime
import os
import re
import shutil
from pathlib import Path

import pytest
from pykeepass import PyKeePass
from support import programs
from support.judges import read_by_all, read_own

PATH = "Internet/GitHub"
PASSWORD = "fixture"
NEW = "https://rescued.example"
ENDED_UNSAVED, UNREADABLE = 24, 23


def entry(file, title="GitHub"):
    return file.find_entries(title=title, first=True)


class Kept:
    """A vault, and the state folder in which the edits of its mounts are kept."""

    def __init__(self, vault: Path, place: Path, folder: Path):
        self.vault, self.place = vault, place
        self.state = folder / "state" / "kdbxfs"
        self.env = {"XDG_STATE_HOME": os.fspath(folder / "state")}

    def mount(self, vault=None, password=PASSWORD):
        return programs.mount(vault or self.vault, self.place, "-o", "autosave=0", password=password,
                              env=self.env)

    @contextlib.contextmanager
    def out_of_reach(self):
        """The vault's folder is elsewhere meanwhile: nothing can be saved."""
        aside = self.vault.parent.with_name("aside")
        self.vault.parent.rename(aside)
        yield
        aside.rename(self.vault.parent)

    def lock(self, *edits) -> programs.Mount:
        """Makes edits in a mount and locks it while its vault can't be written."""
        mount = self.mount()
        for edit in edits:
            edit(mount)
        with self.out_of_reach():
            assert programs.run("lock", self.place).code == ENDED_UNSAVED
        return mount

    def leave(self, *edits) -> Path:
        """Makes edits in a mount and leaves it while its vault can't be written; gives where they are."""
        mount = self.mount()
        for edit in edits:
            edit(mount)
        with self.out_of_reach():
            done = programs.run("umount", "--rescue", self.place)
            mount.wait_for_end()
        assert done.code == ENDED_UNSAVED
        kept = Path(re.search(r"kept in '([^']*)'", done.err)[1])
        assert kept.parent == self.state
        return kept

    def elsewhere(self, *changes, password=PASSWORD, new_password=None):
        """What another program does to the vault meanwhile."""
        file = PyKeePass(os.fspath(self.vault), password)
        for change in changes:
            change(file)
        if new_password:
            file.password = new_password
        file.save()

    def take_up(self, *words, vault=None):
        """Mounts, and unmounts: the edits are in the vault then, and nothing is left of them."""
        mount = self.mount(vault)
        for word in words:
            assert word in mount.said, mount.said
        mount.unmount()
        assert list(self.state.iterdir()) == []
        readings = list(read_by_all(self.vault, PASSWORD).values())
        assert all(reading.paths() == readings[0].paths() for reading in readings)
        return read_own(self.vault, PASSWORD)


@pytest.fixture
def kept(vault, place, folder) -> Kept:
    return Kept(vault, place, folder)


def set_url(mount):
    (mount / PATH / "url").write_text(NEW)


def set_there(name, value, title="GitHub", when=None):
    def change(file):
        found = entry(file, title)
        found.save_history()
        setattr(found, name, value)
        found.touch(modify=True)
        if when:
            found.mtime = when
    return change


def urls(entry) -> list[str]:
    return [entry.strings["URL"], *(old.strings["URL"] for old in reversed(entry.history))]


def test_the_vault_is_as_it_was(kept):
    kept.leave(set_url)
    found = kept.take_up("are taken up again\n")
    assert urls(found.entry(PATH))[:2] == [NEW, "https://github.com/login"]


def test_it_is_shown_before_it_is_saved(kept):
    kept.leave(set_url)
    kept.elsewhere(set_there("username", "theirs"))
    mount = kept.mount()
    assert (mount / PATH / "url").read_text() == NEW
    assert (mount / PATH / "username").read_text() == "theirs"
    # Neither is lost by a process that dies here.
    mount.kill()
    programs.run("umount", "--lazy", kept.place)
    found = kept.take_up("merged with what 'vault.kdbx' has had since")
    assert (found.entry(PATH).strings["URL"], found.entry(PATH).strings["UserName"]) == (NEW, "theirs")


def test_another_entry_and_another_field_were_changed(kept):
    kept.leave(set_url)
    kept.elsewhere(set_there("username", "theirs"), set_there("username", "carol", "Mail"))
    found = kept.take_up("merged with what 'vault.kdbx' has had since")
    strings = found.entry(PATH).strings
    assert (strings["URL"], strings["UserName"]) == (NEW, "theirs")
    assert found.entry("Internet/Mail").strings["UserName"] == "carol"


@pytest.mark.parametrize("theirs_is_later", [True, False])
def test_the_same_field_was_changed(kept, theirs_is_later):
    """The later one stands, the other is an old version."""
    theirs = "https://theirs.example"
    now = datetime.datetime.now(datetime.UTC)
    when = now + datetime.timedelta(hours=1 if theirs_is_later else -1)
    kept.leave(set_url)
    kept.elsewhere(set_there("url", theirs, when=when))
    found = kept.take_up("changed here and in another program",
                         "theirs stands" if theirs_is_later else "ours stands")
    first, *others = urls(found.entry(PATH))
    assert first == (theirs if theirs_is_later else NEW)
    assert {theirs, NEW, "https://github.com/login"} <= {first, *others}


def remove_there(title):
    """Removes an entry for good, with the record of it that every program but pykeepass makes."""
    def change(file):
        found = entry(file, title)
        uuid = found._element.find("UUID").text
        found.delete()
        deleted = file.tree.find("Root/DeletedObjects")
        record = deleted.makeelement("DeletedObject")
        for tag, text in (("UUID", uuid), ("DeletionTime", file._encode_time(
                datetime.datetime.now(datetime.UTC)))):
            part = deleted.makeelement(tag)
            part.text = text
            record.append(part)
        deleted.append(record)
    return change


def test_entries_were_removed(kept):
    """One that was edited in the mount stays; one that was not goes; one that the mount removed stays
    away."""
    def remove_here(mount):
        shutil.rmtree(mount / "Work" / "Servers" / "www")
        os.rename(mount / "Internet" / "a%2Fb", mount / "Internet" / "renamed")
    kept.leave(set_url, remove_here)
    kept.elsewhere(remove_there("GitHub"), remove_there("Mail"), set_there("url", "x", "café"))
    found = kept.take_up("was removed on one side and changed on the other: kept")
    assert found.entry(PATH).strings["URL"] == NEW
    paths = found.paths()
    assert "Internet/Mail" not in paths and "Work/Servers/www" not in paths
    assert "Recycle Bin/www" in paths and "Internet/renamed" in paths
    assert found.entry("Grüße 🔑/café").strings["URL"] == "x"


def test_an_entry_was_moved(kept):
    def move(file):
        found = entry(file)
        file.move_entry(found, file.find_groups(name="Servers", first=True))
        found._element.find("Times/LocationChanged").text = file._encode_time(
            datetime.datetime.now(datetime.UTC))
    kept.leave(set_url)
    kept.elsewhere(move)
    found = kept.take_up("merged with what 'vault.kdbx' has had since")
    assert found.entry("Work/Servers/GitHub").strings["URL"] == NEW
    assert PATH not in found.paths()


def test_what_was_edited_is_not_known_any_more(kept):
    """Then times decide, and nothing is lost either."""
    rescue = kept.leave(set_url)
    Path(f"{rescue}.base").unlink()
    kept.elsewhere(set_there("username", "carol", "Mail"),
                   set_there("username", "theirs", when=datetime.datetime(2026, 2, 1, 9, 0,
                                                                        tzinfo=datetime.UTC)))
    found = kept.take_up("the later time counts")
    assert found.entry("Internet/Mail").strings["UserName"] == "carol"
    assert found.entry(PATH).strings["URL"] == NEW
    assert "theirs" in [old.strings["UserName"] for old in found.entry(PATH).history]


def test_the_password_was_changed(kept):
    """It is said how to get at the edits, which stay where they are; and that way leads there."""
    rescue = kept.leave(set_url)
    kept.elsewhere(set_there("username", "carol", "Mail"), new_password="another")
    left = sorted(kept.state.iterdir())
    mount = kept.mount(password="another")
    assert str(rescue) in mount.said and "the key of 'vault.kdbx' doesn't open them" in mount.said
    assert "until that file and those of its name are removed" in mount.said
    way = re.search(r"'(kdbxfs merge --base \S+ VAULT \S+)'", mount.said)[1].split()[1:]
    assert (mount / PATH / "url").read_text() == "https://github.com/login"
    mount.unmount()
    assert sorted(kept.state.iterdir()) == left
    old = kept.state.parent / "old password"
    old.write_text(PASSWORD)
    words = [kept.vault if word == "VAULT" else word for word in way]
    done = programs.run(*words, "--other-passfile", old, password="another")
    assert done.code == 0, done.err
    found = read_own(kept.vault, "another")
    assert found.entry(PATH).strings["URL"] == NEW
    assert found.entry("Internet/Mail").strings["UserName"] == "carol"


def test_the_vault_is_gone(kept):
    rescue = kept.leave(set_url)
    kept.vault.unlink()
    for arguments in ([kept.vault, kept.place], ["ls", kept.vault]):
        done = programs.run(*arguments, password=PASSWORD, env=kept.env)
        assert done.code == UNREADABLE and "No such file" in done.errors[0]
        assert f"is in '{rescue}'" in done.err
    # As it is said, that is a whole vault; put back it is nothing special.
    shutil.copy(rescue, kept.vault)
    assert kept.take_up().entry(PATH).strings["URL"] == NEW


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "no vault"])
def test_the_rescued_vault_is_damaged(kept, damage):
    rescue = kept.leave(set_url)
    content = rescue.read_bytes()
    rescue.write_bytes({
        "cut": content[:-40], "changed": content[:-80] + bytes([content[-80] ^ 1]) + content[-79:],
        "empty": b"", "no vault": b"something else"}[damage])
    left = {path: path.read_bytes() for path in kept.state.iterdir()}
    mount = kept.mount()
    assert str(rescue) in mount.said and "can't be taken up" in mount.said
    assert (mount / PATH / "url").read_text() == "https://github.com/login"
    (mount / PATH / "username").write_text("edited")
    mount.unmount()
    assert read_own(kept.vault, PASSWORD).entry(PATH).strings["UserName"] == "edited"
    assert {path: path.read_bytes() for path in kept.state.iterdir()} == left


def test_there_are_two(kept):
    kept.leave(set_url)
    hidden = kept.state.with_name("hidden")
    kept.state.rename(hidden)
    kept.leave(lambda mount: (mount / PATH / "username").write_text("second"),
               lambda mount: (mount / "Internet/Mail/username").write_text("second"))
    for path in hidden.iterdir():
        # Two of one second have other names by themselves.
        path.rename(kept.state / f"20260101T000000Z-{path.name}")
    found = kept.take_up()
    strings = found.entry(PATH).strings
    assert (strings["URL"], strings["UserName"]) == (NEW, "second")
    assert found.entry("Internet/Mail").strings["UserName"] == "second"


def test_one_on_top_of_another(kept):
    """A mount that has taken edits up, and can't save either: one rescue holds all."""
    kept.leave(set_url)
    kept.leave(lambda mount: (mount / "Internet/Mail/username").write_text("second"))
    assert len(list(kept.state.glob("*.origin"))) == 1
    kept.elsewhere(set_there("username", "theirs"))
    found = kept.take_up()
    assert (found.entry(PATH).strings["URL"], found.entry(PATH).strings["UserName"]) == (NEW, "theirs")
    assert found.entry("Internet/Mail").strings["UserName"] == "second"


def test_an_unlock_merges_too(kept):
    """What a lock could not save meets what has changed until the unlock."""
    mount = kept.lock(set_url)
    kept.elsewhere(set_there("username", "theirs"))
    assert programs.run("unlock", kept.place, password=PASSWORD).code == 0
    assert (mount / PATH / "url").read_text() == NEW
    assert (mount / PATH / "username").read_text() == "theirs"
    mount.unmount()
    found = read_own(kept.vault, PASSWORD).entry(PATH).strings
    assert (found["URL"], found["UserName"]) == (NEW, "theirs")
    assert list(kept.state.iterdir()) == []


@pytest.mark.parametrize("is_locked", [True, False])
def test_they_can_be_reverted(kept, is_locked):
    """Edits from before a lock, or of an earlier mount, go back to what the vault's file has."""
    def edit(mount):
        set_url(mount)
        (mount / "Internet/Mail/username").write_text("second")
        (mount / "Internet/New").mkdir()
        (mount / "Internet/New/username").write_text("new")

    before = read_own(kept.vault, PASSWORD).entry(PATH)
    if is_locked:
        mount = kept.lock(edit)
        assert programs.run("unlock", kept.place, password=PASSWORD).code == 0
    else:
        kept.leave(edit)
        mount = kept.mount()
    assert set(programs.run("diff", "-m", kept.place).out.decode().splitlines()) == {
        "changed Internet/Mail: username, .history", "changed Internet/GitHub: url, .history",
        "added Internet/New"}
    assert programs.run("revert", mount / PATH).code == 0
    assert "nothing of it waits" in programs.run("revert", mount / PATH).err
    assert "was never saved" in programs.run("revert", mount / "Internet/New").err
    assert (mount / PATH / "url").read_text() == before.strings["URL"]
    mount.unmount()
    saved = read_own(kept.vault, PASSWORD)
    assert saved.entry(PATH) == before
    assert saved.entry("Internet/Mail").strings["UserName"] == "second"
    assert saved.entry("Internet/New").strings["UserName"] == "new"


def test_a_mount_for_reading_names_them(kept):
    rescue = kept.leave(set_url)
    left = sorted(kept.state.iterdir())
    mount = programs.mount(kept.vault, kept.place, "--ro", password=PASSWORD, env=kept.env)
    assert f"'{rescue}': a mount for writing takes them up" in mount.said
    # So does a command that only looks at the file; what it prints is what the file has.
    for words in (["cat", kept.vault, f"{PATH}/url"], ["find", "-v", kept.vault, "github"], ["ls", kept.vault]):
        done = programs.run(words[0], *words[1:], password=PASSWORD, env=kept.env)
        assert done.code == 0 and NEW.encode() not in done.out
        assert f"'{rescue}': a mount for writing takes them up" in done.err
        assert programs.run(words[0], "-q", *words[1:], password=PASSWORD, env=kept.env).err == ""
    assert (mount / PATH / "url").read_text() == "https://github.com/login"
    mount.unmount()
    assert sorted(kept.state.iterdir()) == left
    assert kept.take_up().entry(PATH).strings["URL"] == NEW


def test_by_a_link_it_is_the_same_vault(kept, folder):
    kept.leave(set_url)
    link = folder / "link.kdbx"
    link.symlink_to(kept.vault)
    assert kept.take_up("are taken up again\n", vault=link).entry(PATH).strings["URL"] == NEW


def test_another_vault_took_its_place(kept):
    """Nothing of one gets into the other."""
    rescue = kept.leave(set_url)
    kept.vault.unlink()
    assert programs.run("create", "--kdf", "aes", kept.vault, password=PASSWORD).code == 0
    before = kept.vault.read_bytes()
    mount = kept.mount()
    assert str(rescue) in mount.said and "are of another vault" in mount.said
    mount.unmount()
    assert kept.vault.read_bytes() == before and rescue.exists()
