"""The examples of kdbxfs(1), read out of the manual itself: each is run in a shell, in their order.

A line that the manual shows after a command is a prompt, which is answered, or what the command prints.
Every command that shows nothing has a check here of what it did.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pexpect
import pytest
from conftest import SAMPLE
from support import desktops, programs

PAGE = programs.ROOT / "docs/man/kdbxfs.1"
MINE = "quite a long passphrase 4711"


def blocks() -> list[list[str]]:
    """The literal blocks of the examples, as a reader sees them."""
    section = re.search(r"^\.Sh EXAMPLES\n(.*?)^\.Sh", PAGE.read_text(), re.DOTALL | re.MULTILINE)[1]
    found = re.findall(r"^\.Bd -literal\n(.*?)^\.Ed", section, re.DOTALL | re.MULTILINE)
    return [block.replace(r"\e", "\\").splitlines() for block in found]


def examples() -> list[tuple[str, list[str]]]:
    """Each command, and the lines that follow it."""
    steps: list[tuple[str, list[str]]] = []
    for block in blocks():
        if not block[0].startswith("$ "):
            continue
        for line in block:
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
    return steps


def example_of(command: str) -> str:
    """The only example that begins so."""
    (found,) = [line for line, _ in examples() if line.startswith(command)]
    return found


def test_every_command_has_an_example():
    told = programs.run("--help").out.decode()
    commands = set(re.findall(r"^ +kdbxfs ([a-z-]+)", told, re.MULTILINE))
    shown = {name for line, _ in examples() for name in re.findall(r"\bkdbxfs ([a-z-]+)", line)}
    assert len(commands) > 20 and commands <= shown, commands - shown


class Machine:
    """A home folder and mounts of its own, with the programs that the examples name."""

    def __init__(self, home: Path, screen: dict[str, str]):
        self.home = home
        self.password = "sample"
        shutil.copy(SAMPLE, home / "passwords.kdbx")
        shutil.copy(SAMPLE, home / "passwords-laptop.kdbx")
        done = programs.run("new", "-v", home / "passwords-laptop.kdbx", "Home/Laptop", password="sample")
        assert done.code == 0, done.err
        (home / "vault").mkdir()
        (home / ".config/kdbxfs").mkdir(parents=True)
        (conf,) = [block for block in blocks() if not block[0].startswith("$ ")]
        (home / ".config/kdbxfs/main.conf").write_text("\n".join(conf) + "\n")
        (home / "bin").mkdir()
        for name in ("kdbxfs", "kdbxfs-askpass", "git-credential-kdbxfs"):
            (home / "bin" / name).symlink_to(programs.program())
        self.program("secret-tool", '[ "$*" = "lookup vault main" ] && echo sample')
        self.program("editor", 'echo written by the editor > "$1"')
        # What sudo -A does: it runs the program with its question, and reads a line.
        self.program("sudo", '[ "$1" = -A ] && "$SUDO_ASKPASS" "[sudo] password for alice: " > ~/asked')
        self.program("ssh", '[ "$SSH_ASKPASS_REQUIRE" = force ] && "$SSH_ASKPASS" "alice@$1\'s password: " > ~/asked')
        self.env = os.environ | programs.PRINTED | screen | {
            "HOME": str(home), "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "EDITOR": "editor",
            "VISUAL": "editor", "XDG_CONFIG_HOME": str(home / ".config"), "GIT_CONFIG_NOSYSTEM": "1",
            "XDG_RUNTIME_DIR": str(home / "run")}
        (home / "run").mkdir(mode=0o700)
        # In a mount namespace, without those of other tests: the examples speak of the only vault.
        self.holder = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "bash", "-c",
             "grep ' fuse.kdbxfs ' /proc/self/mounts | while read -r _ place _; do umount -l \"$(printf '%b' \"$place\")\"; done\n"
             "echo ready; read -r _"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.holder.stdout.readline() == b"ready\n"

    def program(self, name: str, script: str):
        (self.home / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.home / "bin" / name).chmod(0o755)

    def command(self, line: str) -> list[str]:
        return ["nsenter", f"--mount=/proc/{self.holder.pid}/ns/mnt", "bash", "-c", f"cd\n{line}"]

    def shell(self, line: str) -> str:
        """What a shell on this machine prints."""
        done = subprocess.run(
            self.command(line), env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=programs.PATIENCE)
        assert done.returncode == 0, (line, done.stderr)
        return done.stdout

    def type(self, line: str, shown: list[str]) -> str:
        """Runs an example on a terminal, answers its prompts, and gives what it printed after them."""
        words = self.command(line)
        child = pexpect.spawn(
            words[0], words[1:], env=self.env, encoding="utf-8", timeout=programs.PATIENCE)
        for prompt in shown:
            if prompt.endswith(":"):
                child.expect(re.escape(prompt))
                child.waitnoecho(programs.PATIENCE)
                child.sendline(MINE if "work.kdbx" in prompt or "once more" in prompt else self.password)
        child.expect(pexpect.EOF)
        # Programs like cp close their streams before they end; to close the terminal then would kill them.
        child.wait()
        child.close()
        assert child.exitstatus == 0, (line, child.before)
        return child.before.replace("\r\n", "\n").strip()

    def end(self):
        try:
            if "fuse.kdbxfs" in self.shell("cat /proc/self/mounts"):
                self.shell("kdbxfs umount ~/vault")
        finally:
            self.holder.communicate(b"\n", timeout=programs.PATIENCE)
            programs.wait_until(
                lambda: not programs.processes_naming(self.home), "all of it ends", programs.PATIENCE)


def field(machine, path) -> str:
    return machine.shell(f"cat ~/vault/'{path}'")


def saved(machine, path) -> str:
    return machine.shell(f"echo {machine.password} | kdbxfs cat ~/passwords.kdbx '{path}'")


def is_mounted(machine, said):
    assert said == "" and field(machine, "Internet/GitHub/username") == "alice"


def is_locked(machine, _):
    assert json.loads(machine.shell("kdbxfs status --json ~/vault"))["state"] == "locked"


def is_new_password(machine, said):
    assert re.fullmatch(r"kdbxfs: 64 bits\n([a-z]+-){4}[a-z-]+", said), said


def is_rotated(machine, _):
    now = field(machine, "Internet/GitHub/password")
    assert len(now) == 24 and saved(machine, "Internet/GitHub/password") == now


def is_password(machine, said):
    assert said == field(machine, "Internet/GitHub/password") and said


def is_code(_, said):
    assert re.fullmatch(r"\d{6}", said)


def has_key(machine, _):
    assert (machine.home / "work.keyx").exists()
    machine.shell(f"echo '{MINE}' | kdbxfs ls ~/work.kdbx --keyfile ~/work.keyx")


def is_cleared(machine, said):
    assert said == "kdbxfs: on the clipboard for 10 s"
    # Where nothing ever was, xclip ends with an error.
    programs.wait_until(lambda: machine.shell("xclip -selection clipboard -o") == "", "it is cleared")


def says_nothing(_, said):
    assert said == ""


def holds(path, value):
    def check(machine, _):
        assert machine.shell(f"cat {path}") == value

    return check


def said(pattern):
    def check(_, text):
        assert re.search(pattern, text, re.MULTILINE), text

    return check


# What is there after an example, by how it begins; it is asked on the machine.
EFFECTS = {
    "kdbxfs ~/passwords.kdbx": is_mounted,
    "cat ~/vault/Internet/GitHub/password": said("^correct horse battery staple$"),
    "echo 'new-secret'": holds("~/vault/Internet/GitHub/password", "new-secret"),
    "kdbxfs save": lambda machine, _: saved(machine, "Internet/GitHub/password") == "new-secret",
    "kdbxfs lock": is_locked,
    "kdbxfs unlock": is_mounted,
    "kdbxfs status": said("unlocked"),
    "kdbxfs umount": lambda machine, _: machine.shell("ls ~/vault") == "",
    "kdbxfs info": said("^format: KDBX 4.0$"),
    "kdbxfs ls": said("^GitHub$"),
    "kdbxfs cat": said("^new-secret$"),
    "kdbxfs totp -v": is_code,
    "kdbxfs check": says_nothing,
    "kdbxfs merge": said("^added Home/Laptop$"),
    "kdbxfs create": has_key,
    "kdbxfs passwd": has_key,
    "kdbxfs mount": is_mounted,
    "kdbxfs generate words": is_new_password,
    "cp ~/vault/.kdbxfs": lambda machine, _: len(field(machine, "Internet/GitHub/password")) == 24,
    "kdbxfs generate |": is_rotated,
    # The one that came in between was never saved.
    "cat ~/vault/Internet/GitHub/.history": said("new-secret$"),
    "kdbxfs totp --min-left": is_code,
    "kdbxfs find": said("^Internet/GitHub$"),
    "cat ~/vault/\"$(kdbxfs match": is_password,
    "kdbxfs new --username": holds("~/vault/Internet/Wiki/url", "https://wiki.example.org"),
    "openssl rand": lambda machine, _: len(field(machine, "Internet/Wiki/password")) == 24,
    "kdbxfs edit": holds("~/vault/Internet/Wiki/notes", "written by the editor"),
    "kdbxfs diff": said("^added Internet/Wiki$"),
    "kdbxfs mv": holds("~/vault/'Internet/Our wiki/username'", "alice"),
    "kdbxfs rm": holds("~/vault/'Recycle Bin/Our wiki/username'", "alice"),
    "kdbxfs restore": holds("~/vault/'Internet/Our wiki/username'", "alice"),
    "kdbxfs purge": said("^Recycle Bin/Old forum$"),
    "echo mallory": holds("~/vault/Internet/GitHub/username", "mallory"),
    "kdbxfs revert": holds("~/vault/Internet/GitHub/username", "alice"),
    "kdbxfs log": said(r"\tread\t\d+\tInternet/GitHub/password\tcat \("),
    "kdbxfs clip": is_cleared,
    "kdbxfs run": says_nothing,
    "echo 'token: {{": holds("~/config.template", "token: {{ Internet/GitHub/password }}\n"),
    "kdbxfs inject": lambda machine, _: (machine.home / "config").read_text() == (
        f"token: {field(machine, 'Internet/GitHub/password')}\n"),
    "git config": says_nothing,
    "printf 'url=": holds("~/vault/Git/git.example.org/password", "token"),
    "printf 'protocol=": said("^username=alice\npassword=token$"),
    "kdbxfs askpass": is_password,
    "SUDO_ASKPASS=": lambda machine, _: (machine.home / "asked").read_text() == (
        field(machine, "Internet/GitHub/password") + "\n"),
    "kdbxfs new --generate": holds("~/vault/Internet/Web/url", "ssh://web.example.org"),
    "SSH_ASKPASS=": lambda machine, _: (machine.home / "asked").read_text() == (
        field(machine, "Internet/Web/password") + "\n"),
}


def effect_of(command: str):
    found = [check for start, check in EFFECTS.items() if command.startswith(start)]
    assert len(found) == 1, f"{len(found)} checks of what this does: {command}"
    return found[0]


@pytest.mark.skipif(os.getuid() != 0, reason="only root has mounts that no other test sees")
def test_each_example_does_what_the_manual_says(folder):
    with desktops.x11() as screen:
        machine = Machine(folder, screen)
        try:
            for command, shown in examples():
                check = effect_of(command)
                printed = machine.type(command, shown)
                # What the manual shows is what comes, but for what is random.
                answer = [line for line in shown if not line.endswith(":")]
                if answer and check is not is_new_password:
                    assert printed.splitlines() == answer, command
                # A check may say that it isn't so, or only whether it is.
                assert check(machine, printed) in (None, True), (command, printed)
        finally:
            machine.end()


def test_no_check_is_for_an_example_that_is_gone():
    for start in EFFECTS:
        assert example_of(start)
