"""Fields handed to other programs: `run`, `inject`, `clip`."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile

import pexpect
import pytest
from support import desktops, programs
from test_commands_entries import way  # noqa: F401

PASSWORD = "correct horse battery staple"
PATH = "Internet/GitHub"


@pytest.mark.parametrize("words", [
    ["set", f"{PATH}/password"], ["run", "--env", f"P={PATH}", "--", "true"], ["inject", "-"],
    ["git-credential", "get"], ["askpass", "--field", PATH, "Password: "]], ids=lambda words: words[0])
def test_who_has_standard_input_for_something_else_is_told_of_no_key_there(words, vault):
    given = b"protocol=https\nhost=github.com\npath={{ Internet/GitHub }}\n"
    done = programs.run(words[0], "-v", vault, *words[1:], password=given)
    assert (done.code, len(done.errors)) == (9, 1)
    (hint,) = [line for line in done.err.splitlines() if "hint" in line]
    assert "--passfile" in hint and "standard input" not in hint


class TestRun:
    def test_a_program_gets_fields_and_nothing_else_changes(self, way):
        script = 'printf "%s|%s|%s|%s" "$PASS" "$WHO" "$KEPT" "$*"; exit 7'
        done = way.run(
            "run", "--env", f"PASS={PATH}", "--env", f"WHO={PATH}/username", "--", "sh", "-c", script,
            "sh", "-v", "--env", env={"KEPT": "kept", "WHO": "someone"})
        assert (done.code, done.err) == (7, "")
        assert done.out == f"{PASSWORD}|alice|kept|-v --env".encode()

    def test_by_its_path_in_a_mount(self, github):
        done = programs.run("run", "--env", f"P={github}", "--", "printenv", "P")
        assert (done.code, done.out, done.err) == (0, PASSWORD.encode() + b"\n", "")

    def test_standard_input_is_the_programs(self, way):
        done = way.run("run", "--env", f"P={PATH}", "--", "cat", given="not a password")
        assert (done.code, done.out) == (0, b"not a password\n")

    def test_every_byte_of_a_value(self, mounted, github):
        (github / "notes").write_text("it's \"$HOME\" `id`\n\té\n\n")
        done = programs.run("run", "--env", f"N={github}/notes", "--", "printenv", "-0", "N")
        assert done.out.decode() == "it's \"$HOME\" `id`\n\té\n\n\0"

    @pytest.mark.parametrize("first", ["", "trap '' INT QUIT HUP;"])
    def test_signals_and_descriptors_are_as_at_a_login(self, first, mounted, github):
        script = "yes | true; echo ${PIPESTATUS[0]}; grep -E 'Sig(Ign|Blk)' /proc/self/status; ls /proc/$$/fd"

        def said(*words) -> bytes:
            # Swift's own handler for crashes would take the place of an ignored SIGQUIT.
            return subprocess.run(
                ["sh", "-c", f'{first} exec "$@"', "sh", *words], stdin=subprocess.DEVNULL,
                capture_output=True, start_new_session=True, timeout=programs.PATIENCE,
                env=os.environ | {"SWIFT_BACKTRACE": "enable=no"}).stdout

        ours = said(programs.program(), "run", "--env", f"P={github}", "--", "bash", "-c", script)
        assert ours.split()[0] == b"141" and ours == said("bash", "-c", script)

    def test_one_key_for_all_fields(self, vault):
        """A vault's file is opened once: the key that a person types is asked for once."""
        child = pexpect.spawn(
            os.fspath(programs.program()),
            ["run", "-v", os.fspath(vault), "--env", f"A={PATH}", "--env", f"B={PATH}/username", "--",
             "sh", "-c", "echo got $B $A"],
            encoding="utf-8", timeout=programs.PATIENCE, env=os.environ | programs.PRINTED)
        child.expect("Password for vault.kdbx: ?")
        child.waitnoecho(programs.PATIENCE)
        child.sendline("fixture")
        child.expect(f"got alice {PASSWORD}\r\n")
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0

    def test_in_tmux(self, vault):
        """Where there is a terminal of its own for everything, the prompt is on it and the key isn't."""
        words = ["run", "-v", vault, "--env", f"A={PATH}", "--", "sh", "-c", "echo got $A; cat"]
        with tempfile.TemporaryDirectory(prefix="kdbxfs-tmux-") as place:

            def tmux(*arguments):
                return subprocess.run(
                    ["tmux", "-S", f"{place}/socket", "-f", "/dev/null", *arguments], check=True,
                    capture_output=True, text=True, env=os.environ | programs.PRINTED).stdout

            # As words, not as one line: tmux gives a line to the user's shell, and nobody has none.
            tmux("new-session", "-d", "-x", "200", "-y", "20", programs.program(), *words)
            try:
                programs.wait_until(lambda: "Password for vault.kdbx:" in tmux("capture-pane", "-p"), "the prompt")
                tmux("send-keys", "-l", "fixture")
                tmux("send-keys", "Enter")
                programs.wait_until(lambda: f"got {PASSWORD}" in tmux("capture-pane", "-p"), "the value")
                assert "fixture" not in tmux("capture-pane", "-p")
            finally:
                tmux("kill-server")

    def test_what_can_not_be_run(self, folder):
        done = programs.run("run", "--", "no-such-program-here")
        assert done.code == 127 and len(done.errors) == 1
        # Nor is it there where a folder can't be looked into (root looks into all).
        (folder / "closed").mkdir(mode=0)
        path = {"PATH": f"{folder / 'closed'}:{os.environ['PATH']}"}
        assert programs.run("run", "--", "no-such-program-here", env=path).code == 127
        done = programs.run("run", "--", "/etc/passwd")
        assert done.code == 126 and len(done.errors) == 1

    @pytest.mark.parametrize("given", ["P", "1P=x", "P-Q=x", "=x", ""])
    def test_what_is_no_variable(self, given, folder):
        done = programs.run("run", "--env", given, "--", "touch", folder / "ran")
        assert done.code == 1 and len(done.errors) == 1 and not (folder / "ran").exists()

    def test_nothing_runs_without_all_fields(self, way, folder):
        def run(*variables):
            words = [word for variable in variables for word in ("--env", variable)]
            return way.refused(27, "run", *words, "--", "touch", folder / "ran")

        assert "no such" in run(f"P={PATH}", f"Q={PATH}/nothing")
        assert "no field" in run("P=Internet")
        done = way.run("run", "--env", f"P={PATH}", "--env", f"P={PATH}/url", "--", "touch", folder / "ran")
        assert done.code == 1 and "twice" in done.errors[0]
        done = way.run("run", "--env", f"P={PATH}/attachments/every byte.bin", "--", "touch", folder / "ran")
        assert done.code == 1 and "zero byte" in done.errors[0], done.err
        assert not (folder / "ran").exists()


