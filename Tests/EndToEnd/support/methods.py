"""Every way in which real programs save a file, each on a terminal of its own.

A method edits the file of a `Kind` and states which requests it must have been seen to make: its
temporary names, or what else tells it from the others.
"""

from __future__ import annotations

import fnmatch
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pexpect

from . import fixtures, kdbx

PATIENCE = int(os.environ.get("EDITOR_PATIENCE", 60))
OTP = "otpauth://totp/horse?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=stable"


# What is edited


@dataclass(frozen=True)
class Kind:
    """One file of an entry: what it holds, and the text that a method puts behind its first line."""

    title: str
    name: str
    key: str
    old: str | None
    suffix: str
    place: str = ""

    @property
    def new(self) -> str:
        if self.old is None:
            return self.suffix
        first, feed, rest = self.old.partition("\n")
        return first + self.suffix + feed + rest

    @property
    def typed(self) -> str:
        """The new text as programs write it: with a line feed at its end."""
        return self.new if self.new.endswith("\n") else self.new + "\n"

    def stored(self, text: str):
        return text.encode() if self.place else text


KINDS = [
    Kind("a field", "url", "URL", "https://horse.example/login", "/very"),
    Kind("a protected field", "password", "Password", "correct horse battery", " very"),
    Kind("notes", "notes", "Notes", "first horse\nsecond line\n", " very"),
    Kind("a custom field", "Security question", "Security question", "First horse?", " very"),
    Kind("a new field", "PIN", "PIN", None, "very new"),
    Kind("otp", "otp", "otp", OTP, "&digits=8"),
    Kind("an attachment", "horse.txt", "@horse.txt", "first horse\nsecond\n", " very", "attachments"),
]


def vault_bytes() -> bytes:
    """A vault with an entry a kind, each with something of everything; the password is `pw`."""
    content = fixtures.Content("Methods")
    attachment = next(kind for kind in KINDS if kind.place)
    old = {kind.key: kind.old for kind in KINDS if kind.old and not kind.place}
    fields = {key: old[key] for key in ("URL", "Password", "Notes", "Security question")}
    earlier = fields | {"Password": "older horse", "UserName": "rider"}
    files = {attachment.name: attachment.old.encode(), "every byte": fixtures.EVERY_BYTE}
    for kind in KINDS:
        version = content.entry(kind.title, "2024-01-02 09:00:00", "2024-01-02 09:00:00",
                                key=kind.title, fields=earlier)
        content.root.append(content.entry(
            kind.title, "2024-01-02 09:00:00", "2026-01-31 09:15:00",
            fields=fields | {"UserName": "rider"}, secret={"otp": OTP, "Codes": "1\n2\n"},
            tags="one;two", expiry="2031-05-06 07:08:09", attachments=files,
            extra=[fixtures.E.CustomData(fixtures.E.Item(fixtures.E.Key("k"), fixtures.E.Value("v")))],
            history=[version],
        ))
    return kdbx.write(content.tree(), kdbx.Recipe((4, 1)), "pw", binaries=[
        (0, data) for data in content.binaries])


# Who edits


