"""The commands that work on entries: on a mounted vault, and on a vault's file with -v."""

import base64
import hmac
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path

import pexpect
import pytest
from conftest import FIXTURES
from support import programs
from support.judges import read_own

PATH = "Internet/GitHub"
OTHER = "Work/Servers/www"
WAYS = ["mounted", "file"]


class Way:
    """How a command is told its vault."""

    def __init__(self, vault, mount=None):
        self.vault = vault
        self.mount = mount
        self.key = vault.parent.parent / "key"
        self.key.write_text("fixture")

    def run(self, command, *arguments, given=None, **more):
        which = ["-m", self.mount.place] if self.mount else [
            "-v", self.vault, "--passfile", self.key]
        return programs.run(command, *which, *arguments, password=given, **more)

    def good(self, command, *arguments, **more) -> str:
        done = self.run(command, *arguments, **more)
        assert (done.code, done.err) == (0, ""), (done.code, done.err)
        return done.out.decode()

    def refused(self, code, command, *arguments, **more) -> str:
        """The one error line."""
        done = self.run(command, *arguments, **more)
        assert done.code == code and len(done.errors) == 1, (done.code, done.err)
        assert done.out == b""
        return done.errors[0]

    def refused_with_hints(self, code, command, *arguments) -> str:
        done = self.run(command, *arguments)
        assert done.code == code, done.err
        return done.err

    def finish(self):
        """Everything is in the vault's file now."""
        if self.mount:
            self.mount.unmount()


@pytest.fixture(params=WAYS)
def way(request, vault, before):
    if request.param == "file":
        return Way(vault)
    return Way(vault, request.getfixturevalue("mounted"))


class TestHelp:
    def commands(self):
        told = programs.run("--help").out.decode()
        return sorted(set(re.findall(r"^ +kdbxfs ([a-z-]+)", told, re.MULTILINE)))

    def test_each_fits_a_screen(self):
        commands = self.commands()
        assert "totp" in commands
        for command in commands:
            done = programs.run(command, "--help")
            lines = done.out.decode().splitlines()
            assert (done.code, done.err) == (0, "")
            assert lines[0].startswith(f"Usage: kdbxfs {command} "), command
            assert len(lines) <= 24 and max(map(len, lines)) <= 80, (command, len(lines))


class TestWhichVault:
    def test_a_path_below_a_mount(self, mounted, folder):
        code = (mounted / PATH / "totp").read_text()
        said = programs.run("totp", mounted / PATH)
        assert said.out.decode().strip() in (code, (mounted / PATH / "totp").read_text())
        relative = programs.run("totp", "mnt/Internet/GitHub", cwd=folder)
        inside = programs.run("totp", "../Internet/./GitHub/", cwd=mounted / "Work")
        (folder / "link").symlink_to(mounted.place)
        linked = programs.run("totp", folder / "link" / PATH)
        for done in (relative, inside, linked):
            assert (done.code, done.err) == (0, "")
            assert re.fullmatch(rb"\d{6}\n", done.out)

    def test_a_mount_by_its_name(self, mounted):
        for name in ("mnt", "vault.kdbx", "vault"):
            done = programs.run("totp", "-m", name, PATH)
            # Other tests have mounts of that name, too.
            assert done.code == 0 or "mounted vaults are called" in done.err, done.err

    def test_what_is_no_mount(self, folder, vault):
        done = programs.run("totp", "-m", folder, PATH)
        assert done.code == 20 and len(done.errors) == 1
        done = programs.run("totp", folder / PATH)
        assert done.code in (1, 20) and len(done.errors) == 1
        done = programs.run("totp", "-m", folder, "-v", vault, PATH)
        assert done.code == 1

    @pytest.mark.parametrize("words", [
        ["mv", PATH, ""], ["mv", "", "Work"], ["rm", ""], ["restore", ""], ["restore", PATH, "--to", ""],
        ["new", ""], ["set", ""], ["edit", ""], ["revert", ""], ["totp", ""], ["purge", ""]])
    def test_what_an_empty_variable_leaves_is_no_path(self, words, way, before):
        assert way.refused(1, *words, given="x")
        way.finish()
        before.expect_untouched()

    def test_a_path_out_of_the_vault(self, way):
        assert "leads out" in way.refused(1, "totp", "../x")

    def test_a_locked_vault(self, mounted):
        assert programs.run("lock", mounted.place).code == 0
        done = programs.run("totp", mounted / PATH)
        assert done.code == 20 and "locked" in done.errors[0]
        done = programs.run("unlock", mounted.place, password="fixture")
        assert done.code == 0

    def test_a_wrong_key(self, vault, before):
        done = programs.run("totp", "-v", vault, PATH, password="wrong")
        assert done.code == 12
        before.expect_untouched()