class TestInject:
    def test_fields_stand_where_they_are_named(self, way, folder):
        template = folder / "template"
        template.write_text(
            f"user={{{{{PATH}/username}}}}\n[{{{{  {PATH}  }}}}] \\{{{{ raw }}}} {{ }} \\n é\n")
        shown = f"user=alice\n[{PASSWORD}] {{{{ raw }}}} {{ }} \\n é\n"
        assert way.good("inject", template) == shown
        assert way.good("inject", "-", given=template.read_bytes()) == shown

    def test_an_unknown_field_writes_nothing(self, way, folder):
        template, output = folder / "template", folder / "output"
        template.write_text(f"a\nb {{{{ {PATH}/username }}}}\nc {{{{ {PATH}/nothing }}}}\n")
        output.write_text("old")
        said = way.refused(27, "inject", "--output", output, template)
        assert f"{template}:3: " in said and "no such" in said
        assert f"{template}:3: " in way.refused(27, "inject", template)
        template.write_text("x\n{{ open\n}}\n")
        assert f"{template}:2: " in way.refused(1, "inject", "--output", output, template)
        assert "can't be read" in way.refused(1, "inject", folder / "nothing")
        assert output.read_text() == "old"
        assert not list(folder.glob(".*")), "something is left beside it"

    def test_the_output_is_its_owners_alone_or_as_it_was(self, way, folder):
        (folder / "t").write_text(f"{{{{{PATH}/password}}}}")
        old_mask = os.umask(0o022)
        try:
            way.good("inject", "--output", folder / "new", folder / "t")
        finally:
            os.umask(old_mask)
        assert (folder / "new").read_text() == PASSWORD
        assert (folder / "new").stat().st_mode & 0o777 == 0o600
        (folder / "old").write_text("a longer text than it will be afterwards")
        (folder / "old").chmod(0o640)
        way.good("inject", "--output", folder / "old", folder / "t")
        assert (folder / "old").read_text() == PASSWORD
        assert (folder / "old").stat().st_mode & 0o777 == 0o640

    def test_standard_output_is_written_to_as_it_is(self, way, folder):
        template = folder / "t"
        template.write_text(f"{{{{{PATH}/username}}}}\n")
        assert way.good("inject", "--output", "-", template, cwd=folder) == "alice\n"
        assert not (folder / "-").exists()
        os.symlink("/dev/stdout", folder / "link")
        for place in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", folder / "link"):
            # A pipe, and a file that somebody keeps open.
            assert way.good("inject", "--output", place, template) == "alice\n"
            kept = folder / "kept"
            with kept.open("wb") as output:
                output.write(b"before\n")
                output.flush()
                inode = os.fstat(output.fileno()).st_ino
                which = ["-m", way.mount.place] if way.mount else ["-v", way.vault, "--passfile", way.key]
                subprocess.run(
                    [programs.program(), "inject", *which, "--output", place, template], check=True,
                    stdin=subprocess.DEVNULL, stdout=output, timeout=programs.PATIENCE)
                output.seek(0, os.SEEK_END)
                output.write(b"after\n")
            assert kept.read_text() == "before\nalice\nafter\n" and kept.stat().st_ino == inode
        assert "can't be written" in way.refused(1, "inject", "--output", "/dev/fd/77", template)

    def test_what_is_no_file_is_not_replaced(self, way, folder):
        os.mkfifo(folder / "pipe")
        (folder / "t").write_text(f"{{{{{PATH}}}}}")
        for place in ("pipe", "."):
            assert "no file" in way.refused(1, "inject", "--output", folder / place, folder / "t")
        assert (folder / "pipe").is_fifo()
        assert "can't be written" in way.refused(
            1, "inject", "--output", folder / "none" / "x", folder / "t")