class Stage:
    """Where a method runs: the folder of its file, a terminal, a home, and a file with the new text."""

    def __init__(self, kind: Kind, folder: Path, outside: Path):
        self.kind, self.folder, self.outside = kind, folder, outside
        self.name = kind.name
        self.new = outside / "new text"
        self.new.write_text(kind.typed)
        (outside / "home").mkdir(exist_ok=True)
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(outside / "home"), "TERM": "xterm",
            "LC_ALL": "C.UTF-8", "USER": "tester", "GIO_USE_VFS": "local",
            "NAME": self.name, "SUFFIX": kind.suffix, "NEW": str(self.new), "OUT": str(outside),
        }

    def start(self, command: list[str]):
        return pexpect.spawn(
            command[0], command[1:], cwd=os.fspath(self.folder), env=self.environment,
            timeout=PATIENCE, dimensions=(24, 100), encoding="utf-8", codec_errors="replace",
        )

    def waits(self, child, text: str):
        child.expect_exact(text)

    def ends(self, child, says: str | None = None):
        child.expect(pexpect.EOF)
        # Its terminal is closed a moment before it has ended.
        child.wait()
        child.close()
        assert child.exitstatus == 0, (child.exitstatus, child.signalstatus, child.before)
        assert says is None or child.before == says, child.before

    def shell(self, script: str):
        self.ends(self.start(["bash", "-euc", script]), "")

    def editor(self, command: list[str], *steps: str | tuple[str]):
        """Runs an editor on the file: a text is typed, a text in a tuple is waited for."""
        child = self.start([*command, self.name])
        self.waits(child, "horse" if self.kind.old else self.name.split()[0])
        for step in steps:
            if isinstance(step, tuple):
                self.waits(child, step[0])
            else:
                child.send(step)
        self.ends(child)

    @property
    def text(self) -> str:
        return self.kind.suffix

    @property
    def seen(self) -> str:
        """What shows on the screen, in one piece, of the text that was typed."""
        return max(re.findall(r"\w+", self.kind.suffix), key=len)


@dataclass
class Method:
    name: str
    run: Callable[[Stage], None]
    requests: list[str]
    """Each as `CALL|NAME…`, a pattern of the shell; `@` is the file's name. All must have been seen."""
    takes_new: bool = True
    """Whether it can make a file that isn't there."""
    requests_of_new: list[str] | None = None
    expected: Callable[[Kind], str] = field(default=lambda kind: kind.new)
    version: list[str] = field(default_factory=list)

    def wanted(self, kind: Kind) -> list[str]:
        if kind.old is None and self.requests_of_new is not None:
            return self.requests_of_new
        return self.requests

    def suits(self, kind: Kind) -> bool:
        return self.takes_new or kind.old is not None


# A test's mount lies in a folder for temporary files, where editors make no backup unless told to.
BACKUPS_ANYWHERE = "set backupskip="


def vim(*options):
    def run(stage):
        stage.editor(["vim", "-N", "-u", "NONE", "--cmd", BACKUPS_ANYWHERE, *options],
                     f":call setline(1, getline(1) . '{stage.text}')\r", (stage.seen,), ":wq\r")
    return run


def neovim(*options):
    def run(stage):
        stage.editor(["nvim", "-u", "NONE", "-i", "NONE", "--cmd", BACKUPS_ANYWHERE, *options],
                     f":call setline(1, getline(1) . '{stage.text}')\r", (stage.seen,), ":wq\r")
    return run


def nano(*options):
    def run(stage):
        stage.editor(["nano", "--ignorercfiles", *options], "\x05", stage.text, (stage.seen,),
                     "\x0f", ("Write",), "\r", ("Wrote",), "\x18")
    return run


EMACS_BACKUPS = "(setq backup-enable-predicate (lambda (name) t))"


def emacs(*options):
    def run(stage):
        stage.editor(["emacs", "-nw", "-Q", "--eval", EMACS_BACKUPS, *options], "\x05", stage.text, (stage.seen,),
                     "\x18\x13", ("Wrote",), "\x18\x03")
    return run


def joe(stage):
    stage.editor(["joe"], "\x05" + stage.text, (stage.seen,), "\x0bx")


def jed(stage):
    # Into an empty file it writes each word by itself.
    seen = stage.seen if stage.kind.old else stage.text.split()[-1]
    stage.editor(["jed"], "\x05", stage.text, (seen,), "\x18\x13", "\x18\x03")


def micro(stage):
    # It paints letter by letter, so what was typed is never seen in one piece.
    stage.editor(["micro"], "\x1bOF", stage.text, "\x13", ("Saved",), "\x11")


def mcedit(stage):
    stage.editor(["mcedit"], "\x1bOF" + stage.text, "\x1bOQ", ("ancel",), "\r", "\x1b[21~")


def kakoune(stage):
    stage.editor(["kak", "-n"], "A" + stage.text, (stage.seen,), "\x1b", ("1 sel",), ":wq\r")


