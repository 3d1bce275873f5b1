"""Who read or wrote what: `kdbxfs log` and `.kdbxfs/log`."""

from __future__ import annotations

import json
import os
import pwd
import subprocess

import pytest
from support import programs

ENTRY = "Internet/GitHub"
USER = pwd.getpwuid(os.getuid()).pw_name


def log(place) -> list[dict]:
    done = programs.run("log", "--json", place)
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_a_program_is_named_with_those_that_started_it(mounted):
    secret = mounted / ENTRY / "password"
    # The shell waits for what it starts, as its parent.
    subprocess.run(["sh", "-c", 'cat "$1"; true', "sh", secret], check=True, capture_output=True)
    (line,) = log(mounted.place)
    assert line["action"] == "read" and line["path"] == f"{ENTRY}/password" and line["count"] == 1
    assert line["process"] == "cat" and line["user"] == USER
    assert line["parents"][0].startswith("sh (") and f"({os.getpid()})" in line["parents"][1]
    assert line["time"].endswith("Z")


def test_each_short_lived_reader_is_known(mounted):
    for _ in range(50):
        subprocess.run(["cat", mounted / ENTRY / "url"], check=True, capture_output=True)
    lines = log(mounted.place)
    assert [line["process"] for line in lines] == ["cat"] * 50
    assert len({line["pid"] for line in lines}) == 50


def test_a_program_that_becomes_another_is_looked_at_again(mounted):
    script = 'read -r x < "$1/url"; exec cat "$1/username"'
    subprocess.run(["bash", "-c", script, "bash", mounted / ENTRY], check=True, capture_output=True)
    lines = log(mounted.place)
    assert [(line["process"], line["path"]) for line in lines] == [
        ("bash", f"{ENTRY}/url"), ("cat", f"{ENTRY}/username")]
    assert lines[0]["pid"] == lines[1]["pid"]


def test_writes_and_removals_and_what_commands_do(mounted):
    subprocess.run(["bash", "-c", 'echo new > "$1/url"; rm "$1/username"', "bash", mounted / ENTRY],
                   check=True)
    programs.run("rm", "-m", mounted.place, ENTRY)
    lines = log(mounted.place)
    said = [(line["process"], line["action"], line["path"].rsplit("/", 1)[-1]) for line in lines]
    assert said == [("bash", "write", "url"), ("rm", "remove", "username"),
                    ("kdbxfs", "remove", "GitHub")]


def test_the_file_says_the_same_and_no_value(mounted):
    secret = (mounted / ENTRY / "password").read_text()
    text = (mounted / ".kdbxfs/log").read_text()
    (line,) = text.splitlines()
    assert line.split("\t")[1:4] == ["read", "1", f"{ENTRY}/password"] and line.endswith("\t" + USER)
    assert secret not in text
    assert programs.run("log", mounted.place).out.decode() == text
    assert os.stat(mounted / ".kdbxfs/log").st_size == len(text)


def test_a_lock_hides_it_and_an_unlock_brings_it_back(mounted):
    for name in ["password", "Recovery codes"]:
        (mounted / ENTRY / name).write_text("new")
    before = log(mounted.place)
    assert {line["path"] for line in before} == {f"{ENTRY}/password", f"{ENTRY}/Recovery codes"}
    assert programs.run("lock", mounted.place).code == 0
    done = programs.run("log", mounted.place)
    assert done.code == 20 and "locked" in done.errors[0]
    with pytest.raises(OSError):
        (mounted / ".kdbxfs/log").read_text()
    assert programs.run("unlock", mounted.place, password="fixture").code == 0
    assert log(mounted.place) == before


def test_odd_names_are_right_in_json(mounted):
    encoded = 'a%0Ab"c\\d%09é'
    entry = mounted / "Internet" / "Odd %7F'\" entry"
    entry.mkdir()
    (entry / encoded).write_text("x")
    path = f"Internet/Odd %7F'\" entry/{encoded}"
    assert log(mounted.place)[-1]["path"] == path
    done = programs.run("diff", "--json", mounted.place)
    (change,) = json.loads(done.out)
    assert change["path"] == "Internet/Odd %7F'\" entry"
    # Of an entry that is there already, the fields are told, by their keys.
    (mounted / ENTRY / encoded).write_text("x")
    changes = json.loads(programs.run("diff", "--json", "-m", mounted.place).out)
    assert {"change": "changed", "kind": "entry", "path": ENTRY, "parts": ['a\nb"c\\d\té']} in changes
    assert programs.run("save", mounted.place).code == 0
    for command, key in [(("find", "--json", "-m", mounted.place, "odd"), "path"),
                         (("ls", "--json", mounted.vault, "Internet"), "name")]:
        done = programs.run(*command, password="fixture")
        assert any("Odd %7F'\" entry" in found[key] for found in json.loads(done.out)), command
    found = json.loads(programs.run(
        "ls", "--json", mounted.vault, "Internet/Odd %7F'\" entry", password="fixture").out)
    assert {"name": encoded, "kind": "file"} in found