# Each clipboard program with what else it needs, how to look, and how to copy.
TOOLS = {
    "xclip": ([], ["xclip", "-selection", "clipboard", "-o"], ["xclip", "-selection", "clipboard", "-i"]),
    "xsel": ([], ["xsel", "-b", "-o"], ["xsel", "-b", "-i"]),
    "wl-copy": (["wl-paste", "cat", "rm"], ["wl-paste", "-n"], ["wl-copy"]),
}


class Desktop:
    """An environment in which only one of the clipboard programs is there."""

    def __init__(self, tool, screen, tools):
        more, self.paste, self.copy = TOOLS[tool]
        tools.mkdir()
        for name in (tool, *more):
            (tools / name).symlink_to(shutil.which(name))
        self.tools = tools
        self.env = screen | {"PATH": str(tools)}

    def do(self, command, text=b"") -> str:
        done = subprocess.run(
            [shutil.which(command[0]), *command[1:]], env=os.environ | self.env, input=text,
            stdout=subprocess.PIPE if command == self.paste else subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, timeout=programs.PATIENCE)
        return (done.stdout or b"").decode()

    def look(self) -> str:
        return self.do(self.paste)

    def put(self, text: str):
        self.do(self.copy, text.encode())


def clippers(entry) -> list[int]:
    """Those that wait to clear the clipboard."""
    return [pid for pid, line in programs.processes_naming(entry).items() if " clip " in line]


def end_clippers(entry):
    """They clear when they are to end, as they do when their time is over."""
    for pid in clippers(entry):
        os.kill(pid, signal.SIGTERM)
    programs.wait_until(lambda: not clippers(entry), "the clipboard is cleared")