def ed(stage):
    child = stage.start(["ed", "-s", "-p", "> ", stage.name])
    text = stage.text.replace("&", "\\&").replace("/", "\\/")
    commands = [f"a\n{stage.text}\n." if stage.kind.old is None else f"1s/$/{text}/", "w", "q"]
    for command in commands:
        child.expect_exact("> ")
        child.send(command + "\n")
    stage.ends(child)


def shell(script: str):
    return lambda stage: stage.shell(script)


def patch(stage):
    before = stage.outside / "before"
    before.write_text(stage.kind.old or "")
    after = stage.outside / "after"
    after.write_text(stage.kind.new)
    made = subprocess.run(["diff", "-u", before, after], capture_output=True)
    (stage.outside / "change.patch").write_bytes(made.stdout)
    stage.shell('patch --quiet "$NAME" < "$OUT/change.patch"')


PYTHON_REPLACE = """
import os, shutil, tempfile, sys
with tempfile.NamedTemporaryFile("w", dir=".", delete=False) as file:
    file.write(open(os.environ["NEW"]).read())
    file.flush()
    os.fsync(file.fileno())
os.replace(file.name, os.environ["NAME"])
"""
PYTHON_WRITE = """
import os
with open(os.environ["NAME"], "w") as file:
    file.write(open(os.environ["NEW"]).read())
"""


def python(text: str):
    def run(stage):
        (stage.outside / "save.py").write_text(text)
        stage.shell('python3 "$OUT/save.py"')
    return run


SWAP, ASIDE = "CREATE|.@.swp", "RENAME|@|@~"
LOCK_LINK = "SYMLINK|.#@"

