"""`kdbxfs create` and `passwd`: other programs open what is made, and nothing is lost on the way."""

from __future__ import annotations

import os
import shutil
import stat
import sys

import pexpect
import pytest
from conftest import FIXTURES
from support import fixtures, kdbx, programs, responder
from support.judges import (
    JUDGES, Witness, differences, keepassxc, read_keepass, read_own, read_pykeepass)

PASSWORD = "a new password, änd long"
SECRET = "000102030405060708090a0b0c0d0e0f10111213"


def new(*arguments, password=PASSWORD):
    return programs.run(*arguments, password=password)


def header(vault) -> kdbx.Header:
    return kdbx.Header.read(vault.read_bytes())


@pytest.fixture
def path(folder):
    return folder / "vaults" / "new & <names>.kdbx"


class TestCreate:
    def test_others_open_it_and_add_to_it(self, path, place):
        done = new("create", path)
        assert done.code == 0, done.err
        assert "Argon2id, 64 MiB, " in done.err and "opening takes about " in done.err
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        found = header(path)
        assert (found.major, found.minor, found.cipher) == (4, 1, "aes")
        assert found.kdf["$UUID"][1] == kdbx.KDFS["argon2id"] and int.from_bytes(found.kdf["I"][1], "little") >= 2
        for judge in (read_own, read_pykeepass):
            reading = judge(path, PASSWORD)
            assert not reading.entries and len(reading.groups) == 1
            assert "new &amp; &lt;names&gt;" in reading.meta["DatabaseName"]
        keepassxc("add", "-u", "ann", path, "Mail", password=PASSWORD)
        assert programs.run("cat", path, "Mail/username", password=PASSWORD).out == b"ann"
        mount = programs.mount(path, place, password=PASSWORD)
        (mount / "Group" / "Entry").mkdir(parents=True)
        (mount / "Group" / "Entry" / "password").write_text("secret")
        mount.unmount()
        assert read_pykeepass(path, PASSWORD).entry("Group/Entry").strings["Password"] == "secret"

    @pytest.mark.parametrize("kind", ["argon2d", "aes"])
    def test_keepass_2_opens_it_with_an_older_key_derivation(self, kind, path):
        assert new("create", "--kdf", kind, path).code == 0
        assert header(path).kdf["$UUID"][1] == kdbx.KDFS[{"aes": "aeskdf"}.get(kind, kind)]
        reading = read_keepass(path, PASSWORD)
        assert len(reading.groups) == 1
        assert read_pykeepass(path, PASSWORD).groups.keys() == reading.groups.keys()

    def test_a_key_file_is_made(self, path, folder):
        key = folder / "vault.keyx"
        assert new("create", path, "--keyfile", key, "--make-keyfile").code == 0
        assert stat.S_IMODE(key.stat().st_mode) == 0o600
        assert read_pykeepass(path, PASSWORD, key).groups
        keepassxc("ls", path, password=PASSWORD, keyfile=key)
        assert programs.run("ls", path, password=PASSWORD).code == 12
        alone = folder / "vaults" / "alone.kdbx"
        done = new("create", "--kdf", "argon2d", "--no-password", "--keyfile", key, alone)
        assert done.code == 0, done.err
        assert read_keepass(alone, None, key).groups

    def test_nothing_is_overwritten_and_nothing_is_left_behind(self, path, folder):
        path.write_text("something else")
        done = new("create", path)
        assert done.code == 24 and "is there already" in done.errors[0]
        assert path.read_text() == "something else"
        path.unlink()
        path.symlink_to("nowhere")
        assert new("create", path).code == 24
        path.unlink()
        key = folder / "key"
        key.write_text("precious")
        done = new("create", path, "--keyfile", key, "--make-keyfile")
        assert done.code == 9 and "overwrites no file" in done.err
        assert key.read_text() == "precious" and not path.exists()
        assert new("create", folder / "none" / "v.kdbx").code == 24

    def test_what_makes_no_key_is_refused(self, path):
        assert new("create", "--no-password", path).code == 1
        assert new("create", "--make-keyfile", path).code == 1
        done = new("create", path, password="")
        assert done.code == 9 and "empty" in done.errors[0]
        done = programs.run("create", path)
        assert done.code == 9 and "no terminal" in done.errors[0]
        assert not path.exists()

    @pytest.mark.parametrize("given", [b"abc\nabc\n", b"abc\r\nabc\r\n", b"abc\nabc", b"abc\n"])
    def test_the_same_line_twice_is_the_password(self, path, given):
        assert new("create", "--kdf", "aes", path, password=given).code == 0
        assert programs.run("ls", path, password="abc").code == 0

    @pytest.mark.parametrize("given", [b"abc\nabd\n", b"abc\n\n", b"\nabc", b"abc\nabc\nabc\n"])
    def test_what_no_one_could_type_is_refused(self, path, folder, given):
        (folder / "pw").write_bytes(given)
        for options, password in ([], given), (["--passfile", folder / "pw"], None):
            done = new("create", "--kdf", "aes", *options, path, password=password)
            assert done.code == 9 and "more than one line" in done.errors[0] and "be typed" in done.err
            assert ("they differ" in done.errors[0] and "same line twice" in done.err) == (password is not None)
            assert not path.exists()

    @pytest.mark.parametrize("given, why", [
        (b"\xff\xfe\x80", "is no UTF-8"), (b"caf\xe9", "is no UTF-8"), (b"ab\xed\xa0\x80", "is no UTF-8"),
        (b"a\0b", "control character"), (b"a\tb", "control character"), (b"\x1b[A", "control character"),
        (b"a\x7f", "control character"), ("a\x85b".encode(), "control character"),
        (b"abc\0\nabc\0\n", "control character")])
    def test_what_is_no_text_is_refused(self, path, folder, given, why):
        (folder / "pw").write_bytes(given)
        done = new("create", "--kdf", "aes", path, password=given)
        assert done.code == 9 and why in done.errors[0] and "be typed" in done.err
        assert not path.exists()
        (folder / "pw").write_bytes(given)
        vault = folder / "vaults" / "vault.kdbx"
        shutil.copy(FIXTURES / "kdbx4.0-aeskdf-aes-gzip-password.kdbx", vault)
        old = vault.read_bytes()
        done = programs.run("passwd", "--new-passfile", folder / "pw", vault, password="fixture")
        assert done.code == 9 and why in done.errors[0] and "be typed" in done.err
        assert vault.read_bytes() == old

    def test_letters_of_all_kinds_are_text(self, path):
        password = "pässwörd 密碼 Ā é 👍"
        assert new("create", "--kdf", "aes", path, password=password).code == 0
        assert read_pykeepass(path, password).groups
        keepassxc("ls", path, password=password)

    def test_a_vault_of_any_bytes_opens(self, folder):
        vault = folder / "vaults" / "bytes.kdbx"
        vault.write_bytes(kdbx.write(
            fixtures.Content("Bytes").tree(), kdbx.Recipe(version=(4, 0)),
            composite=kdbx.sha256(kdbx.sha256(b"\xff\0\x01"))))
        assert programs.run("ls", vault, password=b"\xff\0\x01").code == 0

    def test_a_file_that_is_to_open_the_vault_has_one_line(self, path, folder):
        (folder / "pw").write_text("abc\nabc\n")
        done = new("create", "--kdf", "aes", "--passfile", folder / "pw", path, password=None)
        assert done.code == 9 and not path.exists()

    def test_a_hardware_key(self, path):
        answering = [word for part in (sys.executable, responder.__file__, SECRET)
                     for word in ("--challenge-response", part)]
        assert new("create", "--kdf", "aes", *answering, path).code == 0
        assert programs.run("ls", *answering, path, password=PASSWORD).code == 0
        assert programs.run("ls", path, password=PASSWORD).code == 12


