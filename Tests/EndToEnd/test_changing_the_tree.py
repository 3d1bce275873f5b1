"""Entries and groups: made, moved, renamed, copied and thrown away, as files and folders are."""

import errno
import os
import shutil
import subprocess

import pytest
from support import fixtures, judges, kdbx, programs
from support.fixtures import OTP

GITHUB = "Internet/GitHub"


def run(*command, cwd=None):
    done = subprocess.run(
        [os.fspath(part) for part in command], cwd=cwd, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")


def failure(attempt) -> str:
    with pytest.raises(OSError) as caught:
        attempt()
    return errno.errorcode[caught.value.errno]


class TestNew:
    def test_the_readme_example(self, mounted, before):
        run("bash", "-c", "mkdir -p Work/db1 && echo root > Work/db1/username", cwd=mounted.place)
        mounted.unmount()
        before.expect({"Work/db1": {"new": {"Title": "db1", "UserName": "root"}}})

    def test_groups_in_groups_and_entries_in_them(self, mounted, before):
        os.makedirs(mounted / "New" / "Inner" / "entry")
        (mounted / "New" / "Inner" / "entry" / "password").write_text("secret\n")
        (mounted / "New" / "Inner" / "entry" / "PIN").write_text("1")
        os.mkdir(mounted / "New" / "nothing in it")
        mounted.unmount()
        now = before.expect({
            "New/": {"new": True},
            "New/Inner/": {"new": True},
            "New/Inner/entry": {"new": {"Title": "entry", "Password": "secret", "PIN": "1"}},
            "New/nothing in it/": {"new": True},
        })
        entry = now["own reader"].entry("New/Inner/entry")
        assert entry.protected["Password"] and entry.protected["PIN"]
        assert not entry.protected["UserName"]
        assert entry.history == []

    def test_names_come_back_as_they_were_given(self, mounted, before):
        for name in ("x%2Fy", "%2E%2E", "tab%09", "per%25cent", "100%", "ünï", "'q' \"q\""):
            os.mkdir(mounted / "Work" / name)
            (mounted / "Work" / name / "username").write_text("u")
        mounted.unmount()
        titles = ("x/y", "..", "tab\t", "per%cent", "100%", "ünï", "'q' \"q\"")
        before.expect({f"Work/{title}": {"new": {"Title": title, "UserName": "u"}} for title in titles})

    def test_names_that_the_rules_would_not_show_are_refused(self, mounted, before):
        for name in ("x%2fy", "a%41", "\t", "control\x01"):
            assert failure(lambda: os.mkdir(mounted / "Work" / name)) == "EINVAL", name
        assert failure(lambda: os.mkdir(mounted / "Work" / "Twin")) == "EEXIST"
        mounted.unmount()
        before.expect_untouched()

    def test_a_groups_notes(self, mounted, before):
        (mounted / "Work" / ".notes").write_text("about work\n")
        assert (mounted / "Work" / ".notes").read_text() == "about work"
        assert ".notes" not in os.listdir(mounted / "Work")
        mounted.unmount()
        before.expect({"Work/": {"Notes": ("<Notes></Notes>", "<Notes>about work</Notes>")}})

    def test_a_new_entry_shows_what_was_put_into_it(self, mounted, vault, place):
        os.mkdir(mounted / "Work" / "new")
        (mounted / "Work" / "new" / "username").write_text("u")
        assert os.listdir(mounted / "Work" / "new") == ["username"]
        mounted.unmount()
        again = programs.mount(vault, place, password="fixture")
        names = set(os.listdir(again / "Work" / "new"))
        assert names == {"username", "password", "url", "notes"}
        again.unmount()

    def test_made_and_taken_away_again_is_no_change(self, mounted, before):
        os.mkdir(mounted / "Work" / "short-lived")
        os.rmdir(mounted / "Work" / "short-lived")
        mounted.unmount()
        before.expect_untouched()


class TestMoving:
    def test_an_entry_moves_with_all_that_it_has(self, mounted, before):
        number = os.stat(mounted / "Internet" / "GitHub").st_ino
        run("mv", mounted / "Internet" / "GitHub", mounted / "Work")
        assert os.stat(mounted / "Work" / "GitHub").st_ino == number
        mounted.unmount()
        before.expect({"Work/GitHub": {"moved": ("Internet/", "Work/")}})

    def test_an_entry_is_renamed(self, mounted, before):
        run("mv", mounted / "Internet" / "GitHub", mounted / "Internet" / "Hub")
        mounted.unmount()
        before.expect({"Internet/Hub": {"Title": ("GitHub", "Hub"), "history": 1}})

    def test_moved_and_renamed_at_once(self, mounted, before):
        os.rename(mounted / "Internet" / "a%2Fb", mounted / "Work" / "Servers" / "c%2Fd")
        mounted.unmount()
        before.expect({"Work/Servers/c/d": {
            "Title": ("a/b", "c/d"), "history": 1, "moved": ("Internet/", "Work/Servers/"),
        }})

    def test_a_group_moves_and_is_renamed(self, mounted, before):
        run("mv", mounted / "Work" / "Servers", mounted / "Internet")
        run("mv", mounted / "Grüße 🔑", mounted / "Greetings")
        mounted.unmount()
        now = before.read()["own reader"]
        old = before.readings["own reader"]
        assert now.group("Internet/Servers/").uuid == old.group("Work/Servers/").uuid
        assert now.entry("Internet/Servers/www").content == old.entry("Work/Servers/www").content
        before.expect({
            "Internet/Servers/": {"moved": ("Work/", "Internet/")},
            "Greetings/": {"name": ("Grüße 🔑", "Greetings")},
        })

    def test_moves_that_cannot_be(self, mounted, before):
        place = mounted.place
        found = {
            "into itself": failure(lambda: os.rename(place / "Work", place / "Work/Servers/Work")),
            "onto an entry": failure(
                lambda: os.rename(place / "Internet/GitHub", place / "Internet/Mail")),
            "onto a group": failure(
                lambda: os.rename(place / "Internet/GitHub", place / "Work/Servers")),
            "into an entry": failure(
                lambda: os.rename(place / "Internet/Mail", place / "Internet/GitHub/Mail")),
        }
        assert found["into itself"] == "EINVAL"
        assert {found["onto an entry"], found["onto a group"]} <= {"EEXIST", "ENOTEMPTY"}
        assert found["into an entry"] == "EPERM"
        mounted.unmount()
        before.expect_untouched()


class TestCopying:
    def test_a_copy_is_a_new_entry_with_the_same_fields(self, mounted, before):
        run("cp", "-r", mounted / "Internet" / "GitHub", mounted / "Work" / "Hub")
        mounted.unmount()
        content = before.readings["own reader"].entry(GITHUB).attachments
        now = before.expect({"Work/Hub": {"new": {
            "Title": "Hub",
            "UserName": "alice",
            "Password": "correct horse battery staple",
            "URL": "https://github.com/login",
            "Notes": "two\nlines",
            "Security question": "First pet?",
            "Recovery codes": "1111-2222\n3333-4444\n",
            "otp": OTP,
            "@id_ed25519": b"not a real key\n",
            "@every byte.bin": content["every byte.bin"],
        }}})
        reading = now["own reader"]
        assert reading.entry("Work/Hub").uuid != reading.entry(GITHUB).uuid
        assert reading.entry("Work/Hub").tags == "code;work"

    def test_out_of_the_mount_and_in_again(self, mounted, before, folder):
        shutil.copytree(mounted / "Work" / "Servers", folder / "out")
        assert (folder / "out" / "www" / "username").read_text() == "root"
        shutil.copytree(folder / "out", mounted / "Back")
        mounted.unmount()
        before.expect({
            "Back/": {"new": True},
            "Back/www": {"new": {"Title": "www", "UserName": "root", "Password": "\t blanks "}},
        })


class TestRemoving:
    def test_an_entry_goes_to_the_bin_as_it_was(self, mounted, before):
        run("rm", "-r", mounted / "Internet" / "GitHub")
        assert not (mounted / "Internet" / "GitHub").exists()
        assert (mounted / "Recycle Bin" / "GitHub" / "password").read_text() == (
            "correct horse battery staple")
        mounted.unmount()
        before.expect({"Recycle Bin/GitHub": {"moved": ("Internet/", "Recycle Bin/")}})

    def test_a_group_goes_to_the_bin_whole(self, mounted, before):
        run("rm", "-r", mounted / "Work")
        assert (mounted / "Recycle Bin" / "Work" / "Servers" / "www" / "username").read_text() == "root"
        mounted.unmount()
        before.expect({"Recycle Bin/Work/": {"moved": ("", "Recycle Bin/")}})

    def test_what_lay_in_the_bin_is_gone_for_good(self, mounted, before):
        run("rm", "-r", mounted / "Recycle Bin" / "old")
        mounted.unmount()
        gone = before.readings["own reader"].entry("Recycle Bin/old").uuid
        before.expect({"Recycle Bin/old": {"gone": True}, "DELETED": {gone}})

    def test_what_was_thrown_away_in_this_mount_stays_in_the_bin(self, mounted, before):
        run("rm", "-r", mounted / "Internet" / "a%2Fb")
        done = subprocess.run(["rm", "-rf", mounted / "Recycle Bin" / "a%2Fb"], capture_output=True)
        assert done.returncode != 0
        mounted.unmount()
        before.expect({"Recycle Bin/a/b": {"moved": ("Internet/", "Recycle Bin/")}})

    def test_a_bin_is_made_where_there_is_none(self, folder, place):
        content = fixtures.Content("No bin")
        content.meta.find("RecycleBinUUID").text = fixtures.ZERO
        content.root.append(content.entry("one", "2024-01-01 00:00:00"))
        vault = folder / "vaults" / "vault.kdbx"
        vault.write_bytes(kdbx.write(content.tree(), kdbx.Recipe(), "pw"))
        before = judges.Witness(vault, "pw")
        mount = programs.mount(vault, place, "-o", "autosave=0", password="pw")
        run("rm", "-r", mount / "one")
        mount.unmount()
        for reading in before.read().values():
            bin_group = reading.group("Recycle Bin/")
            assert reading.paths() == ["Recycle Bin/", "Recycle Bin/one"]
            assert bin_group.uuid == judges.uuid_hex(
                judges.etree.fromstring(reading.meta["RecycleBinUUID"]).text)
            assert "<IconID>43</IconID>" in bin_group.rest
