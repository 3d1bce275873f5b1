"""The commands that need no mount, and the ways to give a password."""

import os
import subprocess

import pexpect
import pytest
from support import programs
from support.fixtures import EVERY_BYTE

PATH = "Internet/GitHub"


def run(*arguments, password="fixture", **more):
    return programs.run(*arguments, password=password, **more)


def good(*arguments, **more) -> bytes:
    done = run(*arguments, **more)
    assert (done.code, done.err) == (0, "")
    return done.out


class TestLsAndCat:
    def test_ls_has_the_names_of_the_tree(self, vault, mounted):
        for path in ("", "Internet", PATH, "Work/Servers", PATH + "/attachments", PATH + "/.history"):
            listed = good("ls", vault, path) if path else good("ls", vault)
            names = {line.rstrip("/") for line in listed.decode().splitlines()}
            assert names == set(os.listdir(mounted / path)), path

    def test_cat_has_the_bytes_of_the_tree(self, vault, mounted):
        for path in ("password", "notes", "Recovery codes", "tags", "attachments/every byte.bin",
                     ".history/2024-01-02T09:00:00Z/password"):
            assert good("cat", vault, f"{PATH}/{path}") == (mounted / PATH / path).read_bytes()

    def test_cat_joins_what_it_is_given(self, vault):
        out = good("cat", vault, f"{PATH}/username", f"{PATH}/attachments/every byte.bin")
        assert out == b"alice" + EVERY_BYTE

    def test_cat_of_what_is_not_there(self, vault):
        for command in (["cat", vault, f"{PATH}/nothing"], ["cat", vault, "Internet"],
                        ["cat", vault, f"{PATH}/url/more"], ["ls", vault, "Nowhere"],
                        ["cat", vault, f"{PATH}/url", "x" * 300]):
            done = run(*command)
            assert (done.code, len(done.errors), done.out) == (27, 1, b""), command

    def test_they_change_nothing(self, vault, before):
        good("ls", vault)
        good("cat", vault, f"{PATH}/password")
        good("info", vault)
        before.expect_untouched()

    def test_a_closed_pipe_is_no_error(self, vault, folder):
        command = '"$1" ls "$2" | true'
        done = subprocess.run(["bash", "-c", command, "-", programs.program(), vault],
                              input=b"fixture\n", capture_output=True, timeout=60)
        assert done.stderr == b""


class TestInfo:
    def test_it_tells_the_header_and_no_secret(self, vault):
        done = programs.run("info", vault, password=None)
        assert done.code == 0, done.err
        text = done.out.decode()
        for word in ("4.0", "AES", "Argon2d", "gzip"):
            assert word.lower() in text.lower(), text
        for secret in ("fixture", "correct horse"):
            assert secret not in text


class TestPasswordSources:
    def test_a_file(self, vault, folder):
        (folder / "pw").write_text("fixture\n")
        good("ls", "--passfile", folder / "pw", vault, password=None)

    def test_a_program_without_a_shell(self, vault, folder):
        script = folder / "tell it"
        script.write_text('#!/bin/sh\n[ "$1" = "a b;c" ] && echo fixture\n')
        script.chmod(0o755)
        good("ls", "--extpass", script, "--extpass", "a b;c", vault, password=None)

    def test_files_come_before_standard_input(self, vault, folder):
        (folder / "pw").write_text("fixture\n")
        good("ls", "--passfile", folder / "pw", vault, password="wrong")

    def test_the_terminal_which_shows_nothing(self, vault, place, folder):
        child = pexpect.spawn(os.fspath(programs.program()), [str(vault), str(place)], timeout=60,
                              encoding="utf-8", env=os.environ | {"LC_ALL": "C.UTF-8"})
        child.expect("Password for vault.kdbx: ?")
        child.waitnoecho(10)
        child.sendline("fixture")
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0
        assert "fixture" not in child.before
        assert (place / PATH / "username").read_text() == "alice"
        assert programs.run("umount", place).code == 0

    def test_an_interrupted_prompt(self, vault, place):
        child = pexpect.spawn(os.fspath(programs.program()), [str(vault), str(place)], timeout=60)
        child.expect("Password")
        child.waitnoecho(10)
        child.sendintr()
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 15
        assert programs.mount_at(place) is None

    def test_the_password_is_in_no_argument_and_no_environment(self, mounted):
        for pid in mounted.pids:
            for file in ("cmdline", "environ"):
                try:
                    content = open(f"/proc/{pid}/{file}", "rb").read()
                except PermissionError:
                    continue
                assert b"fixture\0" not in content and b"=fixture" not in content


class TestHelp:
    def test_version_and_help(self):
        version = programs.run("--version")
        assert version.code == 0 and version.out.startswith(b"kdbxfs ")
        usage = programs.run("--help")
        assert usage.code == 0 and usage.err == ""
        for word in (b"umount", b"ls", b"cat", b"info", b"--keyfile", b"--passfile", b"-o"):
            assert word in usage.out


def test_mounting_says_nothing(mounted):
    assert mounted.said == ""
    mounted.unmount()


def test_a_relative_path_is_good_enough(vault, folder, place):
    done = programs.run("vaults/vault.kdbx", "mnt", password="fixture", cwd=folder)
    assert (done.code, done.err) == (0, "")
    assert (place / PATH / "username").read_text() == "alice"
    (place / PATH / "username").write_text("bob")
    done = programs.run("umount", "mnt", cwd=folder)
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("options", [["-o", "ro"], ["-o", "ro,autosave=0,nosuid,nodev"],
                                     ["--ro", "--fsname", "my vault"]])
def test_mount_options_of_both_kinds(options, vault, place):
    mount = programs.mount(vault, place, *options, password="fixture")
    assert "ro" in programs.mount_at(place).options.split(",")
    mount.unmount()
