"""Vaults that a hardware key has a part in, answered for by a program."""

from __future__ import annotations

import os
import stat
import sys

import pytest
from support import fixtures, kdbx, programs, responder

PASSWORD = "wörter"
SECRET = "000102030405060708090a0b0c0d0e0f10111213"
FORMS = {"KDBX 3.1": kdbx.Recipe(version=(3, 1)), "KDBX 4.0": kdbx.Recipe()}


def answer(challenge: bytes) -> bytes:
    return responder.answer([SECRET], challenge)


def options(*program) -> list:
    words = program or (sys.executable, responder.__file__, SECRET)
    return [word for part in words for word in ("--challenge-response", os.fspath(part))]


@pytest.fixture(params=FORMS.values(), ids=FORMS)
def vault(request, folder):
    content = fixtures.Content("Hardware")
    content.root.append(content.entry("GitHub", "2024-01-02 08:00:00", fields={"Password": "first"}))
    path = folder / "vaults" / "vault.kdbx"
    path.write_bytes(kdbx.write(content.tree(), request.param, PASSWORD, responder=answer))
    return path


@pytest.fixture
def log(folder, monkeypatch):
    path = folder / "challenges"
    path.touch()
    monkeypatch.setenv("RESPONDER_LOG", str(path))
    return path


def read(vault) -> kdbx.File:
    return kdbx.read(vault.read_bytes(), PASSWORD, responder=answer)


def challenge_in(vault) -> str:
    header = read(vault).header
    return (header.kdf["S"][1] if header.major >= 4 else header.field(4)).hex()


def test_it_opens_with_the_answer_only(vault):
    shown = programs.run("cat", *options(), vault, "GitHub/password", password=PASSWORD)
    assert (shown.code, shown.out) == (0, b"first")
    assert programs.run("ls", *options(), vault, password=PASSWORD).out == b"GitHub\n"
    assert programs.run("ls", vault, password=PASSWORD).code == 12
    wrong = options(sys.executable, responder.__file__, "ff")
    assert programs.run("ls", *wrong, vault, password=PASSWORD).code == 12


@pytest.mark.parametrize("program", [("false",), ("echo", "no hex"), ("/no/such/program",)])
def test_a_program_without_an_answer_is_named(vault, place, program):
    done = programs.run(*options(*program), vault, place, password=PASSWORD)
    assert done.code == 9 and len(done.errors) == 1
    assert program[0] in done.errors[0]
    assert programs.mount_at(place) is None


def test_an_edit_is_saved_under_the_same_hardware_key(vault, place, log):
    before = challenge_in(vault)
    mounted = programs.mount(vault, place, "-o", "autosave=0", *options(), password=PASSWORD)
    (place / "GitHub/password").write_text("second")
    descriptor = os.open(place / "GitHub/password", os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)
    # Nobody need touch the key for it.
    assert challenge_in(vault) == before
    assert log.read_text().split() == [before]
    (place / "GitHub/username").write_text("someone")
    mounted.unmount()
    after = challenge_in(vault)
    is_version_4 = read(vault).header.major >= 4
    assert (after == before) == is_version_4
    assert log.read_text().split() == [before] if is_version_4 else [before, after]
    strings = {s.findtext("Key"): s.findtext("Value")
               for s in read(vault).tree.find("Root/Group/Entry").findall("String")}
    assert (strings["Password"], strings["UserName"]) == ("second", "someone")


def test_an_unlock_asks_again_and_a_lock_does_not(vault, place, log):
    before = challenge_in(vault)
    mounted = programs.mount(vault, place, "-o", "autosave=0", *options(), password=PASSWORD)
    (place / "GitHub/password").write_text("second")
    assert programs.run("lock", place).code == 0
    assert challenge_in(vault) == before
    assert log.read_text().split() == [before]
    assert programs.run("unlock", place, password="wrong").code == 12
    done = programs.run("unlock", place, password=PASSWORD)
    assert (done.code, done.err) == (0, "")
    assert (place / "GitHub/password").read_text() == "second"
    assert log.read_text().split() == [before] * 3
    mounted.unmount()
    assert challenge_in(vault) == before


def test_a_save_does_without_a_new_answer(vault, place, folder):
    """The key was unplugged: what was asked last is asked again at the next mount."""
    before = challenge_in(vault)
    once = folder / "once"
    once.write_text(f"""#!/bin/sh
[ -e {folder}/unplugged ] && exit 1
exec {sys.executable} {responder.__file__} {SECRET}
""")
    once.chmod(0o755)
    mounted = programs.mount(vault, place, *options(once), password=PASSWORD)
    (folder / "unplugged").touch()
    (place / "GitHub/password").write_text("second")
    mounted.unmount()
    assert challenge_in(vault) == before


def test_ykchalresp_gets_the_challenge_as_an_argument(vault, folder, monkeypatch):
    """As a key gets it from KeePassXC: 64 bytes."""
    tool = folder / "ykchalresp"
    tool.write_text(f"""#!{sys.executable}
import hmac, sys
assert sys.argv[1:3] == ["-2", "-x"] and len(sys.argv) == 4, sys.argv
challenge = bytes.fromhex(sys.argv[3])
assert len(challenge) == 64
# A slot for any length takes the padding off, as it takes equal bytes at the end for padding.
print(hmac.digest(bytes.fromhex("{SECRET}"), challenge.rstrip(challenge[-1:]), "sha1").hex())
""")
    tool.chmod(tool.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    if bytes.fromhex(challenge_in(vault))[-1] == 0x20:
        pytest.skip("the challenge ends in what a key takes for padding")
    done = programs.run("ls", *options("ykchalresp", "-2"), vault, password=PASSWORD)
    assert (done.code, done.out) == (0, b"GitHub\n")


def test_the_mount_helper_passes_it_on(vault, place):
    words = ",".join(f"challenge_response={word}"
                     for word in (sys.executable, responder.__file__, SECRET))
    mounted = programs.mount(vault, place, "-o", words, password=PASSWORD)
    assert (place / "GitHub/password").read_text() == "first"
    mounted.unmount()