METHODS = [
    Method("vim", vim(), [SWAP, ASIDE, "UNLINK|@~"], requests_of_new=["CREATE|@"]),
    Method("vim with a backup", vim("--cmd", "set backup writebackup"),
           [SWAP, "CREATE|4913", ASIDE], requests_of_new=["CREATE|@"]),
    Method("vim with backupcopy=yes", vim("--cmd", "set backup backupcopy=yes"),
           [SWAP, "CREATE|@~", "SETATTR"], requests_of_new=["CREATE|@"]),
    Method("vim without a swap file", vim("-n"), [ASIDE], requests_of_new=["CREATE|@"]),
    Method("neovim", neovim(), ["WRITE"]),
    Method("neovim with a backup", neovim("--cmd", "set backup backupdir=."),
           ["CREATE|4913", ASIDE], requests_of_new=["CREATE|@"]),
    Method("nano", nano("-G"), [SWAP, "UNLINK|.@.swp"], requests_of_new=["CREATE|@"]),
    Method("nano -B", nano("-B"), ["CREATE|@~"], requests_of_new=["CREATE|@"]),
    Method("emacs", emacs(), [LOCK_LINK, ASIDE], requests_of_new=["CREATE|@"]),
    Method("joe", joe, [LOCK_LINK, "CREATE|@~"], requests_of_new=["CREATE|@"]),
    Method("jed", jed, [LOCK_LINK, ASIDE], requests_of_new=["CREATE|@"]),
    Method("micro", micro, ["WRITE"]),
    Method("mcedit", mcedit, [LOCK_LINK], requests_of_new=["CREATE|@"]),
    Method("kakoune", kakoune, ["WRITE"]),
    Method("ed", ed, ["WRITE"]),
    Method(">", shell('cat "$NEW" > "$NAME"'), ["WRITE"]),
    Method(">>", shell('printf %s "$SUFFIX" >> "$NAME"'), ["WRITE"],
           expected=lambda kind: (kind.old or "") + kind.suffix),
    Method("tee", shell('tee "$NAME" < "$NEW" > /dev/null'), ["WRITE"]),
    Method("dd", shell('dd if="$NEW" of="$NAME" status=none'), ["WRITE"]),
    Method("sed -i", shell('sed -i "1s|\\$|${SUFFIX//&/\\\\&}|" "$NAME"'),
           ["CREATE|sed??????", "RENAME|sed??????|@"], takes_new=False),
    Method("sed -i.bak", shell('sed -i.bak "1s|\\$|${SUFFIX//&/\\\\&}|" "$NAME"'),
           ["CREATE|sed??????", "RENAME|sed??????|@", "*|@.bak"], takes_new=False),
    Method("perl -i", shell("perl -i -pe 's/$/$ENV{SUFFIX}/ if $. == 1' \"$NAME\""),
           ["CREATE|XX??????", "RENAME|XX??????|@"], takes_new=False),
    Method("sponge", shell('sponge "$NAME" < "$NEW"'), ["WRITE"]),
    Method("cp", shell('cp "$NEW" "$NAME"'), ["WRITE"]),
    Method("cp -a", shell('cp -a "$NEW" "$NAME"'), ["WRITE", "SETATTR"]),
    Method("cp --preserve=all", shell('cp --preserve=all "$NEW" "$NAME"'), ["WRITE", "SETATTR"]),
    Method("mv from elsewhere", shell('cp "$NEW" "$OUT/moved"; mv "$OUT/moved" "$NAME"'),
           ["UNLINK|@", "CREATE|@"], requests_of_new=["CREATE|@"]),
    Method("mv from inside", shell('cat "$NEW" > "$NAME.bak"; mv "$NAME.bak" "$NAME"'),
           ["CREATE|@.bak", "RENAME|@.bak|@"], takes_new=False),
    Method("install", shell('install -m 600 "$NEW" "$NAME"'), ["UNLINK|@", "CREATE|@"],
           requests_of_new=["CREATE|@"]),
    Method("rsync -a", shell('rsync -a "$NEW" "$NAME"'),
           ["CREATE|.@.??????", "RENAME|.@.??????|@"]),
    Method("rsync --inplace", shell('rsync --inplace "$NEW" "$NAME"'), ["WRITE"]),
    Method("patch", patch, ["CREATE|@.o??????", "RENAME|@.o??????|@"], takes_new=False),
    Method("Python, written", python(PYTHON_WRITE), ["WRITE"]),
    Method("Python, replaced", python(PYTHON_REPLACE),
           ["CREATE|tmp????????", "RENAME|tmp????????|@"]),
    Method("GIO", shell('gio save "$NAME" < "$NEW"'),
           ["CREATE|.goutputstream-??????", "RENAME|.goutputstream-??????|@"],
           requests_of_new=["CREATE|@"]),
    Method("GIO with a backup", shell('gio save --backup "$NAME" < "$NEW"'),
           ["CREATE|.goutputstream-??????", "LINK|@~", "RENAME|.goutputstream-??????|@"],
           requests_of_new=["CREATE|@"]),
    Method("truncate, then >>", shell('truncate -s 0 "$NAME"; cat "$NEW" >> "$NAME"'),
           ["SETATTR", "WRITE"]),
    Method("rm, then >", shell('rm -f "$NAME"; cat "$NEW" > "$NAME"'), ["UNLINK|@", "CREATE|@"],
           requests_of_new=["CREATE|@"]),
]


# What was asked of the mount


class RequestLog:
    """What a mount with `-f -d` writes to a file: the requests, with the names in them."""

    LINE = re.compile(r"kdbxfs: (\d+) ([A-Z]+) \d+((?: '[^']*')*)")

    def __init__(self, path: Path):
        self.path = path

    def size(self) -> int:
        return self.path.stat().st_size

    def since(self, position: int) -> list[str]:
        """The requests, each as `CALL|NAME…`."""
        with open(self.path, "rb") as file:
            file.seek(position)
            text = file.read().decode("utf-8", "replace")
        found = [self.LINE.match(line) for line in text.splitlines()]
        return ["|".join([match[2], *re.findall("'([^']*)'", match[3])]) for match in found if match]


def missing(method: Method, kind: Kind, requests: list[str]) -> list[str]:
    """The requests that a method must make, and that weren't seen."""
    def is_seen(pattern: str) -> bool:
        pattern = pattern.replace("@", kind.name)
        return any(fnmatch.fnmatchcase(request, pattern) for request in requests)

    return [pattern for pattern in method.wanted(kind) if not is_seen(pattern)]