def code_of(period: int) -> str:
    """The code of a period of 30 s, for the secret of the fixture's GitHub: RFC 6238."""
    key = base64.b32decode("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    digest = hmac.digest(key, struct.pack(">Q", period), "sha1")
    start = digest[-1] & 15
    return f"{(int.from_bytes(digest[start:start + 4]) & 0x7FFFFFFF) % 1_000_000:06}\n"


class Periods:
    """The periods that pass while something runs."""

    def __enter__(self):
        self.start = time.time()
        return self

    def __exit__(self, *_):
        self.all = range(int(self.start) // 30, int(time.time()) // 30 + 1)
        # Those that had begun no more than two seconds before, or began meanwhile.
        self.fresh = [period for period in self.all if period * 30 + 2 >= self.start]


class TestTotp:
    def test_it_is_the_code_of_this_moment(self, way):
        with Periods() as periods:
            code = way.good("totp", PATH)
            same = way.good("totp", PATH + "/totp")
        assert {code, same} <= {code_of(period) for period in periods.all}
        assert re.fullmatch(r"\d{8}\n", way.good("totp", "Internet/Mail"))

    def test_the_next_code_is_the_one_that_comes(self, way):
        with Periods() as periods:
            code = way.good("totp", "--next", PATH)
        assert code in {code_of(period + 1) for period in periods.all}

    def test_it_waits_for_a_fresh_one(self, mounted):
        with Periods() as periods:
            done = programs.run("totp", "--min-left", "29", mounted / PATH)
        assert (done.code, done.err) == (0, "")
        assert done.out.decode() in {code_of(period) for period in periods.fresh}

    def test_more_than_there_ever_is(self, mounted):
        done = programs.run("totp", "--min-left", "31s", mounted / PATH)
        assert done.code == 1 and "never good for 31 s" in done.errors[0] and done.out == b""

    def test_what_has_none(self, way):
        assert "no such" in way.refused(27, "totp", "Internet/Nothing")
        assert "no entry" in way.refused(27, "totp", "Internet")
        assert "no codes" in way.refused(27, "totp", "Work/Servers/www")

    def test_the_next_code_is_in_no_listing(self, mounted):
        names = os.listxattr(mounted / PATH / "totp")
        assert "user.kdbx.totp.remaining" in names and "user.kdbx.totp.next" not in names


class TestFind:
    def test_paths_the_best_first(self, way):
        # One is called so, of the other only the URL says it; a slip is forgiven.
        assert way.good("find", "github").splitlines()[0] == PATH
        assert way.good("find", "githib").splitlines()[0] == PATH
        assert way.good("find", "GitHub", "alice") == PATH + "\n"
        assert way.good("find", "work", "code") == PATH + "\n"

    @pytest.mark.parametrize("title, near, far", [
        # Eight letters and two slips: wrong, missing, too many, swapped, at either end; three are too many.
        ("passport",
         ["pbssporz", "pssprt", "pasporx", "passpporrt", "apsspotr", "qqssport", "passpoxx"],
         ["pxsxpxrt", "psprt", "pxssprx", "passpxxx"]),
        ("Überfahrt", ["uberfahrd", "übefrahtr", "überfat"], ["qqqfahrt", "übfxhrt"]),
        # One in a shorter word.
        ("Seafood", ["sefood", "saefood", "xeafood"], ["sefod", "saefodo", "xeafoox"]),
    ])
    def test_two_slips_are_forgiven_from_eight_letters_on(self, way, title, near, far):
        way.good("new", f"Internet/{title}")
        for word in near + far:
            found = way.run("find", word).out.decode().splitlines()
            assert (f"Internet/{title}" in found) == (word in near), word

    def test_names_are_those_of_the_tree(self, way):
        assert way.good("find", "a", "b").splitlines()[0] == "Internet/a%2Fb"
        assert way.good("find", "café") == "Grüße 🔑/café\n"

    def test_as_json(self, way):
        (found,) = json.loads(way.good("find", "--json", "github alice"))
        assert found["path"] == PATH and re.fullmatch("[0-9a-f]{32}", found["uuid"])

    def test_nothing_secret_and_nothing_of_the_bin_is_found(self, way):
        for words in ("battery", "thrown", "old", "GEZDGNBVGY3TQOJQ", "1111"):
            done = way.run("find", words)
            assert (done.code, done.out) == (27, b"") and len(done.errors) == 1, words
        done = way.run("find", "--json", "battery")
        assert (done.code, json.loads(done.out)) == (27, [])

    def test_an_edit_is_found_at_once(self, mounted):
        which = ("-m", mounted.place)
        assert programs.run("find", *which, "zanzibar").code == 27
        (mounted / PATH / "notes").write_text("in Zanzibar")
        assert programs.run("find", *which, "zanzibar").out.decode() == PATH + "\n"
        os.rename(mounted / PATH, mounted / "Work/Elsewhere")
        assert programs.run("find", *which, "elsewhere").out.decode() == "Work/Elsewhere\n"

    def test_a_locked_vault(self, mounted):
        assert programs.run("find", "-m", mounted.place, "github").code == 0
        assert programs.run("lock", mounted.place).code == 0
        done = programs.run("find", "-m", mounted.place, "github")
        assert done.code == 20 and "locked" in done.errors[0]
        assert programs.run("unlock", mounted.place, password="fixture").code == 0
        assert programs.run("find", "-m", mounted.place, "github").code == 0


class TestMatch:
    def test_the_host_first_then_its_domain(self, way):
        assert way.good("match", "https://github.com/other/page") == PATH + "\n"
        assert way.good("match", "gist.GitHub.com") == PATH + "\n"
        (found,) = json.loads(way.good("match", "--json", "gist.github.com"))
        assert found == {"path": PATH, "host": "github.com", "by": "domain"}

    def test_never_across_suffixes(self, way):
        """What somebody else can register below the same suffix is another site."""
        assert way.refused(27, "match", "example.com")
        way.good("set", PATH + "/url", given="https://alice.github.io/")
        assert way.refused(27, "match", "mallory.github.io")
        assert way.good("match", "https://www.alice.github.io") == PATH + "\n"

    @pytest.mark.parametrize("host", ["githib.com", "g1thub.com", "xn--gthub-n2e.com", "github.com.example.org"])
    def test_a_lookalike_is_warned_of(self, host, way):
        done = way.run("match", host)
        assert done.code == 27 and done.out == b""
        assert "looks like 'github.com'" in done.err and done.err.startswith("kdbxfs: warning: ")

    def test_no_host(self, way):
        assert "names no host" in way.refused(1, "match", "mailto:x")


class TestSet:
    def test_a_field(self, way, before):
        way.good("set", PATH + "/password", given="new \"secret\"")
        way.finish()
        before.expect({PATH: {
            "Password": ("correct horse battery staple", "new \"secret\""), "history": 1}})

    def test_a_new_field_and_an_attachment(self, way, before):
        way.good("set", PATH + "/PIN", given="4711")
        way.good("set", PATH + "/attachments/x.bin", given=b"\0\1\2")
        way.finish()
        before.expect({PATH: {
            "PIN": (None, "4711"), "@x.bin": (None, b"\0\1\2"),
            "history": 1 if way.mount else 2}})

    def test_the_first_attachment_of_an_entry(self, way, before):
        assert "no entry" in way.refused(27, "set", "Internet/attachments/x", given="x")
        assert "no such" in way.refused(27, "set", "Nothing/attachments/x", given="x")
        assert way.refused(27, "set", "attachments/x", given="x")
        way.good("set", OTHER + "/attachments/x.bin", given=b"\0\1\2")
        way.finish()
        before.expect({OTHER: {"@x.bin": (None, b"\0\1\2"), "history": 1}})

    def test_lines_stay(self, way, before):
        # `run` ends a text with a line feed.
        way.good("set", PATH + "/notes", given="one\n\ttwo")
        way.finish()
        before.expect({PATH: {"Notes": ("two\nlines", "one\n\ttwo\n"), "history": 1}})

    def test_what_cannot_be(self, way, before):
        for name in ("password.bak", "username~", "4913", ".url.swp", "attachments/every byte.bin~"):
            assert "temporary files" in way.refused(24, "set", f"{PATH}/{name}", given="x")
        assert "no such" in way.refused(27, "set", "Internet/Nothing/password", given="x")
        assert "no such" in way.refused(27, "set", "field", given="x")
        assert "no entry" in way.refused(27, "set", "Internet/field", given="x")
        assert "no field" in way.refused(27, "set", PATH, given="x")
        assert "only be read" in way.refused(24, "set", PATH + "/.json", given="x")
        assert "can't hold" in way.refused(24, "set", PATH + "/notes", given=b"\xff")
        way.finish()
        before.expect_untouched()

    @pytest.mark.parametrize("field", ["password", "PIN", "attachments/every byte.bin", "attachments/new"])
    def test_nothing_at_all_changes_nothing(self, field, way, before):
        """It is what a command before the pipe that failed leaves."""
        for given in (b"", None):
            done = way.run("set", f"{PATH}/{field}", given=given)
            assert done.code == 9 and "holds nothing" in done.errors[0] and done.out == b""
            assert ("/dev/null" if "/" in field else "echo | kdbxfs set") in done.err
        way.finish()
        before.expect_untouched()

    def test_an_empty_value(self, way, before):
        way.good("set", PATH + "/password", given=b"\n")
        way.finish()
        before.expect({PATH: {"Password": ("correct horse battery staple", ""), "history": 1}})

    def test_the_line_feed_is_dropped_in_an_exact_mount_too(self, vault, before, place, folder):
        mount = programs.mount(vault, place, "-o", "exact", password="fixture")
        way = Way(vault, mount)
        editor = folder / "editor"
        editor.write_text('#!/bin/sh\nprintf "edited\\n" > "$1"\n')
        editor.chmod(0o755)
        way.good("set", PATH + "/password", given=b"new\n")
        way.good("set", PATH + "/lines", given=b"one\ntwo\n")
        way.good("set", PATH + "/none", given=b"\n")
        way.good("set", PATH + "/attachments/line", given=b"one\n")
        way.good("edit", PATH + "/url", env={"VISUAL": str(editor)})
        way.good("edit", PATH + "/fresh", env={"VISUAL": str(editor)})
        assert (mount / PATH / "password").read_bytes() == b"new"
        assert (mount / PATH / "lines").read_bytes() == b"one\ntwo\n"
        assert (mount / PATH / "none").read_bytes() == b""
        assert (mount / PATH / "attachments/line").read_bytes() == b"one\n"
        assert (mount / PATH / "url").read_bytes() == (mount / PATH / "fresh").read_bytes() == b"edited"
        way.good("new", "-q", "--generate", "Internet/Fresh")
        assert len((mount / "Internet/Fresh/password").read_bytes()) == 24
        mount.unmount()

    def test_an_attachment_keeps_its_line_feed(self, way, before):
        way.good("set", PATH + "/attachments/line", given=b"one\n")
        way.finish()
        before.expect({PATH: {"@line": (None, b"one\n"), "history": 1}})

    def test_typed_and_not_shown(self, mounted):
        child = pexpect.spawn(
            os.fspath(programs.program()), ["set", os.fspath(mounted / PATH / "password")],
            encoding="utf-8", timeout=60, env=os.environ | programs.PRINTED)
        child.expect("New value of password: ?")
        child.waitnoecho(10)
        child.sendline("typed-secret")
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0 and "typed-secret" not in child.before
        assert (mounted / PATH / "password").read_text() == "typed-secret"

    def test_a_vault_that_cannot_be_written(self, vault, before, mounted, folder):
        """One writer: the mount has it. Then a vault that is only read."""
        way = Way(vault)
        said = way.run("set", PATH + "/notes", given="x")
        assert said.code == 23 and "mounted for writing" in said.err and "without -v" in said.err
        mounted.unmount()
        before.expect_untouched()

    def test_what_cannot_be_changed_is_said_before_an_editor_opens(self, vault, place, folder):
        opened, editor = folder / "opened", folder / "editor"
        editor.write_text(f"#!/bin/sh\ntouch {opened}\n")
        editor.chmod(0o755)
        mount = programs.mount(vault, place, "--ro", password="fixture")
        way = Way(vault, mount)
        commands = [("edit", PATH), ("edit", f"{PATH}/notes"), ("edit", f"{PATH}/fresh"),
                    ("set", f"{PATH}/notes"), ("new", "Work/x")]
        for words in commands:
            done = way.run(*words, given="x", env={"VISUAL": str(editor)})
            assert done.code == 24 and "the vault is mounted read-only" in done.errors[0], done.err
            assert "status" in done.err
        assert programs.run("lock", place).code == 0
        mount.unmount()
        mount = programs.mount(vault, place, password="fixture")
        assert programs.run("lock", place).code == 0
        for words in commands:
            done = Way(vault, mount).run(*words, given="x", env={"VISUAL": str(editor)})
            assert done.code == 20 and "the vault is locked" in done.errors[0], done.err
        mount.unmount()
        assert not opened.exists()

    def test_commands_on_a_file_wait_for_each_other(self, vault, before):
        way = Way(vault)
        words = [programs.program(), "set", "-v", vault, "--passfile", way.key]
        started = [
            subprocess.Popen([*words, f"{PATH}/race {i}"], stdin=subprocess.PIPE, stderr=subprocess.PIPE,
                             text=True, start_new_session=True) for i in range(4)]
        for process in started:
            process.stdin.write("v\n")
            process.stdin.close()
        for process in started:
            said = process.stderr.read()
            assert (process.wait(programs.PATIENCE), said) == (0, "")
        before.expect({PATH: {f"race {i}": (None, "v") for i in range(4)} | {"history": 4}})

    def test_a_command_that_holds_the_vault_too_long_is_named(self, vault, before, folder, place):
        way = Way(vault)
        ready, editor = folder / "ready", folder / "editor"
        editor.write_text(f"#!/bin/sh\ntouch {ready}\nexec sleep 1000\n")
        editor.chmod(0o755)
        process = subprocess.Popen(
            [programs.program(), "edit", "-v", vault, "--passfile", way.key, f"{PATH}/notes"],
            stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
            env=os.environ | {"VISUAL": str(editor)})
        try:
            programs.wait_until(ready.exists, "the editor runs")
            start = time.monotonic()
            said = way.run("set", PATH + "/notes", given="x")
            assert 9 < time.monotonic() - start < 60
            assert said.code == 23 and len(said.errors) == 1
            assert f"another kdbxfs command, process {process.pid}, is at work on 'vault.kdbx'" in said.err
            assert "mounted" not in said.err and "try again" in said.err
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        # What it left of the text in memory goes with the next one that edits.
        assert list(Path("/dev/shm").glob(f"kdbxfs-edit-{process.pid}-*"))
        programs.run("edit", "-v", vault, "--passfile", way.key, f"{PATH}/notes", env={"VISUAL": "true"})
        assert not list(Path("/dev/shm").glob(f"kdbxfs-edit-{process.pid}-*"))
        before.expect_untouched()

    def test_an_empty_variable_names_no_editor(self, vault, before):
        way = Way(vault)
        way.good("edit", f"{PATH}/notes", env={"VISUAL": "", "EDITOR": "true"})
        before.expect_untouched()


class TestWhatIsRefusedIsNamed:
    def test_in_the_recycle_bin_or_not(self, way, before):
        for words in (["restore", "nope"], ["purge", "nope"], ["rm", PATH, "nope"]):
            assert "'nope': no such group" in way.refused(27, *words)
        assert f"'{PATH}' doesn't lie in the recycle bin" in way.refused(27, "restore", PATH)
        assert f"'{PATH}' doesn't lie in the recycle bin" in way.refused(27, "purge", PATH)
        way.good("rm", OTHER)
        binned = f"Recycle Bin/{Path(OTHER).name}"
        said = way.refused(24, "rm", PATH, binned)
        assert f"'{binned}' lies in the recycle bin already" in said
        assert "'Nowhere': no such" in way.refused(27, "restore", "--to", "Nowhere", binned)
        way.finish()

    def test_a_word_that_is_no_command(self, folder):
        for words, code in ((["lok", "m"], 10), (["lok"], 1), (["fnd", "--json", "x"], 1),
                            (["serch", "a", "b"], 1)):
            done = programs.run(*words, cwd=folder)
            assert done.code == code and len(done.errors) == 1
            assert f"'{words[0]}' is no file here, and no command either" in done.err, done.err
        (folder / "m").mkdir()
        done = programs.run("lok", "m", cwd=folder)
        assert done.code == 23 and "'lok' can't be read" in done.errors[0] and "no command" in done.err
        # What may be meant as a path is.
        done = programs.run("./lok", "m", cwd=folder)
        assert done.code == 23 and "no command" not in done.err
        (folder / "lok").touch()
        done = programs.run("lok", "m", cwd=folder)
        assert done.code == 23 and "no command" not in done.err


class TestNewAndMove:
    def test_an_entry(self, way, before):
        way.good("new", "--username", "carol", "--url", "https://wiki.example.org", "Internet/Wiki")
        way.finish()
        before.expect({"Internet/Wiki": {"new": {
            "Title": "Wiki", "UserName": "carol", "URL": "https://wiki.example.org"}}})

    def test_what_cannot_be(self, way, before):
        assert "already" in way.refused(24, "new", PATH)
        assert "already" in way.refused(24, "new", "Internet")
        assert "no such group" in way.refused(27, "new", "Nowhere/x")
        assert "only a group" in way.refused(24, "new", PATH + "/x")
        assert "can't" in way.refused(24, "new", "--url", "a\1b", "Internet/x")
        way.finish()
        before.expect_untouched()

    def test_moves_and_new_titles(self, way):
        way.good("mv", PATH, "Work/")
        way.good("mv", "Work/GitHub", "Work/Forge")
        way.good("mv", "Work/Servers", "Internet")
        assert way.good("totp", "Work/Forge")
        assert "no such" in way.refused(27, "mv", PATH, "Work")
        assert "already" in way.refused(24, "mv", "Work/Forge", "Internet/Mail")
        assert way.run("mv", "Internet/Mail", "Internet").code == 0


class TestGenerated:
    """`new --generate`: a fresh password, which isn't shown."""

    def password(self, way, *options) -> str:
        done = way.run("new", "--generate", *options, "Internet/Fresh")
        assert (done.code, done.out) == (0, b""), done.err
        (self.bits,) = map(int, re.fullmatch(r"kdbxfs: (\d+) bits\n", done.err).groups())
        if way.mount:
            return (way.mount / "Internet/Fresh/password").read_text()
        return programs.run(
            "cat", "--passfile", way.key, way.vault, "Internet/Fresh/password").out.decode()

    def test_of_characters(self, way, before):
        password = self.password(way, "--username", "carol")
        assert len(password) == 24 and self.bits > 150
        way.finish()
        before.expect({"Internet/Fresh": {"new": {
            "Title": "Fresh", "UserName": "carol", "Password": password}}})

    def test_of_few_kinds(self, way):
        password = self.password(way, "--length", "12", "--classes", "digits", "--no-lookalikes")
        assert re.fullmatch("[3479]{12}", password)

    def test_of_words(self, way):
        password = self.password(way, "--words", "4")
        assert self.bits == 51 and re.fullmatch("[a-z]+(-[a-z]+)+", password)

    def test_shown_where_that_is_asked_for(self, way):
        done = way.run("new", "--generate", "--show", "Internet/Fresh")
        assert done.code == 0 and len(done.out) == 25
        if way.mount:
            assert (way.mount / "Internet/Fresh/password").read_bytes() + b"\n" == done.out

    @pytest.mark.parametrize("options", [
        ("--length", "9"), ("--words", "4"), ("--show",), ("--classes", "digits"),
        ("--generate", "--length", "0"), ("--generate", "--length", "9", "--words", "4"),
        ("--generate", "--words", "4", "--classes", "digits"), ("--generate", "--length", "2000"),
    ], ids=" ".join)
    def test_what_makes_no_sense_makes_nothing(self, way, options):
        way.refused(1, "new", *options, "Internet/Fresh")
        assert way.run("find", "fresh").code == 27


class TestBin:
    def test_what_holds_the_bin_stays(self, way, before):
        """It would take what others have removed along for good."""
        way.good("rm", PATH)
        way.good("mv", "Recycle Bin", "Work")
        assert "the recycle bin lies in 'Work'" in way.refused(24, "rm", "Work")
        way.finish()
        saved = read_own(way.vault, "fixture")
        assert saved.entry("Work/Recycle Bin/GitHub").strings["UserName"] == "alice"
        assert saved.entry(OTHER)

    def test_into_the_bin_and_back(self, mounted, before):
        way = Way(mounted.vault, mounted)
        way.good("rm", PATH, "Work/Servers")
        assert not (mounted / PATH).exists() and not (mounted / "Work/Servers").exists()
        assert (mounted / "Recycle Bin/GitHub/username").read_text() == "alice"
        assert (mounted / "Recycle Bin/Servers/www/username").read_text() == "root"
        assert "already" in way.refused(24, "rm", "Recycle Bin/GitHub")
        assert way.good("restore", "GitHub") == PATH + "\n"
        assert way.good("restore", "Recycle Bin/Servers") == "Work/Servers\n"
        assert (mounted / PATH / "username").read_text() == "alice"
        assert (mounted / "Work/Servers/www/username").read_text() == "root"
        assert os.listdir(mounted / "Recycle Bin") == ["old"]
        way.finish()

    def test_a_plain_rm_is_restored_too(self, mounted):
        shutil.rmtree(mounted / PATH)
        way = Way(mounted.vault, mounted)
        assert way.good("restore", "GitHub") == PATH + "\n"
        assert (mounted / PATH / "password").read_text() == "correct horse battery staple"

    def test_where_it_lay_is_in_newer_vaults(self, folder):
        """KDBX 4.1 says where it was; an older vault only as long as it is mounted."""
        source = FIXTURES / "kdbx4.1-argon2id-chacha20-plain-password-xml2.kdbx"
        newer = shutil.copy(source, folder / "vaults" / "newer.kdbx")
        key = ("-v", newer, "--keyfile", FIXTURES / "key-xml2.keyx")
        done = programs.run("rm", *key, PATH, password="fixture")
        assert (done.code, done.err) == (0, "")
        done = programs.run("restore", *key, "GitHub", password="fixture")
        assert (done.code, done.err, done.out.decode()) == (0, "", PATH + "\n")

    def test_where_it_is_to_go(self, vault):
        way = Way(vault)
        assert "where it lay" in way.refused(24, "restore", "old")
        assert way.good("restore", "--to", "Work", "old") == "Work/old\n"
        way.good("rm", "Work/old")
        assert way.good("restore", "--to", ".", "old") == "old\n"
        assert way.good("find", "old") == "old\n"

    def test_for_good(self, way, before):
        way.good("rm", PATH)
        assert way.good("purge", "--older", "1d", "-n") == "Recycle Bin/old\n"
        assert way.good("purge", "--older", "1d") == "Recycle Bin/old\n"
        assert way.good("purge") == "Recycle Bin/GitHub\n"
        assert way.good("purge") == ""
        assert "recycle bin" in way.refused(27, "purge", "Internet/Mail")
        assert "no such" in way.refused(27, "restore", "GitHub")
        way.finish()
        found = Way(way.vault)
        assert found.run("find", "github").code == 27

    def test_what_cannot_be(self, way, before):
        assert "no such" in way.refused(27, "rm", "Internet/Nothing")
        assert "no entry" in way.refused(27, "rm", PATH + "/url")
        assert "recycle bin" in way.refused(27, "restore", PATH)
        for age in ("soon", "1m", "90s", "30"):
            done = way.run("purge", "--older", age)
            assert done.code == 1 and "no age" in done.errors[0] and "--older 30d" in done.err, age
        way.finish()
        before.expect_untouched()


class TestEdit:
    """The editor is a script that says what it was given, and changes it."""

    @pytest.fixture
    def editor(self, folder, monkeypatch):
        def make(script: str):
            program = folder / "my editor"
            program.write_text(f'#!/bin/bash\nfile=${{@: -1}}\n{script}\n')
            program.chmod(0o755)
            monkeypatch.setenv("VISUAL", f'"{program}"')
            return program

        return make

    def test_a_field(self, way, before, editor, folder):
        editor(f'cat "$file" > {folder}/seen; echo "$file" > {folder}/where; printf new > "$file"')
        way.good("edit", PATH + "/password")
        assert (folder / "seen").read_text() == "correct horse battery staple"
        where = Path((folder / "where").read_text().strip())
        assert not where.parent.exists()
        way.finish()
        before.expect({PATH: {
            "Password": ("correct horse battery staple", "new"), "history": 1}})

    def test_a_field_that_is_not_there_yet(self, way, before, editor):
        way.good("new", "Work/Bare")
        editor("true")
        way.good("edit", "Work/Bare/PIN")
        editor('printf "%s" "$(cat "$file")4711" > "$file"')
        way.good("edit", "Work/Bare/PIN")
        way.good("edit", "Work/Bare/notes")
        for nothing in ("Work/PIN", "Work/Nowhere/PIN", "PIN"):
            assert way.refused(27, "edit", nothing)
        way.finish()
        before.expect({"Work/Bare": {"new": {"Title": "Bare", "PIN": "4711", "Notes": "4711"}}})

    def test_the_copy_is_in_memory_and_private(self, mounted, editor, folder):
        editor(f'stat -f -c %T "$file" > {folder}/type; stat -c %a "$(dirname "$file")" "$file" > {folder}/mode')
        Way(mounted.vault, mounted).good("edit", PATH + "/password")
        assert (folder / "type").read_text().strip() in ("tmpfs", "ramfs")
        assert (folder / "mode").read_text().split() == ["700", "600"]

    def test_all_fields(self, way, before, editor, folder):
        editor(f"""cat "$file" > {folder}/seen
            sed -i -e 's/^username: .*/username: bob/' -e '/^Security question/d' \\
              -e 's/^url: .*/url:/' "$file"
            printf 'PIN: 4711\\nlong*:\\n| one\\n|  two\\n' >> "$file" """)
        way.good("edit", PATH)
        seen = (folder / "seen").read_text()
        assert "username: alice\npassword*: correct horse battery staple\n" in seen
        assert "notes:\n| two\n| lines\n" in seen and "Recovery codes*:\n| 1111-2222\n| 3333-4444\n|\n" in seen
        way.finish()
        before.expect({PATH: {
            "UserName": ("alice", "bob"), "URL": ("https://github.com/login", ""),
            "Security question": ("First pet?", None), "PIN": (None, "4711"),
            "long": (None, "one\n two"), "history": 1}})

    def test_protected_marks(self, mounted, editor):
        editor("""sed -i -e 's/^Security question:/Security question*:/' "$file"; echo 'PIN: 1' >> "$file" """)
        Way(mounted.vault, mounted).good("edit", PATH)
        marks = {name: os.getxattr(mounted / PATH / name, "user.kdbx.protected")
                 for name in ("Security question", "PIN", "password", "url")}
        assert marks == {"Security question": b"1", "PIN": b"0", "password": b"1", "url": b"0"}

    @pytest.mark.parametrize("script, code", [
        ("true", 0), ('cp "$file" "$file~"; mv "$file~" "$file"', 0), ("exit 3", 29),
        ('printf x > "$file"; exit 1', 29), ('echo nonsense >> "$file"', 29),
        ('printf "username: \\xff\\n" > "$file"', 29), ('rm "$file"', 29),
    ])
    def test_nothing_is_changed(self, script, code, way, before, editor):
        editor(script)
        done = way.run("edit", PATH)
        assert (done.code, len(done.errors)) == (code, 0 if code == 0 else 1), done.err
        way.finish()
        before.expect_untouched()

    @pytest.mark.parametrize("script, code, line, told", [
        ('sed -i s/alice/bob/ "$file"; echo "expires: tomorrow" >> "$file"', 24, True, "can't hold that"),
        ('sed -i "/^Security/d" "$file"; echo "totp: 0189!" >> "$file"', 24, True, "can't hold that"),
        ('sed -i "s/^Security question:/note~:/; s/^url:/Site:/; /^password/d" "$file"; echo "url.bak: x" >> "$file"',
         24, True, "temporary files"),
        ('echo "password~: x" >> "$file"', 24, True, "temporary files"),
        ('echo "a/b: x" >> "$file"', 29, True, "'/'"),
        ('echo "Title: x" >> "$file"', 29, True, "kdbxfs mv"),
        ('echo "attachments: x" >> "$file"', 27, True, ""),
        ('printf "PIN: \\001\n" >> "$file"', 29, True, "control character"),
        ('sed -i "/^notes:/d" "$file"', 29, True, "a line of a value"),
        (': > "$file"', 29, False, "no field any more"),
    ])
    def test_it_is_taken_whole_or_not_at_all(self, script, code, line, told, way, before, editor):
        editor(script)
        done = way.run("edit", PATH)
        assert done.code == code and told in done.err and "nothing was changed" in done.err, done.err
        assert (" of the text: " in done.err) == line, done.err
        way.finish()
        before.expect_untouched()

    def test_lines_without_a_name_join_no_other_value(self, way, editor):
        """Of two values with lines the second one's name is deleted."""
        editor('printf "one:\\n| 1\\n| 2\\n\\n| 3\\n" >> "$file"')
        assert "no field before it" in way.refused(29, "edit", PATH)

    def test_another_name_keeps_what_a_field_refers_to(self, way, before, editor):
        uuid = read_own(way.vault, "fixture").entry(OTHER).uuid.upper()
        way.good("set", f"{PATH}/ref", given=f"{{REF:U@I:{uuid}}}")
        editor('sed -i "s/^ref/other/; s/^Security question:/Question*:/" "$file"')
        way.good("edit", PATH)
        editor('sed -i "s/^other/third/" "$file"; echo "expires: tomorrow" >> "$file"')
        assert "nothing was changed" in way.refused_with_hints(24, "edit", PATH)
        editor('sed -i "s/^other/other~/" "$file"')
        assert "temporary files" in way.refused(24, "edit", PATH)
        way.finish()
        found = read_own(way.vault, "fixture").entry(PATH)
        assert found.strings["other"] == f"{{REF:U@I:{uuid}}}" and "ref" not in found.strings
        assert found.strings["Question"] == "First pet?" and found.protected["Question"]

    def test_what_others_do_meanwhile_is_theirs(self, mounted, editor):
        way = Way(mounted.vault, mounted)
        editor(f'rm "{mounted / PATH}/Security question"; echo "PIN: 1" >> "$file"')
        way.good("edit", PATH)
        assert (mounted / PATH / "PIN").read_text() == "1"
        assert not (mounted / PATH / "Security question").exists()

    def test_a_secret_for_a_counter_through_totp(self, way, before):
        way.good("new", "Work/Bare")
        way.good("set", "Work/Bare/totp", given="otpauth://hotp/x?secret=JBSWY3DPEHPK3PXP&counter=3")
        way.finish()
        assert "otpauth://hotp/" in read_own(way.vault, "fixture").entry("Work/Bare").strings["otp"]

    def test_a_secret_is_set_anew_by_its_code(self, way, before, editor):
        editor('sed -i "s/^otp.*/totp: GEZDGNBVGY3TQOJQ/" "$file"')
        way.good("edit", PATH)
        way.finish()
        otp = read_own(way.vault, "fixture").entry(PATH).strings["otp"]
        assert otp.startswith("otpauth://totp/") and "secret=GEZDGNBVGY3TQOJQ" in otp

    # What a first look leaves, the next one finds: a slip, then nothing at all, then it is mended.
    SLIP = '''n=$(cat "$0.n" 2> /dev/null || echo 0); echo $((n + 1)) > "$0.n"
        case $n in 0) sed -i "s/^username: .*/username bob/" "$file" ;; 1) ;;
        *) sed -i "s/^username bob/username: bob/" "$file" ;; esac'''

    def asked(self, *arguments) -> pexpect.spawn:
        return pexpect.spawn(
            os.fspath(programs.program()), ["edit", *map(os.fspath, arguments)], encoding="utf-8",
            timeout=programs.PATIENCE, env=os.environ | programs.PRINTED)

    def test_the_terminals_keys_are_the_editors(self, mounted, before, editor):
        """Ctrl-C stops what the editor has started, not us: the editor goes on, and ends well."""
        editor("""trap : INT QUIT; echo ready; sleep 60; echo again; sleep 60; printf bob > "$file" """)
        child = self.asked(mounted / PATH / "username")
        child.expect("ready")
        time.sleep(0.2)
        child.sendcontrol("c")
        child.expect("again")
        time.sleep(0.2)
        child.send("\x1c")  # Ctrl-backslash
        child.expect(pexpect.EOF)
        child.close()
        assert (child.exitstatus, child.signalstatus) == (0, None), child.before
        mounted.unmount()
        before.expect({PATH: {"UserName": ("alice", "bob"), "history": 1}})

    def test_a_slip_loses_no_text(self, mounted, before, editor):
        editor(self.SLIP)
        child = self.asked(mounted / PATH)
        for answer in ("", "what", "yes"):
            child.expect("Edit the text again\\? \\[Y/n\\] ")
            if answer != "yes":
                assert answer == "what" or "line 3 of the text: no colon" in child.before
            child.sendline(answer)
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0, child.before
        mounted.unmount()
        before.expect({PATH: {"UserName": ("alice", "bob"), "history": 1}})

    def test_a_value_that_the_vault_refuses_is_not_lost(self, mounted, before, editor):
        editor('''grep -q soon "$file" && printf 2030-01-01 > "$file" || printf soon > "$file"''')
        child = self.asked(mounted / PATH / "expires")
        child.expect("can't hold that.*Edit the text again\\? \\[Y/n\\] ")
        child.sendline("y")
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0, child.before
        assert (mounted / PATH / "expires").read_text() == "2030-01-01T00:00:00Z"

    @pytest.mark.parametrize("answer", ["n", "\x04"])
    def test_giving_up_changes_nothing(self, answer, mounted, before, editor):
        editor(self.SLIP)
        child = self.asked(mounted / PATH)
        child.expect("Edit the text again\\? \\[Y/n\\] ")
        child.send(answer if answer == "\x04" else answer + "\n")
        child.expect("nothing was changed")
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 29
        mounted.unmount()
        before.expect_untouched()

    def test_a_final_line_feed_of_the_editor_is_none_of_the_value(self, mounted, editor):
        editor("""printf 'a\\nb\\n' > "$file" """)
        Way(mounted.vault, mounted).good("edit", PATH + "/notes")
        assert (mounted / PATH / "notes").read_text() == "a\nb"

    @pytest.mark.parametrize("program", ["vim", "nvim"])
    def test_vim_keeps_nothing(self, program, mounted, folder, monkeypatch):
        home = folder / "home"
        (home / ".vim").mkdir(parents=True)
        settings = "set undofile undodir=~/undo backup backupdir=~/backup directory=~/swap\n"
        for place in (home / ".vimrc", home / ".config/nvim/init.vim"):
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(settings)
        for name in ("undo", "backup", "swap"):
            (home / name).mkdir()
        monkeypatch.setenv("EDITOR", program)
        monkeypatch.delenv("VISUAL", raising=False)
        child = pexpect.spawn(
            os.fspath(programs.program()), ["edit", os.fspath(mounted / PATH / "password")],
            encoding="utf-8", timeout=60,
            env=os.environ | programs.PRINTED | {
                "HOME": os.fspath(home), "TERM": "xterm", "XDG_STATE_HOME": f"{home}/state",
                "XDG_CONFIG_HOME": f"{home}/.config", "XDG_DATA_HOME": f"{home}/data"})
        child.send("ccedited-in-vim\x1b:wq\r")
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0
        assert (mounted / PATH / "password").read_text() == "edited-in-vim"
        told = subprocess.run(["grep", "-rlE", "edited-in-vim|correct horse", home], capture_output=True)
        assert told.stdout == b""


class TestPending:
    def test_what_waits_and_back(self, mounted, before):
        way = Way(mounted.vault, mounted)
        assert way.good("diff") == ""
        (mounted / PATH / "password").write_text("new")
        (mounted / PATH / "PIN").write_text("1")
        os.rename(mounted / "Internet/Mail", mounted / "Work/Mail")
        (mounted / "Work/New group").mkdir()
        (mounted / "Work/New group/entry").mkdir()
        (mounted / "Work/New group/entry/username").write_text("x")
        told = way.good("diff").splitlines()
        assert "changed Internet/GitHub: password, PIN" in told
        assert "moved Internet/Mail to Work/Mail" in told
        assert "added Work/New group/" in told and "added Work/New group/entry" in told
        assert "new" not in " ".join(told).replace("New", "")
        changes = json.loads(way.good("diff", "--json"))
        assert {"change": "changed", "kind": "entry", "path": PATH, "parts": ["password", "PIN"]} in changes
        assert "never saved" in way.refused(24, "revert", "Work/New group/entry")
        way.good("revert", PATH)
        assert (mounted / PATH / "password").read_text() == "correct horse battery staple"
        assert not (mounted / PATH / "PIN").exists()
        assert "nothing of it" in way.refused(27, "revert", PATH)
        os.rename(mounted / "Work/Mail", mounted / "Internet/Mail")
        way.good("rm", "Work/New group")
        way.good("purge", "Recycle Bin/New group")
        assert way.good("diff") == ""
