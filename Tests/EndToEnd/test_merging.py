"""`kdbxfs merge`: two files of one vault, three with the state that both come from."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from conftest import FIXTURES, USUAL
from pykeepass import PyKeePass
from support import programs
from support.judges import keepassxc, read_by_all, read_own

PATH = "Internet/GitHub"
URL = "https://github.com/login"
PASSWORD = "fixture"


@pytest.fixture
def other(folder) -> Path:
    return Path(shutil.copy(FIXTURES / USUAL, folder / "vaults" / "other.kdbx"))


@pytest.fixture
def base(folder) -> Path:
    return Path(shutil.copy(FIXTURES / USUAL, folder / "vaults" / "base.kdbx"))


def merge(*arguments, password=PASSWORD):
    return programs.run("merge", *arguments, password=password)


def edit(vault, **fields):
    arguments = [word for name, value in fields.items() for word in (f"--{name}", value)]
    keepassxc("edit", *arguments, vault, PATH, password=PASSWORD)


def all_read(vault, path=PATH):
    entries = [reading.entry(path) for reading in read_by_all(vault, PASSWORD).values()]
    assert all(entry.strings == entries[0].strings for entry in entries)
    return entries[0]


def test_with_a_base_fields_of_both_sides_stay(vault, other, base):
    edit(vault, username="ours")
    edit(other, url="https://theirs.example")
    keepassxc("add", "-u", "ann", other, "Internet/New", password=PASSWORD)
    theirs = other.read_bytes()
    done = merge("--base", base, vault, other)
    assert (done.code, done.err) == (0, "")
    lines = done.out.decode().splitlines()
    assert "added Internet/New" in lines
    (line,) = [line for line in lines if line.startswith(f"changed {PATH}: ")]
    assert "url" in line and "username" not in line
    found = all_read(vault)
    assert (found.strings["UserName"], found.strings["URL"]) == ("ours", "https://theirs.example")
    assert all_read(vault, "Internet/New").strings["UserName"] == "ann"
    assert other.read_bytes() == theirs
    again = merge("--base", other, vault, other)
    assert (again.code, again.out, again.err) == (0, b"", "")


def test_without_a_base_the_later_entry_wins_and_the_other_is_a_version(vault, other):
    edit(other, url="https://earlier.example")
    file = PyKeePass(os.fspath(vault), PASSWORD)
    entry = file.find_entries(title="GitHub", first=True)
    entry.save_history()
    entry.username = "later"
    entry.mtime = entry.mtime.replace(year=2038)
    file.save()
    assert merge(vault, other).code == 0
    found = all_read(vault)
    assert (found.strings["UserName"], found.strings["URL"]) == ("later", URL)
    assert "https://earlier.example" in [item.strings["URL"] for item in found.history]


def test_what_keepassxc_writes_out_is_no_difference(vault, other):
    """An icon that is named in one file and taken for granted in the other is the same icon."""
    keepass = PyKeePass(vault, password=PASSWORD)
    for element in keepass.tree.xpath("//IconID"):
        element.getparent().remove(element)
    keepass.save()
    shutil.copy(vault, other)
    keepassxc("mkdir", other, "Q", password=PASSWORD)
    done = merge(vault, other)
    assert (done.code, done.out.decode().splitlines(), done.err) == (0, ["added Q/"], "")


def test_a_dry_run_says_the_same_and_writes_nothing(vault, other, before):
    edit(other, url="https://secret.example", username="hidden")
    planned = merge("--dry-run", vault, other)
    before.expect_untouched()
    done = merge(vault, other)
    assert planned.code == done.code == 0
    assert planned.out == done.out != b""
    for text in (b"secret.example", b"hidden"):
        assert text not in planned.out
    assert vault.read_bytes() != before.bytes


def test_json_names_changes_and_conflicts(vault, other, base):
    edit(vault, url="https://ours.example")
    edit(other, url="https://theirs.example")
    keepassxc("mv", other, "Internet/Mail", "Work", password=PASSWORD)
    done = merge("--json", "-n", "--base", base, vault, other)
    answer = json.loads(done.out)
    assert answer["dry_run"] is True
    moved = [change for change in answer["changes"] if change["change"] == "moved"]
    assert [(change["from"], change["path"]) for change in moved] == [
        (["Internet", "Mail"], ["Work", "Mail"])]
    (note,) = answer["notes"]
    assert (note["note"], note["path"], note["parts"]) == (
        "conflict", ["Internet", "GitHub"], ["url"])
    assert note["winner"] in ("vault", "other")
    assert "example" not in done.out.decode()


def test_a_mounted_vault_is_not_merged_into(mounted, vault, other):
    edit(other, url="https://theirs.example")
    done = merge(vault, other)
    assert done.code == 23 and str(mounted.place) in done.err
    # What it is merged from may be mounted.
    assert merge(other, vault).code == 0


def test_another_key_of_the_other_file(vault, other, folder):
    file = PyKeePass(os.fspath(other), PASSWORD)
    file.find_entries(title="GitHub", first=True).url = "https://theirs.example"
    file.find_entries(title="GitHub", first=True).touch(modify=True)
    file.password = "else"
    file.save()
    done = merge(vault, other)
    assert done.code == 12 and len(done.errors) == 1
    (folder / "pass").write_text("else\n")
    assert merge("--other-passfile", folder / "pass", vault, other).code == 0
    assert all_read(vault).strings["URL"] == "https://theirs.example"


def test_another_vault_is_refused_unless_forced(vault, folder, before):
    stranger = folder / "vaults" / "stranger.kdbx"
    keepassxc("db-create", "-p", "-t", "100", stranger, password=f"{PASSWORD}\n{PASSWORD}")
    keepassxc("add", "-u", "ann", stranger, "Alone", password=PASSWORD)
    done = merge(vault, stranger)
    assert done.code == 23 and "--force" in done.err
    before.expect_untouched()
    assert merge("--force", vault, stranger).code == 0
    # The stranger is of version 3, whose times the programs refuse or misread in a newer one.
    assert read_own(stranger, PASSWORD).version < read_own(vault, PASSWORD).version
    assert programs.run("check", vault, password=PASSWORD).code == 0
    assert all_read(vault, "Alone").strings["UserName"] == "ann"
    assert all_read(vault).strings["URL"] == URL


def test_a_file_of_version_3_takes_none_of_version_4(folder, other):
    old = Path(shutil.copy(
        FIXTURES / "kdbx3.1-aeskdf-aes-gzip-password.kdbx", folder / "vaults" / "old.kdbx"))
    before = old.read_bytes()
    done = merge("--force", old, other)
    assert done.code == 23 and "other way round" in done.err
    assert old.read_bytes() == before
    assert merge("--force", other, old).code == 0
    assert read_own(other, PASSWORD).version == read_own(FIXTURES / USUAL, PASSWORD).version
    for reading in read_by_all(other, PASSWORD).values():
        assert reading.entry(PATH)
    assert programs.run("check", other, password=PASSWORD).code == 0


def test_bad_command_lines(vault, other):
    for arguments in ([], [vault], [vault, other, other], ["--lazy", vault, other]):
        done = merge(*arguments)
        assert done.code == 1 and len(done.errors) == 1
    done = merge(vault, vault.parent / "nothing.kdbx")
    assert done.code == 23 and len(done.errors) == 1
