"""The views through a mount: what scripts read of an entry, and ways to entries that aren't paths."""

import errno
import json
import os
import subprocess

import pytest
from support import programs
from support.fixtures import OTP
from support.judges import read_own

AWKWARD = "it's \"$HOME\" `id` \\n \\\\ !! *\n\ttwo\n\n"


def test_json_has_the_whole_entry(github):
    entry = json.loads((github / ".json").read_bytes())
    assert list(entry) == [
        "uuid", "path", "title", "username", "password", "url", "notes", "fields", "totp", "hotp",
        "tags", "attachments", "expires", "created", "modified",
    ]
    assert entry["uuid"] == os.getxattr(github, "user.kdbx.uuid").decode()
    assert entry["path"] == "Internet/GitHub"
    for name in ("username", "password", "url", "notes"):
        assert entry[name] == (github / name).read_text()
    assert entry["fields"] == {
        name: (github / name).read_bytes().decode()
        for name in ("Recovery codes", "Security question", "otp")
    }
    assert entry["fields"]["otp"] == OTP
    assert entry["totp"] == (github / "totp").read_text() or entry["totp"].isdigit()
    assert entry["tags"] == ["code", "work"]
    sizes = {name: (github / "attachments" / name).stat().st_size
             for name in os.listdir(github / "attachments")}
    assert {one["name"]: one["size"] for one in entry["attachments"]} == sizes
    assert (github / ".json").stat().st_size == len((github / ".json").read_bytes())


@pytest.mark.parametrize("shell", ["sh", "dash", "bash"])
def test_env_gives_every_byte_to_a_shell(shell, github):
    (github / "password").write_text(AWKWARD)
    (github / "a-b").write_text("mapped")
    read = subprocess.run(
        [shell, "-c", 'set -a; . "$1"; exec env -0', shell, github / ".env"],
        env={"PATH": os.environ["PATH"]}, stdout=subprocess.PIPE, check=True,
    )
    variables = dict(
        line.split(b"=", 1) for line in read.stdout.split(b"\0") if line
    )
    assert variables[b"title"] == b"GitHub"
    assert variables[b"password"].decode() == AWKWARD
    assert variables[b"Recovery_codes"] == (github / "Recovery codes").read_bytes()
    assert variables[b"a_b"] == b"mapped"
    assert variables[b"otp"].decode() == OTP


def test_views_are_not_met_and_refuse_writes(mounted, github):
    assert not {".json", ".env", ".history"} & set(os.listdir(github))
    assert ".kdbxfs" not in os.listdir(mounted.place)
    for name in (".json", ".env"):
        with pytest.raises(OSError) as refused:
            open(github / name, "w")
        assert refused.value.errno == errno.EACCES
    for call in (
        lambda: os.mkdir(mounted / ".kdbxfs" / "new"),
        lambda: os.rmdir(mounted / ".kdbxfs" / "search"),
        lambda: os.rename(mounted / ".kdbxfs" / "by-tag" / "code", mounted / "x"),
        lambda: open(mounted / ".kdbxfs" / "search" / "x" / "new", "w"),
    ):
        with pytest.raises(OSError) as refused:
            call()
        assert refused.value.errno == errno.EACCES


def test_links_lead_to_entries(mounted, github):
    views = mounted / ".kdbxfs"
    uuid = os.getxattr(github, "user.kdbx.uuid").decode()
    assert sorted(os.listdir(views)) == ["by-host", "by-tag", "by-uuid", "generate", "log", "search"]
    assert os.readlink(views / "by-uuid" / uuid) == "../../Internet/GitHub"
    assert (views / "by-uuid" / uuid.upper() / "username").read_text() == "alice"
    assert (views / "by-tag" / "code" / "GitHub" / "username").read_text() == "alice"
    assert (views / "by-host" / "github.com" / "GitHub" / "username").read_text() == "alice"
    assert (views / "search" / "ALICE github" / "GitHub").resolve() == github
    assert os.listdir(views / "search" / "no such words") == []
    assert "old" not in os.listdir(views / "search" / "old")
    with pytest.raises(FileNotFoundError):
        os.stat(views / "by-tag" / "no such tag")


def test_links_follow_changes_at_once(mounted, github):
    views = mounted / ".kdbxfs"
    found = views / "search" / "alice"
    assert "GitHub" in os.listdir(found)
    os.rename(github, mounted / "Work" / "Hub")
    assert "GitHub" not in os.listdir(found)
    assert not (found / "GitHub").exists()
    assert (found / "Hub").resolve() == mounted / "Work" / "Hub"
    (mounted / "Work" / "Hub" / "username").write_text("somebody")
    (mounted / "Work" / "Hub" / "url").write_text("https://else.example")
    assert "Hub" not in os.listdir(found)
    assert (views / "by-host" / "else.example" / "Hub").exists()
    assert (mounted / "Work" / "Hub" / "attachments").exists()


def test_show_hidden_lists_them_and_removing_works(vault, before, place):
    mount = programs.mount(
        vault, place, "-o", "autosave=0,show_hidden", password="fixture")
    entry = mount / "Internet" / "a%2Fb"
    assert {".json", ".env", ".history"} <= set(os.listdir(entry))
    assert ".kdbxfs" in os.listdir(place)
    walked = [path for path, _, _ in os.walk(place / ".kdbxfs")]
    assert any("by-tag/code" in path for path in walked)
    for name in ("username", "password", "url", "notes"):
        os.unlink(entry / name)
    os.rmdir(entry)
    assert not entry.exists()
    mount.unmount()


@pytest.mark.parametrize("path", ["Internet/GitHub", "Internet", "Work"])
def test_show_hidden_lets_rm_take_all_as_it_was(path, vault, before, place):
    mount = programs.mount(vault, place, "-o", "autosave=0,show_hidden", password="fixture")
    (place / "Work" / ".notes").write_text("of the group")
    mount.unmount()
    old = read_own(vault, "fixture")
    went = {uuid: entry for uuid, entry in old.entries.items() if f"{old.path(uuid)}/".startswith(f"{path}/")}
    mount = programs.mount(vault, place, "-o", "autosave=0,show_hidden", password="fixture")
    assert ".notes" in os.listdir(place / "Work")
    subprocess.run(["rm", "-r", place / path], check=True)
    assert not (place / path).exists()
    mount.unmount()
    new = read_own(vault, "fixture")
    assert went
    for uuid, was in went.items():
        assert new.path(uuid) == "Recycle Bin/" + old.path(uuid).removeprefix(path.rpartition("/")[0]).lstrip("/")
        now = new.entries[uuid]
        assert (now.strings, now.attachments) == (was.strings, was.attachments)
        assert [item.content for item in now.history] == [item.content for item in was.history]
    if path == "Work":
        assert "of the group" in "".join(new.group("Recycle Bin/Work/").rest)