def on_terminal(*arguments):
    return pexpect.spawn(
        os.fspath(programs.program()), list(map(os.fspath, arguments)), timeout=programs.PATIENCE,
        encoding="utf-8", env=os.environ | {"LC_ALL": "C.UTF-8"})


def answer(child, prompt, password):
    child.expect(prompt)
    child.waitnoecho(programs.PATIENCE)
    child.sendline(password)


def test_a_person_types_it_twice_and_is_told_its_strength(path):
    child = on_terminal("create", "--kdf", "aes", path)
    answer(child, "New password for new & <names>.kdbx: ", "password1")
    child.expect(r"about (\d+) bits .*: poor")
    assert int(child.match[1]) < 20
    answer(child, "The same once more: ", "password1")
    child.expect("AES-KDF, [0-9]+ rounds: opening takes about")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert read_pykeepass(path, "password1").groups


def test_two_that_differ_make_nothing(path):
    child = on_terminal("create", path)
    answer(child, "New password", "one")
    answer(child, "once more", "other")
    child.expect("error: the two passwords differ")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 9 and not path.exists()


class TestPasswd:
    @pytest.fixture
    def passfile(self, folder):
        (folder / "new").write_text(PASSWORD + "\n")
        return folder / "new"

    def passwd(self, *arguments, password="fixture"):
        return programs.run("passwd", *arguments, password=password)

    def expect_only_the_key_changed(self, before: Witness, password, keyfile=None):
        before.password, before.keyfile = password, keyfile
        for name, reading in before.read().items():
            found = differences(before.readings[name], reading)
            assert set(found) <= {"META"}, (name, found)
            assert set(found.get("META", {})) <= {"MasterKeyChanged"}, (name, found)

    def test_another_password(self, vault, before, passfile):
        done = self.passwd("--new-passfile", passfile, vault)
        assert (done.code, done.err) == (0, "")
        self.expect_only_the_key_changed(before, PASSWORD)
        assert programs.run("ls", vault, password="fixture").code == 12
        stamps = [read_own(vault, PASSWORD).meta["MasterKeyChanged"],
                  before.readings["own reader"].meta["MasterKeyChanged"]]
        assert stamps[0] != stamps[1]

    def test_the_same_line_twice_or_none_that_could_be_typed(self, vault, passfile):
        passfile.write_text("abc\nabd\n")
        done = self.passwd("--new-passfile", passfile, vault)
        assert done.code == 9 and "more than one line" in done.errors[0]
        passfile.write_text("abc\nabc\n")
        assert self.passwd("--new-passfile", passfile, vault).code == 0
        assert programs.run("ls", vault, password="abc").code == 0

    def test_what_can_give_the_new_one_is_said(self, vault):
        done = self.passwd(vault)
        assert done.code == 9 and "--new-passfile" in done.err and "standard input" not in done.err

    @pytest.mark.parametrize("name, key", [
        ("kdbx3.1-aeskdf-aes-gzip-password.kdbx", None),
        ("kdbx4.1-argon2id-chacha20-plain-password-xml2.kdbx", FIXTURES / "key-xml2.keyx")])
    def test_the_format_stays_and_what_is_not_changed(self, name, key, folder, passfile):
        vault = folder / "vaults" / "vault.kdbx"
        shutil.copy(FIXTURES / name, vault)
        before, old = Witness(vault, "fixture", key), header(vault)
        keyfile = ["--keyfile", key] if key else []
        assert self.passwd(*keyfile, "--new-passfile", passfile, vault).code == 0
        self.expect_only_the_key_changed(before, PASSWORD, key)
        now = header(vault)
        assert (now.major, now.minor, now.cipher) == (old.major, old.minor, old.cipher)

    def test_a_key_file_comes_and_goes(self, vault, before, folder):
        key = folder / "vault.keyx"
        done = self.passwd("--keep-password", "--new-keyfile", key, "--make-keyfile", vault)
        assert done.code == 0, done.err
        self.expect_only_the_key_changed(before, "fixture", key)
        assert programs.run("ls", vault, password="fixture").code == 12
        done = self.passwd("--keyfile", key, "--drop-password", vault)
        assert done.code == 0, done.err
        self.expect_only_the_key_changed(before, None, key)
        (folder / "new").write_text("back")
        done = programs.run("passwd", "--no-password", "--keyfile", key, "--drop-keyfile",
                            "--new-passfile", folder / "new", vault)
        assert done.code == 0, done.err
        self.expect_only_the_key_changed(before, "back")

    def test_another_key_derivation(self, vault, before):
        done = self.passwd("--keep-password", "--kdf", "argon2id", vault)
        assert done.code == 0 and "Argon2id, 64 MiB" in done.err
        assert header(vault).kdf["$UUID"][1] == kdbx.KDFS["argon2id"]
        before.judges = {name: judge for name, judge in JUDGES.items() if name != "KeePass 2"}
        self.expect_only_the_key_changed(before, "fixture")

    def test_a_hardware_key_stays(self, folder, passfile):
        answering = [word for part in (sys.executable, responder.__file__, SECRET)
                     for word in ("--challenge-response", part)]
        for version in ((3, 1), (4, 0)):
            content = fixtures.Content("Hardware")
            vault = folder / "vaults" / "hardware.kdbx"
            vault.write_bytes(kdbx.write(
                content.tree(), kdbx.Recipe(version=version), "fixture",
                responder=lambda challenge: responder.answer([SECRET], challenge)))
            done = self.passwd(*answering, "--new-passfile", passfile, vault)
            assert done.code == 0, done.err
            assert programs.run("ls", *answering, vault, password=PASSWORD).code == 0
            assert programs.run("ls", vault, password=PASSWORD).code == 12

    def test_what_fails_leaves_the_vault_as_it_is(self, vault, before, folder, passfile, place):
        assert self.passwd("--new-passfile", passfile, vault, password="wrong").code == 12
        assert self.passwd("--new-passfile", folder / "none", vault).code == 9
        done = self.passwd("--keep-password", vault)
        assert done.code == 1 and "nothing would change" in done.errors[0]
        assert self.passwd("--drop-password", vault).code == 1
        assert self.passwd("--keep-password", "--new-keyfile", passfile, "--make-keyfile",
                           vault).code == 9
        mount = programs.mount(vault, place, password="fixture")
        done = self.passwd("--new-passfile", passfile, vault)
        assert done.code == 23 and "is mounted for writing at" in done.errors[0]
        assert "umount" in done.err
        mount.unmount()
        before.expect_untouched()

    def test_kdbx_3_has_no_other_key_derivation(self, folder):
        vault = folder / "vaults" / "old.kdbx"
        shutil.copy(FIXTURES / "kdbx3.1-aeskdf-aes-gzip-password.kdbx", vault)
        done = self.passwd("--keep-password", "--kdf", "argon2id", vault)
        assert done.code == 1 and "KDBX 4" in done.errors[0]