class TestClip:
    @pytest.fixture(params=TOOLS)
    def desktop(self, request, folder):
        if request.param == "wl-copy":
            with desktops.wayland() as screen:
                yield Desktop(request.param, screen, folder / "tools")
        else:
            with desktops.x11() as screen:
                yield Desktop(request.param, screen, folder / "tools")

    def clip(self, desktop, *words):
        done = programs.run("clip", *words, env=desktop.env)
        assert (done.code, done.out) == (0, b""), done.err
        return done.err

    def test_it_is_there_and_goes(self, desktop, mounted, github):
        assert "on the clipboard for 3600 s" in self.clip(desktop, github, "--for", "1h")
        (pid,) = clippers(github)
        assert desktop.look() == PASSWORD
        os.kill(pid, signal.SIGTERM)
        programs.wait_until(lambda: not clippers(github), "the clipboard is cleared")
        assert desktop.look() == ""

    def test_it_goes_when_the_time_is_over(self, desktop, mounted, github):
        self.clip(desktop, f"{github}/username", "--for", "1s")
        programs.wait_until(lambda: not clippers(github), "the time is over")
        assert desktop.look() == ""

    def test_what_came_meanwhile_stays(self, desktop, mounted, github):
        assert self.clip(desktop, "-q", f"{github}/username", "--for", "1h") == ""
        desktop.put("something else")
        end_clippers(github)
        assert desktop.look() == "something else"

    def test_the_last_one_counts(self, desktop, mounted, github):
        """The same value again is there for the whole time, or for ever."""
        self.clip(desktop, github, "--for", "1h")
        (first,) = clippers(github)
        self.clip(desktop, github, "--for", "1h")
        os.kill(first, signal.SIGTERM)
        programs.wait_until(lambda: first not in clippers(github), "the first ends")
        assert desktop.look() == PASSWORD and len(clippers(github)) == 1
        end_clippers(github)
        assert desktop.look() == ""
        self.clip(desktop, github, "--for", "1h")
        self.clip(desktop, github, "--for", "0")
        end_clippers(github)
        assert desktop.look() == PASSWORD

    def test_it_outlives_the_terminal(self, desktop, mounted, github):
        child = pexpect.spawn(
            os.fspath(programs.program()), ["clip", os.fspath(github), "--for", "1h"],
            env=os.environ | programs.PRINTED | desktop.env, timeout=programs.PATIENCE)
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0 and desktop.look() == PASSWORD
        end_clippers(github)
        assert desktop.look() == ""

    def test_without_an_end(self, desktop, vault, folder):
        (folder / "key").write_text("fixture")
        said = self.clip(desktop, "-v", vault, "--passfile", folder / "key", PATH, "--for", "0")
        assert said == "" and clippers(vault) == [] and desktop.look() == PASSWORD

    def test_what_is_not_there_changes_nothing(self, desktop, mounted, github):
        desktop.put("before")
        for word, code in ((f"{github}/nothing", 27), (f"{mounted.place}/Internet", 27),
                           (f"{mounted.place}/Work/Servers/www/notes", 27)):
            done = programs.run("clip", word, env=desktop.env)
            assert done.code == code and len(done.errors) == 1, (word, done.err)
        assert clippers(mounted.place) == [] and desktop.look() == "before"


def test_it_is_marked_where_the_program_knows_that(folder, mounted, github):
    """wl-copy does since 2.3, which Debian 12 hasn't."""
    with desktops.wayland() as screen:
        desktop = Desktop("wl-copy", screen, folder / "tools")
        real = shutil.which("wl-copy")
        (desktop.tools / "wl-copy").unlink()
        (desktop.tools / "wl-copy").write_text(
            f"#!{shutil.which('bash')}\n"
            'if [ "$1" = --help ]; then echo " -s, --sensitive  Hint."; exit; fi\n'
            f'echo "$*" >> {folder}/called\nfor word; do shift; [ "$word" = --sensitive ] || set -- "$@" "$word"; done\n'
            f'exec {real} "$@"\n')
        (desktop.tools / "wl-copy").chmod(0o755)
        done = programs.run("clip", github, "--for", "0", env=desktop.env)
        assert (done.code, done.err) == (0, "") and desktop.look() == PASSWORD
        assert "--sensitive" in (folder / "called").read_text()


def test_no_clipboard_is_said(mounted, github, folder):
    nothing = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
    done = programs.run("clip", github, env=nothing)
    assert done.code == 28 and "no desktop" in done.errors[0]
    done = programs.run("clip", github, env=nothing | {"DISPLAY": ":0", "PATH": str(folder)})
    assert done.code == 28 and "no program" in done.errors[0]
    (folder / "xclip").symlink_to("/bin/false")
    done = programs.run("clip", github, env=nothing | {"DISPLAY": ":0", "PATH": str(folder)})
    assert done.code == 28 and "didn't take it" in done.errors[0]
    assert clippers(github) == []
